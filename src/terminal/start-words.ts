// What every start of the service says alike.
import { printableLine } from './printable.ts';

export interface ModelWords {
  /** Null: facts only. */
  readonly model: string | null;
  /** What is missing of the model's settings, or what they lead to; "" for nothing. */
  readonly modelHint: string;
}

export function modelText({ model, modelHint }: ModelWords): string {
  const hint = modelHint === '' ? '' : `\n  ${printableLine(modelHint)}`;
  if (model !== null) return `Model: ${printableLine(model)}${hint}`;
  const how = 'Model: none, so answers are facts only. MODEL with OPENAI_API_KEY or\n  OPENAI_BASE_URL names one.';
  return modelHint === '' ? how : `Model: none, so answers are facts only.${hint}`;
}

export const WITHOUT_WORKER = `Without a worker: reports are taken and kept, and webhooks are not sent, until a
start without --no-worker, or over PostgreSQL a "causeway worker", takes them up.`;
