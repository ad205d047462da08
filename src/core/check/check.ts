// A check: what CI reports about one commit, either a check run of an App or a commit status.

import type { Annotation, ArtifactResults, FailedResult, ResultBudget, UnreadFile } from 'causeway-ci-log';
import { formatCounted } from '../counted.ts';
import { CausewayError } from '../errors.ts';
import type { GithubProject, InvestigationSettings, Person } from '../project/index.ts';
import type { CommitRange } from './failure.ts';
import type { ChangedSpan, HeadPlace } from './head.ts';
import type { IssueState } from './known-issue.ts';
import type { Reason } from './verdict.ts';

/**
 * How a failure reaches a place of the source. `frames`: it names the file. `names`: the failing test is the file's by
 * its name, or calls what is there, itself or through others. `test`: it is the failing test. `setup`: what decides how
 * every check runs. `imports`: the file is only imported on the way.
 */
export type Reach = 'frames' | 'names' | 'test' | 'setup' | 'imports' | 'none';

export interface Check {
  readonly name: string;
  /** Slug of the App that reports it, such as `github-actions`; "" for a commit status. */
  readonly app: string;
  /** GitHub's number of the check run, for Actions also that of the job. Null: a commit status. */
  readonly runId: number | null;
  readonly state: 'waiting' | 'green' | 'red';
  /** GitHub's value, such as `failure`, `timed_out`, `error`; "" while it waits. */
  readonly conclusion: string;
  /** ISO 8601; "" if unknown. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** The page to link to. */
  readonly url: string;
  /** Where another CI shows it, as that reported it: untrusted, and never shown or stored. Absent: nowhere. */
  readonly build?: Pick<BuildRequest, 'url' | 'sha'>;
  /** The check's own output, each part bounded; "" if absent. */
  readonly title: string;
  readonly summary: string;
  readonly text: string;
  readonly annotations: number;
}

/** A check by name, with all its runs on one commit. */
export interface NamedCheck {
  /** The run that counts. */
  readonly latest: Check;
  /** Earlier runs on the same commit, newest first. */
  readonly earlier: readonly Check[];
}

/** Checks of several Apps may share a name. */
export function toCheckKey({ app, name }: Pick<Check, 'app' | 'name'>): string {
  return `${app}\n${name}`;
}

/** How a project wants its failed checks handled. */
export interface CheckRules {
  /** Globs of check names. An empty `include` means all; `exclude` takes precedence. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Globs of branches (the base of a pull request); empty means all. */
  readonly branches: readonly string[];
  /** What is done for a pull request of a bot: nothing, a verdict without a model, or an investigation too. */
  readonly bots: 'ignore' | 'verdict' | 'investigate';
  /** Whether pull requests may be opened here. */
  readonly opens: boolean;
  /**
   * Whether a job whose failure is known to be flaky is run once more. `not_granted`: the repository wants that, and the
   * installation may not write Actions.
   */
  readonly rerun: 'off' | 'once' | 'not_granted';
  readonly settings: InvestigationSettings;
}

/** What a failed check reports beyond its name. */
export interface CheckOutput {
  /** Its log, shortened to `CHECK_LOG_BYTES` or the requested size around cause and end; "" if there is none. */
  readonly log: string;
  /** Why there is no log, as text; "" if there is one or never will be. */
  readonly noLog: string;
  readonly annotations: readonly Annotation[];
  /** What the result files say failed that its job uploaded; absent: there are none. */
  readonly results?: readonly FailedResult[];
  /** Result files that are not read; absent: none. */
  readonly unread?: readonly UnreadFile[];
}

export function createResultBudget(): ResultBudget {
  return { bytes: 64 * 1_024 * 1_024 };
}

const UNREAD_WHY: Readonly<Record<UnreadFile['why'], string>> = {
  file_size: 'more than 8 MB unpacked',
  sarif_size: 'more than 2 MB of SARIF',
  sarif_shape: 'more than 64 levels or 200,000 values of SARIF',
  total_size: 'no more is read of this commit, at most 64 MB unpacked',
  failed: 'reading it took too long or too much memory',
};

export function describeUnread({ why }: UnreadFile): string {
  return UNREAD_WHY[why];
}

/** The zip archive of an artifact, and what may be read of it. */
interface ZippedArtifact {
  readonly name: string;
  readonly archive: Uint8Array;
  readonly budget: ResultBudget;
}

/** Reads the result files of an artifact. Throws the signal's reason, and for nothing in the archive. */
export type ReadArtifact = (artifact: ZippedArtifact, signal: AbortSignal) => Promise<ArtifactResults>;

/** A build at another CI than Actions. */
export interface BuildRequest {
  readonly url: string;
  /** The commit whose check it is, in a repository `owner/name`. */
  readonly sha: string;
  readonly repository: string;
  readonly endedAt: string;
  readonly bytes: number;
}

/**
 * The log of a build whose host the operator has named, or why there is none; null: it is at another host, and nothing
 * was requested. Throws ChecksBusy, and the signal's reason.
 */
export type ReadBuildLog = (
  request: BuildRequest,
  signal: AbortSignal,
) => Promise<Pick<CheckOutput, 'log' | 'noLog' | 'results'> | null>;

/** Shortens a log of any length to at most `bytes` and says what was cut. Throws the signal's reason. */
export type ShortenLog = (chunks: AsyncIterable<Uint8Array>, bytes: number, signal: AbortSignal) => Promise<string>;

export const CHECK_LOG_BYTES = 4 * 1_024 * 1_024;

/** How much of what a check says is read. */
export interface OutputLimits {
  readonly logBytes: number;
  /** Of each artifact with result files; 0: none is read, and no call is made for them. */
  readonly artifactBytes: number;
  /** Shared by all checks of a commit; absent: there is only this one. */
  readonly resultBudget?: ResultBudget;
}

export const ALL_OUTPUT: OutputLimits = { logBytes: CHECK_LOG_BYTES, artifactBytes: 20 * 1_024 * 1_024 };

/** The files that the change under test touches. */
export interface ChangedFiles {
  readonly paths: readonly string[];
  /** Whether there are more than were read. */
  readonly isCut: boolean;
  /** By path the lines that it makes or stands at, after the change; absent: not known of that file. */
  readonly lines?: Readonly<Record<string, readonly ChangedSpan[]>>;
}

/** CI is rate-limited or gave no answer: repeat the call at `retryAt`. */
export class ChecksBusy extends CausewayError {
  readonly retryAt: Date;

  constructor(message: string, retryAt: Date, options?: ErrorOptions) {
    super('github_failed', message, options);
    this.retryAt = retryAt;
  }
}

/** As much was read as may be: what is left is left unread. */
export class ChecksSpent extends ChecksBusy {}

/** The resource is gone or not accessible; repeating the call does not help. */
export class ChecksClosed extends CausewayError {
  constructor(message: string, options?: ErrorOptions) {
    super('github_failed', message, options);
  }
}

/** The commit has more checks than are read, and all were asked for. */
export class ChecksCut extends CausewayError {
  constructor() {
    super(
      'github_failed',
      'GitHub lists more checks or statuses of one commit than are read: ask for the first of them.',
    );
  }
}

/** Failed jobs of Actions that are to run once more. */
export interface RerunRequest {
  /** The commit that they ran for. */
  readonly sha: string;
  /** Of a pull request: the commit of its base. Null: it is none. */
  readonly base: string | null;
  readonly isFork: boolean;
  readonly jobIds: readonly number[];
}

/** What decides which workflow they are of: a pull request has a base. */
export function toRerunRequest(
  { sha, place }: { readonly sha: string; readonly place: HeadPlace | null },
  jobIds: readonly number[],
): RerunRequest {
  const isPull = place?.kind === 'pull_request';
  return { sha, base: isPull ? place.base.sha : null, isFork: isPull && place.isFork, jobIds };
}

/**
 * `started_before`: another attempt of their workflow run was started, by whomever. `running`: the workflow run has not
 * ended yet.
 */
export type Rerun =
  | { readonly kind: 'started' | 'started_before' | 'running' }
  | { readonly kind: 'refused'; readonly why: RerunRefusal };

/** `job`: its id in the workflow, which anyone may have written. */
export type RerunRefusal =
  /**
   * `event`: the run is for neither a pull request nor, in the same repository, a push. `approval`: a first contribution
   * waits for a maintainer. `unread`: what it would run can't be read. `others_failed`: GitHub would also repeat what the
   * change broke. `not_actions`: none of them is a job of Actions. `refused`: GitHub does not run it.
   */
  | { readonly code: 'event' | 'approval' | 'unread' | 'others_failed' | 'not_actions' | 'refused' }
  /** A job that would be repeated deploys. */
  | { readonly code: 'environment'; readonly job: string }
  /** A job that depends on a repeated one, and so would run as well, isn't harmless as far as it can be read. */
  | {
      readonly code: 'dependent';
      readonly job: string;
      readonly why: 'environment' | 'secrets' | 'permissions' | 'reusable' | 'runner';
    };

export type CheckExtent = 'first' | 'whole';

/** All methods may throw ChecksBusy, ChecksClosed, or the signal's reason. */
export interface Checks {
  /** Our own user on GitHub, in whose name automatic investigations begin. */
  findSelf(signal: AbortSignal): Promise<Person>;
  readRules(project: GithubProject, signal: AbortSignal): Promise<CheckRules>;
  /**
   * All checks of a commit except our own, and except cancelled, skipped or abandoned ones, which say nothing about it.
   * Of very many the first; `whole` throws ChecksCut instead.
   */
  listAll(
    project: GithubProject,
    sha: string,
    signal: AbortSignal,
    extent?: CheckExtent,
  ): Promise<readonly NamedCheck[]>;
  /**
   * What the commit is the head of now; null if nothing. `branch`: as the event named it, or "". `pullRequest`: the one
   * it belonged to before, if known.
   */
  locate(
    project: GithubProject,
    head: { readonly sha: string; readonly branch: string; readonly pullRequest?: number | null },
    signal: AbortSignal,
  ): Promise<HeadPlace | null>;
  /** Does not throw if the log is gone or unreadable: see `noLog`. */
  readOutput(project: GithubProject, check: Check, signal: AbortSignal, limits?: OutputLimits): Promise<CheckOutput>;
  /** Null: unknown. */
  listChangedFiles(
    project: GithubProject,
    head: { readonly sha: string; readonly place: HeadPlace },
    signal: AbortSignal,
  ): Promise<ChangedFiles | null>;
  /** Whether `from` is an ancestor of `to`. False also if either is unknown, or both are the same commit. */
  leadsTo(
    project: GithubProject,
    ends: { readonly from: string; readonly to: string },
    signal: AbortSignal,
  ): Promise<boolean>;
  /** Null if a commit is unknown or `from` is not an ancestor of `to`. */
  readRange(
    project: GithubProject,
    ends: { readonly from: string; readonly to: string },
    signal: AbortSignal,
  ): Promise<CommitRange | null>;
  /**
   * Runs failed jobs of Actions once more, of each workflow run that nobody has run again before. What depends on them
   * runs as well, so it is refused where that isn't harmless. Of several runs: `started` where one was.
   */
  rerunJobs(project: GithubProject, request: RerunRequest, signal: AbortSignal): Promise<Rerun>;
  /** As it is now; `gone` also where it was moved to another repository. */
  readIssue(project: GithubProject, number: number, signal: AbortSignal): Promise<IssueState>;
}

/** One clause for a list: lower case, no full stop. */
export function describeReason(reason: Reason): string {
  switch (reason.code) {
    case 'passed_at_same_commit':
      return 'it also passed on this commit';
    case 'infrastructure':
      return reason.line === '' ? reason.what : `${reason.what}: ${quoteCheckText(reason.line)}`;
    case 'open_on_default':
      return 'the default branch has the same failure';
    case 'red_on_base':
      return `${nameCheck(reason.check)} fails on the base too${FAILS_ON_BASE[reason.cause]}${describeShared(reason.tests)}${reason.isMore === true ? ', but with errors here that are not there' : ''}`;
    case 'green_on_base':
      return `${nameCheck(reason.check)} passes on the base`;
    case 'untied':
      return `no CI result for ${nameCheck(reason.check)} on the base branch${reason.isOpen === true ? '' : ', and no direct link to the changed files'}`;
    case 'seen_before':
      return describeCheckHistory(reason);
    case 'out_of_time':
      return 'it timed out or was stopped without saying what was slow';
    case 'no_log':
      return `its log couldn't be read: ${reason.why}`;
    case 'says':
      if (reason.headline === '') return 'it names an error';
      return `it says: ${quoteCheckText(reason.headline)}${reason.isAll ? ', and nothing else' : ''}`;
    case 'says_nothing':
      return "it failed, but its log, annotations and summary don't say why";
    case 'test_failed':
      return `${quoteCheckText(reason.test)}${reason.others > 0 ? ` and ${formatCounted(reason.others, 'other test')}` : ''} failed`;
    case 'touched':
      return `the change touches ${formatFirstPaths(reason.paths)}, where the check fails`;
    case 'touched_by_test':
      return `the change touches ${reason.path}, which ${reason.test} ${reason.how}${reason.via === undefined ? '' : ` through ${reason.via}`}`;
    case 'touched_beside':
      return `the change touches ${reason.path}, but there other tests than what failed`;
    case 'only_documentation':
      return `the change touches documentation alone (${formatFirstPaths(reason.paths)}), which no test that failed reads`;
    case 'untouched':
      return 'the failure names no file that the change touches';
    case 'dependencies':
      return `the change touches dependencies (${formatFirstPaths(reason.paths)}), but no file that the failure names`;
    case 'unexplained':
      return 'nothing in its output explains the failure';
  }
}

const FAILS_ON_BASE = {
  same: ', for the same reason',
  other: ', for another reason',
  unknown: '; unclear whether for the same reason',
  unsaid: '; neither log says why',
} as const;

function describeShared(tests: readonly string[] = []): string {
  const [first] = tests;
  if (first === undefined) return '';
  return `; ${quoteCheckText(first)}${tests.length > 1 ? ` and ${formatCounted(tests.length - 1, 'other test')}` : ''} failed there already`;
}

function describeCheckHistory({
  hits,
  flakyHits,
  pullRequests,
  branches,
}: Extract<Reason, { readonly code: 'seen_before' }>): string {
  const places = [
    ...(pullRequests > 0 ? [formatCounted(pullRequests, 'other pull request')] : []),
    ...(branches > 0 ? [`${branches} other ${branches === 1 ? 'branch' : 'branches'}`] : []),
  ];
  const where = places.length > 0 ? ` on ${places.join(' and ')}` : '';
  const passed = hits === 1 ? 'where it' : `${flakyHits} of them`;
  const flaky = flakyHits > 0 ? `, ${passed} passed on a re-run` : '';
  return `seen ${hits === 1 ? 'once' : `${hits} times`} before${where}${flaky}`;
}

const MAX_QUOTED = 160;

function quoteCheckText(text: string): string {
  const short = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED - 1)}…` : text;
  return `“${short.trim()}”`;
}

function nameCheck(name: string): string {
  return name === '' ? 'the same check' : `\`${name.replaceAll('`', '')}\``;
}

function formatFirstPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, 2).join(' and ');
  return paths.length > 2 ? `${shown} and ${paths.length - 2} more` : shown;
}
