// The handler of runs in a house: with its model watched, and held where the operator pauses.
import { computeCost, getBookedPrices } from '../agent/budget.ts';
import type { Model } from '../core/model.ts';
import type { JobHandler } from '../core/queue.ts';
import { pausableModel } from '../services/pausable-model.ts';
import { createRunHandler } from '../services/run-investigation.ts';
import type { House, WorkLimits } from './house.ts';

export function runHandler(house: House, limits: WorkLimits): JobHandler {
  const { investigationTimeoutMs: timeoutMs, paused = () => false, waitsForSpace = true } = limits;
  const { onWait = () => {}, onTrouble } = limits;
  const asked = (model: Model) => pausableModel(watchedModel(house, model), { paused, now: house.now });
  const investigator = limits.investigator && {
    ...limits.investigator,
    model: asked(limits.investigator.model),
    others: (limits.investigator.others ?? []).map(asked),
  };
  const deps = { ...house, timeoutMs, investigator, paused, waitsForSpace, onTrouble };
  // One for each job, so that it is known which run it is that waits.
  const of = (runId: string) => createRunHandler({ ...deps, onWait: (wait) => onWait({ ...wait, runId }) });
  return {
    handle: (job, signal) => of(job.subject).handle(job, signal),
    dead: (job, error) => of(job.subject).dead(job, error),
  };
}

/** Its cost counts as budgets book it. */
function watchedModel({ telemetry }: House, model: Model): Model {
  return telemetry.model(model, (usage) => computeCost(usage, getBookedPrices(model.prices)));
}
