// How GitHub's answer to a write is lost once the write was carried out.
import type { Fault } from 'causeway-github-double';

/** The service gets a 502 from a proxy in between, or its connection is reset. */
export type Loss = '502' | 'reset';

export const LOST: Readonly<Record<Loss, Fault>> = {
  '502': { kind: 'html', when: 'after', status: 502 },
  reset: { kind: 'reset', when: 'after' },
};
