// What both halves of a foreign proof come to: the tests alone on the base, and the checks of the pull request's own head.
import type { NamedCheck } from '../../core/check/index.ts';
import {
  type ForeignResult,
  findFailedOwn,
  findOneBase,
  type HalfCheck,
  hashChange,
  isTold,
  judgeGreenHalf,
  listMovedPaths,
  listPathsOf,
  listRunFaults,
  type OtherFailure,
  type OwnTest,
  type ProofVerdict,
  type RedPlan,
  toRunRecord,
} from '../../core/proof/index.ts';
import { listReachedPaths } from '../../services/index.ts';
import { ACTIONS } from '../checks/index.ts';
import { ignoreUnknown, openRepository } from '../clients/index.ts';
import { listChangedFiles, measureWait, NO_WORDS, readHalf, readRedHalf, toGreenCheck } from '../publish/index.ts';
import type { ProveWork } from './prove-work.ts';
import type { PlannedRedHalf } from './read-plan.ts';
import { readWholeChecks } from './refusals.ts';

type Judged = Extract<ForeignResult, { readonly kind: 'judged' }>;

/** Milliseconds until it is worth a look again, or the result. */
export type HalfJudgement =
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'ended'; readonly result: Judged };

/** What the head's own checks allow before anything is pushed. Null: they pass, and the red half may be made. */
export async function judgeOwnChecks(
  work: ProveWork,
  { plan, titles }: Pick<PlannedRedHalf, 'plan' | 'titles'>,
  ageMs: number,
): Promise<HalfJudgement | null> {
  const named = await readWholeChecks(work, work.proof.head, 'head_checks');
  if (named.length === 0 || named.some(({ latest }) => latest.state === 'waiting')) {
    const ms = measureWait(named, ageMs);
    if (ms > 0) return { kind: 'wait', ms };
    return endHalf(titles, { state: 'not_run', because: named.length === 0 ? 'no_ci' : 'too_long' });
  }
  const base = await readWholeChecks(work, plan.base, 'base_checks');
  const red = listFreshRed(named, base);
  if (red.length > 0) return endHalf(titles, { state: 'fails_otherwise', because: { code: 'still_red', checks: red } });
  if (named.some(({ latest }) => latest.state === 'green')) return null;
  // Nothing passes with the change, so no run of its tests alone could show that it makes a difference.
  return endHalf(titles, { state: 'base_red', checks: [...new Set(named.map(({ latest }) => latest.name))] });
}

/** Names of checks that are red here and not on the base. */
function listFreshRed(named: readonly NamedCheck[], base: readonly NamedCheck[]): readonly string[] {
  const isRedOnBase = ({ latest: { name, app } }: NamedCheck) =>
    base.some(({ latest }) => latest.state === 'red' && latest.name === name && latest.app === app);
  const red = named.filter((check) => check.latest.state === 'red' && !isRedOnBase(check));
  return [...new Set(red.map(({ latest }) => latest.name))];
}

function endHalf(titles: readonly string[], verdict: ProofVerdict, more: Partial<Judged> = {}): HalfJudgement {
  const none = { quiet: [], firstError: '', redBase: '', greenBase: '', diffHash: '' };
  return { kind: 'ended', result: { kind: 'judged', verdict, tests: titles, ...none, ...more } };
}

export interface PushedHalf extends Pick<PlannedRedHalf, 'own' | 'wanted' | 'titles'> {
  readonly plan: RedPlan;
  readonly testCommit: string;
  /** Since the draft is there. */
  readonly ageMs: number;
}

export async function judgeBothHalves(work: ProveWork, pushed: PushedHalf): Promise<HalfJudgement> {
  const { plan, own, titles, testCommit, ageMs } = pushed;
  const named = await readWholeChecks(work, testCommit, 'red_checks');
  const onBase = await readWholeChecks(work, plan.base, 'base_checks');
  const reading = { base: onBase, named, ageMs, own, report: '', mayRepeat: false };
  const { judgement, checks, waitMs } = await readRedHalf(work, reading);
  const isLate = waitMs <= 0;
  const wait: HalfJudgement = { kind: 'wait', ms: Math.max(0, waitMs) };
  if (judgement.kind === 'wait' || judgement.kind === 'repeat') return wait;
  const firstError = checks.find(({ state }) => state === 'red')?.firstError ?? '';
  const pushedOn = { head: testCommit, base: plan.base };
  if (judgement.kind === 'ended') {
    const quiet = judgement.verdict.state === 'not_reproduced' ? titles : [];
    const redBase = findOneBase(
      checks.filter(({ state }) => state === 'red'),
      pushedOn,
    );
    return endHalf(titles, judgement.verdict, { firstError, redBase, quiet });
  }
  const strange = await listStrangeRuns(work, { sha: testCommit, named, red: judgement.half.checks });
  if (strange.length > 0) {
    return endHalf(
      titles,
      { state: 'fails_otherwise', because: { code: 'other_runs', checks: strange } },
      { firstError },
    );
  }
  const failing = keepChecks(checks, judgement.half.checks);
  const { quiet, unseen } = sortTests(pushed, failing);
  const green = await readOwnHalf(work, judgement.half.checks);
  const runsAgain = keepChecks(green, judgement.half.checks).some(({ state }) => state === 'waiting');
  if (runsAgain && !isLate) return wait;
  const redBase = findOneBase(keepChecks(checks, judgement.half.checks), pushedOn);
  const greenBase = findOneBase(keepChecks(green, judgement.half.checks), { head: work.proof.head, base: plan.base });
  const more = { firstError, redBase, greenBase, quiet };
  if (quiet.length > 0) {
    const ran = judgement.half.checks.map(({ name }) => name);
    return endHalf(titles, { state: 'not_reproduced', checks: ran }, more);
  }
  if (unseen.length > 0) {
    const isCutShort = failing.some((check) => check.isCutShort);
    return endHalf(titles, { state: 'fails_otherwise', because: { code: 'unseen', tests: unseen, isCutShort } }, more);
  }
  const base = onBase.map(({ latest }) => latest);
  const greenJudgement = judgeGreenHalf({ half: judgement.half, base, checks: green, isLate: true });
  if (greenJudgement.kind !== 'ended') {
    const still = greenJudgement.kind === 'red' ? greenJudgement.checks : [];
    return endHalf(titles, { state: 'fails_otherwise', because: { code: 'still_red', checks: still } }, more);
  }
  const { verdict } = greenJudgement;
  if (verdict.state !== 'proven') return endHalf(titles, verdict, more);
  const apart = await findApart(work, pushed, { redBase, greenBase });
  if (apart !== null) return endHalf(titles, { state: 'fails_otherwise', because: apart }, more);
  const diffHash = hashChange(await listChangedFiles(work, plan.base, work.proof.head));
  return endHalf(titles, verdict, { ...more, diffHash });
}

/**
 * Names of red checks of Actions that others started at the same commit, such as by hand and with inputs of their own: what fails there may pass
 * in the run of our draft. `named`: all checks of that commit.
 */
async function listStrangeRuns(
  { deps, project, signal }: ProveWork,
  {
    sha,
    named,
    red,
  }: { readonly sha: string; readonly named: readonly NamedCheck[]; readonly red: readonly NamedAlike[] },
): Promise<readonly string[]> {
  const { botLogin: bot } = await deps.clients.identity(signal);
  const wanted = { repositoryId: project.source.repositoryId, sha, bot };
  const read = openRepository(deps, project, 'read', signal);
  const readRecord = async (job_id: number) => {
    const { run_id } = await read(({ rest }, place) => rest.actions.getJobForWorkflowRun({ ...place, job_id }));
    return toRunRecord(await read(({ rest }, place) => rest.actions.getWorkflowRun({ ...place, run_id })));
  };
  const strange: string[] = [];
  for (const { latest } of named.filter(
    ({ latest: one }) => one.app === ACTIONS && keepChecks([one], red).length > 0,
  )) {
    const record = latest.runId === null ? null : await ignoreUnknown(readRecord(latest.runId));
    if (record === null || listRunFaults(record, wanted).length > 0) strange.push(latest.name);
  }
  return strange;
}

interface SortedTests {
  /** Tests that did not fail. */
  readonly quiet: readonly string[];
  /** Tests whose result is unknown: their names say too little, or the run ended before them. */
  readonly unseen: readonly string[];
}

/** Of the tests that have to fail, those that are not seen to. */
function sortTests({ own, wanted, titles }: PushedHalf, failing: readonly HalfCheck[]): SortedTests {
  const found = failing.map(({ tests }) => findFailedOwn(tests, own));
  const isCutShort = failing.some((check) => check.isCutShort);
  const silent = wanted.flatMap((test, at) => (found.some(({ failed }) => failed.has(test)) ? [] : { test, at }));
  const isUnseen = (test: OwnTest) => isCutShort || !isTold(test) || found.some(({ unclear }) => unclear.has(test));
  const toTitles = (some: typeof silent) => some.map(({ at }) => titles[at] ?? '');
  return {
    quiet: toTitles(silent.filter(({ test }) => !isUnseen(test))),
    unseen: toTitles(silent.filter(({ test }) => isUnseen(test))),
  };
}

/** The same checks of the head, with what they were merged with. */
async function readOwnHalf(work: ProveWork, red: readonly NamedAlike[]) {
  const named = await readWholeChecks(work, work.proof.head, 'head_checks');
  const same = named.filter(({ latest }) => keepChecks([latest], red).length > 0);
  const read = await readHalf(work, same, { ...NO_WORDS, isLate: true });
  return named.map((check) => {
    const found = read.find(({ name, app }) => name === check.latest.name && app === check.latest.app);
    return found ?? { ...toGreenCheck(check), checkedOut: null };
  });
}

interface NamedAlike {
  readonly name: string;
  readonly app: string;
}

function keepChecks<T extends NamedAlike>(checks: readonly T[], wanted: readonly NamedAlike[]): readonly T[] {
  return checks.filter((check) => wanted.some(({ name, app }) => check.name === name && check.app === app));
}

interface MergedWith {
  readonly redBase: string;
  readonly greenBase: string;
}

/** Why the halves can't be compared; null: they ran on the same code but for the change. */
async function findApart(
  work: ProveWork,
  { plan, wanted }: PushedHalf,
  { redBase, greenBase }: MergedWith,
): Promise<OtherFailure | null> {
  if (redBase === '' || greenBase === '') return { code: 'other_bases', red: redBase, green: greenBase };
  if (redBase === greenBase) return null;
  const otherBases = { code: 'other_bases', red: redBase, green: greenBase } as const;
  const { deps, project, proof, signal } = work;
  const paths = listMovedPaths({
    forward: listPathsOf(await listChangedFiles(work, greenBase, redBase)),
    backward: listPathsOf(await listChangedFiles(work, redBase, greenBase)),
  });
  if (paths === null) return otherBases;
  const own = new Set(listPathsOf(await listChangedFiles(work, plan.base, proof.head)));
  if (paths.some((path) => own.has(path))) return otherBases;
  const tests = { files: plan.tests, titles: wanted.map(({ title }) => title) };
  const reached = await listReachedPaths(await deps.source.open(project, signal), proof.head, { tests, paths }, signal);
  return reached.length > 0 ? otherBases : null;
}
