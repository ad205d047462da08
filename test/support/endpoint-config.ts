// Settings of a model's endpoint, as the configuration gives them.
import type { EndpointConfig } from '../../src/config.ts';

export interface GivenEndpoint extends Partial<Omit<EndpointConfig, 'openai'>> {
  readonly apiKey?: string;
  /** Null: OpenAI's own. */
  readonly baseUrl?: string | null;
}

/** An OpenAI-compatible endpoint, but for what is given. */
export function endpointConfig({ apiKey = '', baseUrl = null, ...given }: GivenEndpoint = {}): EndpointConfig {
  return {
    ...{ kind: 'endpoint', name: 'test-model', others: [], second: null, api: 'auto' },
    openai: { apiKey, baseUrl },
    anthropic: { apiKey: '', baseUrl: null },
    ...{ effort: null, headers: [], keyCommand: null, pricesFile: null, timeoutMs: 60_000, idleMs: 10_000 },
    ...given,
  };
}
