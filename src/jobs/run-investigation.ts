// Runs an investigation: opens the source, gathers the facts, concludes; the handler of the `run` jobs.
import { CausewayError, type FailureReason, failureReason } from '../domain/errors.ts';
import type { InvestigationStep } from '../domain/evidence.ts';
import type { Log } from '../log.ts';
import type { ClaimedJob, JobHandler, Queue } from '../ports/queue.ts';
import type { Repository, Source } from '../ports/source.ts';
import type { InvestigationStore, ProjectStore, Run } from '../ports/store.ts';
import type { Redactor } from '../redact/redactor.ts';
import { gatherFacts } from '../triage/facts.ts';
import { factsOnlyConclusion } from '../triage/facts-only.ts';
import type { Changes } from './changes.ts';

export interface RunInvestigationDeps {
  readonly store: InvestigationStore & Pick<ProjectStore, 'project'>;
  readonly queue: Pick<Queue, 'wake'>;
  readonly source: Source;
  readonly redactor: Redactor;
  readonly changes: Changes;
  readonly log: Log;
  readonly now: () => Date;
  /** Milliseconds that one run may take. */
  readonly timeoutMs: number;
}

/** An equal report concluded within this time at the same commit is answered from: 24 h. */
const SAME_ANSWER_MS = 24 * 60 * 60 * 1_000;

/** Failures that no second try can mend; everything else is tried again by the queue. */
const FINAL = new Set(['revision_not_found', 'repository_empty', 'access_lost']);

export function createRunHandler(deps: RunInvestigationDeps): JobHandler {
  return {
    handle: async (job, signal) => {
      const run = await deps.store.startRun(job.subject, deps.now().toISOString());
      if (run === null) return { kind: 'done' };
      deps.changes.notify(run.id);
      await runToItsEnd(deps, run, signal);
      announce(deps, run.id);
      return { kind: 'done' };
    },
    dead: async (job: ClaimedJob, error: unknown) => {
      deps.log.error({ err: error, job: job.id, run: job.subject }, 'investigation failed for good');
      await deps.store.giveUp(job.subject, await spokenReason(deps, error), deps.now().toISOString());
      announce(deps, job.subject);
    },
  };
}

async function runToItsEnd(deps: RunInvestigationDeps, run: Run, signal: AbortSignal): Promise<void> {
  const timeout = AbortSignal.timeout(deps.timeoutMs);
  try {
    await investigate(deps, run, AbortSignal.any([signal, timeout]));
  } catch (error) {
    signal.throwIfAborted();
    const reason = timeout.aborted ? tookTooLong(deps.timeoutMs) : error;
    if (!timeout.aborted && !(error instanceof CausewayError && FINAL.has(error.code))) throw error;
    await deps.store.giveUp(run, await spokenReason(deps, reason), deps.now().toISOString());
  }
}

async function investigate(deps: RunInvestigationDeps, run: Run, signal: AbortSignal): Promise<void> {
  const project = await deps.store.project(run.projectId);
  if (project === null) {
    throw new CausewayError(
      'access_lost',
      'The project is no longer known to Causeway; add it again and send the report anew.',
    );
  }
  const repository = await deps.source.open(project, signal);
  if (!run.fresh && (await answeredFromEqual(deps, run, repository, signal))) return;
  const facts = await gatherFacts({
    report: run.text,
    revision: run.revision,
    repository,
    onStep: (step) => recordStep(deps, run, step),
    signal,
  });
  const seconds = (deps.now().getTime() - Date.parse(run.startedAt)) / 1_000;
  const conclusion = await deps.redactor.redactJson(factsOnlyConclusion(facts, { seconds }));
  signal.throwIfAborted();
  await deps.store.conclude(run, conclusion, deps.now().toISOString());
}

/** The commit is compared, not the branch's name: an answer about code that has moved on since would be false. */
async function answeredFromEqual(
  deps: RunInvestigationDeps,
  run: Run,
  repository: Repository,
  signal: AbortSignal,
): Promise<boolean> {
  const sha = await repository.resolve(run.revision, signal);
  if (sha === null) return false;
  const now = deps.now();
  const since = new Date(now.getTime() - SAME_ANSWER_MS).toISOString();
  return (await deps.store.concludeFromEqual(run, { sha, since }, now.toISOString())).length > 0;
}

async function recordStep(deps: RunInvestigationDeps, run: Run, step: InvestigationStep): Promise<void> {
  await deps.store.recordStep(run, await deps.redactor.redactJson(step), deps.now().toISOString());
  deps.changes.notify(run.id);
}

/** The words of a failure may quote the report, the repository or git. */
function spokenReason(deps: RunInvestigationDeps, error: unknown): Promise<FailureReason> {
  return deps.redactor.redactJson(failureReason(error));
}

/** Those who wait look again, and the webhooks that the end has caused are sent. */
function announce(deps: RunInvestigationDeps, runId: string): void {
  deps.changes.notify(runId);
  deps.queue.wake();
}

function tookTooLong(timeoutMs: number): CausewayError {
  return new CausewayError(
    'internal',
    `The investigation took longer than ${timeoutMs / 1_000} s (INVESTIGATION_TIMEOUT_S) and was stopped. Send it again with a shorter text, or raise the limit.`,
  );
}
