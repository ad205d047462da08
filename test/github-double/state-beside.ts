// What the GitHub double knows beside its accounts and repositories: attached files, tokens, addresses, the time.
import type { Permissions } from './state.ts';

/** Files that people attached, on GitHub's own hosts; private ones need a token. */
export interface Attachment {
  readonly path: string;
  readonly body: string | Uint8Array;
  readonly type: string;
  readonly repositoryId: number;
}

export type Token =
  | {
      readonly kind: 'installation';
      readonly installationId: number;
      /** Null: all of the installation. */
      readonly repositoryIds: ReadonlySet<number> | null;
      readonly permissions: Permissions;
      readonly expiresAt: string;
    }
  | {
      readonly kind: 'user';
      readonly userId: number;
      readonly appId: number | null;
      readonly expiresAt: string | null;
    };

export interface Urls {
  /** Without a slash at the end: `http://127.0.0.1:P` or `http://127.0.0.1:P/api/v3`. */
  readonly api: string;
  readonly web: string;
  /** The storage host, to which logs redirect and which must never see a token. */
  readonly storage: string;
}

/** The double's own time: it runs with the machine's, and tests move it on. */
export interface Clock {
  now(): Date;
  advance(milliseconds: number): void;
}
