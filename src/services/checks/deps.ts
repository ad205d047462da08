// What judging red checks needs, and what one look at a head is.

import type { ChangedFiles, Checks } from '../../core/check.ts';
import type { CommitRange } from '../../core/failure.ts';
import type { Head, HeadPlace } from '../../core/head.ts';
import type { GithubProject } from '../../core/project.ts';
import type { Source } from '../../core/source.ts';
import type {
  AccountStore,
  FailureStore,
  HeadStore,
  InvestigationStore,
  ProjectStore,
  ThreadStore,
} from '../../db/store.ts';
import type { Log } from '../../log.ts';

import type { Redactor } from '../../redact/redactor.ts';
import type { AcceptReportDeps } from '../accept-report.ts';
import type { CheckReading } from './check-reader.ts';

export interface JudgeHeadDeps extends AcceptReportDeps {
  readonly store: Pick<InvestigationStore, 'accept' | 'investigation'> &
    Pick<ThreadStore, 'thread' | 'threadOf'> &
    Pick<HeadStore, 'head' | 'headOf' | 'saveHead'> &
    Pick<AccountStore, 'ensureAccount'> &
    Pick<ProjectStore, 'project'> &
    FailureStore;
  readonly redactor: Pick<Redactor, 'redact' | 'redactJson'>;
  readonly checks: Checks;
  readonly source: Pick<Source, 'open'>;
  readonly readCheck: CheckReading;
  /** While it says so nothing is looked at. */
  readonly paused: () => boolean;
  /** `whsec_…`, for the account of our own bot when it is made. */
  readonly newSigningSecret: () => string;
  readonly log: Log;
}

/** One look at a head. */
export interface Look {
  readonly deps: JudgeHeadDeps;
  readonly project: GithubProject;
  /** As it was when the look began. */
  readonly head: Head;
  /** What the change under test touches, read once. Throws what `Checks.changed` throws. */
  readonly changed: (place: HeadPlace) => Promise<ChangedFiles | null>;
  /** Whether a commit is among the forebears of another, asked once for each two. Throws what `Checks.leads` throws. */
  readonly leads: (ends: Pick<CommitRange, 'from' | 'to'>) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** ISO 8601 UTC. */
export function nowOf({ deps }: Pick<Look, 'deps'>): string {
  return deps.now().toISOString();
}
