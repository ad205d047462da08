// What is known of the red checks of one commit, for programs that ask: what was judged, and nothing is judged again.
import {
  describeNotBegun,
  describeReason,
  type Failure,
  type FailureView,
  type Finding,
  type Head,
  type HeadPlace,
  judgeWhose,
  type KnownMatch,
  type Leaning,
  mayNameCommits,
  nameBareError,
  type Override,
  toRangeView,
  type Whose,
} from '../core/check/index.ts';
import type { Project } from '../core/project/index.ts';
import type { HeadName, Store } from '../db/index.ts';
import { type Asking, findVisibleIssue } from './access.ts';
import { findOtherUses, type OtherUse } from './checks/find-other-uses.ts';
import { findTestFile } from './checks/find-test-file.ts';
import { createOwnersReader } from './find-ownership.ts';
import { createSourceReader, type SourceReader } from './read-source.ts';
import type { RequestPullRequestDeps } from './request-pull-request.ts';
import type { CoreServices } from './services.ts';

export type ExplainDeps = Pick<CoreServices, 'source' | 'redactor' | 'log' | 'isPaused'> &
  Pick<RequestPullRequestDeps, 'settingsOf'> &
  Parameters<typeof findVisibleIssue>[0] & { readonly store: Store };

/** Checks with one cause. Texts are redacted, and quote what anyone may have written. */
interface ExplainedCause
  extends Pick<Finding, 'failureId' | 'verdict' | 'standing' | 'investigationId'>,
    Pick<Finding['excerpt'], 'step' | 'headline' | 'lines' | 'cut' | 'tests'> {
  readonly reasons: readonly string[];
  /** As people with write said, or else as judged. Null: a commit of the default branch. */
  readonly whose: Whose | null;
  /** Null: nothing was said. */
  readonly override: SaidOverride | null;
  /** What was said of another failure of one of its checks, which doesn't hold for this one. */
  readonly lapsed: SaidOverride | null;
  readonly checks: readonly Pick<Finding['checks'][number], 'name' | 'url' | 'isRed'>[];
  readonly places: readonly Pick<Finding['places'][number], 'path' | 'line' | 'message'>[];
  /** Null: unknown, or some checks pass there and some fail. */
  readonly base: 'green' | 'red' | null;
  /** Files that the change under test touches, at most 300; null: unknown. */
  readonly changed: readonly string[] | null;
  /** Whether it touches what fails, or what the failing test covers; null: unknown. */
  readonly isTouched: boolean | null;
  /** What speaks for the change under an inconclusive verdict; null: nothing. */
  readonly leaning: Leaning | null;
  /** Those of its files that the failure names or its tests reach. */
  readonly reached: NonNullable<Finding['reached']>;
  /** Of the file that the answer is about, or else of the failing one. */
  readonly owners: readonly string[];
  /** "": unknown. */
  readonly testFile: string;
  /** The commits that brought it to the default branch; null: unknown, or the change under test did. */
  readonly range: FailureView['range'];
  readonly known: KnownCause | null;
  readonly knownIssue: {
    readonly number: number;
    readonly state: KnownMatch['code'];
    readonly path: string | null;
    readonly endedAt: string | null;
  } | null;
  readonly issueId: string | null;
  /** Why no investigation began, a sentence; "": one did. */
  readonly notBegun: string;
}

/** `by`: a login; "": erased. */
interface SaidOverride extends Pick<Override, 'whose' | 'reason' | 'at'> {
  readonly by: string;
}

/** Of a failure that was seen at other commits too. */
interface KnownCause extends Pick<Failure, 'hits' | 'flakyHits' | 'pullRequests' | 'branches' | 'isOnDefault'> {
  readonly firstSeenAt: string;
  readonly firstSeen: FirstSeen;
  /** The pull request whose analysis explains it here as well; null: none. */
  readonly sharedFrom: number | null;
}

/** The commit with the first check that failed of it; `subject` is "", and `files` is empty, where it cannot be read. */
interface FirstSeen extends Pick<Failure['firstSeen'], 'sha' | 'branch' | 'pullRequest'> {
  readonly subject: string;
  /** That the commit changes, at most five. */
  readonly files: readonly string[];
}

export interface ExplainedHead
  extends Pick<Head, 'projectId' | 'sha' | 'state' | 'endedAt' | 'leftOut' | 'stillWaiting'> {
  /** As GitHub names it; "" where it names none. */
  readonly branch: string;
  readonly pullRequest: number | null;
  /** Whether it is a commit of the default branch. */
  readonly isDefault: boolean;
  /** Of a pull request: its change of at most ten files, as a patch for reading; "": unknown, or of more. */
  readonly change: string;
  /** What still uses what that change redefines, outside of its files, at most six lines; empty: nothing, or unknown. */
  readonly otherUses: readonly OtherUse[];
  readonly causes: readonly ExplainedCause[];
}

/** For all that is read from the source. */
const SOURCE_MS = 5_000;

/** Null: no checks of such a name are known. */
export async function explainChecks(
  deps: ExplainDeps,
  asking: Asking,
  project: Project,
  name: HeadName,
): Promise<ExplainedHead | null> {
  const head = await deps.store.findNamedHead(project.id, name);
  if (head === null) return null;
  const { signal } = asking;
  const readSource: SourceReader = deps.isPaused()
    ? async (_, otherwise) => otherwise
    : createSourceReader(deps, project, { ms: SOURCE_MS, signal });
  const readOwners = await openOwnersReader(deps, project, readSource, signal);
  const causes: ExplainedCause[] = [];
  for (const finding of head.findings) {
    causes.push(await explainCause(deps, asking, { finding, head, readOwners, readSource }));
  }
  const { projectId, sha, state, place, endedAt, leftOut, stillWaiting } = head;
  return {
    projectId,
    sha,
    branch: place?.branch ?? head.branch,
    pullRequest: place?.kind === 'pull_request' ? place.number : null,
    isDefault: place?.kind === 'default',
    ...(await readChange(head, readSource)),
    state,
    endedAt,
    causes,
    leftOut,
    stillWaiting,
  };
}

type OwnersReader = (path: string) => Promise<readonly string[]>;

/** Whose it is does not hold up the rest: while GitHub does not answer, nobody is named. */
async function openOwnersReader(
  deps: ExplainDeps,
  project: Project,
  readSource: SourceReader,
  signal: AbortSignal,
): Promise<OwnersReader> {
  if (deps.isPaused()) return async () => [];
  try {
    const { investigation } = await deps.settingsOf(project, signal);
    return createOwnersReader(readSource, investigation.scopes);
  } catch (error) {
    signal.throwIfAborted();
    deps.log.debug({ project: project.id, err: error }, 'failed to read the scopes of a project');
    return async () => [];
  }
}

function readChange(
  { sha, place, findings }: Head,
  readSource: SourceReader,
): Promise<Pick<ExplainedHead, 'change' | 'otherUses'>> {
  const none = { change: '', otherUses: [] };
  const changed = [...new Set(findings.flatMap(({ changed: paths = [] }) => paths))];
  if (place?.kind !== 'pull_request' || changed.length === 0) return Promise.resolve(none);
  const base = place.base.sha;
  return readSource(async (repository, signal) => {
    // The base may have commits that the pull request lacks: only its own files are its change.
    const patch = (path: string) => changed.includes(path);
    const { patch: change } = await repository.tree(sha).compare(base, { patch }, signal);
    const isOwn = findings.some(({ verdict }) => verdict === 'code' || verdict === 'inconclusive');
    return { change, otherUses: isOwn ? await findOtherUses(repository, { base, head: sha, changed }, signal) : [] };
  }, none);
}

const MOST_FILES = 5;

function readFirstSeen(
  { firstSeen: { sha, branch, pullRequest } }: Failure,
  readSource: SourceReader,
): Promise<FirstSeen> {
  const none: FirstSeen = { sha, branch, pullRequest, subject: '', files: [] };
  return readSource(async (repository, signal) => {
    const tree = repository.tree(sha);
    const [commit] = (await tree.history({ limit: 1 }, signal)).commits;
    const { files } = await tree.compare(null, {}, signal);
    return { ...none, subject: commit?.subject ?? '', files: files.slice(0, MOST_FILES).map(({ path }) => path) };
  }, none);
}

interface CauseInput {
  readonly readSource: SourceReader;
  readonly finding: Finding;
  readonly head: Head;
  readonly readOwners: OwnersReader;
}

async function explainCause(
  deps: ExplainDeps,
  asking: Asking,
  { finding, head, readOwners, readSource }: CauseInput,
): Promise<ExplainedCause> {
  const { store, redactor } = deps;
  const { failureId, verdict, standing, investigationId, excerpt, places, checks } = finding;
  const failure = await store.findFailure(failureId);
  const outcome = investigationId === null ? null : (await store.findInvestigation(investigationId))?.outcome;
  const issueId = outcome?.state === 'concluded' ? outcome.issueId : null;
  const issue = issueId === null ? null : ((await findVisibleIssue(deps, asking, issueId))?.issue ?? null);
  const testFile = finding.testFile?.path ?? findTestFile(finding) ?? '';
  const failing = places[0]?.path ?? testFile;
  const readFailingOwners = async () => (failing === '' ? [] : await redactor.redactJson(await readOwners(failing)));
  const { step, headline, lines, cut, tests } = excerpt;
  return {
    failureId,
    verdict,
    // Against the verdict where that is the change, and read as if it cleared it.
    reasons: finding.reasons.filter(({ code }) => code !== 'untouched' || verdict !== 'code').map(describeReason),
    whose: head.place?.kind === 'default' ? null : judgeWhose(finding, failure),
    override: toSaid(finding.override),
    lapsed: toSaid(finding.lapsed),
    standing,
    checks: checks.map(({ name, url, isRed }) => ({ name, url, isRed })),
    ...{ step, headline: nameBareError(excerpt) ?? headline, lines, cut, tests },
    places: places.map(({ path, line, message }) => ({ path, line, message })),
    base: finding.base ?? null,
    changed: finding.changed ?? null,
    isTouched: finding.isTouched ?? null,
    leaning: finding.leaning ?? null,
    reached: finding.reached ?? [],
    owners: issue?.analysis.ownership?.owners ?? finding.testFile?.owners ?? (await readFailingOwners()),
    testFile,
    range: findShownRange(finding, failure, head.place),
    known: failure === null ? null : await describeKnown(finding, failure, { head, readSource }),
    knownIssue: finding.known === undefined ? null : toKnownIssueView(finding.known),
    investigationId,
    issueId,
    notBegun: finding.notBegun === null ? '' : describeNotBegun(finding.notBegun),
  };
}

function toKnownIssueView(known: KnownMatch): NonNullable<ExplainedCause['knownIssue']> {
  return {
    number: known.issue,
    state: known.code,
    path: known.code === 'touched' ? known.path : null,
    endedAt: known.code === 'returned' ? known.endedAt : null,
  };
}

function toSaid(override: Override | undefined): SaidOverride | null {
  if (override === undefined) return null;
  const { whose, reason, by, at } = override;
  return { whose, reason, by: by?.login ?? '', at };
}

/** They are not those of a pull request that breaks it. */
function findShownRange(
  { verdict, range, opening = 1 }: Finding,
  failure: Failure | null,
  place: HeadPlace | null,
): ExplainedCause['range'] {
  const isOfBranch = verdict === 'base_broken' || (place?.kind === 'default' && mayNameCommits(verdict));
  const found = (failure?.opening === opening ? failure.range : range) ?? null;
  return isOfBranch && found !== null ? toRangeView(found) : null;
}

async function describeKnown(
  { sharedFrom = null }: Finding,
  failure: Failure,
  { head, readSource }: Pick<CauseInput, 'head' | 'readSource'>,
): Promise<KnownCause | null> {
  const { hits, flakyHits, pullRequests, branches, isOnDefault, firstSeen, lastSeen } = failure;
  if (firstSeen.sha === head.sha && lastSeen.sha === head.sha) return null;
  const known = { hits, flakyHits, pullRequests, branches, isOnDefault, firstSeenAt: firstSeen.at, sharedFrom };
  return { ...known, firstSeen: await readFirstSeen(failure, readSource) };
}
