// What else was begun, and what a person asked for: asked once a look, and only where something might begin.
import type { Finding, HeadPlace } from '../../core/head.ts';
import type { Person } from '../../core/thread.ts';
import { type Look, nowOf } from './deps.ts';

export interface Circumstances {
  /** The thread of a person who had the pull request analysed since this head is known; null: nobody has. */
  readonly askedIn: string | null;
  /** Begun unasked: for this head, and in the project within 24 hours. */
  readonly ofHead: number;
  readonly ofDay: number;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** `findings`: as they are linked by now. Throws what `Checks.self` throws. */
export async function circumstancesOf(
  look: Look,
  place: HeadPlace,
  findings: readonly Finding[],
): Promise<Circumstances> {
  let ofHead = 0;
  for (const { isOwnThread, investigationId } of findings) {
    if (isOwnThread && (await isSinceHead(look, investigationId))) ofHead += 1;
  }
  const asked = place.kind === 'pull_request' ? await askedIn(look, place.number) : null;
  const self = await look.deps.checks.self(look.signal);
  return { askedIn: asked, ofHead, ofDay: await begunOfDay(look, self) };
}

/** Begun unasked in the project within 24 hours, whichever head it was for. `self`: our own user. */
export async function begunOfDay(look: Look, { id: githubId }: Person): Promise<number> {
  const { deps, project } = look;
  const since = new Date(Date.parse(nowOf(look)) - DAY_MS).toISOString();
  return await deps.store.begunSince(project.id, { githubId, since });
}

/** Made since this head is known: then it is of this head, or of one that was pushed after it. */
async function isSinceHead({ deps, head }: Look, id: string | null): Promise<boolean> {
  const investigation = id === null ? null : await deps.store.investigation(id);
  return investigation !== null && investigation.createdAt >= head.createdAt;
}

async function askedIn(look: Look, number: number): Promise<string | null> {
  const thread = await look.deps.store.threadOf(look.project.id, { kind: 'pull_request', number });
  if (thread === null || thread.trigger.kind === 'checks') return null;
  return (await isSinceHead(look, thread.investigationId)) ? thread.id : null;
}
