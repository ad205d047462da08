// What the API is built from, and what is known during one request.

import type { Redactor } from 'causeway-redact';
import type { Context } from 'hono';
import type { Account, Permissions, TokenRecord } from '../core/account/index.ts';
import type { FindShortage } from '../core/disk.ts';
import type { RecordAnswer } from '../core/outcome/index.ts';
import type { Project } from '../core/project/index.ts';
import type { Source } from '../core/source/index.ts';
import type { Store } from '../db/index.ts';
import type { Log } from '../log.ts';
import type { Changes, CheckCallbackUrl, CheckReader, ProjectSettings, RateLimiter } from '../services/index.ts';

export interface ReadinessCheck {
  readonly name: string;
  readonly ok: boolean;
  /** False: shown, but the service is ready without it. */
  readonly isVital?: false;
  /** For a person; contains no secret. */
  readonly detail: string;
}

export interface ApiDeps {
  readonly store: Store;
  readonly permissions: Permissions;
  /** Throws `github_failed` where it cannot be read just now. */
  readonly settingsOf: (project: Project, signal: AbortSignal) => Promise<ProjectSettings>;
  readonly redactor: Redactor;
  readonly source: Source;
  readonly reader: Pick<CheckReader, 'readCheck'>;
  /** While the operator has paused the service, no repository is read. */
  readonly isPaused: () => boolean;
  readonly changes: Changes;
  readonly room: FindShortage;
  readonly now: () => Date;
  readonly log: Log;
  readonly checkCallbackUrl: CheckCallbackUrl;
  readonly newSigningSecret: () => string;
  /** Shared with the pages: an account's calls count on either side. */
  readonly limiter: RateLimiter;
  /** Absent: answers are not counted. */
  readonly tellAnswered?: RecordAnswer;
  readonly ready: () => Promise<readonly ReadinessCheck[]>;
  /** Address of the service as callers reach it, without a slash at the end. A function, since with port 0 it is known only once the port is open. */
  readonly baseUrl: () => string;
}

/** Who calls, found by the token. */
export interface Caller {
  readonly account: Account;
  readonly token: TokenRecord;
  readonly tokenHash: string;
}

export interface ApiEnv {
  Bindings: {
    /** Aborts when the server stops: held answers and streams end. */
    readonly stopping: AbortSignal;
  };
  Variables: {
    requestId: string;
    caller: Caller;
    /** Headers that every answer to this request gets. */
    answerHeaders: Readonly<Record<string, string>>;
  };
}

export type ApiContext = Context<ApiEnv>;
