// The handler of the `run` jobs: takes the run, and says how it ended: concluded, given up, or to be gone on with later.

import { type AskRoom, spaceText } from '../core/disk.ts';
import { CausewayError, endReason, isOutOfSpace } from '../core/errors.ts';
import { ModelUnavailable } from '../core/model.ts';
import type { ClaimedJob, JobHandler, JobResult } from '../core/queue.ts';
import { type FailureReason, failureOf, textForOperator, type WaitCode } from '../core/reason.ts';
import { SourceBusy } from '../core/source.ts';
import type { Run } from '../db/store.ts';
import { addLogContext } from '../log.ts';
import { type InvestigateDeps, investigate } from './investigate.ts';

export interface RunInvestigationDeps extends InvestigateDeps {
  /** While it says so no run begins or asks the model; what was accepted is kept. */
  readonly paused: () => boolean;
  /** While it names a shortage no run begins: a fetch would fail, and the run with it. */
  readonly room: AskRoom;
  /** Whether a run waits where the disk is full. False: it fails and says so, as for a person at a terminal. */
  readonly waitsForSpace: boolean;
  /** Called when a run waits for the model, for its source or for disk space. `detail` is for the operator alone. */
  readonly onWait: (wait: { readonly until: Date; readonly code: WaitCode; readonly detail: string }) => void;
}

/** What concluding may take beyond the time for investigating: a model at the end of its time still leaves a result. */
const ENDING_MS = 180_000;

/** How soon a run that may not begin is tried again: while the service is paused, or its disk is full. */
const PAUSED_MS = 15_000;

/** How soon a run that filled the disk is tried again. What it fetched was removed, so free space alone does not say that it fits now. */
const NO_SPACE_MS = 15 * 60_000;

/** Failures that no second try can mend; everything else is tried again by the queue. */
const FINAL = new Set(['revision_not_found', 'repository_empty', 'access_lost']);

export function createRunHandler(deps: RunInvestigationDeps): JobHandler {
  return {
    handle: async (job, signal) => {
      if (deps.paused()) return laterBy(deps, PAUSED_MS);
      const shortage = deps.waitsForSpace ? await deps.room() : null;
      if (shortage !== null) {
        const later = laterBy(deps, PAUSED_MS);
        deps.onWait({ until: new Date(later.runAt), code: 'disk_full', detail: spaceText(shortage) });
        return later;
      }
      const run = await deps.store.startRun(job.subject, deps.now().toISOString());
      if (run === null) return { kind: 'done' };
      addLogContext({ investigation: run.investigationId });
      deps.changes.notify(run.id);
      const result = await runToItsEnd(deps, run, signal);
      announce(deps, run.id);
      return result;
    },
    dead: async (job: ClaimedJob, error: unknown) => {
      deps.log.error({ err: error, job: job.id, run: job.subject }, 'investigation failed for good');
      await deps.store.giveUp(job.subject, await spokenReason(deps, error), deps.now().toISOString());
      announce(deps, job.subject);
    },
  };
}

async function runToItsEnd(deps: RunInvestigationDeps, run: Run, signal: AbortSignal): Promise<JobResult> {
  const timeout = AbortSignal.timeout(deps.timeoutMs + (deps.investigator === null ? 0 : ENDING_MS));
  try {
    await investigate(deps, run, AbortSignal.any([signal, timeout]));
  } catch (error) {
    signal.throwIfAborted();
    const deferred = deferredBy(deps, run, error);
    if (deferred !== null) return deferred;
    const reason = timeout.aborted ? tookTooLong(deps.timeoutMs) : error;
    if (!timeout.aborted && !(error instanceof CausewayError && FINAL.has(error.code))) throw error;
    deps.log.warn({ run: run.id, err: reason }, 'the investigation gave up');
    await deps.store.giveUp(run, await spokenReason(deps, reason), deps.now().toISOString());
  }
  return { kind: 'done' };
}

/** Its facts and turns are kept, and it continues from them later. Null: waiting does not help. */
function deferredBy(deps: RunInvestigationDeps, run: Run, error: unknown): JobResult | null {
  if (error instanceof ModelUnavailable || error instanceof SourceBusy) return laterThan(deps, run, error);
  return deps.waitsForSpace && isOutOfSpace(error) ? laterForSpace(deps, run, error) : null;
}

/** Nobody else tells the operator why nothing happens meanwhile. */
function laterThan({ log, onWait }: RunInvestigationDeps, run: Run, error: ModelUnavailable | SourceBusy): JobResult {
  const { message, retryAt } = error;
  const code = error instanceof ModelUnavailable ? 'model_unavailable' : 'repository_unreachable';
  const runAt = retryAt.toISOString();
  // The first one tells the operator; the same again every few seconds tells nothing more.
  const level = run.generation <= 1 ? 'warn' : 'debug';
  log[level]({ run: run.id, runAt, reason: message }, 'investigation deferred');
  onWait({ until: retryAt, code, detail: message });
  return { kind: 'later', runAt };
}

function laterForSpace(deps: RunInvestigationDeps, run: Run, error: unknown): JobResult {
  const later = laterBy(deps, NO_SPACE_MS);
  const detail = error instanceof Error ? error.message : '';
  deps.log.warn(
    { run: run.id, runAt: later.runAt, err: error },
    'investigation deferred: no space left on the disk of DATA_DIR',
  );
  deps.onWait({ until: new Date(later.runAt), code: 'disk_full', detail });
  return later;
}

function laterBy({ now }: Pick<RunInvestigationDeps, 'now'>, ms: number): { kind: 'later'; runAt: string } {
  return { kind: 'later', runAt: new Date(now().getTime() + ms).toISOString() };
}

/** The error's own words, which may quote the repository, git or a path, are for the operator; a revision may still hold what is secret. */
async function spokenReason(deps: RunInvestigationDeps, error: unknown): Promise<FailureReason> {
  const reason = endReason(error);
  const detail = error instanceof CausewayError ? await deps.redactor.redact(error.message) : '';
  deps.onTrouble?.(textForOperator(reason, detail));
  return await deps.redactor.redactJson(failureOf(reason));
}

/** Those who wait look again, and the webhooks that the end has caused are sent. */
function announce(deps: RunInvestigationDeps, runId: string): void {
  deps.changes.notify(runId);
}

function tookTooLong(timeoutMs: number): CausewayError {
  const seconds = timeoutMs / 1_000;
  return new CausewayError(
    'internal',
    `The investigation took longer than ${seconds} s (INVESTIGATION_TIMEOUT_S) and was stopped. Send it again with a shorter text, or raise the limit.`,
    { reason: { code: 'took_too_long', seconds } },
  );
}
