// The operator's file of prices (MODEL_PRICES), in US dollars per million tokens: `{"MODEL": {"prompt": 1.25, "cached": 0.125, "completion": 10}}`.
import { CausewayError } from '../domain/errors.ts';
import type { Prices } from '../ports/model.ts';
import { isObject, type JsonObject, parseObject } from './json-value.ts';

const FIELDS = ['prompt', 'cached', 'completion'];

/**
 * The prices of a model, named exactly as in MODEL; null: the file does not have it. `cached` may be left out where an endpoint gives no
 * discount. Throws `usage` for any fault in the file, also at other models.
 */
export function readPrices(text: string, modelName: string): Prices | null {
  const file = parseObject(text.replace(/^\uFEFF/, ''));
  if (file === null) throw fault('it', 'must be a JSON object from model names to prices');
  const prices = new Map(Object.entries(file).map(([model, entry]) => [model, readEntry(model, entry)]));
  return prices.get(modelName) ?? null;
}

function readEntry(model: string, entry: unknown): Prices {
  if (!isObject(entry)) throw fault(`"${model}"`, 'must be {"prompt": 1.25, "cached": 0.125, "completion": 10}');
  const unknown = Object.keys(entry).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw fault(`"${model}.${unknown}"`, `is none of ${FIELDS.join(', ')}`);
  const prompt = amount(model, entry, 'prompt');
  const cached = 'cached' in entry ? amount(model, entry, 'cached') : prompt;
  return { prompt, cached, completion: amount(model, entry, 'completion') };
}

function amount(model: string, entry: JsonObject, field: string): number {
  const value = entry[field];
  if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) return value;
  throw fault(`"${model}.${field}"`, 'must be a number of US dollars per million tokens, 0 or more');
}

function fault(place: string, what: string): CausewayError {
  return new CausewayError('usage', `The file of MODEL_PRICES is wrong: ${place} ${what}.`);
}
