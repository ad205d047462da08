// What can be asked for on the command line, after it has been understood.
import type { Scope } from '../core/account.ts';
import type { ProjectSource } from '../core/project.ts';
import type { JobKind } from '../core/queue.ts';

/** Where the report comes from; `none`: standard input if it is a pipe, or the log alone. */
export type ReportInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'stdin' }
  | { readonly kind: 'address'; readonly url: string };

export type LogInput =
  | { readonly kind: 'none' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stdin' };

/** How the answer is wanted. */
export interface AnswerOptions {
  /** Exactly the Issue as JSON instead of the readable report. */
  readonly json: boolean;
  /** Where the unified patch goes, as given; null: nowhere. */
  readonly patchFile: string | null;
}

export interface AnalyseCommand extends AnswerOptions {
  readonly kind: 'analyse';
  readonly input: ReportInput;
  /** As given (a path is relative to the caller's folder); null: the repository around it, or the one of the address. */
  readonly repository: ProjectSource | null;
  /** Empty: the default branch, or the commit of the address. */
  readonly revision: string;
  readonly log: LogInput;
}

export interface DemoCommand extends AnswerOptions {
  readonly kind: 'demo';
}

/** `account` is a login on GitHub; null: the local account. */
export type TokenCommand =
  | {
      readonly kind: 'token-create';
      readonly name: string;
      readonly scopes: readonly Scope[];
      /** Milliseconds from now; null: never. */
      readonly expiresIn: number | null;
      readonly account: string | null;
    }
  | { readonly kind: 'token-list'; readonly account: string | null }
  | { readonly kind: 'token-revoke'; readonly id: string; readonly account: string | null };

export type WebhookSecretCommand =
  | { readonly kind: 'webhook-secret-show'; readonly account: string | null }
  | { readonly kind: 'webhook-secret-rotate'; readonly account: string | null };

export const TOPICS = [
  'causeway',
  'serve',
  'worker',
  'migrate',
  'backup',
  'restore',
  'move',
  'redrive',
  'erase',
  'doctor',
  'sign-in',
  'analyse',
  'demo',
  'token',
  'webhook-secret',
  'pause',
  'resume',
  'help',
  'version',
] as const;
export type Topic = (typeof TOPICS)[number];

export interface BackupCommand {
  readonly kind: 'backup';
  /** As given; null: named by the moment, in DATA_DIR. */
  readonly file: string | null;
}

export interface RestoreCommand {
  readonly kind: 'restore';
  /** The backup, as given. */
  readonly file: string;
  /** Whether it was confirmed. */
  readonly yes: boolean;
}

/** Between two databases; null: the one that the configuration names. */
export interface MoveCommand {
  readonly kind: 'move';
  /** File of the SQLite database, as given. */
  readonly from: string | null;
  /** Address of the PostgreSQL database, with its password. */
  readonly to: string | null;
}

/** What is erased: a person by login or GitHub's number, or a project by name or id. */
export interface EraseCommand {
  readonly kind: 'erase';
  readonly what: 'account' | 'project';
  readonly name: string;
  /** Whether it was said that this is really wanted. */
  readonly yes: boolean;
}

export type Command =
  | { readonly kind: 'serve'; readonly worker: boolean }
  /** `concurrency`: investigations at a time; null: as configured. */
  | { readonly kind: 'worker'; readonly concurrency: number | null }
  | { readonly kind: 'migrate' }
  | BackupCommand
  | RestoreCommand
  | MoveCommand
  | EraseCommand
  /** Null: dead jobs of every kind. */
  | { readonly kind: 'redrive'; readonly jobs: JobKind | null }
  | { readonly kind: 'doctor'; readonly json: boolean }
  | AnalyseCommand
  | DemoCommand
  | TokenCommand
  | WebhookSecretCommand
  | { readonly kind: 'sign-in' }
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'help'; readonly topic: Topic }
  | { readonly kind: 'version' };
