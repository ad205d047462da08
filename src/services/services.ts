// What all services share; the app opens it once and passes it on.

import type { Redactor } from 'causeway-redact';
import type { Checks } from '../core/check/index.ts';
import type { Lexicons, Source } from '../core/source/index.ts';
import type { Memory } from '../core/thread/index.ts';
import type { Store } from '../db/index.ts';
import type { Log } from '../log.ts';
import type { CheckReader } from './checks/check-texts.ts';
import type { Changes } from './follow.ts';

export interface CoreServices {
  readonly store: Store;
  /** Absent: `records`. */
  readonly memory?: Memory;
  readonly source: Source;
  readonly lexicons: Lexicons;
  readonly redactor: Redactor;
  readonly changes: Changes;
  /** While the operator has paused the service, nothing is read, requested or posted. */
  readonly isPaused: () => boolean;
  readonly log: Log;
  readonly now: () => Date;
}

/** What the services about checks need besides. */
export interface CheckServices extends CoreServices {
  readonly checks: Checks;
  readonly readCheck: CheckReader['readCheck'];
}

/** How soon a job of a paused service is tried again. */
export const PAUSED_MS = 15_000;
