// Which language model the configuration names, if any.
import path from 'node:path';
import type { Reader } from './reader.ts';

export type ModelConfig =
  /** Facts only. `hint`: what is missing where a part of the settings is there; "" where none is. */
  | { readonly kind: 'none'; readonly hint: string }
  | { readonly kind: 'scripted'; readonly file: string }
  | {
      readonly kind: 'endpoint';
      readonly name: string;
      /** Empty for servers that want none. */
      readonly apiKey: string;
      /** Null: OpenAI's own. */
      readonly baseUrl: string | null;
      readonly pricesFile: string | null;
      readonly timeoutMs: number;
      readonly idleMs: number;
    };

const SCRIPTED = 'scripted:';
const NO_KEY = 'MODEL is set without a key. Set OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY.';

export function modelConfig(read: Reader): ModelConfig {
  const name = read.text('MODEL', '');
  const apiKey = read.secret('OPENAI_API_KEY') ?? '';
  const baseUrl = read.address('OPENAI_BASE_URL', '') || null;
  const timeoutMs = read.integer('MODEL_TIMEOUT_S', 600, { from: 1, to: 86_400 }) * 1_000;
  const idleMs = read.integer('MODEL_IDLE_S', 120, { from: 1, to: 86_400 }) * 1_000;
  if (name.startsWith(SCRIPTED)) return { kind: 'scripted', file: path.resolve(name.slice(SCRIPTED.length)) };
  const given = apiKey === '' ? 'OPENAI_BASE_URL' : 'OPENAI_API_KEY';
  const isAddressed = apiKey !== '' || baseUrl !== null;
  if (name === 'none' || (name === '' && !isAddressed)) return { kind: 'none', hint: '' };
  if (!isAddressed) return { kind: 'none', hint: NO_KEY };
  // Many shells have a key for other programs: no reason to refuse work, and none to spend money.
  if (name === '')
    return { kind: 'none', hint: `${given} is set, but no MODEL. Set MODEL to a model that the endpoint offers.` };
  const pricesFile = read.text('MODEL_PRICES', '') || null;
  return { kind: 'endpoint', name, apiKey, baseUrl, pricesFile, timeoutMs, idleMs };
}
