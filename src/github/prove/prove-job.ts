// The handler of `prove` jobs: goes on with one proof of somebody else's pull request, one recorded step after another.
import { isAtLeast, isGithubProject } from '../../core/project/index.ts';
import type { ForeignProgress, ForeignProof, ForeignResult, ProveRefusal } from '../../core/proof/index.ts';
import { DAY_MS, isForeignProofOpen, judgeDay } from '../../core/proof/index.ts';
import type { JobHandler, JobResult } from '../../core/queue.ts';
import { createPublishJob, type PublishDeps, runLater } from '../publish/index.ts';
import { findEarlierActs, listActsBesides } from './foreign-acts.ts';
import { type HalfJudgement, judgeBothHalves, judgeOwnChecks } from './judge-proof.ts';
import { noteStale, showProofRun } from './proof-run.ts';
import type { ProveWork } from './prove-work.ts';
import { planRedHalf, readProvedPull, refusePull } from './read-plan.ts';
import { findStartFaults, isPushedAfter, readHeadRuns, readStartGround } from './read-starts.ts';
import { cancelRuns, isStillOurs, openRedHalf, tidyRedHalf } from './red-half.ts';
import { toProveRefusal } from './refusals.ts';
import { tellResult } from './tell-result.ts';

/** One proof of a repository at a time: others wait for its turn, and look again after this if its end is not told. */
const TURN_MS = 60_000;
const POLL_MS = 120_000;
/** What others do on a new branch they do at once. */
const FIRST_LOOK_MS = 20_000;
/** More steps than a proof has: what comes back this often goes on later. */
const MOST_STEPS = 12;

/** What a step leaves behind; null: nothing has changed. */
interface Step {
  readonly progress: ForeignProgress | null;
  /** When to go on; 0: at once, null: when something happens. */
  readonly waitMs: number | null;
  readonly isPush?: boolean;
}

export function createProveHandler(deps: PublishDeps): JobHandler {
  const job = createPublishJob(deps, 'proof', async (id, signal): Promise<JobResult> => {
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const proof = await deps.store.findForeignProof(id);
      const project = proof && (await deps.store.findProject(proof.projectId));
      if (proof === null || project === null || !isGithubProject(project)) return { kind: 'done' };
      const work: ProveWork = { deps, project, proof, signal };
      if (!isForeignProofOpen(proof)) {
        await noteStale(work);
        return { kind: 'done' };
      }
      const { progress, waitMs, isPush = false } = await endWhereRefused(work, () => takeStep(work));
      const next = progress ?? proof.progress;
      const checkRun = await showProofRun({ ...work, proof: { ...proof, progress: next } });
      await tellResult(work, { progress: next, checkRun });
      const now = deps.now().toISOString();
      await deps.store.saveForeignProof(id, { progress: next, checkRun, ...(isPush && { pushedAt: now }) }, now);
      if (waitMs === null) {
        // Those that waited for their turn.
        await deps.store.scheduleProofs(proof.projectId, null, now);
        return { kind: 'done' };
      }
      if (waitMs > 0) return runLater(deps, waitMs);
    }
    return runLater(deps, POLL_MS);
  });
  return {
    ...job,
    dead: async (claim, error) => {
      await job.dead(claim, error);
      await giveUp(deps, claim.subject);
    },
  };
}

/** What failed as often as a job is tried ends, or all others of the repository would wait for it. What it has made is still taken away. */
async function giveUp({ store, now }: PublishDeps, id: string): Promise<void> {
  const proof = await store.findForeignProof(id);
  if (proof === null || proof.progress.phase === 'ended') return;
  const { progress } = refuseWith({ proof }, { code: 'failed' });
  const at = now().toISOString();
  await store.saveForeignProof(id, { progress: progress ?? proof.progress, checkRun: proof.checkRun }, at);
  await store.scheduleProofs(proof.projectId, null, at);
}

/** What GitHub refuses now, it refuses again: nobody else's proof waits for that. */
async function endWhereRefused(work: ProveWork, step: () => Promise<Step>): Promise<Step> {
  const { deps, proof } = work;
  if (proof.progress.phase === 'ended') return await step();
  return await orRefused(deps, step, (because) => refuseWith(work, because));
}

async function orRefused<T>(
  { log, redactor }: PublishDeps,
  step: () => Promise<T>,
  refuse: (because: ProveRefusal) => T,
) {
  try {
    return await step();
  } catch (error) {
    const because = await toProveRefusal(error, redactor);
    if (because === null) throw error;
    log.warn({ err: error }, 'GitHub refused a step of a proof, or shows more than is read');
    return refuse(because);
  }
}

async function takeStep(work: ProveWork): Promise<Step> {
  const { progress } = work.proof;
  switch (progress.phase) {
    case 'asked':
      return await beginProof(work, progress);
    case 'opening':
      return await pushRedHalf(work, progress);
    case 'red':
      return await followRedRun(work, progress);
    case 'ended': {
      const isGivenUp = progress.result.kind === 'refused';
      const uncancelled = isGivenUp ? await cancelRuns(work, progress.posted) : 0;
      await tidyRedHalf(work);
      return { progress: { ...progress, isTidy: true, ...(uncancelled > 0 && { uncancelled }) }, waitMs: null };
    }
  }
}

function endWith(
  { progress }: Pick<ForeignProof, 'progress'>,
  result: ForeignResult,
  plan = 'plan' in progress ? progress.plan : null,
): Step {
  const posted = 'posted' in progress ? progress.posted : null;
  return { progress: { phase: 'ended', plan, posted, result, isTidy: false }, waitMs: 0 };
}

function refuseWith({ proof }: Pick<ProveWork, 'proof'>, because: ProveRefusal): Step {
  return endWith(proof, { kind: 'refused', because });
}

/** Nothing of it is on GitHub but our check run. */
async function beginProof(
  work: ProveWork,
  { phase, run, behind }: Extract<ForeignProgress, { readonly phase: 'asked' }>,
): Promise<Step> {
  const { deps, proof } = work;
  const asked = { phase, ...(run && { run }) };
  // One that has ended runs nothing any more, also where GitHub does not let its branch go.
  const running = (await deps.store.listOpenProofs(proof.projectId)).filter((one) => one.progress.phase !== 'ended');
  const [first] = running;
  if (first !== undefined && first.id !== proof.id)
    return { progress: { ...asked, behind: first.pullRequest }, waitMs: TURN_MS };
  const pull = await readProvedPull(work);
  const because = refusePull(pull, proof) ?? (await refuseByRights(work)) ?? (await refuseByDay(work));
  if (pull === null || because !== null) return refuseWith(work, because ?? { code: 'closed' });
  const planned = await planRedHalf(work, pull, pull.baseBranch);
  if (planned.kind === 'refused') return refuseWith(work, planned.because);
  const own = await judgeOwnChecks(work, planned, measureAge(work, proof.createdAt));
  if (own?.kind === 'wait') return { progress: behind === undefined ? null : asked, waitMs: Math.min(POLL_MS, own.ms) };
  if (own !== null) return endWith(proof, own.result, planned.plan);
  const runs = await readHeadRuns(work, { ...pull, number: proof.pullRequest });
  if (runs.some(({ isRestricted }) => isRestricted)) return refuseWith(work, { code: 'dependabot' });
  // A call names the head itself.
  if (proof.commentId !== null && isPushedAfter(runs, proof.askedAt))
    return refuseWith(work, { code: 'moved', head: pull.head });
  const ground = await readStartGround(work, planned.plan);
  const faults = await findStartFaults(work, { planned, runs, ground });
  if (faults.length > 0) return endWith(proof, { kind: 'refused', because: { code: 'starts', faults } }, planned.plan);
  const earlier = await findEarlierActs(work);
  if (earlier !== null)
    return endWith(proof, { kind: 'refused', because: { code: 'besides', ...earlier } }, planned.plan);
  return { progress: { phase: 'opening', plan: planned.plan, ...(run && { run }) }, waitMs: 0, isPush: true };
}

/** As of every push of ours. */
async function refuseByRights(work: ProveWork): Promise<ProveRefusal | null> {
  const { deps, project, proof, signal } = work;
  const because = await refuseByMode(work);
  if (because !== null) return because;
  const { askedBy } = proof;
  const role = askedBy === null ? null : await deps.permissions.roleNow(askedBy, project, signal);
  return role !== null && isAtLeast(role, 'write') ? null : { code: 'no_write' };
}

/** Who switches it off wants no branch of ours, and none that is there already. */
async function refuseByMode({ deps, project, signal }: ProveWork): Promise<ProveRefusal | null> {
  const { config } = await deps.configuration.of(project, signal);
  return config.mode === 'fix' && deps.ceiling === 'fix' ? null : { code: 'mode' };
}

/** The limit counts what was pushed before: one that is lowered ends nothing that runs. */
async function refuseByDay({ deps, project, signal }: ProveWork): Promise<ProveRefusal | null> {
  const { config } = await deps.configuration.of(project, signal);
  const since = new Date(deps.now().getTime() - DAY_MS).toISOString();
  const caused = await deps.store.listCausedRuns(project.id, since);
  // Of those that wait, this one is the first.
  const day = judgeDay({ caused, waiting: 0, limit: config.limits.ciRunsDay });
  return day.kind === 'full' ? { code: 'day_limit', limit: day.limit, freeAt: day.freeAt } : null;
}

function measureAge({ deps }: ProveWork, since: string): number {
  return deps.now().getTime() - Date.parse(since);
}

/** Once more what may have changed since it was decided: after a crash that can be long ago. */
async function pushRedHalf(
  work: ProveWork,
  { plan }: Extract<ForeignProgress, { readonly phase: 'opening' }>,
): Promise<Step> {
  const { deps, proof } = work;
  const pull = await readProvedPull(work);
  const because = refusePull(pull, proof, plan) ?? (await refuseByRights(work));
  if (pull === null || because !== null) return refuseWith(work, because ?? { code: 'closed' });
  const planned = await planRedHalf(work, pull, plan.base);
  if (planned.kind === 'refused') return refuseWith(work, planned.because);
  const runs = await readHeadRuns(work, { ...pull, number: proof.pullRequest });
  if (runs.some(({ isRestricted }) => isRestricted)) return refuseWith(work, { code: 'dependabot' });
  const ground = await readStartGround(work, plan);
  const inquest = { planned: { plan, removed: planned.removed }, runs };
  const faults = await findStartFaults(work, { ...inquest, ground });
  if (faults.length > 0) return refuseWith(work, { code: 'starts', faults });
  const opened = await openRedHalf(work, { plan, files: planned.files, removed: planned.removed });
  if (opened.kind === 'refused') return refuseWith(work, opened.because);
  const since = deps.now().toISOString();
  const red = { phase: 'red', plan, posted: opened.posted, since } as const;
  // GitHub has taken the workflows as they were when the draft was opened, which may be later than when they were read.
  const giveUpRed = (reason: ProveRefusal) => refuseWith({ proof: { ...proof, progress: red } }, reason);
  return await orRefused<Step>(
    deps,
    async () => {
      const then = await readStartGround(work, plan);
      const isSame = JSON.stringify(then) === JSON.stringify(ground);
      const later = isSame ? [] : await findStartFaults(work, { ...inquest, ground: then });
      return later.length > 0 ? giveUpRed({ code: 'starts', faults: later }) : { progress: red, waitMs: FIRST_LOOK_MS };
    },
    giveUpRed,
  );
}

async function followRedRun(
  work: ProveWork,
  { plan, posted, since }: Extract<ForeignProgress, { readonly phase: 'red' }>,
): Promise<Step> {
  const { proof } = work;
  const pull = await readProvedPull(work);
  const because = refusePull(pull, proof, plan) ?? (await refuseByMode(work));
  if (pull === null || because !== null) return refuseWith(work, because ?? { code: 'closed' });
  if (!(await isStillOurs(work, plan, posted))) return refuseWith(work, { code: 'cancelled' });
  const half = { sha: posted.testCommit, number: posted.number };
  const acts = await listActsBesides(work, half, [{ sha: proof.head, number: proof.pullRequest }]);
  if (acts.length > 0) return refuseWith(work, { code: 'besides', acts, draft: posted.url });
  const planned = await planRedHalf(work, pull, plan.base);
  if (planned.kind === 'refused') return refuseWith(work, planned.because);
  const { own, wanted, titles } = planned;
  const ageMs = measureAge(work, since);
  const judged: HalfJudgement = await judgeBothHalves(work, {
    ...{ plan, own, wanted, titles, ageMs },
    testCommit: posted.testCommit,
  });
  if (judged.kind === 'ended') return endWith(proof, judged.result);
  return { progress: null, waitMs: Math.max(1_000, Math.min(POLL_MS, judged.ms)) };
}
