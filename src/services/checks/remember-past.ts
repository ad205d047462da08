// Red checks of the past, judged on what is known without asking for more, and counted in the ledger.

import { judgeCheck } from '../../ci/judge.ts';
import type { ReadCheck } from '../../ci/read-check.ts';
import type { Check, Checks, PastCheck } from '../../core/check.ts';
import { newId } from '../../core/ids.ts';
import type { GithubProject } from '../../core/project.ts';
import type { FailureStore } from '../../db/store.ts';

import type { Redactor } from '../../redact/redactor.ts';
import type { CheckReading } from './check-reader.ts';
import { historyOf, knownOf } from './history.ts';
import { type SeenAt, sightingOf } from './sighting-of.ts';
import { OUTSIDE_LOG_BYTES, wordsOf } from './words-of.ts';

interface Past {
  readonly deps: {
    readonly store: FailureStore;
    readonly checks: Pick<Checks, 'said'>;
    readonly readCheck: CheckReading;
    readonly redactor: Pick<Redactor, 'redact' | 'redactJson'>;
    readonly now: () => Date;
  };
  readonly project: GithubProject;
  readonly signal: AbortSignal;
}

export interface Spent {
  /** Calls to GitHub so far; red checks so far. */
  readonly calls: number;
  readonly checks: number;
}

const MOST_LOGS = 200;

/** What was spent by then. Those that there are no calls left for are counted, not read. Throws what `Checks.said` throws. */
export async function rememberPast(
  past: Past,
  checks: readonly PastCheck[],
  { mostCalls, ...spent }: Spent & { readonly mostCalls: number },
): Promise<Spent> {
  let calls = spent.calls;
  let seen = spent.checks;
  for (const one of checks) {
    past.signal.throwIfAborted();
    const cost = costOf(one.check);
    const isRead = cost === 0 || (seen < MOST_LOGS && calls + cost <= mostCalls);
    seen += 1;
    if (!isRead) continue;
    calls += cost;
    await rememberOne(past, one);
  }
  return { calls, checks: seen };
}

/** A log is asked for and then fetched; a status has said all with itself. */
function costOf({ runId, app, annotations }: Check): number {
  if (runId === null) return 0;
  return (app === 'github-actions' ? 1 : 0) + (annotations > 0 ? 1 : 0);
}

async function rememberOne({ deps, project, signal }: Past, { sha, branch, pullRequest, check }: PastCheck) {
  const isOnDefault = pullRequest === null && branch === project.source.defaultBranch;
  // Whose a pull request was is not asked any more.
  const where: SeenAt = { sha, branch, pullRequest, isOnDefault, isTrusted: isOnDefault };
  const logBytes = isOnDefault ? undefined : OUTSIDE_LOG_BYTES;
  const { output, words } = await wordsOf({ deps, project, signal, logBytes }, check);
  const texts = { name: check.name, output, log: words.log, annotations: words.annotations };
  const read = await deps.readCheck(texts);
  signal.throwIfAborted();
  const { verdict } = await judged({ deps, project, signal }, { check, read, where });
  const headline = await deps.redactor.redact(read.excerpt.headline);
  const now = deps.now().toISOString();
  await deps.store.recordSightings(
    { id: newId('fal'), projectId: project.id, fingerprint: read.fingerprint, headline },
    [sightingOf(check, where, verdict, now)],
    now,
  );
}

/** The newest is read first, so that the ledger says nothing yet of what was before it. */
async function judged(
  { deps, project }: Past,
  { check, read, where }: { readonly check: Check; readonly read: ReadCheck; readonly where: SeenAt },
) {
  const known = await knownOf(deps.store, { projectId: project.id, fingerprint: read.fingerprint }, where);
  return judgeCheck({
    ...{ name: check.name, conclusion: check.conclusion, read, isOnDefault: where.isOnDefault },
    ...{ passedHere: false, base: { name: '', state: 'unknown', sameCause: null }, changed: null },
    history: historyOf(known, where, ''),
  });
}
