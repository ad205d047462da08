// What every start of the service says alike.
import { printableLine } from './printable.ts';

export interface ModelWords {
  /** Null: facts only. */
  readonly model: string | null;
  /** What is missing of the model's settings, or what they lead to; "" for nothing. */
  readonly modelHint: string;
}

/** One line: the model that is asked, or that there is none and what to set. */
export function modelText({ model, modelHint }: ModelWords): string {
  const hint = printableLine(modelHint);
  if (model !== null) return `Model: ${printableLine(model)}${hint === '' ? '' : `. ${hint}`}`;
  return `Model: none (search only). ${hint || 'Set MODEL and OPENAI_API_KEY or OPENAI_BASE_URL to use one.'}`;
}

/** Whether a model was configured in part: somebody wants one, and has to hear first that there is none. */
export function isModelMissing({ model, modelHint }: ModelWords): boolean {
  return model === null && modelHint !== '';
}

export const WITHOUT_WORKER = `No worker in this process: reports are kept, and nothing runs or is sent until a
start without --no-worker (or, with PostgreSQL, a "causeway worker").`;
