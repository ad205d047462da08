// The handler of `head` jobs: looks at the checks of one commit, judges the red ones, records them and begins
// investigations.
import type { Check, CheckRules, HeadPlace, HeadState } from '../core/check/index.ts';
import type { JobHandler, JobResult } from '../core/queue.ts';
import { beginInvestigations } from './checks/begin-investigations.ts';
import { cleanChecks } from './checks/check-texts.ts';
import { examineRanges } from './checks/examine-ranges.ts';
import { addTestFiles } from './checks/find-test-file.ts';
import { judgeGroups } from './checks/judge-groups.ts';
import { createLook, type Look, runCheckJob, saveSeen } from './checks/look.ts';
import { addKnown } from './checks/match-known.ts';
import { createBaseReader } from './checks/read-base.ts';
import { readSuspects } from './checks/read-suspects.ts';
import { rerunFlaky } from './checks/rerun-flaky.ts';
import { closeGreen, type Recorded, recordFinding } from './checks/sightings.ts';
import {
  isBranchCounted,
  isQuiet,
  listWaitingNames,
  type SortedChecks,
  scheduleNextLook,
  sortChecks,
} from './checks/sort-checks.ts';
import type { CheckServices } from './services.ts';

const DONE: JobResult = { kind: 'done' };
const OWN_BRANCHES = 'causeway/';
/** Green runs of one check that are tried. */
const MOST_GREEN = 5;

/**
 * May run at any moment and any number of times: it looks at what is, not at what happened. Only this handler writes
 * the state, place and findings of a commit.
 */
export function createHeadHandler(given: CheckServices): JobHandler {
  const services = { ...given, checks: cleanChecks(given.checks, given.redactor) };
  const { log } = services;
  return {
    handle: async (job, signal) => {
      const work = async () => {
        const look = await createLook(services, job.subject, signal);
        return look === null ? DONE : await lookAt(look);
      };
      return await runCheckJob(services, work, async (error) => {
        log.warn({ head: job.subject, err: error }, 'the checks of a commit cannot be read');
      });
    },
    dead: async (job, error) => {
      log.error({ head: job.subject, err: error }, 'failed to judge the checks of a commit');
    },
  };
}

/** The cheapest question first. */
async function lookAt(look: Look): Promise<JobResult> {
  const { services, project, head, signal } = look;
  const { checks, store } = services;
  const rules = await checks.readRules(project, signal);
  const lookedAt = look.now();
  const pullRequest = head.place?.kind === 'pull_request' ? head.place.number : null;
  const place = await checks.locate(project, { ...head, pullRequest }, signal);
  if (place === null || isPushedOver(place, head.sha)) return await setAside(look, 'superseded', head.place);
  if (place.kind === 'pull_request' && place.isClosed === true) {
    // A look that was under way when it was closed may have recorded failures after that.
    await store.closeFailuresOfPullRequest(project.id, place.number, lookedAt);
    return await setAside(look, 'superseded', place);
  }
  if (isOwnBranch(place) || !isBranchCounted(place, rules) || (await isIgnoredBot(look, place, rules))) {
    return await setAside(look, 'ignored', place);
  }
  const sorted = sortChecks(await checks.listAll(project, head.sha, signal), rules);
  const current = forgetOtherPlace(look, place);
  if (sorted.waiting.length > 0 && !isQuiet(look, sorted)) {
    const { findings } = current.head;
    const waiting = { place, findings, leftOut: sorted.leftOut, stillWaiting: [], endedAt: '' };
    await saveSeen(look, { state: 'waiting', ...waiting });
    return scheduleNextLook(look, sorted);
  }
  if (sorted.counted === 0) {
    await saveSeen(look, { state: 'ignored', place, leftOut: sorted.leftOut, stillWaiting: [] });
    return DONE;
  }
  if (await isOvertaken(look, place, sorted)) return await setAside(look, 'superseded', place);
  return await judgeSuspects(current, place, rules, sorted);
}

/** A commit of the merge queue differs from that of its pull request. */
function isPushedOver(place: HeadPlace, sha: string): boolean {
  return place.kind === 'pull_request' && !place.isQueue && place.sha !== sha;
}

/** Threads follow our own branches. A fork may name its branches as it likes. */
function isOwnBranch(place: HeadPlace): boolean {
  return place.branch.startsWith(OWN_BRANCHES) && !(place.kind === 'pull_request' && place.isFork);
}

/** What our own bot opens is examined nowhere, whatever its branch is called. */
async function isIgnoredBot({ services, signal }: Look, place: HeadPlace, { bots }: CheckRules): Promise<boolean> {
  if (place.kind !== 'pull_request' || place.isBot !== true) return false;
  if (bots === 'ignore' && !place.isTrusted) return true;
  return place.author?.id === (await services.checks.findSelf(signal)).id;
}

/** What was found before stays: its investigations go on. */
async function setAside(look: Look, state: HeadState, place: HeadPlace | null): Promise<JobResult> {
  await saveSeen(look, { state, place, stillWaiting: [] });
  return DONE;
}

/** What was found while the commit was of a branch says nothing about it as one of a pull request, and so on. */
function forgetOtherPlace(look: Look, place: HeadPlace): Look {
  const { head } = look;
  const isMoved = head.place !== null && head.place.kind !== place.kind;
  return isMoved ? { ...look, head: { ...head, findings: [] } } : look;
}

async function judgeSuspects(
  look: Look,
  place: HeadPlace,
  rules: CheckRules,
  sorted: SortedChecks,
): Promise<JobResult> {
  const readBase = createBaseReader(look, place, sorted.suspects);
  const { groups, leftOut: unread } = await readSuspects(look, place, sorted.suspects, readBase);
  const judged = await judgeGroups(look, place, groups, readBase);
  // Saved before they are recorded: after a crash in between, this commit's own sightings would count as those of
  // others.
  if (judged.some(({ group }) => group.before === null)) {
    const findings = judged.map(({ finding }) => finding);
    await saveSeen(look, { state: 'waiting', place, findings, endedAt: '' });
  }
  const counted: Recorded[] = [];
  for (const one of judged) counted.push(await recordFinding(look, place, one));
  const examined = await examineRanges(look, place, counted);
  const recorded = await addKnown(look, place, await addTestFiles(look, rules, examined));
  await closeGreen(look, place, sorted, recorded);
  const stillWaiting = listWaitingNames(sorted.waiting);
  const rerun = stillWaiting.length === 0 ? await rerunFlaky(look, { place, rules }, recorded) : null;
  if (rerun !== null) return rerun;
  const findings = await beginInvestigations(look, { place, rules, stillWaiting }, recorded);
  const hasEnded = stillWaiting.length === 0;
  const isRed = sorted.suspects.some((suspect) => suspect.isRed);
  const ended = hasEnded ? 'green' : 'waiting';
  const leftOut = [...sorted.leftOut, ...unread];
  const endedAt = hasEnded ? sorted.endedAt : '';
  await saveSeen(look, { state: isRed ? 'red' : ended, place, findings, leftOut, stillWaiting, endedAt });
  return hasEnded ? DONE : scheduleNextLook(look, sorted);
}

/**
 * Slow checks of an older commit of the default branch do not matter where a commit that contains it is green already.
 */
async function isOvertaken(look: Look, place: HeadPlace, { suspects }: SortedChecks): Promise<boolean> {
  const red = suspects.filter(({ isRed }) => isRed);
  if (place.kind !== 'default' || place.isBehind !== true || red.length === 0) return false;
  for (const { check } of red) {
    if (!(await isGreenLater(look, check))) return false;
  }
  return true;
}

async function isGreenLater({ services, project, head, isAncestor, signal }: Look, check: Check): Promise<boolean> {
  const greens = await services.store.listPassingChecks(project.id, check);
  const later = greens.filter(({ sha, at }) => sha !== head.sha && Date.parse(at) > Date.parse(check.startedAt));
  for (const { sha } of later.slice(0, MOST_GREEN)) {
    if (!(await isAncestor({ from: head.sha, to: sha }))) continue;
    // A fork may have a branch of the same name, with our red commit below its own.
    const place = await services.checks.locate(project, { sha, branch: project.source.defaultBranch }, signal);
    if (place?.kind === 'default') return true;
  }
  return false;
}
