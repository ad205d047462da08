// Configuration: the only reader of the environment. Every fault is named with its variable, all at once.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CausewayError } from './domain/errors.ts';

export interface Config {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Address under which callers reach the service; empty: from the port that was opened. */
  readonly publicUrl: string;
  /** Insists on local mode where `appVariables` ask for more. */
  readonly localMode: boolean;
  /** The variables that are set and ask for a GitHub App. */
  readonly appVariables: readonly string[];
  readonly dataDir: string;
  /** 32 bytes, or null: made and kept in `dataDir`. */
  readonly encryptionKey: Buffer | null;
  /** Folders of the projects; empty: the repository around the caller's folder. */
  readonly projects: readonly string[];
  readonly callbackAllow: string;
  readonly concurrency: number;
  readonly rateLimit: { readonly callsPerMinute: number; readonly creationsPerMinute: number } | 'off';
  readonly retentionDays: number;
  readonly investigationTimeoutMs: number;
  readonly logLevel: string;
  readonly githubToken: string | null;
  readonly githubApiUrl: string;
  readonly githubWebUrl: string;
  readonly model: ModelConfig;
  /** US dollars: of one investigation, of a repository in a month, of everything in a month. */
  readonly budget: { readonly run: number; readonly repository: number; readonly all: number };
  /** File of the monitoring servers; null: none. */
  readonly monitoringFile: string | null;
  /** What git and monitoring servers take PATH, proxies, certificates and named variables from. */
  readonly environment: Environment;
}

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

export type Environment = Readonly<Record<string, string | undefined>>;

/** The folder that this program is installed in. */
export const INSTALLATION = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
export const DEFAULT_DATA_DIR = path.join(INSTALLATION, 'data');
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const SCRIPTED = 'scripted:';
const APP_VARIABLES = ['APP_ID', 'PRIVATE_KEY', 'PRIVATE_KEY_PATH', 'WEBHOOK_SECRET'];

/**
 * Reads the configuration. An empty variable counts as absent; every secret may stand in a file named by `NAME_FILE`.
 * Throws `usage` with one line for each fault.
 */
export function readConfig(environment: Environment): Config {
  const read = reader(environment);
  const config: Config = {
    host: read.text('HOST', '127.0.0.1'),
    port: read.integer('PORT', 3000, { from: 0, to: 65_535 }),
    publicUrl: publicUrl(read),
    localMode: read.oneOf('LOCAL_MODE', '0', ['0', '1']) === '1',
    appVariables: APP_VARIABLES.filter((name) => environment[name] || environment[`${name}_FILE`]),
    dataDir: path.resolve(read.text('DATA_DIR', DEFAULT_DATA_DIR)),
    encryptionKey: read.key('ENCRYPTION_KEY'),
    projects: read.text('PROJECTS', '').split(path.delimiter).filter(Boolean),
    callbackAllow: read.text('CALLBACK_ALLOW', ''),
    concurrency: read.integer('CONCURRENCY', 4, { from: 1, to: 64 }),
    rateLimit: rateLimit(read),
    retentionDays: read.integer('RETENTION_DAYS', 90, { from: 1, to: 3_650 }),
    investigationTimeoutMs: read.integer('INVESTIGATION_TIMEOUT_S', 600, { from: 1, to: 86_400 }) * 1_000,
    logLevel: read.oneOf('LOG_LEVEL', 'info', LOG_LEVELS),
    githubToken: read.secret('GITHUB_TOKEN'),
    githubApiUrl: read.address('GITHUB_API_URL', 'https://api.github.com'),
    githubWebUrl: read.address('GITHUB_WEB_URL', 'https://github.com'),
    model: modelConfig(read),
    budget: {
      run: read.dollars('BUDGET_RUN', 1),
      repository: read.dollars('BUDGET_REPOSITORY_MONTH', 25),
      all: read.dollars('BUDGET_MONTH', 200),
    },
    monitoringFile: read.text('MCP_CONFIG', '') || null,
    environment,
  };
  read.finish();
  return config;
}

/** Paths are put behind it, which an address with a query or fragment would swallow. */
function publicUrl(read: Reader): string {
  const value = read.address('PUBLIC_URL', '');
  if (/[?#]/.test(value)) read.fault(`PUBLIC_URL is "${value}": give it without query and fragment.`);
  return value;
}

function modelConfig(read: Reader): ModelConfig {
  const name = read.text('MODEL', '');
  const apiKey = read.secret('OPENAI_API_KEY') ?? '';
  const baseUrl = read.address('OPENAI_BASE_URL', '') || null;
  const timeoutMs = read.integer('MODEL_TIMEOUT_S', 600, { from: 1, to: 86_400 }) * 1_000;
  const idleMs = read.integer('MODEL_IDLE_S', 120, { from: 1, to: 86_400 }) * 1_000;
  if (name.startsWith(SCRIPTED)) return { kind: 'scripted', file: path.resolve(name.slice(SCRIPTED.length)) };
  const given = apiKey === '' ? 'OPENAI_BASE_URL' : 'OPENAI_API_KEY';
  const isAddressed = apiKey !== '' || baseUrl !== null;
  if (name === 'none' || (name === '' && !isAddressed)) return { kind: 'none', hint: '' };
  if (!isAddressed) return { kind: 'none', hint: 'MODEL is set, but neither OPENAI_API_KEY nor OPENAI_BASE_URL.' };
  // Many shells have a key for other programs: no reason to refuse work, and none to spend money.
  if (name === '') return { kind: 'none', hint: `${given} is set, but no MODEL: name one as its endpoint does.` };
  const pricesFile = read.text('MODEL_PRICES', '') || null;
  return { kind: 'endpoint', name, apiKey, baseUrl, pricesFile, timeoutMs, idleMs };
}

function rateLimit(read: Reader): Config['rateLimit'] {
  if (read.text('RATE_LIMIT', '') === 'off') return 'off';
  const callsPerMinute = read.integer('RATE_LIMIT', 600, { from: 1, to: 1_000_000, or: ', or off' });
  return { callsPerMinute, creationsPerMinute: Math.max(1, Math.floor(callsPerMinute / 10)) };
}

type Reader = ReturnType<typeof reader>;
type Range = { readonly from: number; readonly to: number; readonly or?: string };

function reader(environment: Environment) {
  const faults: string[] = [];
  const text = (name: string, fallback: string): string => environment[name]?.trim() || fallback;
  const secret = (name: string): string | null => {
    const file = text(`${name}_FILE`, '');
    if (file === '') return text(name, '') || null;
    try {
      return readFileSync(file, 'utf8').trim() || null;
    } catch (error) {
      faults.push(`${name}_FILE names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`);
      return null;
    }
  };
  const integer = (name: string, fallback: number, range: Range): number => {
    const value = text(name, String(fallback));
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= range.from && number <= range.to) return number;
    faults.push(`${name} is "${value}": give a whole number from ${range.from} to ${range.to}${range.or ?? ''}.`);
    return fallback;
  };
  const dollars = (name: string, fallback: number): number => {
    const value = text(name, String(fallback)).replace(/^\$/, '');
    if (/^\d{1,9}(\.\d{1,6})?$/.test(value)) return Number(value);
    faults.push(`${name} is "${value}": give US dollars, such as 25 or 0.50.`);
    return fallback;
  };
  const oneOf = (name: string, fallback: string, values: readonly string[]): string => {
    const value = text(name, fallback);
    if (!values.includes(value)) faults.push(`${name} is "${value}": give one of ${values.join(', ')}.`);
    return value;
  };
  const address = (name: string, fallback: string): string => {
    const value = text(name, fallback).replace(/\/+$/, '');
    if (value !== '' && !/^https?:$/.test(URL.parse(value)?.protocol ?? '')) {
      faults.push(`${name} is "${value}": give an address that begins with https:// or http://.`);
    }
    return value;
  };
  const key = (name: string): Buffer | null => {
    const value = secret(name);
    if (value === null) return null;
    const bytes = /^[0-9a-f]{64}$/i.test(value) ? Buffer.from(value, 'hex') : Buffer.from(value, 'base64');
    if (bytes.length !== 32)
      faults.push(`${name} must be 32 bytes as 64 hex digits or base64 ("openssl rand -hex 32" makes one).`);
    return bytes;
  };
  const finish = (): void => {
    if (faults.length > 0) throw new CausewayError('usage', faults.join('\n'));
  };
  const fault = (words: string): void => void faults.push(words);
  return { text, secret, integer, dollars, oneOf, address, key, fault, finish };
}
