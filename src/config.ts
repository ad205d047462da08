// Configuration: the only reader of the environment. Every fault is named with its variable, all at once.
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { CausewayError } from './core/errors.ts';
import { findDefaultDataDir } from './installation.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Ascending: `observe` writes nothing, `comment` opens no pull requests. */
const MAX_MODES = ['observe', 'comment', 'fix'] as const;
const MODEL_APIS = ['auto', 'responses', 'chat', 'messages', 'bedrock', 'vertex'] as const;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export type Config = Readonly<ReturnType<typeof readConfig>>;

export interface AppCredentials {
  readonly appId: number;
  /** PEM (PKCS #8). */
  readonly privateKey: string;
  /** The one that signs now first; a second one during a rotation. */
  readonly webhookSecrets: readonly string[];
  /** For signing in; empty where there is none. */
  readonly clientId: string;
  readonly clientSecret: string;
}

type AppConfig =
  | { readonly kind: 'none' }
  | { readonly kind: 'given'; readonly credentials: AppCredentials }
  /** Some of it is there, and something is missing or wrong: `faults` has a line for each. */
  | { readonly kind: 'faulty'; readonly variables: readonly string[]; readonly faults: string };

export type DatabaseConfig = { readonly kind: 'sqlite' } | PostgresConfig;

/** `url` holds a password; `shown` is the same without it, for people. */
export interface PostgresConfig {
  readonly kind: 'postgres';
  readonly url: string;
  readonly shown: string;
}

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
  /** For second looks, as in `SECOND_MODEL`; null: the model that investigates. */
  readonly second: string | null;
  readonly api: (typeof MODEL_APIS)[number];
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

/**
 * Reads the configuration. An empty variable counts as absent; every secret may be in a file named by `NAME_FILE`.
 * Throws `usage` with one line for each fault.
 */
export function readConfig(environment: Environment) {
  const read = createVariableReader(environment);
  refuseRemoved(read);
  const config = {
    host: read.text('HOST', '127.0.0.1'),
    /** 0: any free port. */
    port: read.integer('PORT', 3000, { from: 0, to: 65_535 }),
    /** Of `worker`, which only operators call; 0: any free port. */
    workerPort: read.integer('WORKER_PORT', 3001, { from: 0, to: 65_535 }),
    /** Address under which callers reach the service; empty: from the port that was opened. */
    publicUrl: readPublicUrl(read),
    /** Local mode regardless of other settings. */
    localMode: read.oneOf('LOCAL_MODE', '0', ['0', '1']) === '1',
    app: readAppConfig(read),
    /** Channel of smee.io that deliveries are taken from, for development; empty: none. */
    webhookProxyUrl: read.address('WEBHOOK_PROXY_URL', ''),
    /** Logins of those who may install the App; empty: its owner. */
    allowedOwners: read.list('ALLOWED_OWNERS'),
    /** The most that a repository's own configuration can ask for. */
    maxMode: read.oneOf('MAX_MODE', 'fix', MAX_MODES),
    /** Where records are kept. */
    database: readDatabase(read),
    /** An absolute path. A user without an entry in /etc/passwd may have no home. */
    dataDir: path.resolve(read.text('DATA_DIR', '') || findDefaultDataDir(environment, homedir())),
    /** Bytes that all mirrors may take together with the indexes of what they hold; 0: no limit. */
    mirrorsMaxBytes: read.integer('MIRRORS_MAX_MB', 20_480, { from: 0, to: 100_000_000 }) * 1024 ** 2,
    /** 32 bytes, or null: made and kept in `dataDir`. */
    encryptionKey: read.key('ENCRYPTION_KEY'),
    /** Signs browsers' sign-ins and forms; null: derived from the encryption key. */
    sessionSecret: read.secretOfAtLeast(32, 'SESSION_SECRET'),
    /** Folders of the projects; empty: the repository around the caller's folder. */
    projects: read.text('PROJECTS', '').split(path.delimiter).filter(Boolean),
    callbackAllow: read.text('CALLBACK_ALLOW', ''),
    concurrency: read.integer('CONCURRENCY', 4, { from: 1, to: 64 }),
    rateLimit: readRateLimit(read),
    retentionDays: read.integer('RETENTION_DAYS', 90, { from: 1, to: 3_650 }),
    investigationTimeoutMs: read.integer('INVESTIGATION_TIMEOUT_S', 600, { from: 1, to: 86_400 }) * 1_000,
    logLevel: read.oneOf('LOG_LEVEL', 'info', LOG_LEVELS),
    /** Needed to read `/metrics`; null: they are off. */
    metricsToken: read.secretOfAtLeast(16, 'METRICS_TOKEN'),
    githubToken: read.secret('GITHUB_TOKEN'),
    ...readGithubPlace(read),
    model: readModel(read),
    /** US dollars: of one investigation, of a repository in a month, of everything in a month. */
    budget: {
      run: read.dollars('BUDGET_RUN', 1),
      repository: read.dollars('BUDGET_REPOSITORY_MONTH', 25),
      all: read.dollars('BUDGET_MONTH', 200),
    },
    /** File of the monitoring servers; null: none. */
    monitoringFile: read.text('MCP_CONFIG', '') || null,
    /** File of other CI whose logs are read, with their tokens; null: none. */
    ciLogsFile: read.text('CI_LOGS', '') || null,
    /** Every secret of the above, for the register. */
    secrets: read.secrets,
    /** What git and monitoring servers take PATH, proxies, certificates and named variables from. */
    environment,
  };
  if (read.faults.length > 0) throw new CausewayError('usage', read.faults.join('\n'));
  return config;
}

/** What a job of GitHub Actions is given: the event, the repository, and where its files go. */
export type ActionInputs = Readonly<ReturnType<typeof readActionConfig>['inputs']>;

const ACTION_REPAIR = 'run it as a step of a workflow (docs/action.md), which sets it';

/**
 * The configuration of a job of GitHub Actions: inputs come as `INPUT_…`, keys of models by their usual names. Nothing
 * of it outlives the job. Throws `usage` with one line for each fault.
 */
export function readActionConfig(environment: Environment) {
  const read = createVariableReader(environment);
  const required = (name: string, repair = ACTION_REPAIR): string => {
    const value = read.text(name, '');
    if (value === '') read.faults.push(`${name} is missing: ${repair}.`);
    return value;
  };
  const token = required(
    'INPUT_TOKEN',
    'leave the input "token" out of the step, or give it the token of a GitHub App',
  );
  const temporary = required('RUNNER_TEMP');
  const runId = required('GITHUB_RUN_ID');
  const repository = required('GITHUB_REPOSITORY');
  if (repository !== '' && !/^[\w.-]+\/[\w.-]+$/.test(repository)) {
    read.faults.push('GITHUB_REPOSITORY is not the name of a repository, such as octo/shop.');
  }
  const inputs = {
    token,
    event: required('GITHUB_EVENT_NAME'),
    eventFile: required('GITHUB_EVENT_PATH'),
    /** `owner/name`. */
    repository,
    /** Of this workflow in its repository, such as `.github/workflows/causeway.yml`; "": not known. */
    workflow: /^[^/]+\/[^/]+\/([^@]+)@/.exec(read.text('GITHUB_WORKFLOW_REF', ''))?.[1] ?? '',
    /** Of this run. */
    runId: Number(runId) || 0,
    /** Whether it is the first of this workflow. */
    isFirstRun: read.text('GITHUB_RUN_NUMBER', '') === '1',
    /** Whether a bot started it, such as Dependabot. */
    isBot: read.text('GITHUB_ACTOR', '').endsWith('[bot]'),
    /** Files that the runner reads at the end of the step; "": there is none. */
    outputFile: read.text('GITHUB_OUTPUT', ''),
    summaryFile: read.text('GITHUB_STEP_SUMMARY', ''),
  };
  const place = {
    githubApiUrl: read.address('GITHUB_API_URL', 'https://api.github.com'),
    githubWebUrl: read.address('GITHUB_SERVER_URL', 'https://github.com'),
  };
  if (read.faults.length > 0) throw new CausewayError('usage', read.faults.join('\n'));
  const { MODEL: model, MAX_MODE: mode } = environment;
  const given: Environment = {
    ...environment,
    ...Object.fromEntries(SERVER_ONLY.map((name) => [name, undefined])),
    MODEL: read.text('INPUT_MODEL', '') || model,
    MAX_MODE: read.text('INPUT_MODE', '') || mode,
    ALLOWED_OWNERS: repository.split('/')[0],
    DATA_DIR: path.join(temporary, `causeway-${runId}-${process.pid}`),
  };
  const config: Config = { ...readConfig(given), ...place };
  // A bot's jobs get no secrets.
  if (config.model.kind === 'none' && config.model.hint !== '' && !inputs.isBot) {
    const repair = `The secret has to exist, and the step has to pass it on: env: { OPENAI_API_KEY: "\${{ secrets.OPENAI_API_KEY }}" }`;
    throw new CausewayError('usage', `${config.model.hint} ${repair}.`);
  }
  return { config, inputs };
}

/** What a server is configured with, and a workflow may have in its environment for other programs. */
const SERVER_ONLY = [
  ...['APP_ID', 'PRIVATE_KEY', 'PRIVATE_KEY_PATH', 'WEBHOOK_SECRET', 'DATABASE_URL', 'GITHUB_API_URL', 'GHE_HOST'],
  ...['PUBLIC_URL', 'HOST', 'PORT', 'WORKER_PORT', 'PROJECTS', 'LOCAL_MODE', 'DRY_RUN'],
  ...['GITHUB_WEB_URL', 'GITHUB_TOKEN'],
];

/** Of this process, for Probot's own tools, which start only the app function. Throws like `readConfig`. */
export function readProcessConfig(): Config {
  dropClientHeaders();
  return readConfig(process.env);
}

/**
 * The model clients add these headers to every request with no option to prevent it. They are meant for other programs
 * and may hold secrets that redaction does not know.
 */
export function dropClientHeaders(): void {
  for (const library of ['OPENAI', 'ANTHROPIC']) delete process.env[`${library}_CUSTOM_HEADERS`];
}

const GHE_REPAIR = 'set GHE_HOST to the host of your GitHub, and GHE_PROTOCOL=http where it has no TLS';
const METRICS_REPAIR = 'set METRICS_TOKEN and read /metrics on PORT, and on WORKER_PORT of a worker';
const REMOVED = {
  DRY_RUN: 'set MAX_MODE=observe',
  GITHUB_API_URL: GHE_REPAIR,
  GITHUB_WEB_URL: GHE_REPAIR,
  METRICS_PORT: METRICS_REPAIR,
  METRICS_HOST: METRICS_REPAIR,
};

/**
 * A removed variable that was simply ignored could write where the operator forbade it. GitHub Actions sets
 * GITHUB_API_URL itself.
 */
function refuseRemoved(read: VariableReader): void {
  const isInActions = read.text('GITHUB_ACTIONS', '') === 'true';
  for (const [name, replacement] of Object.entries(REMOVED)) {
    if (read.text(name, '') === '' || (isInActions && name === 'GITHUB_API_URL')) continue;
    read.faults.push(`${name} is no longer read: ${replacement}, and remove ${name}.`);
  }
}

/** Paths are appended to it. */
function readPublicUrl(read: VariableReader): string {
  const value = read.address('PUBLIC_URL', '');
  if (/[?#]/.test(value)) read.faults.push(`PUBLIC_URL is "${value}": give it without query and fragment.`);
  return value;
}

function readRateLimit(read: VariableReader) {
  if (read.text('RATE_LIMIT', '') === 'off') return 'off' as const;
  const callsPerMinute = read.integer('RATE_LIMIT', 600, { from: 1, to: 1_000_000, or: ', or off' });
  return { callsPerMinute, creationsPerMinute: Math.max(1, Math.floor(callsPerMinute / 10)) };
}

/**
 * Base addresses without a slash at the end, for programs and for people: of github.com, an organisation's ghe.com, or
 * GitHub Enterprise Server with its API at /api/v3.
 */
function readGithubPlace(read: VariableReader): { readonly githubApiUrl: string; readonly githubWebUrl: string } {
  const host = read.text('GHE_HOST', '');
  const protocol = read.oneOf('GHE_PROTOCOL', 'https', ['https', 'http']);
  if (host === '') return { githubApiUrl: 'https://api.github.com', githubWebUrl: 'https://github.com' };
  if (!/^[A-Za-z0-9.-]+(:\d{1,5})?$/.test(host)) {
    read.faults.push(
      `GHE_HOST is "${host}": give a host name such as github.example.com, with its port if it has one.`,
    );
  }
  if (/^[a-z0-9-]+\.ghe\.com$/i.test(host)) {
    return { githubApiUrl: `https://api.${host}`, githubWebUrl: `https://${host}` };
  }
  return { githubApiUrl: `${protocol}://${host}/api/v3`, githubWebUrl: `${protocol}://${host}` };
}

/** Those that ask for a GitHub App when they are set. */
const APP_VARIABLES = ['APP_ID', 'PRIVATE_KEY', 'PRIVATE_KEY_PATH', 'WEBHOOK_SECRET'];
const SHORTEST_WEBHOOK_SECRET = 32;
const SECRET_REPAIR = 'give the one of the App on GitHub, at least 32 characters ("openssl rand -hex 32" makes one).';

/** Incomplete credentials are no fault of the whole configuration: commands that do not serve work without them. */
function readAppConfig(read: VariableReader): AppConfig {
  const faults: string[] = [];
  const appId = readAppId(read, faults);
  const keyFile = read.text('PRIVATE_KEY_PATH', '');
  const keyText = keyFile === '' ? read.secret('PRIVATE_KEY') : read.secretFile('PRIVATE_KEY_PATH', keyFile);
  const privateKey = readPrivateKey(keyText, keyFile === '' ? 'PRIVATE_KEY' : 'PRIVATE_KEY_PATH', faults);
  const webhookSecret = read.secret('WEBHOOK_SECRET');
  const oldSecret = read.secret('WEBHOOK_SECRET_OLD');
  if (webhookSecret === null) faults.push(`WEBHOOK_SECRET is missing: ${SECRET_REPAIR}`);
  else faults.push(...describeWeakSecret('WEBHOOK_SECRET', webhookSecret));
  if (oldSecret !== null) faults.push(...describeWeakSecret('WEBHOOK_SECRET_OLD', oldSecret));
  const webhookSecrets = [webhookSecret, oldSecret].filter((secret) => secret !== null);
  const clientId = read.text('GITHUB_CLIENT_ID', '');
  const clientSecret = read.secret('GITHUB_CLIENT_SECRET') ?? '';
  // An empty file is absent, as an empty variable is: a systemd unit names files for everything that may be given.
  const fromFiles: Readonly<Record<string, string | null>> = {
    ...(keyFile === '' && { PRIVATE_KEY: keyText }),
    WEBHOOK_SECRET: webhookSecret,
  };
  const variables = APP_VARIABLES.filter((name) => read.text(name, '') || fromFiles[name]);
  if (variables.length === 0) return { kind: 'none' };
  if (faults.length > 0) return { kind: 'faulty', variables, faults: faults.join('\n') };
  return { kind: 'given', credentials: { appId, privateKey, webhookSecrets, clientId, clientSecret } };
}

function readAppId(read: VariableReader, faults: string[]): number {
  const value = read.text('APP_ID', '');
  if (/^[1-9]\d{0,14}$/.test(value)) return Number(value);
  const flaw = value === '' ? 'is missing' : `is "${value}"`;
  faults.push(`APP_ID ${flaw}: give the number that GitHub shows on the page of the App.`);
  return 0;
}

/** With a short or well-known secret anyone could sign deliveries. */
function describeWeakSecret(name: string, value: string): readonly string[] {
  if (value.length >= SHORTEST_WEBHOOK_SECRET) return [];
  const flaw = value === 'development' ? 'is the word "development"' : `has ${value.length} characters`;
  return [`${name} ${flaw}, so that anyone could sign deliveries: ${SECRET_REPAIR}`];
}

/** `name`: of the variable that gave it. */
function readPrivateKey(value: string | null, name: string, faults: string[]): string {
  const key = value === null ? null : parsePrivateKey(value);
  if (key !== null) return key;
  faults.push(
    value === null
      ? 'PRIVATE_KEY is missing: give the key that GitHub made for the App, or its file in PRIVATE_KEY_PATH.'
      : `${name} contains no RSA private key: give the .pem file that GitHub made for the App: as it is, with \\n for its line feeds, or in base64.`,
  );
  return '';
}

/** As PKCS #8, from any of the accepted forms; null where it is none. */
function parsePrivateKey(value: string): string | null {
  const text = value.replaceAll('\\n', '\n');
  const pem = text.includes('-----BEGIN') ? text : Buffer.from(value, 'base64').toString('utf8');
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'rsa' ? key.export({ type: 'pkcs8', format: 'pem' }).toString() : null;
  } catch {
    return null;
  }
}

const POSTGRES_REPAIR = 'give an address such as postgres://causeway:PASSWORD@db.example.com:5432/causeway';

/** Nothing of the value is repeated in a fault: it holds a password. */
function readDatabase(read: VariableReader): DatabaseConfig {
  const value = read.secret('DATABASE_URL');
  if (value === null) return { kind: 'sqlite' };
  const parsed = parsePostgresUrl(value);
  if (typeof parsed === 'string') {
    read.faults.push(`DATABASE_URL ${parsed}; without it records are kept in SQLite, in DATA_DIR.`);
    return { kind: 'sqlite' };
  }
  read.secrets.push(...findPasswords(value));
  return parsed;
}

/** The database of an address; where it is none, what is wrong with it and the repair, as the end of a sentence. */
export function parsePostgresUrl(value: string): PostgresConfig | string {
  const url = URL.parse(value);
  if (url === null)
    return `is not a valid address (does the password contain one of : / ? # @ % unencoded?): ${POSTGRES_REPAIR}`;
  if (!/^postgres(ql)?:$/.test(url.protocol)) return `does not begin with postgres://: ${POSTGRES_REPAIR}`;
  if (!/^\/[^/]+$/.test(url.pathname)) return `names no database after the host: ${POSTGRES_REPAIR}`;
  if ([url.username, url.password, url.pathname].some((part) => decodePart(part) === null)) {
    return `has a "%" that encodes nothing: write %25 for it, and ${POSTGRES_REPAIR}`;
  }
  const user = url.username === '' ? '' : `${url.username}@`;
  return { kind: 'postgres', url: value, shown: `${url.protocol}//${user}${url.host}${url.pathname}` };
}

/** The password encoded and decoded: either may turn up in an error. */
export function findPasswords(value: string): readonly string[] {
  const url = URL.parse(value);
  const password = url?.password ?? '';
  const all = [password, decodePart(password) ?? '', url?.searchParams.get('password') ?? ''];
  return [...new Set(all)].filter((each) => each !== '');
}

function decodePart(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const SCRIPTED = 'scripted:';
const NO_KEY = 'MODEL is set without a key. Set OPENAI_API_KEY, OPENAI_BASE_URL or ANTHROPIC_API_KEY.';

function readModel(read: VariableReader): ModelConfig {
  const name = read.text('MODEL', '');
  const endpoint: EndpointConfig = {
    kind: 'endpoint',
    name,
    others: [...new Set(read.list('MODELS'))].filter((other) => other !== name),
    second: read.text('SECOND_MODEL', '') || null,
    api: read.oneOf('MODEL_API', 'auto', MODEL_APIS),
    openai: readProvider(read, 'OPENAI'),
    anthropic: readProvider(read, 'ANTHROPIC'),
    effort: readEffort(read),
    headers: readEndpointHeaders(read),
    keyCommand: read.text('MODEL_KEY_COMMAND', '') || null,
    pricesFile: read.text('MODEL_PRICES', '') || null,
    timeoutMs: read.integer('MODEL_TIMEOUT_S', 600, { from: 1, to: 86_400 }) * 1_000,
    idleMs: read.integer('MODEL_IDLE_S', 120, { from: 1, to: 86_400 }) * 1_000,
  };
  if (name.startsWith(SCRIPTED)) return { kind: 'scripted', file: path.resolve(name.slice(SCRIPTED.length)) };
  const source = describeEndpointSource(endpoint);
  if (name === 'none' || (name === '' && source === null)) return { kind: 'none', hint: '' };
  if (source === null) return { kind: 'none', hint: NO_KEY };
  // Many shells have a key for other programs, which is no reason to spend money.
  if (name === '')
    return { kind: 'none', hint: `${source} is set, but no MODEL. Set MODEL to a model that the endpoint offers.` };
  return endpoint;
}

/** The variable that configures an endpoint; null: none does. */
function describeEndpointSource({ api, openai, anthropic, keyCommand }: EndpointConfig): string | null {
  if (openai.apiKey !== '') return 'OPENAI_API_KEY';
  if (anthropic.apiKey !== '') return 'ANTHROPIC_API_KEY';
  if (keyCommand !== null) return 'MODEL_KEY_COMMAND';
  if (openai.baseUrl !== null) return 'OPENAI_BASE_URL';
  if (anthropic.baseUrl !== null) return 'ANTHROPIC_BASE_URL';
  return api === 'bedrock' || api === 'vertex' ? 'MODEL_API' : null;
}

function readProvider(read: VariableReader, prefix: 'OPENAI' | 'ANTHROPIC'): ProviderConfig {
  return {
    apiKey: read.secret(`${prefix}_API_KEY`) ?? '',
    baseUrl: read.address(`${prefix}_BASE_URL`, '') || null,
  };
}

/** Passed on as it is written, since the values differ between providers. */
function readEffort(read: VariableReader): string | null {
  const value = read.text('MODEL_EFFORT', '').toLowerCase();
  if (!/^[a-z]{0,20}$/.test(value)) {
    read.faults.push(`MODEL_EFFORT is "${value}": give a word that the provider knows, such as low, medium or high.`);
  }
  return value || null;
}

/** Lines `Name: value`. Values may be secret, so an error names only the line. */
function readEndpointHeaders(read: VariableReader): EndpointConfig['headers'] {
  const lines = (read.secret('MODEL_HEADERS') ?? '').split(/\r?\n/).map((line) => line.trim());
  return lines.flatMap((line, at): EndpointConfig['headers'] => {
    if (line === '') return [];
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*(\S.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      read.faults.push(`MODEL_HEADERS, line ${at + 1}, is not a header: write each as "Name: value".`);
      return [];
    }
    read.secrets.push(value);
    return [[name, value]];
  });
}

type VariableReader = ReturnType<typeof createVariableReader>;
type NumberRange = { readonly from: number; readonly to: number; readonly or?: string };

/** Reads single variables, one function for each kind of value, and collects faults and secrets. */
function createVariableReader(environment: Environment) {
  const faults: string[] = [];
  const secrets: string[] = [];
  const text = (name: string, fallback: string): string => environment[name]?.trim() || fallback;
  const secretFile = (name: string, file: string): string | null => {
    try {
      const value = readFileSync(file, 'utf8').trim() || null;
      if (value !== null) secrets.push(value);
      return value;
    } catch (error) {
      faults.push(`${name} names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`);
      return null;
    }
  };
  const secret = (name: string): string | null => {
    const file = text(`${name}_FILE`, '');
    if (file !== '') return secretFile(`${name}_FILE`, file);
    const value = text(name, '') || null;
    if (value !== null) secrets.push(value);
    return value;
  };
  return {
    faults,
    secrets,
    text,
    secret,
    secretFile,
    list: (name: string): readonly string[] =>
      text(name, '')
        .split(/[\s,]+/)
        .filter(Boolean),
    secretOfAtLeast: (length: number, name: string): string | null => {
      const value = secret(name);
      if (value !== null && value.length < length) {
        const repair = `give at least ${length} characters ("openssl rand -hex 32" makes some)`;
        faults.push(`${name} is too short: ${repair}.`);
      }
      return value;
    },
    key: (name: string): Buffer | null => {
      const value = secret(name);
      if (value === null) return null;
      const bytes = /^[0-9a-f]{64}$/i.test(value) ? Buffer.from(value, 'hex') : Buffer.from(value, 'base64');
      if (bytes.length !== 32) {
        faults.push(`${name} must be 32 bytes as 64 hex digits or base64 ("openssl rand -hex 32" makes one).`);
      }
      return bytes;
    },
    integer: (name: string, fallback: number, range: NumberRange): number => {
      const value = text(name, String(fallback));
      const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
      if (number >= range.from && number <= range.to) return number;
      faults.push(`${name} is "${value}": give a whole number from ${range.from} to ${range.to}${range.or ?? ''}.`);
      return fallback;
    },
    dollars: (name: string, fallback: number): number => {
      const value = text(name, String(fallback)).replace(/^\$/, '');
      if (/^\d{1,9}(\.\d{1,6})?$/.test(value)) return Number(value);
      faults.push(`${name} is "${value}": give US dollars, such as 25 or 0.50.`);
      return fallback;
    },
    oneOf: <T extends string>(name: string, fallback: T, values: readonly T[]): T => {
      const value = text(name, fallback);
      const known = values.find((each) => each === value);
      if (known === undefined) faults.push(`${name} is "${value}": give one of ${values.join(', ')}.`);
      return known ?? fallback;
    },
    address: (name: string, fallback: string): string => {
      const value = text(name, fallback).replace(/(?<!\/)\/+$/, '');
      if (value !== '' && !/^https?:$/.test(URL.parse(value)?.protocol ?? '')) {
        faults.push(`${name} is "${value}": give an address that begins with https:// or http://.`);
      }
      return value;
    },
  };
}
