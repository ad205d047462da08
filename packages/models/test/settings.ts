// Settings of a model's endpoint, short.
import type { ModelSettings } from '../src/endpoint.ts';

export interface GivenSettings extends Partial<Omit<ModelSettings, 'openai'>> {
  readonly apiKey?: string;
  /** Null: OpenAI's own. */
  readonly baseUrl?: string | null;
}

/** An OpenAI-compatible endpoint, but for what is given. */
export function endpointSettings({ apiKey = '', baseUrl = null, ...given }: GivenSettings = {}): ModelSettings {
  return {
    name: 'test-model',
    api: 'auto',
    openai: { apiKey, baseUrl },
    anthropic: { apiKey: '', baseUrl: null },
    effort: null,
    headers: [],
    keyCommand: null,
    ...given,
  };
}
