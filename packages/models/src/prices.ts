// What models cost, by a file of prices or by the list that ships; and what a turn costs by them.

import { isObject, type JsonObject, parseObject } from './json.ts';
import { ModelFileFault, type Prices, type Rates, type TurnUsage } from './model.ts';
import { PRICE_LIST, type RateRow } from './price-list.ts';

const FIELDS = ['prompt', 'cached', 'cacheWrite', 'completion'];

/**
 * The prices of a model in the operator's file, `{"MODEL": {"prompt": 1.25, "cached": 0.125, "cacheWrite": 1.5,
 * "completion": 10}}` in US dollars per million tokens, named exactly as in MODEL; null: the file does not have it.
 * `cached` and `cacheWrite` may be left out where they cost what other prompt tokens do. Throws
 * `ModelFileFault` for any fault in the file, also at other models.
 */
export function readPrices(text: string, modelName: string): Prices | null {
  const file = parseObject(text.replace(/^\uFEFF/, ''));
  if (file === null) throw createFault('it', 'must be a JSON object from model names to prices');
  const prices = new Map(Object.entries(file).map(([model, entry]) => [model, readEntry(model, entry)]));
  return prices.get(modelName) ?? null;
}

function readEntry(model: string, entry: unknown): Prices {
  if (!isObject(entry)) throw createFault(`"${model}"`, 'must be {"prompt": 1.25, "cached": 0.125, "completion": 10}');
  const unknown = Object.keys(entry).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw createFault(`"${model}.${unknown}"`, `is none of ${FIELDS.join(', ')}`);
  const prompt = readAmount(model, entry, 'prompt');
  const cached = 'cached' in entry ? readAmount(model, entry, 'cached') : prompt;
  const cacheWrite = 'cacheWrite' in entry ? { cacheWrite: readAmount(model, entry, 'cacheWrite') } : {};
  return { prompt, cached, ...cacheWrite, completion: readAmount(model, entry, 'completion') };
}

function readAmount(model: string, entry: JsonObject, field: string): number {
  const value = entry[field];
  if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) return value;
  throw createFault(`"${model}.${field}"`, 'must be a number of US dollars per million tokens, 0 or more');
}

function createFault(place: string, what: string): ModelFileFault {
  return new ModelFileFault('prices_invalid', `${place} ${what}`);
}

/** The published prices of a model of its provider; null: it is not in the list. */
export function findShippedPrices(modelName: string): Prices | null {
  const name = normaliseModelName(modelName);
  const row = Object.hasOwn(PRICE_LIST, name) ? PRICE_LIST[name] : undefined;
  if (row === undefined) return null;
  const { long, ...rates } = row;
  if (long === undefined) return toRates(rates);
  return { ...toRates(rates), long: { above: long.above, ...toRates(long) } };
}

function toRates({ input, cached, write, output }: RateRow): Rates {
  return { prompt: input, cached: cached ?? input, cacheWrite: write ?? input, completion: output };
}

/**
 * Without what gateways put before a name (`anthropic/`, `us.anthropic.`) and what dates it (`-2026-03-05`,
 * `@20260101`, `-v1:0`, `-latest`).
 */
function normaliseModelName(name: string): string {
  return name
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^(?:[a-z]{2,6}\.)?anthropic\./, '')
    .replace(/-v\d+(?::\d+)?$/, '')
    .replace(/[-@]20\d{2}-?\d{2}-?\d{2}$/, '')
    .replace(/-latest$/, '')
    .replace(/^(claude-[a-z]+-\d)\.(\d)$/, '$1-$2');
}

/** US dollars: what the endpoint stated, else by the prices; 0 where there are none. */
export function computeCost(usage: Omit<TurnUsage, 'estimated'>, prices: Prices | null): number {
  if (usage.costUsd !== undefined) return usage.costUsd;
  if (prices === null) return 0;
  const { prompt, cached, cacheWrite = prompt, completion } = selectRates(usage.promptTokens, prices);
  const read = Math.min(usage.cachedTokens, usage.promptTokens);
  const written = Math.min(usage.cacheWriteTokens ?? 0, usage.promptTokens - read);
  const fresh = usage.promptTokens - read - written;
  return (fresh * prompt + read * cached + written * cacheWrite + usage.completionTokens * completion) / 1_000_000;
}

/** Those of a whole request with so many tokens in its prompt. */
export function selectRates(promptTokens: number, { long, ...rates }: Prices): Rates {
  return long !== undefined && promptTokens > long.above ? long : rates;
}
