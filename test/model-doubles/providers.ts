// Every provider that has a double, with the settings that docs/models.md names for it.

import { anthropicDouble } from '../../packages/models/test/doubles/anthropic.ts';
import {
  deepSeekDouble,
  geminiDouble,
  kimiDouble,
  liteLlmDouble,
  ollamaDouble,
  openRouterDouble,
  vllmDouble,
} from '../../packages/models/test/doubles/chat.ts';
import type { Double } from '../../packages/models/test/doubles/double.ts';
import { azureDouble, openAiDouble } from '../../packages/models/test/doubles/openai.ts';
import type { Played, Turns } from '../../packages/models/test/played.ts';
import { withLooks } from '../support/played-model.ts';
import type { Host, Internet } from './internet.ts';

export type Settings = Readonly<Record<string, string>>;

export interface Provider {
  readonly name: string;
  /** Null: it runs on this machine, at an address of its own. */
  readonly host: Host | null;
  open(turns: Turns): Promise<Double>;
  /** `origin`: of the double, for those that run on this machine. */
  settings(origin: string): Settings;
}

const KEY = 'key-0f9a8b7c6d5e4f3a2b1c';
/** As OpenAI's keys look. */
const OPENAI_KEY = 'sk-proj-Zk4vQ8nR2tW6yB1cF5hJ9mP3sX7aD0eG';
const ANTHROPIC_KEY = 'sk-ant-api03-Zk4vQ8nR2tW6yB1cF5hJ9mP3sX7aD0eG';
const AZURE = { key: KEY, deployment: 'investigator', model: 'gpt-5.1' };

export const PROVIDERS: readonly Provider[] = [
  {
    name: 'OpenAI, Responses',
    host: 'api.openai.com',
    open: (turns) => openAiDouble(turns, { key: OPENAI_KEY }),
    settings: () => ({ OPENAI_API_KEY: OPENAI_KEY, MODEL: 'gpt-5.5' }),
  },
  {
    // A given base URL is used as chat.completions until the endpoint says that tools need the other interface.
    name: 'OpenAI, chat as it refuses',
    host: null,
    open: (turns) => openAiDouble(turns, { key: OPENAI_KEY }),
    settings: (origin) => ({
      OPENAI_BASE_URL: `${origin}/v1`,
      OPENAI_API_KEY: OPENAI_KEY,
      MODEL: 'gpt-5.6-terra',
    }),
  },
  {
    name: 'Gemini, OpenAI endpoint',
    host: 'generativelanguage.googleapis.com',
    open: (turns) => geminiDouble(turns, { key: KEY }),
    settings: () => ({
      OPENAI_BASE_URL: 'https://generativelanguage.googleapis.com/v1beta/openai/',
      OPENAI_API_KEY: KEY,
      MODEL: 'gemini-3.1-pro-preview',
    }),
  },
  {
    name: 'LiteLLM in front of Gemini',
    host: null,
    open: (turns) => liteLlmDouble(turns, { key: KEY }),
    settings: (origin) => ({ OPENAI_BASE_URL: `${origin}/v1`, OPENAI_API_KEY: KEY, MODEL: 'gemini-3-pro' }),
  },
  {
    name: 'DeepSeek, thinking',
    host: 'api.deepseek.com',
    open: (turns) => deepSeekDouble(turns, { key: KEY }),
    settings: () => ({ OPENAI_BASE_URL: 'https://api.deepseek.com', OPENAI_API_KEY: KEY, MODEL: 'deepseek-v4-pro' }),
  },
  {
    name: 'Kimi, thinking',
    host: 'api.moonshot.ai',
    open: (turns) => kimiDouble(turns, { key: KEY }),
    settings: () => ({ OPENAI_BASE_URL: 'https://api.moonshot.ai/v1', OPENAI_API_KEY: KEY, MODEL: 'kimi-k2.5' }),
  },
  {
    name: 'OpenRouter',
    host: 'openrouter.ai',
    open: (turns) => openRouterDouble(turns, { key: KEY }),
    settings: () => ({
      OPENAI_BASE_URL: 'https://openrouter.ai/api/v1',
      OPENAI_API_KEY: KEY,
      MODEL: 'google/gemini-3.1-pro-preview',
    }),
  },
  {
    name: 'Anthropic',
    host: 'api.anthropic.com',
    open: (turns) => anthropicDouble(turns, { key: ANTHROPIC_KEY }),
    settings: () => ({ ANTHROPIC_API_KEY: ANTHROPIC_KEY, MODEL: 'claude-opus-5-5' }),
  },
  {
    name: 'Azure, v1',
    host: 'contoso.openai.azure.com',
    open: (turns) => azureDouble(turns, AZURE),
    settings: () => ({
      OPENAI_BASE_URL: 'https://contoso.openai.azure.com/openai/v1/',
      OPENAI_API_KEY: AZURE.key,
      MODEL: AZURE.deployment,
    }),
  },
  {
    name: 'Azure, deployment',
    host: 'contoso.openai.azure.com',
    open: (turns) => azureDouble(turns, AZURE),
    settings: () => ({
      OPENAI_BASE_URL: `https://contoso.openai.azure.com/openai/deployments/${AZURE.deployment}?api-version=2025-04-01-preview`,
      OPENAI_API_KEY: AZURE.key,
      MODEL: AZURE.deployment,
    }),
  },
  {
    name: 'Ollama',
    host: null,
    open: (turns) => ollamaDouble(turns),
    settings: (origin) => ({ OPENAI_BASE_URL: `${origin}/v1`, MODEL: 'qwen3.5:27b' }),
  },
  {
    name: 'vLLM',
    host: null,
    open: (turns) => vllmDouble(turns),
    settings: (origin) => ({ OPENAI_BASE_URL: `${origin}/v1`, MODEL: 'Qwen/Qwen3.5-27B' }),
  },
];

/** Opens the double of the provider, and lets its host be answered by it. */
export async function openProvider(
  provider: Provider,
  turns: readonly Played[],
  internet: Internet,
): Promise<{ readonly double: Double; readonly settings: Settings }> {
  const double = await provider.open(withLooks(turns));
  if (provider.host !== null) internet.serve(provider.host, double.handle);
  return { double, settings: { ...internet.environment, ...provider.settings(double.origin) } };
}

/** The provider's settings with the double's own address in them, for a model in this process. */
export function settingsOnLoopback({ settings }: Provider, origin: string): Settings {
  const moved = Object.entries(settings(origin)).map(([name, value]) => [
    name,
    value.replace(/^https:\/\/[^/]+/, origin),
  ]);
  const own: Settings = Object.fromEntries(moved);
  if ('ANTHROPIC_API_KEY' in own) return { ...own, ANTHROPIC_BASE_URL: origin };
  const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key = '' } = own;
  if (url === undefined) return { ...own, OPENAI_BASE_URL: `${origin}/v1`, MODEL_API: 'responses' };
  // Only Azure's own hosts get the key in its header.
  return url.includes('/deployments/') ? { ...own, OPENAI_API_KEY: '', MODEL_HEADERS: `api-key: ${key}` } : own;
}
