// One look at the checks of a commit: what it needs, and how what it finds is stored.
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
  readonly store: Pick<InvestigationStore, 'accept' | 'findInvestigation'> &
    Pick<ThreadStore, 'findThread' | 'findThreadOfSubject'> &
    Pick<HeadStore, 'findHead' | 'findHeadOfCommit' | 'saveHead'> &
    Pick<AccountStore, 'ensureAccount'> &
    Pick<ProjectStore, 'findProject'> &
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
export function formatNow({ deps }: Pick<Look, 'deps'>): string {
  return deps.now().toISOString();
}

type Seen = Pick<Head, 'state' | 'place' | 'findings' | 'leftOut' | 'stillWaiting' | 'endedAt'>;

const MOST_LEFT_OUT = 100;

export async function saveSeen(look: Look, seen: Seen): Promise<void> {
  const { id } = look.head;
  const wanted = { ...seen, leftOut: seen.leftOut.slice(0, MOST_LEFT_OUT) };
  if (isSame(look.head, wanted)) return;
  await look.deps.store.saveHead(id, wanted, formatNow(look));
}

/** What was found before stays: investigations of it go on, and what stands on GitHub is brought to its end. */
export async function saveAside(look: Look, aside: Pick<Seen, 'state' | 'place' | 'leftOut'>): Promise<void> {
  const { findings, endedAt } = look.head;
  await saveSeen(look, { findings, endedAt, stillWaiting: [], ...aside, place: aside.place ?? look.head.place });
}

/** As both are stored. */
function isSame(one: Seen, other: Seen): boolean {
  const plain = ({ state, place, findings, leftOut, stillWaiting, endedAt }: Seen) =>
    JSON.stringify([state, sortKeys(place), findings.map(sortKeys), leftOut.map(sortKeys), stillWaiting, endedAt]);
  return plain(one) === plain(other);
}

/** With its keys in one order, whoever wrote it. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, part]) => [key, sortKeys(part)]);
}
