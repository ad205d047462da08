// The real service beside a model behind the wire: its settings, and a project to investigate.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

/** US dollars per million tokens of the test's model. */
export const PRICES = { prompt: 2, cached: 0.5, completion: 8 };

/** What points the service at the endpoint; `prices` is a file that is written into `folder`. */
export async function modelSettings(
  endpoint: { readonly url: string },
  folder: string,
): Promise<Readonly<Record<string, string>>> {
  const prices = path.join(folder, 'prices.json');
  await writeFile(prices, JSON.stringify({ 'test-model': PRICES }));
  return {
    OPENAI_BASE_URL: endpoint.url,
    OPENAI_API_KEY: 'sk-test-0123456789abcdefghij',
    MODEL: 'test-model',
    MODEL_PRICES: prices,
    RATE_LIMIT: 'off',
  };
}

interface Billed {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
}

/** US dollars of one turn, as the endpoint's bill would have it. */
export function priceOf({ prompt_tokens, completion_tokens, prompt_tokens_details }: Billed): number {
  const cached = prompt_tokens_details.cached_tokens;
  const fresh = prompt_tokens - cached;
  return (fresh * PRICES.prompt + cached * PRICES.cached + completion_tokens * PRICES.completion) / 1_000_000;
}
