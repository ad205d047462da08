// Which language model the configuration names, if any.
import path from 'node:path';
import type { Reader } from './reader.ts';

const APIS = ['auto', 'responses', 'chat', 'messages', 'bedrock', 'vertex'] as const;

export type ModelConfig =
  /** Facts only. `hint`: what is missing where a part of the settings is there; "" where none is. */
  | { readonly kind: 'none'; readonly hint: string }
  | { readonly kind: 'scripted'; readonly file: string }
  | EndpointConfig;

export interface EndpointConfig {
  readonly kind: 'endpoint';
  readonly name: string;
  /** Those that a repository may choose among besides, as in `MODELS`; `name` is not repeated. */
  readonly others: readonly string[];
  readonly api: (typeof APIS)[number];
  readonly openai: ProviderConfig;
  readonly anthropic: ProviderConfig;
  /** Null: the provider's own choice. */
  readonly effort: string | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Prints a short-lived key; null: none. */
  readonly keyCommand: string | null;
  readonly pricesFile: string | null;
  readonly timeoutMs: number;
  readonly idleMs: number;
}

interface ProviderConfig {
  /** Empty for servers that want none. */
  readonly apiKey: string;
  /** Null: the provider's own. */
  readonly baseUrl: string | null;
}

const SCRIPTED = 'scripted:';
const NO_KEY = 'MODEL is set without a key. Set OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY.';

export function modelConfig(read: Reader): ModelConfig {
  const name = read.text('MODEL', '');
  const api = read.oneOf('MODEL_API', 'auto', APIS);
  const given = {
    api,
    others: [...new Set(modelNames(read))].filter((other) => other !== name),
    openai: provider(read, 'OPENAI'),
    anthropic: provider(read, 'ANTHROPIC'),
    effort: effort(read),
    headers: headers(read),
    keyCommand: read.text('MODEL_KEY_COMMAND', '') || null,
    pricesFile: read.text('MODEL_PRICES', '') || null,
    timeoutMs: read.integer('MODEL_TIMEOUT_S', 600, { from: 1, to: 86_400 }) * 1_000,
    idleMs: read.integer('MODEL_IDLE_S', 120, { from: 1, to: 86_400 }) * 1_000,
  };
  if (name.startsWith(SCRIPTED)) return { kind: 'scripted', file: path.resolve(name.slice(SCRIPTED.length)) };
  const address = addressed(given);
  if (name === 'none' || (name === '' && address === null)) return { kind: 'none', hint: '' };
  if (address === null) return { kind: 'none', hint: NO_KEY };
  // Many shells have a key for other programs: no reason to refuse work, and none to spend money.
  if (name === '')
    return { kind: 'none', hint: `${address} is set, but no MODEL. Set MODEL to a model that the endpoint offers.` };
  return { kind: 'endpoint', name, ...given };
}

/** The variable that says where a model can be asked; null: none does. */
function addressed(given: Pick<EndpointConfig, 'api' | 'openai' | 'anthropic' | 'keyCommand'>): string | null {
  const { api, openai, anthropic, keyCommand } = given;
  if (openai.apiKey !== '') return 'OPENAI_API_KEY';
  if (anthropic.apiKey !== '') return 'ANTHROPIC_API_KEY';
  if (keyCommand !== null) return 'MODEL_KEY_COMMAND';
  if (openai.baseUrl !== null) return 'OPENAI_BASE_URL';
  if (anthropic.baseUrl !== null) return 'ANTHROPIC_BASE_URL';
  return api === 'bedrock' || api === 'vertex' ? 'MODEL_API' : null;
}

function provider(read: Reader, prefix: 'OPENAI' | 'ANTHROPIC'): ProviderConfig {
  return {
    apiKey: read.secret(`${prefix}_API_KEY`) ?? '',
    baseUrl: read.address(`${prefix}_BASE_URL`, '') || null,
  };
}

function modelNames(read: Reader): readonly string[] {
  return read
    .text('MODELS', '')
    .split(/[\s,]+/)
    .filter(Boolean);
}

/** Providers spell it in their own ways: it is passed on as it is written. */
function effort(read: Reader): string | null {
  const value = read.text('MODEL_EFFORT', '').toLowerCase();
  if (!/^[a-z]{0,20}$/.test(value)) {
    read.fault(`MODEL_EFFORT is "${value}": give a word that the provider knows, such as low, medium or high.`);
  }
  return value || null;
}

/** Lines `Name: value`. Values may be secret, so an error names only the line. */
function headers(read: Reader): readonly (readonly [string, string])[] {
  const text = read.secret('MODEL_HEADERS') ?? '';
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .flatMap((line, at): (readonly [string, string])[] => {
      if (line === '') return [];
      const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(\S.*)$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) {
        read.secrets.push(value);
        return [[name, value]];
      }
      read.fault(`MODEL_HEADERS, line ${at + 1}, is no header: write each as "Name: value".`);
      return [];
    });
}
