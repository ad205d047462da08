// How many tokens a turn took: as the endpoint says, or as its characters suggest.

import { isObject, type JsonObject } from './json.ts';
import type { TurnUsage } from './model.ts';

/**
 * Measured: 4.9 characters a token over 492 kB of source code and prose (o200k). Four is on the safe side for a budget.
 */
const CHARACTERS_PER_TOKEN = 4;

export function estimateTokensOfCharacters(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

export function estimateUsage(promptCharacters: number, completionCharacters: number): TurnUsage {
  return {
    promptTokens: estimateTokensOfCharacters(promptCharacters),
    cachedTokens: 0,
    completionTokens: estimateTokensOfCharacters(completionCharacters),
    estimated: true,
  };
}

/**
 * The figures of a `usage` object of chat.completions or Responses, whose prompt tokens include those from the cache.
 * Null where they are missing, of a wrong type, or zero for a prompt that was not empty.
 */
export function readUsage(value: unknown): TurnUsage | null {
  if (!isObject(value)) return null;
  const promptTokens = readCount(value['prompt_tokens']) ?? readCount(value['input_tokens']);
  const completionTokens = readCount(value['completion_tokens']) ?? readCount(value['output_tokens']);
  if (promptTokens === null || promptTokens === 0 || completionTokens === null) return null;
  const details = [value['prompt_tokens_details'], value['input_tokens_details']].find(isObject) ?? {};
  const cachedTokens = Math.min(promptTokens, readCachedTokens(value, details));
  const written = readCount(details['cache_write_tokens']) ?? readCount(value['cache_creation_input_tokens']);
  return {
    promptTokens,
    cachedTokens,
    ...(written !== null && { cacheWriteTokens: Math.min(promptTokens - cachedTokens, written) }),
    completionTokens,
    ...readStatedCost(value),
    estimated: false,
  };
}

/** OpenAI and most others; DeepSeek; Kimi; gateways in front of Anthropic's models. */
function readCachedTokens(usage: JsonObject, details: JsonObject): number {
  return (
    readCount(details['cached_tokens']) ??
    readCount(usage['prompt_cache_hit_tokens']) ??
    readCount(usage['cached_tokens']) ??
    readCount(usage['cache_read_input_tokens']) ??
    0
  );
}

/**
 * OpenRouter states what it charged; other gateways do the same. With the user's own key of a provider that is only
 * its fee, and the provider's bill is a second figure; where that is missing, the prices count.
 */
function readStatedCost(usage: JsonObject): Pick<TurnUsage, 'costUsd'> {
  const cost = readAmount(usage['cost']);
  if (cost === null) return {};
  if (usage['is_byok'] !== true) return { costUsd: cost };
  const details = usage['cost_details'];
  const provider = isObject(details) ? readAmount(details['upstream_inference_cost']) : null;
  return provider === null ? {} : { costUsd: cost + provider };
}

function readAmount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

export interface MessagesUsage {
  readonly input: number;
  readonly read: number;
  readonly written: number;
  readonly output: number;
}

/**
 * Adds a `usage` object of the Messages interface to what is known: its later ones repeat, as running totals, only a
 * part of the figures.
 */
export function addMessagesUsage(known: MessagesUsage, value: unknown): MessagesUsage {
  if (!isObject(value)) return known;
  return {
    input: readCount(value['input_tokens']) ?? known.input,
    read: readCount(value['cache_read_input_tokens']) ?? known.read,
    written: readCount(value['cache_creation_input_tokens']) ?? known.written,
    output: readCount(value['output_tokens']) ?? known.output,
  };
}

/** Anthropic counts tokens read from and written to the cache separately from the other prompt tokens. */
export function toTurnUsage({ input, read, written, output }: MessagesUsage): TurnUsage | null {
  const promptTokens = input + read + written;
  if (promptTokens === 0) return null;
  return { promptTokens, cachedTokens: read, cacheWriteTokens: written, completionTokens: output, estimated: false };
}

function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Of several attempts for one turn: all of them are paid for. */
export function sumUsage(one: TurnUsage | null, other: TurnUsage | null): TurnUsage | null {
  if (one === null || other === null) return one ?? other;
  const written = [one.cacheWriteTokens, other.cacheWriteTokens].filter((tokens) => tokens !== undefined);
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    ...(written.length > 0 && { cacheWriteTokens: written.reduce((sum, tokens) => sum + tokens, 0) }),
    completionTokens: one.completionTokens + other.completionTokens,
    // A sum of one stated cost and one unknown would be too low: then the prices count.
    ...(one.costUsd !== undefined && other.costUsd !== undefined && { costUsd: one.costUsd + other.costUsd }),
    estimated: one.estimated || other.estimated,
  };
}
