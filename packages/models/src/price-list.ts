// Published prices of the usual models, in US dollars per million tokens, as of 2026-11-23. MODEL_PRICES overrides
// them.

/**
 * `cached` and `write`: what prompt tokens cost that were read from the provider's cache, and written to it; absent:
 * as much as others. `long`: the rates of a whole request whose prompt has more than `above` tokens.
 */
interface PriceRow extends RateRow {
  readonly long?: RateRow & { readonly above: number };
}

export interface RateRow {
  readonly input: number;
  readonly cached?: number;
  readonly write?: number;
  readonly output: number;
}

/** Above 272,000 tokens OpenAI charges twice the input and one and a half times the output. */
function createOpenaiRow(input: number, cached: number, output: number): PriceRow {
  const long = { above: 272_000, input: 2 * input, cached: 2 * cached, write: 2.5 * input, output: 1.5 * output };
  return { input, cached, write: 1.25 * input, output, long };
}

/** Writes to the cache that lasts five minutes cost 1.25 times the input. */
function createAnthropicRow(input: number, cached: number, output: number): PriceRow {
  return { input, cached, write: 1.25 * input, output };
}

/** Above 200,000 tokens Google charges twice the input and one and a half times the output. */
function createGeminiRow(input: number, cached: number, output: number): PriceRow {
  const long = { above: 200_000, input: 2 * input, cached: 2 * cached, output: 1.5 * output };
  return { input, cached, output, long };
}

export const PRICE_LIST: Readonly<Record<string, PriceRow>> = {
  // developers.openai.com/api/docs/pricing, as cited on 2026-08-23 (5.6), 2026-10-01 (6.1 Sol), 2026-10-27 (6, 6.1
  // Terra).
  'gpt-6.1-sol': createOpenaiRow(2, 0.1, 10),
  'gpt-6.1-terra': createOpenaiRow(1, 0.05, 5),
  'gpt-6-astra': createOpenaiRow(10, 1, 50),
  'gpt-6-sol': createOpenaiRow(2, 0.2, 10),
  'gpt-6-luna': createOpenaiRow(0.1, 0.01, 0.5),
  'gpt-5.6-sol': createOpenaiRow(5, 0.5, 30),
  'gpt-5.6-terra': createOpenaiRow(2, 0.2, 12),
  'gpt-5.6-luna': createOpenaiRow(0.2, 0.02, 1.2),
  // The same page, as cited in June 2026; writes to the cache cost nothing extra before 5.6.
  'gpt-5.5': { input: 5, cached: 0.5, output: 30 },
  'gpt-5.5-pro': { input: 30, output: 180 },
  'gpt-5.4': { input: 2.5, cached: 0.25, output: 15 },
  'gpt-5.4-mini': { input: 0.75, cached: 0.075, output: 4.5 },
  'gpt-5.4-nano': { input: 0.2, cached: 0.02, output: 1.25 },
  'gpt-5.4-pro': { input: 30, output: 180 },

  // platform.claude.com/docs/en/about-claude/pricing, read in October 2026.
  'claude-fable-5-1': createAnthropicRow(10, 0.25, 50),
  'claude-fable-5': createAnthropicRow(10, 1, 50),
  'claude-opus-5-5': createAnthropicRow(4, 0.2, 20),
  'claude-opus-5': createAnthropicRow(5, 0.5, 25),
  'claude-opus-4-8': createAnthropicRow(5, 0.5, 25),
  'claude-opus-4-7': createAnthropicRow(5, 0.5, 25),
  'claude-opus-4-6': createAnthropicRow(5, 0.5, 25),
  'claude-opus-4-5': createAnthropicRow(5, 0.5, 25),
  'claude-sonnet-5-5': createAnthropicRow(2, 0.1, 10),
  'claude-sonnet-5': createAnthropicRow(2, 0.2, 10),
  'claude-sonnet-4-6': createAnthropicRow(3, 0.3, 15),
  'claude-sonnet-4-5': createAnthropicRow(3, 0.3, 15),
  'claude-haiku-5-5': {
    ...createAnthropicRow(0.1, 0.01, 0.5),
    long: { above: 100_000, ...createAnthropicRow(0.5, 0.05, 2.5) },
  },
  'claude-haiku-4-5': createAnthropicRow(1, 0.1, 5),

  // api-docs.deepseek.com/quick_start/pricing, read on 2026-10-27: the rates of peak hours, which are twice the others.
  'deepseek-flash': { input: 0.3, cached: 0.006, output: 1.2 },
  'deepseek-v4-flash': { input: 0.3, cached: 0.006, output: 1.2 },
  'deepseek-v4-pro': { input: 1.32, cached: 0.044, output: 3.96 },

  // ai.google.dev/gemini-api/docs/pricing, as cited on 2026-08-22 and 2026-08-13; 3.6 and 3.7 Flash cost half until
  // 2026-12-31.
  'gemini-3.1-pro-preview': createGeminiRow(2, 0.2, 12),
  'gemini-3.1-pro': createGeminiRow(2, 0.2, 12),
  'gemini-3.7-flash': { input: 1.5, cached: 0.15, output: 7.5 },
  'gemini-3.6-flash': { input: 1.5, cached: 0.15, output: 7.5 },
  'gemini-3.5-flash': { input: 1.5, cached: 0.15, output: 9 },
  'gemini-3-flash-preview': { input: 0.5, cached: 0.05, output: 3 },
  'gemini-3.1-flash-lite': { input: 0.25, cached: 0.025, output: 1.5 },

  // platform.kimi.ai/docs/pricing, as cited on 2026-07-18 (K3) and 2026-05-13 (K2).
  'kimi-k3': { input: 3, cached: 0.3, output: 15 },
  'kimi-k2.6': { input: 0.95, cached: 0.16, output: 4 },
  'kimi-k2.5': { input: 0.6, cached: 0.1, output: 3 },
};
