// A check: what some CI says of one commit, be it a check run of an App or a commit status.

/** What broke a red check: the change under test, the base (it was red before), chance, the machine; or it cannot be said. */
export type Verdict = 'code' | 'base_broken' | 'flaky' | 'infrastructure' | 'inconclusive';

export interface Check {
  readonly name: string;
  /** Slug of the App that reports it, such as `github-actions`; "" for a commit status. */
  readonly app: string;
  /** GitHub's number of the check run; of Actions it is that of the job as well. Null: a commit status. */
  readonly runId: number | null;
  readonly state: 'waiting' | 'green' | 'red';
  /** As GitHub says it, such as `failure`, `timed_out`, `error`; "" while it waits. */
  readonly conclusion: string;
  /** ISO 8601; "" where it is not said. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** For people. */
  readonly url: string;
  /** What it says of itself, each part bounded; "" for nothing. */
  readonly title: string;
  readonly summary: string;
  readonly text: string;
  readonly annotations: number;
}

/** A check by its name, with all its runs at one commit. */
export interface NamedCheck {
  /** The one that counts. */
  readonly latest: Check;
  /** Those before it at the same commit, newest first. */
  readonly earlier: readonly Check[];
}

export interface Annotation {
  /** As the check says it: need not exist in the repository. */
  readonly path: string;
  readonly line: number;
  readonly endLine: number;
  readonly level: 'notice' | 'warning' | 'failure';
  readonly title: string;
  readonly message: string;
}

/** Several Apps may have checks of one name. */
export function checkKey({ app, name }: Pick<Check, 'app' | 'name'>): string {
  return `${app}\n${name}`;
}
