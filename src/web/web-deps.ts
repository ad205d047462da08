// What the account area is built from, and what is known during one request.

import type { Redactor } from 'causeway-redact';
import type { Context } from 'hono';
import type { Account, BrowserSession, GithubSignIn, Permissions } from '../core/account/index.ts';
import type { FindShortage } from '../core/disk.ts';
import type { RecordAnswer } from '../core/outcome/index.ts';
import type { ConfigurationOf, Project } from '../core/project/index.ts';
import type { ExampleReport } from '../core/report/index.ts';
import type { Store } from '../db/index.ts';
import type { Log } from '../log.ts';
import type { Asking, Changes, CheckCallbackUrl, KnownDeps, ProjectSettings, RateLimiter } from '../services/index.ts';
import type { Highlighter } from './highlight.ts';

/** How people sign in. */
export type SignInMethod =
  /** `command` prints a one-time link. */
  | { readonly kind: 'local'; readonly command: string }
  | {
      readonly kind: 'github';
      /** Null: the App's client id and secret are not configured. */
      readonly signIn: GithubSignIn | null;
      /** Where GitHub's pages are, such as https://github.com. */
      readonly origin: string;
      /** Page on which the App is installed; "" where GitHub does not answer in time. */
      readonly installUrl: (signal: AbortSignal) => Promise<string>;
    };

export interface WebDeps {
  /** Absent: answers are not counted. */
  readonly tellAnswered?: RecordAnswer;
  readonly store: Store;
  readonly permissions: Permissions;
  /** Throws `github_failed` where it cannot be read just now. */
  readonly settingsOf: (project: Project, signal: AbortSignal) => Promise<ProjectSettings>;
  readonly configurationOf: ConfigurationOf;
  /** What tying known failures asks of GitHub; null: there is none. */
  readonly knownChecks: KnownDeps['checks'] | null;
  readonly redactor: Pick<Redactor, 'redact'>;
  readonly changes: Changes;
  readonly room: FindShortage;
  readonly limiter: RateLimiter;
  readonly now: () => Date;
  readonly log: Log;
  readonly signInMethod: SignInMethod;
  /** Seals what a browser keeps for us. `open` throws where it was not sealed by us for the same purpose. */
  readonly seal: { seal(text: string, purpose: string): string; open(sealed: string, purpose: string): string };
  /** 32 bytes: what anti-forgery values are made with. */
  readonly key: Buffer;
  /** Syntax colours of texts; rejects never. */
  readonly highlight: Highlighter['highlight'];
  readonly newSigningSecret: () => string;
  readonly checkCallbackUrl: CheckCallbackUrl;
  /** US dollars: for one investigation, for a repository's month, for all repositories' month. */
  readonly budget: { readonly run: number; readonly repository: number; readonly all: number };
  /** Name of the model that the operator offers; null: none. */
  readonly modelName: string | null;
  /** The report of the first call with a new token; null: the person writes one. */
  readonly example: ExampleReport | null;
  /** Whether the operator has paused the service. */
  readonly paused: () => boolean;
  /** Address as browsers reach it, without a slash at the end; known once the port is open. */
  readonly baseUrl: () => string;
}

/** A person with a session. */
export interface SignedIn {
  readonly account: Account;
  readonly session: BrowserSession;
  /** The hidden field of every form. */
  readonly formToken: string;
}

export interface WebEnv {
  Bindings: {
    /** Aborts when the server stops: live pages end. */
    readonly stopping: AbortSignal;
  };
  Variables: {
    requestId: string;
    /** Set by `requireSession`. */
    signedIn: SignedIn;
    asking: Asking;
  };
}

export type PageContext = Context<WebEnv>;
