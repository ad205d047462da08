// The handler of `head` jobs: looks at the checks of one commit, finds what broke the red ones, remembers it, and begins what is to begin.
import { type ChangedFiles, type Check, type CheckRules, ChecksBusy, ChecksClosed } from '../core/check.ts';
import type { HeadPlace, HeadState } from '../core/head.ts';
import { isGithubProject } from '../core/project.ts';

import type { JobHandler, JobResult } from '../core/queue.ts';
import { beginInvestigations } from './checks/begin-investigations.ts';
import { cleanChecks } from './checks/check-texts.ts';
import { judgeGroups, saveJudged } from './checks/judge-groups.ts';
import { formatNow, type JudgeHeadDeps, type Look, saveAside, saveSeen } from './checks/look.ts';

import { readSuspects } from './checks/read-suspects.ts';
import { closeWhatIsGreen, rememberFindings } from './checks/remember-findings.ts';
import {
  isBranchCounted,
  isQuiet,
  listNames,
  type SortedChecks,
  saveWaiting,
  scheduleNextLook,
  sortChecks,
} from './checks/sort-checks.ts';

type PullRequestPlace = Extract<HeadPlace, { readonly kind: 'pull_request' }>;

const DONE: JobResult = { kind: 'done' };
/** How soon a paused house looks whether it may go on. */
const PAUSED_MS = 15_000;
const OWN_BRANCHES = 'causeway/';
/** Of one check that are asked whether they contain the commit. */
const MOST_GREENS = 5;

/**
 * A handler that may run at any moment, any number of times: it looks at what is, not at what happened. It alone writes a head's state, place
 * and findings.
 */
export function createHeadHandler(given: JudgeHeadDeps): JobHandler {
  const deps = { ...given, checks: cleanChecks(given.checks, given.redactor) };
  return {
    handle: async (job, signal) => {
      if (deps.paused()) return runLater(deps, PAUSED_MS);
      try {
        const look = await createLook(deps, job.subject, signal);
        return look === null ? DONE : await lookAt(look);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ChecksBusy) return { kind: 'later', runAt: error.retryAt.toISOString() };
        if (!(error instanceof ChecksClosed)) throw error;
        deps.log.warn({ head: job.subject, err: error }, 'the checks of a commit cannot be read');
        return DONE;
      }
    },
    dead: async (job, error) => {
      deps.log.error({ head: job.subject, err: error }, 'the checks of a commit could not be judged');
    },
  };
}

/** Null where head or project is not there any more. */
async function createLook(deps: JudgeHeadDeps, headId: string, signal: AbortSignal): Promise<Look | null> {
  const head = await deps.store.findHead(headId);
  const project = head === null ? null : await deps.store.findProject(head.projectId);
  if (head === null || project === null || !isGithubProject(project)) return null;
  let changed: Promise<ChangedFiles | null> | null = null;
  const readChanged = (place: HeadPlace) => deps.checks.changed(project, { sha: head.sha, place }, signal);
  const asked = new Map<string, Promise<boolean>>();
  const leads: Look['leads'] = (ends) => {
    const key = `${ends.from} ${ends.to}`;
    const answer = asked.get(key) ?? deps.checks.leads(project, ends, signal);
    asked.set(key, answer);
    // What failed once may be asked again.
    answer.catch(() => asked.delete(key));
    return answer;
  };
  return { deps, project, head, signal, changed: (place) => (changed ??= readChanged(place)), leads };
}

/** The cheapest question first; each step can be done again. */
async function lookAt(look: Look): Promise<JobResult> {
  const { deps, project, head, signal } = look;
  const rules = await deps.checks.rules(project, signal);
  const askedAt = formatNow(look);
  const place = await deps.checks.place(project, { ...head, pullRequest: findNumber(head) }, signal);
  if (place === null || isPushedOver(look, place)) return await putAside(look, 'superseded', null);
  if (isClosed(place)) return await closeHead(look, place, askedAt);
  if (isOurs(place) || !isBranchCounted(place, rules)) return await putAside(look, 'ignored', place);
  const sorted = sortChecks(await deps.checks.of(project, head.sha, signal), rules);
  if (sorted.waiting.length > 0 && !isQuiet(look, sorted))
    return await saveWaiting(withoutOldFindings(look, place), place, sorted);
  if (sorted.counted === 0) return await putAside(look, 'ignored', place, sorted.leftOut);
  if (await isOvertaken(look, place, sorted)) return await putAside(look, 'superseded', place);
  return await judge(withoutOldFindings(look, place), { place, rules }, sorted);
}

async function judge(
  look: Look,
  at: { readonly place: HeadPlace; readonly rules: CheckRules },
  sorted: SortedChecks,
): Promise<JobResult> {
  const { place } = at;
  const { groups, leftOut: unread } = await readSuspects(look, place, sorted.suspects);
  const judged = await judgeGroups(look, place, groups);
  await saveJudged(look, place, judged);
  const remembered = await rememberFindings(look, place, judged);
  await closeWhatIsGreen(look, place, sorted, remembered);
  const stillWaiting = listNames(sorted.waiting);
  const findings = await beginInvestigations(look, { ...at, stillWaiting }, remembered);
  const leftOut = [...sorted.leftOut, ...unread];
  const hasEnded = stillWaiting.length === 0;
  const endedAt = hasEnded ? sorted.endedAt : '';
  await saveSeen(look, { state: findState(sorted), place, findings, leftOut, stillWaiting, endedAt });
  return hasEnded ? DONE : scheduleNextLook(look, sorted);
}

/**
 * What a commit was judged to be as a pull request's is no verdict on it as the default branch's, nor that of a branch on the pull request that
 * was opened from it: it is judged as if for the first time.
 */
function withoutOldFindings(look: Look, place: HeadPlace): Look {
  const { head } = look;
  const isMoved = head.place !== null && head.place.kind !== place.kind;
  return isMoved ? { ...look, head: { ...head, findings: [] } } : look;
}

function findNumber({ place }: Look['head']): number | null {
  return place?.kind === 'pull_request' ? place.number : null;
}

async function putAside(
  look: Look,
  state: HeadState,
  place: HeadPlace | null,
  leftOut = look.head.leftOut,
): Promise<JobResult> {
  await saveAside(look, { state, place, leftOut });
  return DONE;
}

/** A look that was under way when it was closed may have found its checks red after that. */
async function closeHead(look: Look, place: PullRequestPlace, at: string): Promise<JobResult> {
  await look.deps.store.closeFailuresOfPullRequest(look.project.id, place.number, at);
  return await putAside(look, 'superseded', place);
}

/** A commit of the merge queue is another than its pull request's. */
function isPushedOver({ head }: Look, place: HeadPlace): boolean {
  return place.kind === 'pull_request' && !place.isQueue && place.sha !== head.sha;
}

function isClosed(place: HeadPlace): place is PullRequestPlace {
  return place.kind === 'pull_request' && place.isClosed === true;
}

/** Slow checks of an earlier commit of the default branch say nothing where one that contains it was green meanwhile. */
async function isOvertaken(look: Look, place: HeadPlace, { suspects }: SortedChecks): Promise<boolean> {
  const red = suspects.filter(({ isRed }) => isRed);
  if (place.kind !== 'default' || place.isBehind !== true || red.length === 0) return false;
  for (const { check } of red) {
    if (!(await isGreenLater(look, check))) return false;
  }
  return true;
}

async function isGreenLater(look: Look, check: Check): Promise<boolean> {
  const { deps, project, head, leads } = look;
  const greens = await deps.store.listPassingChecks(project.id, check);
  const later = greens.filter(({ sha, at }) => sha !== head.sha && Date.parse(at) > Date.parse(check.startedAt));
  for (const { sha: to } of later.slice(0, MOST_GREENS)) {
    if ((await leads({ from: head.sha, to })) && (await isOnDefault(look, to))) return true;
  }
  return false;
}

/** A fork may call a branch of its own as ours is called, and build on our red commit there. */
async function isOnDefault({ deps, project, signal }: Look, sha: string): Promise<boolean> {
  const place = await deps.checks.place(project, { sha, branch: project.source.defaultBranch }, signal);
  return place?.kind === 'default';
}

/** Our own branches are followed by their threads; a fork may call its branches what it likes. */
function isOurs(place: HeadPlace): boolean {
  return place.branch.startsWith(OWN_BRANCHES) && !(place.kind === 'pull_request' && place.isFork);
}

/** Green is what has ended whole. */
function findState({ suspects, waiting }: SortedChecks): HeadState {
  if (suspects.some(({ isRed }) => isRed)) return 'red';
  return waiting.length > 0 ? 'waiting' : 'green';
}

function runLater({ now }: JudgeHeadDeps, ms: number): JobResult {
  return { kind: 'later', runAt: new Date(now().getTime() + ms).toISOString() };
}
