// Runs the only failed job of a commit once more before anything is said of it, where its failure is known to be flaky.
import { type CheckRules, type HeadPlace, toRerunRequest } from '../../core/check/index.ts';
import type { JobResult } from '../../core/queue.ts';
import { isFromOutside } from './check-texts.ts';
import { type Look, saveSeen } from './look.ts';
import type { Recorded } from './sightings.ts';

const ACTIONS = 'github-actions';
/** Jobs run again in one project: CI has its price as well. */
const MOST_A_DAY = 20;
const DAY_MS = 24 * 60 * 60_000;
/** How long GitHub may take to start it; after that the commit is judged without. */
const START_MS = 5 * 60_000;
const POLL_MS = 30_000;

/**
 * Null: nothing is waited for, and the commit is judged as it is. The mark is stored before GitHub is called, and
 * GitHub's own count of attempts decides whether the job is run again: at most once, however often this is called.
 */
export async function rerunFlaky(
  look: Look,
  { place, rules }: { readonly place: HeadPlace; readonly rules: CheckRules },
  recorded: readonly Recorded[],
): Promise<JobResult | null> {
  const { services, project, head, signal } = look;
  const { log, now } = services;
  const found = findFlakyJob(place, rules, recorded);
  if (found === null) return null;
  const { jobId, mark } = found;
  if (rules.rerun === 'not_granted') {
    log.warn({ project: project.id }, 'checks.rerun needs the permission Actions: write, which is not granted');
    return null;
  }
  if (mark === null && ((await isDayFull(look)) || (await services.store.findRerun(head.id)) !== null)) return null;
  const rerun = mark ?? { runId: jobId, at: look.now() };
  if (now().getTime() - Date.parse(rerun.at) > START_MS) return null;
  const findings = recorded.map(({ finding }) => (isRecordedRed(finding) ? { ...finding, rerun } : finding));
  await saveSeen(look, { state: 'waiting', place, findings, stillWaiting: [], endedAt: '' });
  const answer = await services.checks.rerunJobs(project, toRerunRequest({ sha: head.sha, place }, [jobId]), signal);
  log.info({ head: head.id, job: jobId, answer }, 'a flaky job is run again');
  // Refused, or a person was first, and it is red again.
  if (answer.kind === 'refused' || (answer.kind === 'started_before' && mark === null)) return null;
  return { kind: 'later', runAt: new Date(now().getTime() + POLL_MS).toISOString() };
}

interface FlakyJob {
  readonly jobId: number;
  /** Of an earlier look that ran it again; null: none has. */
  readonly mark: { readonly runId: number; readonly at: string } | null;
}

/**
 * The only red check, if nothing was said of it yet. Not where outsiders may have caused it, and not in a merge queue,
 * which does not wait for it.
 */
function findFlakyJob(place: HeadPlace, { rerun }: CheckRules, recorded: readonly Recorded[]): FlakyJob | null {
  if (rerun === 'off' || isFromOutside(place) || (place.kind === 'pull_request' && place.isQueue)) return null;
  const red = recorded.filter(({ finding }) => isRecordedRed(finding));
  const suspects = red.flatMap(({ group }) => group.suspects.filter((suspect) => suspect.isRed));
  const [only] = red;
  const [suspect] = suspects;
  if (only === undefined || suspect === undefined || suspects.length > 1 || only.finding.verdict !== 'flaky')
    return null;
  const { check, passedHere } = suspect;
  const { before } = only.group;
  const isSaid = before !== null && before.notBegun?.code !== 'pending' && before.notBegun?.code !== 'uninformative';
  if (check.app !== ACTIONS || check.runId === null || passedHere || isSaid) return null;
  const mark = before?.rerun ?? null;
  // Red again.
  if (mark !== null && mark.runId !== check.runId) return null;
  return { jobId: check.runId, mark };
}

function isRecordedRed({ checks }: Recorded['finding']): boolean {
  return checks.some((check) => check.isRed);
}

async function isDayFull({ services, project }: Look): Promise<boolean> {
  const since = new Date(services.now().getTime() - DAY_MS).toISOString();
  if ((await services.store.countReruns(project.id, since)) < MOST_A_DAY) return false;
  services.log.info({ project: project.id, limit: MOST_A_DAY }, 'no more flaky jobs are run again today');
  return true;
}
