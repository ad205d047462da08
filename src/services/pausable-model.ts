// A model that is not asked while the house is paused.
import { type Model, ModelUnavailable } from '../core/model.ts';

const PAUSED_MS = 15_000;

/** Throws ModelUnavailable for each question while `paused` says so: the run goes back to the queue with what it has. */
export function pausableModel(
  model: Model,
  { paused, now }: { readonly paused: () => boolean; readonly now: () => Date },
): Model {
  return {
    ...model,
    ask: async (request, signal) => {
      if (paused()) throw new ModelUnavailable('Causeway is paused', new Date(now().getTime() + PAUSED_MS));
      return await model.ask(request, signal);
    },
  };
}
