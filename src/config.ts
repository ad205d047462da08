// Configuration: the only reader of the environment. Every fault is named with its variable, all at once.
import path from 'node:path';
import { type AppConfig, appConfig, githubPlace } from './config/app-config.ts';
import { dataDirOf } from './config/data-dir.ts';
import { type DatabaseConfig, databaseConfig } from './config/database-config.ts';
import { type MetricsConfig, metricsConfig } from './config/metrics-config.ts';
import { type ModelConfig, modelConfig } from './config/model-config.ts';
import { type Environment, type Reader, reader } from './config/reader.ts';

export type { AppCredentials } from './config/app-config.ts';
export { type DatabaseConfig, type PostgresConfig, parsePostgresUrl, passwordsOf } from './config/database-config.ts';
export type { EndpointConfig, ModelConfig } from './config/model-config.ts';
export type { Environment } from './config/reader.ts';

/** Ascending: `observe` writes nothing, `comment` opens no pull requests. */
const MAX_MODES = ['observe', 'comment', 'fix'] as const;
export type MaxMode = (typeof MAX_MODES)[number];

export interface Config {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Of `worker`, which answers operators alone; 0: any free port. */
  readonly workerPort: number;
  /** Address under which callers reach the service; empty: from the port that was opened. */
  readonly publicUrl: string;
  /** Insists on local mode, whatever else is set. */
  readonly localMode: boolean;
  readonly app: AppConfig;
  /** Channel of smee.io that deliveries are taken from, for development; empty: none. */
  readonly webhookProxyUrl: string;
  /** Logins of those who may install the App; empty: its owner. */
  readonly allowedOwners: readonly string[];
  /** The most that a repository's own configuration can ask for. */
  readonly maxMode: MaxMode;
  /** Where records are kept. */
  readonly database: DatabaseConfig;
  readonly dataDir: string;
  /** Bytes that all mirrors may take together with the digests of what they hold; 0: no limit. */
  readonly mirrorsMaxBytes: number;
  /** 32 bytes, or null: made and kept in `dataDir`. */
  readonly encryptionKey: Buffer | null;
  /** What browsers' sign-ins and forms are proven with; null: made from the encryption key. */
  readonly sessionSecret: string | null;
  /** Folders of the projects; empty: the repository around the caller's folder. */
  readonly projects: readonly string[];
  readonly callbackAllow: string;
  readonly concurrency: number;
  readonly rateLimit: { readonly callsPerMinute: number; readonly creationsPerMinute: number } | 'off';
  readonly retentionDays: number;
  readonly investigationTimeoutMs: number;
  readonly logLevel: string;
  readonly metrics: MetricsConfig;
  readonly githubToken: string | null;
  readonly githubApiUrl: string;
  readonly githubWebUrl: string;
  readonly model: ModelConfig;
  /** US dollars: of one investigation, of a repository in a month, of everything in a month. */
  readonly budget: { readonly run: number; readonly repository: number; readonly all: number };
  /** File of the monitoring servers; null: none. */
  readonly monitoringFile: string | null;
  /** Every secret of the above, for the register. */
  readonly secrets: readonly string[];
  /** What git and monitoring servers take PATH, proxies, certificates and named variables from. */
  readonly environment: Environment;
}

const MIRRORS_MAX_MB = 20_480;

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/**
 * Reads the configuration. An empty variable counts as absent; every secret may stand in a file named by `NAME_FILE`.
 * Throws `usage` with one line for each fault.
 */
export function readConfig(environment: Environment): Config {
  const read = reader(environment);
  const config: Config = {
    host: read.text('HOST', '127.0.0.1'),
    port: read.integer('PORT', 3000, { from: 0, to: 65_535 }),
    workerPort: read.integer('WORKER_PORT', 3001, { from: 0, to: 65_535 }),
    publicUrl: publicUrl(read),
    localMode: read.oneOf('LOCAL_MODE', '0', ['0', '1']) === '1',
    app: appConfig(read, environment),
    webhookProxyUrl: read.address('WEBHOOK_PROXY_URL', ''),
    allowedOwners: read
      .text('ALLOWED_OWNERS', '')
      .split(/[\s,]+/)
      .filter(Boolean),
    maxMode: maxMode(read),
    database: databaseConfig(read),
    dataDir: dataDirOf(environment),
    mirrorsMaxBytes: read.integer('MIRRORS_MAX_MB', MIRRORS_MAX_MB, { from: 0, to: 100_000_000 }) * 1024 ** 2,
    encryptionKey: read.key('ENCRYPTION_KEY'),
    sessionSecret: sessionSecret(read),
    projects: read.text('PROJECTS', '').split(path.delimiter).filter(Boolean),
    callbackAllow: read.text('CALLBACK_ALLOW', ''),
    concurrency: read.integer('CONCURRENCY', 4, { from: 1, to: 64 }),
    rateLimit: rateLimit(read),
    retentionDays: read.integer('RETENTION_DAYS', 90, { from: 1, to: 3_650 }),
    investigationTimeoutMs: read.integer('INVESTIGATION_TIMEOUT_S', 600, { from: 1, to: 86_400 }) * 1_000,
    logLevel: read.oneOf('LOG_LEVEL', 'info', LOG_LEVELS),
    metrics: metricsConfig(read),
    githubToken: read.secret('GITHUB_TOKEN'),
    ...githubPlace(read),
    model: modelConfig(read),
    budget: {
      run: read.dollars('BUDGET_RUN', 1),
      repository: read.dollars('BUDGET_REPOSITORY_MONTH', 25),
      all: read.dollars('BUDGET_MONTH', 200),
    },
    monitoringFile: read.text('MCP_CONFIG', '') || null,
    secrets: read.secrets,
    environment,
  };
  read.finish();
  return config;
}

/** Of this process, for Probot's own tools, which start the app function alone. Throws like `readConfig`. */
export function readProcessConfig(): Config {
  dropForeignHeaders();
  return readConfig(process.env);
}

/**
 * The client libraries of the models add these headers to every request, wherever it goes, and have no option against it. They are meant for
 * other programs, and may hold secrets that no log would know as such.
 */
export function dropForeignHeaders(): void {
  for (const library of ['OPENAI', 'ANTHROPIC']) delete process.env[`${library}_CUSTOM_HEADERS`];
}

/** Paths are put behind it, which an address with a query or fragment would swallow. */
function publicUrl(read: Reader): string {
  const value = read.address('PUBLIC_URL', '');
  if (/[?#]/.test(value)) read.fault(`PUBLIC_URL is "${value}": give it without query and fragment.`);
  return value;
}

/** DRY_RUN=1 is what a cautious operator knows it by. */
function maxMode(read: Reader): MaxMode {
  const wanted = read.oneOf('MAX_MODE', 'fix', MAX_MODES);
  return read.oneOf('DRY_RUN', '0', ['0', '1']) === '1' ? 'observe' : wanted;
}

/** Whoever guesses it could forge forms. */
function sessionSecret(read: Reader): string | null {
  const value = read.secret('SESSION_SECRET');
  if (value !== null && value.length < 32)
    read.fault('SESSION_SECRET is too short: give at least 32 characters ("openssl rand -hex 32" makes some).');
  return value;
}

function rateLimit(read: Reader): Config['rateLimit'] {
  if (read.text('RATE_LIMIT', '') === 'off') return 'off';
  const callsPerMinute = read.integer('RATE_LIMIT', 600, { from: 1, to: 1_000_000, or: ', or off' });
  return { callsPerMinute, creationsPerMinute: Math.max(1, Math.floor(callsPerMinute / 10)) };
}
