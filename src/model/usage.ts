// How many tokens a turn took: as the endpoint says, or as its characters suggest.
import type { TurnUsage } from '../ports/model.ts';
import { isObject, type JsonObject } from './json-value.ts';

/**
 * Measured: 4.9 characters a token over 492 kB of source code and prose (o200k). Four errs towards the dearer side, since a budget that
 * is guarded by an estimate must not be overrun.
 */
const CHARACTERS_PER_TOKEN = 4;

export function estimateTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

export function estimatedUsage(promptCharacters: number, completionCharacters: number): TurnUsage {
  return {
    promptTokens: estimateTokens(promptCharacters),
    cachedTokens: 0,
    completionTokens: estimateTokens(completionCharacters),
    estimated: true,
  };
}

/** The figures of a `usage` object, or null where they are missing, of a wrong type, or nought for a prompt that was not empty. */
export function readUsage(value: unknown): TurnUsage | null {
  if (!isObject(value)) return null;
  const promptTokens = count(value['prompt_tokens']);
  const completionTokens = count(value['completion_tokens']);
  if (promptTokens === null || promptTokens === 0 || completionTokens === null) return null;
  return { promptTokens, cachedTokens: Math.min(promptTokens, cached(value)), completionTokens, estimated: false };
}

/** OpenAI and most others; DeepSeek; endpoints in front of Anthropic's models. */
function cached(usage: JsonObject): number {
  const details = usage['prompt_tokens_details'];
  return (
    count(isObject(details) ? details['cached_tokens'] : null) ??
    count(usage['prompt_cache_hit_tokens']) ??
    count(usage['cache_read_input_tokens']) ??
    0
  );
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Of several attempts for one turn: all of them are paid for. */
export function sumUsage(one: TurnUsage | null, other: TurnUsage | null): TurnUsage | null {
  if (one === null || other === null) return one ?? other;
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    estimated: one.estimated || other.estimated,
  };
}
