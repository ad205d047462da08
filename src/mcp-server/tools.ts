// The tools: what each takes, which call of the API it makes, and what of the answer an agent needs.
// Text from outside (people, repositories, logs) is only ever below `quoted`, so that a reader can tell it from ours.
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { FailureView, Verdict, Whose } from '../core/check/index.ts';
import type { Issue, Suspect } from '../core/issue/index.ts';
import type { ForeignProofView } from '../core/proof/index.ts';
import { type ApiCall, ApiRefusal } from './api-call.ts';
import { cutToBytes } from './fit.ts';

export interface ToolContext {
  readonly call: ApiCall;
  /** Whether checks were judged here. */
  readonly hasLedger: boolean;
  /** Tells the client how far it is; does nothing where the client did not ask. */
  readonly tell: (step: number, action: string) => Promise<void>;
  /** Counts one more analysis of the token, until it is taken back; throws `ApiRefusal` beyond the limit. */
  readonly countAnalysis: () => { readonly takeBack: () => void };
}

export interface McpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Instead, where no checks were judged here. */
  readonly descriptionOfOwn?: string;
  readonly input: z.ZodObject;
  readonly annotations: ToolAnnotations;
  /** Needed besides those that only read. */
  readonly scope?: 'issues:write' | 'pull-requests:write';
  /** Code alone, or answers of investigations, which a command has only if it may start some. */
  readonly reads: 'code' | 'answers';
  /** Whether it is of no use where nothing of GitHub is known. */
  readonly needsLedger?: boolean;
  readonly run: (args: never, context: ToolContext) => Promise<Readonly<Record<string, unknown>>>;
}

/** Shown where the caller did not ask for all. */
export const SHORT_BYTES = 4_096;
export const FULL_BYTES = 49_152;

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

const Project = z
  .string()
  .max(300)
  .optional()
  .describe('The repository, as owner/name (see git remote) or by its identifier. Needed unless you see only one.');
const Full = z.boolean().optional().describe('True: up to 48 KB instead of 4 KB.');
const Revision = z
  .string()
  .max(255)
  .optional()
  .describe('Branch, tag or sha that it is about; else the default branch.');
const Text = (what: string) => z.string().min(1).max(1_000_000).describe(what);

/** Infers the arguments from the schema, which the table cannot. */
function defineMcpTool<Input extends z.ZodObject>(
  tool: Omit<McpTool, 'input' | 'run'> & {
    readonly input: Input;
    readonly run: (args: z.output<Input>, context: ToolContext) => Promise<Readonly<Record<string, unknown>>>;
  },
): McpTool {
  return tool as unknown as McpTool;
}

export const TOOLS: readonly McpTool[] = [
  defineMcpTool({
    name: 'explain_check',
    title: 'Explain a red check',
    description:
      'Why CI is red on a pull request, commit or run, and whose fault it is: this change, the base branch, a flaky test or the machine; with the first error, failed tests, places, owners, and whether the same failure is known from other pull requests. Give exactly one of pullRequest, sha, run and log. Call it before you read a log or debug: the failure may not be yours.',
    descriptionOfOwn:
      'What the log of a red check says: the first error, failed tests, and their places in the repository here. Give log alone, such as what "gh run view --log-failed" prints: pull requests, commits and runs are not known here.',
    input: z.object({
      project: Project,
      pullRequest: z.int().min(1).optional().describe('Number of the pull request.'),
      sha: z.string().min(7).max(64).optional().describe('The commit, at least 7 characters.'),
      run: z.string().max(300).optional().describe('The check run, Actions run or job: its id, or its address.'),
      log: Text(
        'Text of a log that is not on GitHub. Only what it says itself and what is known of it is answered.',
      ).optional(),
      full: Full,
    }),
    annotations: READS,
    reads: 'code',
    run: explainCheck,
  }),
  defineMcpTool({
    name: 'get_issue',
    title: 'Get the answer of an investigation',
    description:
      'What an investigation concluded: root cause with evidence, steps to reproduce and to solve, confidence, and the change as a patch for `git apply`.',
    input: z.object({ issueId: z.string().max(64).describe('iss_…'), full: Full }),
    annotations: READS,
    reads: 'answers',
    run: readIssueAnswer,
  }),
  defineMcpTool({
    name: 'get_investigation',
    title: 'Get the state of an investigation',
    description:
      'Whether an investigation is queued, running or concluded, and the issue that it led to. Waits up to `wait` seconds for its end.',
    input: z.object({
      investigationId: z.string().max(64).describe('inv_…'),
      wait: z.int().min(0).max(60).optional().describe('Seconds; 0 unless said otherwise.'),
    }),
    annotations: READS,
    reads: 'answers',
    run: waitForInvestigation,
  }),
  defineMcpTool({
    name: 'analyse',
    title: 'Start an investigation',
    description:
      'Starts an investigation of a problem report by a language model, which costs money, and returns its id at once; get_investigation says when it is done. At most five an hour. Look with explain_check first.',
    input: z.object({
      project: Project,
      report: Text('The report: what went wrong, with error and log.'),
      revision: Revision,
    }),
    // Equal reports share an investigation, and nothing that exists is changed; a model of a vendor is asked.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    reads: 'answers',
    scope: 'issues:write',
    run: async ({ project, report, revision }, { call, hasLedger, countAnalysis }) => {
      const projectId = await chooseProject({ call, hasLedger }, project);
      const counted = countAnalysis();
      const body = { projectId, data: report, revision };
      const { headers } = await sendText(call, { path: 'issues/', body, name: 'report' }).catch((error: unknown) => {
        counted.takeBack();
        throw error;
      });
      const [, investigationId = ''] = /investigations\/(\w+)\//.exec(headers.get('Location') ?? '') ?? [];
      return { investigationId, state: 'queued', next: 'get_investigation with this id and wait: 60' };
    },
  }),
  defineMcpTool({
    name: 'get_proof',
    title: 'Get the proof of a pull request',
    description:
      'Whether the tests of a pull request fail without its change, as `prove` or `/analyse prove` found it: the state, the tests that prove nothing with their files, the first error, what to do about it, and how to see it in a clone.',
    input: z.object({ project: Project, pullRequest: z.int().min(1).describe('Number of the pull request.') }),
    annotations: READS,
    reads: 'code',
    needsLedger: true,
    run: async ({ project, pullRequest }, { call, hasLedger }) => {
      const path = await findProofPath({ call, hasLedger }, project, pullRequest);
      return describeProved((await call({ path })).value as ProvedPull);
    },
  }),
  defineMcpTool({
    name: 'prove',
    title: 'Prove a pull request',
    description:
      "Has the repository's CI run the tests of a pull request without its change, on a branch and a draft of ours that go afterwards: one run of CI, of a few a day (limits.ci_runs_day). The answer's `notice` says what will be pushed; get_proof says what it came to.",
    input: z.object({
      project: Project,
      pullRequest: z.int().min(1).describe('Number of the pull request.'),
      head: z
        .string()
        .regex(/^[0-9a-f]{40}$/)
        .describe('Full sha of its head.'),
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    reads: 'code',
    scope: 'pull-requests:write',
    needsLedger: true,
    run: async ({ project, pullRequest, head }, { call, hasLedger }) => {
      const path = await findProofPath({ call, hasLedger }, project, pullRequest);
      const { value } = await call({ method: 'POST', path, body: { head } });
      const asked = value as ProvedPull & { readonly notice: string };
      return { notice: asked.notice, ...describeProved(asked) };
    },
  }),
];

/** Of `GET /api/v1/projects/{projectId}/proofs/{number}/`. */
type ProvedPull = Omit<ForeignProofView, 'certificate'>;

/** In a path a project has no name: its slash would make another path. */
async function findProofPath(
  context: Pick<ToolContext, 'call' | 'hasLedger'>,
  given: string | undefined,
  pullRequest: number,
): Promise<string> {
  const chosen = await chooseProject(context, given);
  const all = chosen.includes('/')
    ? ((await context.call({ path: 'projects/' })).value as readonly ListedProject[])
    : [];
  const named = all.find(({ name }) => name.toLowerCase() === chosen.toLowerCase());
  return `projects/${encodeURIComponent(named?.id ?? chosen)}/proofs/${pullRequest}/`;
}

/** Names and errors are from logs. */
function describeProved(proof: ProvedPull): Readonly<Record<string, unknown>> {
  const { pullRequest, head, state, result, places, quiet, turned, firstError, checks, testCommit, draft } = proof;
  const { instructions, tests, commands } = proof;
  return {
    ...{ pullRequest, head, state, runs: checks.map(({ red, green }) => ({ red: red.url, green: green.url })) },
    ...(testCommit !== '' && { testCommit, draft }),
    ...(state === 'running' && { next: 'get_proof again in a few minutes' }),
    ...(instructions.length > 0 && { instructions }),
    quoted: { result, tests, places, provesNothing: quiet, failedWithoutChange: turned, firstError, commands },
  };
}

/** Of `GET /api/v1/checks/`. */
interface JudgedHead {
  readonly projectId: string;
  readonly sha: string;
  readonly branch: string;
  readonly pullRequest: number | null;
  readonly isDefault: boolean;
  readonly change: string;
  readonly otherUses: readonly {
    readonly name: string;
    readonly path: string;
    readonly line: number;
    readonly text: string;
  }[];
  readonly state: 'waiting' | 'red' | 'green' | 'superseded' | 'ignored';
  readonly endedAt: string;
  readonly causes: readonly JudgedCause[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  readonly stillWaiting: readonly string[];
}

interface JudgedCause {
  readonly failureId: string;
  readonly verdict: Verdict;
  readonly reasons: readonly string[];
  readonly whose: Whose | null;
  readonly override: { readonly whose: 'mine' | 'not_mine'; readonly reason: string; readonly by: string } | null;
  readonly standing: 'new' | 'known' | 'regression';
  readonly checks: readonly { readonly name: string; readonly url: string; readonly isRed: boolean }[];
  readonly step: string;
  readonly headline: string;
  readonly lines: readonly string[];
  readonly cut: string;
  readonly tests: readonly string[];
  readonly places: readonly { readonly path: string; readonly line: number; readonly message: string }[];
  readonly base: 'green' | 'red' | null;
  readonly changed: readonly string[] | null;
  readonly isTouched: boolean | null;
  readonly leaning: { readonly to: 'code'; readonly path: readonly string[] } | null;
  readonly reached: readonly { readonly path: string; readonly isCertain: boolean }[];
  readonly owners: readonly string[];
  readonly testFile: string;
  readonly range: FailureView['range'];
  readonly known: {
    readonly hits: number;
    readonly flakyHits: number;
    readonly pullRequests: readonly number[];
    readonly branches: readonly string[];
    readonly isOnDefault: boolean;
    readonly firstSeenAt: string;
    readonly firstSeen: {
      readonly sha: string;
      readonly branch: string;
      readonly pullRequest: number | null;
      readonly subject: string;
      readonly files: readonly string[];
    };
    readonly sharedFrom: number | null;
  } | null;
  readonly knownIssue: { readonly number: number; readonly state: 'known' | 'touched' | 'returned' } | null;
  readonly investigationId: string | null;
  readonly issueId: string | null;
  readonly notBegun: string;
}

/** Of `POST /api/v1/logs/`. */
interface ReadLog {
  readonly step: string;
  readonly headline: string;
  readonly lines: readonly string[];
  readonly cut: string;
  readonly tests: readonly string[];
  readonly places: readonly (JudgedCause['places'][number] & { readonly isInRepository: boolean })[];
  readonly machine: { readonly what: string; readonly line: string } | null;
  readonly owners: readonly string[];
  readonly failure: FailureView | null;
}

const EXCUSES: Readonly<Record<Exclude<Verdict, 'code' | 'inconclusive'>, string>> = {
  base_broken: 'the base branch has the same failure',
  flaky: 'it fails by chance; re-run the check',
  infrastructure: 'the machine failed; re-run the check',
};

function sayWhoseFault(
  { verdict, whose, base, known, knownIssue, leaning, override }: JudgedCause,
  isDefault: boolean,
): string {
  if (override !== null) {
    const fault = override.whose === 'mine' ? 'this change' : 'not this change';
    return `${fault}, as someone with write access said; it was judged ${verdict}`;
  }
  if (knownIssue?.state === 'known')
    return `${isDefault ? '' : 'not this change: '}a known failure, followed in issue #${knownIssue.number}`;
  if (verdict === 'inconclusive') return sayOfUnclear(whose, leaning !== null);
  if (verdict === 'flaky' && whose === 'unknown')
    return 'unclear: it passes and fails at this commit, and the change touches it; re-run it, then look at the test';
  if (verdict !== 'code') return `${isDefault ? 'no commit' : 'not this change'}: ${EXCUSES[verdict]}`;
  if (isDefault) return 'a commit of the default branch: broughtBy has the range, if it is known';
  if (whose === 'this_change') return 'this change: it touches what fails';
  if (whose === 'likely_this_change')
    return `likely this change: ${base === 'green' ? 'the check passes on the base' : 'what fails here does not fail on the base, where other tests do'}`;
  if (known !== null && known.flakyHits > 0)
    return 'unclear: it failed elsewhere too and passed there on a re-run; re-run before you look';
  return "can't tell whose fault it is";
}

function sayOfUnclear(whose: Whose | null, isLeaning: boolean): string {
  if (whose === 'not_this_change')
    return 'not this change: it touches documentation alone, which no test that failed reads';
  return whose === 'likely_this_change' && isLeaning
    ? 'probably this change: the failing test gets to what it touches through imports (leadsToChange)'
    : "can't tell whose fault it is";
}

/** The last number of an address: of `…/runs/12/job/34` the job. What has none is refused by the API. */
function readRunId(given: string): string {
  return given.split(/[?#]/)[0]?.match(/\d+/g)?.at(-1) ?? given;
}

async function explainCheck(
  {
    project,
    log,
    full,
    ...named
  }: {
    readonly project?: string | undefined;
    readonly pullRequest?: number | undefined;
    readonly sha?: string | undefined;
    readonly run?: string | undefined;
    readonly log?: string | undefined;
    readonly full?: boolean | undefined;
  },
  { call, hasLedger }: ToolContext,
): Promise<Readonly<Record<string, unknown>>> {
  const { pullRequest, sha, run } = named;
  if ([pullRequest, sha, run, log].filter((one) => one !== undefined).length !== 1) {
    throw new ApiRefusal(422, 'Give exactly one of pullRequest, sha, run and log.');
  }
  if (log === undefined && !hasLedger) {
    throw new ApiRefusal(
      422,
      'This command knows no checks of GitHub: give the log, such as that of "gh run view --log-failed".',
    );
  }
  const projectId = await chooseProject({ call, hasLedger }, project);
  if (log !== undefined) {
    const { value } = await sendText(call, { path: 'logs/', body: { projectId, data: log }, name: 'log' });
    return toReadLog(value as ReadLog, hasLedger);
  }
  try {
    const { value } = await call({
      path: 'checks/',
      query: { projectId, pullRequest, sha, run: run && readRunId(run) },
    });
    const head = value as JudgedHead;
    return describeHead(head, await readAnswers(call, head), full === true);
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 404) throw error;
    throw new ApiRefusal(
      404,
      'Causeway has judged no checks there (yet): they are still running, are all green since it was installed, or it is another project. Give the log to explain_check instead.',
    );
  }
}

/** Of the first causes, what their investigation concluded so far. */
const MOST_ANSWERS = 3;

async function readAnswers(call: ApiCall, { causes }: JudgedHead): Promise<ReadonlyMap<string, Issue>> {
  const ids = causes.flatMap(({ issueId }) => issueId ?? []).slice(0, MOST_ANSWERS);
  const read = async (id: string): Promise<readonly (readonly [string, Issue])[]> => {
    try {
      return [[id, (await call({ path: `issues/${id}/` })).value as Issue]];
    } catch (error) {
      // It may rest on what this caller may not see.
      if (error instanceof ApiRefusal && error.status === 404) return [];
      throw error;
    }
  };
  return new Map((await Promise.all(ids.map(read))).flat());
}

/** How much of the change a result has, in bytes. */
const SHORT_CHANGE = 1_280;
const FULL_CHANGE = 20_000;

function describeHead(head: JudgedHead, answers: ReadonlyMap<string, Issue>, isFull: boolean) {
  const changedFiles = [...new Set(head.causes.flatMap(({ changed }) => changed ?? []))];
  const red = head.causes.filter(({ checks }) => checks.some(({ isRed }) => isRed));
  const meanings = red.map((cause) => sayWhoseFault(cause, head.isDefault));
  const none = head.state === 'waiting' ? 'The checks have not ended yet; none has failed so far.' : 'No check is red.';
  return {
    answer:
      red.length === 0 ? none : `${red.length === 1 ? 'Red' : `Red for ${red.length} causes`}: ${meanings.join('; ')}.`,
    sha: head.sha,
    ...(head.pullRequest === null ? { onDefaultBranch: head.isDefault } : { pullRequest: head.pullRequest }),
    state: head.state,
    causes: head.causes.map((cause) => describeCause(cause, head.isDefault, answers.get(cause.issueId ?? '') ?? null)),
    ...(head.stillWaiting.length > 0 && { stillRunning: head.stillWaiting.length }),
    quoted: {
      ...(changedFiles.length > 0 && { changedFiles }),
      ...(head.change !== '' && { change: cutToBytes(head.change, isFull ? FULL_CHANGE : SHORT_CHANGE) }),
      ...(head.otherUses.length > 0 && { stillUsesWhatChanged: head.otherUses.map(formatUse) }),
      ...(head.leftOut.length > 0 && { notExamined: head.leftOut }),
    },
  };
}

/** Suspects of an investigation, and places, that are told with a check. */
const MOST_SUSPECTS = 3;
const MOST_PLACES = 6;

function describeCause(cause: JudgedCause, isDefault: boolean, answer: Issue | null) {
  const { known, range } = cause;
  return {
    verdict: cause.verdict,
    means: sayWhoseFault(cause, isDefault),
    ...(!cause.checks.some(({ isRed }) => isRed) && { passedSince: true }),
    standing: cause.standing,
    failureId: cause.failureId,
    ...(cause.base !== null && { onBase: cause.base }),
    ...(known !== null && {
      seen: {
        redChecks: known.hits,
        passedOnSameCommit: known.flakyHits,
        pullRequests: known.pullRequests,
        onDefaultBranch: known.isOnDefault,
        since: known.firstSeenAt,
        firstCommit: known.firstSeen.sha,
      },
    }),
    ...(cause.knownIssue !== null && { knownIssue: cause.knownIssue }),
    ...(range !== null && { broughtBy: range }),
    ...(cause.issueId !== null && { issueId: cause.issueId }),
    ...(answer !== null && {
      outcome: answer.analysis.outcome,
      confidence: answer.analysis.confidence,
      hasPatch: answer.diff.files.length > 0,
    }),
    ...(cause.issueId === null && cause.investigationId !== null && { investigationId: cause.investigationId }),
    quoted: {
      checks: cause.checks.map(({ name }) => name),
      error: cause.headline,
      tests: cause.tests,
      reasons: cause.reasons,
      ...(cause.leaning !== null && { leadsToChange: cause.leaning.path }),
      ...(cause.override !== null && { said: `${cause.override.by}: ${cause.override.reason}` }),
      ...(answer !== null && {
        found: answer.rootCause,
        suspects: answer.analysis.suspects.slice(0, MOST_SUSPECTS).map(nameSuspect),
      }),
      ...(known !== null && { firstSeen: describeFirstSeen(known.firstSeen) }),
      places: listPlaces(cause.places).slice(0, MOST_PLACES),
      ...(cause.testFile !== '' && { testFile: cause.testFile }),
      ...(cause.owners.length > 0 && { owners: cause.owners }),
      ...(cause.step !== '' && { step: cause.step }),
      log: cause.lines,
    },
  };
}

function formatUse({ path, line, text }: JudgedHead['otherUses'][number]): string {
  return `${path}:${line} ${text.trim()}`;
}

function describeFirstSeen({
  branch,
  pullRequest,
  subject,
  files,
}: NonNullable<JudgedCause['known']>['firstSeen']): string {
  const where = pullRequest === null ? `on ${branch}` : `in #${pullRequest}`;
  return `${where}${subject === '' ? '' : `: ${subject}`}${files.length === 0 ? '' : ` (${files.join(', ')})`}`;
}

/** Each place once; what is said of it stands in the log, but for annotations. */
function listPlaces(places: JudgedCause['places']): readonly string[] {
  const shown = places.map(({ path, line, message }) => {
    const at = `${path}${line > 0 ? `:${line}` : ''}`;
    return message === '' || message.includes(path) ? at : `${at} ${message}`;
  });
  return [...new Set(shown)];
}

function toReadLog(read: ReadLog, hasLedger: boolean) {
  const { failure, machine } = read;
  return {
    answer:
      machine === null
        ? sayWhatIsKnown(read, hasLedger)
        : `The machine failed, not the code. ${sayWhatIsKnown(read, hasLedger)}`,
    ...(failure !== null && { failure: describeFailureLine(failure) }),
    quoted: {
      error: read.headline,
      tests: read.tests,
      places: listPlaces(read.places.filter(({ isInRepository }) => isInRepository)),
      ...(machine !== null && { machine: machine.line === '' ? machine.what : `${machine.what}: ${machine.line}` }),
      ...(read.owners.length > 0 && { owners: read.owners }),
      ...(read.step !== '' && { step: read.step }),
      log: read.lines,
    },
  };
}

function sayWhatIsKnown({ failure, headline, tests }: ReadLog, hasLedger: boolean): string {
  if (failure !== null) return 'This failure is known from earlier checks.';
  if (headline === '' && tests.length === 0) return 'No error was found in this log: give the part around it.';
  return hasLedger
    ? 'This failure is in no earlier check of the project.'
    : 'This is what the log says: earlier checks are not known here.';
}

function describeFailureLine({
  id,
  state,
  hits,
  flakyHits,
  isOnDefault,
  pullRequests,
  lastSeen,
  headline,
}: FailureView) {
  return {
    failureId: id,
    state,
    redChecks: hits,
    passedOnSameCommit: flakyHits,
    onDefaultBranch: isOnDefault,
    pullRequests,
    lastVerdict: lastSeen.verdict,
    lastSeen: lastSeen.at,
    quoted: { error: headline },
  };
}

/** In one line. */
function nameSuspect({ file, line, function: name, reasons: [reason] }: Suspect): string {
  const at = `${file}${line > 0 ? `:${line}` : ''}${name === '' ? '' : ` in ${name}`}`;
  return reason === undefined ? at : `${at} (${reason})`;
}

async function readIssueAnswer({ issueId }: { readonly issueId: string }, { call }: ToolContext) {
  const id = encodeURIComponent(issueId);
  const issue = (await call({ path: `issues/${id}/` })).value as Issue;
  const { analysis } = issue;
  const patch = issue.diff.files.length === 0 ? '' : await readPatch(call, id);
  return {
    issueId: issue.id,
    outcome: analysis.outcome,
    confidence: analysis.confidence,
    ...(analysis.partial && { partial: true }),
    revision: analysis.revision,
    ...(analysis.proof !== null && { proof: analysis.proof.state }),
    links: analysis.links,
    ...(patch === '' ? { changes: 'no code' } : { changes: `git apply at ${analysis.revision.slice(0, 12)}` }),
    quoted: {
      problem: issue.problem,
      rootCause: issue.rootCause,
      ...(patch !== '' && { patch }),
      solutionSteps: issue.solutionSteps.map(({ description }) => description),
      stepsToReproduce: issue.stepsToReproduce.map(({ description }) => description),
      evidence: analysis.citations.map(({ claim, quote }) => ({ claim, quote })),
      suspects: analysis.suspects.map(nameSuspect),
      ...(analysis.questions.length > 0 && { questions: analysis.questions }),
    },
  };
}

/** "" where it is withheld. */
async function readPatch(call: ApiCall, id: string): Promise<string> {
  try {
    return (await call({ path: `issues/${id}/patch/` })).value as string;
  } catch (error) {
    if (error instanceof ApiRefusal && error.status === 404) return '';
    throw error;
  }
}

/** Of `GET /api/v1/investigations/{id}/`. */
interface ShownInvestigation {
  readonly id: string;
  readonly state: string;
  readonly progress: { readonly step: number; readonly action: string };
  readonly issueId: string | null;
  readonly reason: { readonly code: string; readonly detail: string } | null;
}

const ENDED: ReadonlySet<string> = new Set(['concluded', 'gave_up', 'cancelled']);
/** How often progress is told at most, in seconds. */
const SLICE = 5;

async function waitForInvestigation(
  { investigationId, wait = 0 }: { readonly investigationId: string; readonly wait?: number | undefined },
  { call, tell }: ToolContext,
) {
  const path = `investigations/${encodeURIComponent(investigationId)}/`;
  const read = async (seconds: number): Promise<ShownInvestigation> =>
    (await call({ path, query: seconds > 0 ? { wait: seconds } : {} })).value as ShownInvestigation;
  let shown = await read(0);
  // The protocol wants each notification to be further than the one before.
  let told = -1;
  for (let left = wait; left > 0 && !ENDED.has(shown.state); left -= SLICE) {
    const { step, action } = shown.progress;
    if (step > told) await tell(step, action);
    told = Math.max(told, step);
    shown = await read(Math.min(SLICE, left));
  }
  const { state, issueId, reason, progress } = shown;
  return {
    investigationId: shown.id,
    state,
    ...(issueId !== null && { issueId, next: 'get_issue' }),
    ...(reason !== null && { reason: reason.code }),
    quoted: { step: progress.step, action: progress.action, ...(reason !== null && { reason: reason.detail }) },
  };
}

/** Most names in a refusal. */
const MOST_NAMED = 10;

interface ListedProject {
  readonly id: string;
  readonly name: string;
}

async function listSeenProjects(call: ApiCall): Promise<readonly ListedProject[]> {
  return (await call({ path: 'projects/', query: { limit: MOST_NAMED + 1 } })).value as readonly ListedProject[];
}

/**
 * As given; where none was, the only one that the caller sees. A folder on one's own machine has another name than its
 * repository has on GitHub, which is the one that agents give: where it is the only one, it is meant.
 */
async function chooseProject(
  { call, hasLedger }: Pick<ToolContext, 'call' | 'hasLedger'>,
  given: string | undefined,
): Promise<string> {
  if (given !== undefined && hasLedger) return given;
  const projects = await listSeenProjects(call);
  const [only] = projects;
  if (only !== undefined && projects.length === 1) return only.id;
  if (given !== undefined) return given;
  throw new ApiRefusal(422, '', [{ field: 'project', detail: adviseProject(projects) }]);
}

function adviseProject(projects: readonly ListedProject[]): string {
  if (projects.length === 0) return 'This token sees no project.';
  const names = projects.slice(0, MOST_NAMED).map(({ name }) => name);
  return `Name one that you may see, such as ${names.join(', ')}${projects.length > MOST_NAMED ? ', …' : ''}.`;
}

interface SentText {
  readonly path: 'logs/' | 'issues/';
  readonly body: { readonly projectId: string; readonly data: string; readonly revision?: string | undefined };
  /** That the tool has for `data`. */
  readonly name: 'log' | 'report';
}

/** A refusal names what the tool takes, not what the API does. */
async function sendText(call: ApiCall, { path, body, name }: SentText): ReturnType<ApiCall> {
  try {
    return await call({ method: 'POST', path, body });
  } catch (error) {
    if (!(error instanceof ApiRefusal)) throw error;
    const { status, message, faults } = error;
    const project = async () => ({ field: 'project', detail: adviseProject(await listSeenProjects(call)) });
    if (status === 404) throw new ApiRefusal(status, message, [await project()]);
    if (status === 413) throw new ApiRefusal(status, `${name}: Is larger than 1 MiB: give the part around the error.`);
    const named = faults.map(async (fault) => {
      if (fault.field === 'projectId') return await project();
      return fault.field === 'data' ? { ...fault, field: name } : fault;
    });
    throw new ApiRefusal(status, message, await Promise.all(named));
  }
}
