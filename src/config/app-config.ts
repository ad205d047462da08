// The GitHub App that the configuration names: its credentials, judged whole, and where its GitHub is.
import { createPrivateKey } from 'node:crypto';
import type { Environment, Reader } from './reader.ts';

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

export type AppConfig =
  | { readonly kind: 'none' }
  | { readonly kind: 'given'; readonly credentials: AppCredentials }
  /** Some of it is there, and something is missing or wrong: `faults` has a line for each. */
  | { readonly kind: 'faulty'; readonly variables: readonly string[]; readonly faults: string };

/** Those that ask for a GitHub App when they are set. */
const VARIABLES = ['APP_ID', 'PRIVATE_KEY', 'PRIVATE_KEY_PATH', 'WEBHOOK_SECRET'];
const SHORTEST_SECRET = 32;

/** Never faults the configuration as a whole: commands that do not serve work beside half a set of credentials. */
export function appConfig(read: Reader, environment: Environment): AppConfig {
  const variables = VARIABLES.filter((name) => environment[name]?.trim() || environment[`${name}_FILE`]?.trim());
  const clientId = read.text('GITHUB_CLIENT_ID', '');
  const clientSecret = read.secret('GITHUB_CLIENT_SECRET') ?? '';
  const secrets = [webhookSecret(read, 'WEBHOOK_SECRET'), webhookSecret(read, 'WEBHOOK_SECRET_OLD')] as const;
  const key = privateKey(read);
  const id = appId(read.text('APP_ID', ''));
  if (variables.length === 0) return { kind: 'none' };
  const [secret, old] = secrets;
  const missing = secret.kind === 'absent' ? [fault(`WEBHOOK_SECRET is missing: ${SECRET_REPAIR}`)] : [];
  const parts = [id, key, secret, old, ...missing];
  const faults = parts.flatMap((part) => (part.kind === 'fault' ? part.words : []));
  if (faults.length > 0) return { kind: 'faulty', variables, faults: faults.join('\n') };
  const credentials = {
    appId: id.kind === 'value' ? Number(id.value) : 0,
    privateKey: key.kind === 'value' ? key.value : '',
    webhookSecrets: secrets.flatMap((each) => (each.kind === 'value' ? each.value : [])),
    clientId,
    clientSecret,
  };
  return { kind: 'given', credentials };
}

type Part =
  | { readonly kind: 'absent' }
  | { readonly kind: 'value'; readonly value: string }
  | { readonly kind: 'fault'; readonly words: string };

const ABSENT: Part = { kind: 'absent' };
const SECRET_REPAIR = 'give the one of the App on GitHub, at least 32 characters ("openssl rand -hex 32" makes one).';

function appId(value: string): Part {
  if (value === '') return fault('APP_ID is missing: give the number that GitHub shows on the page of the App.');
  if (/^[1-9]\d{0,14}$/.test(value)) return { kind: 'value', value };
  return fault(`APP_ID is "${value}": give the number that GitHub shows on the page of the App.`);
}

/** What is signed with a short or well-known secret anybody can sign. */
function webhookSecret(read: Reader, name: string): Part {
  const value = read.secret(name);
  if (value === null) return ABSENT;
  if (value.length >= SHORTEST_SECRET) return { kind: 'value', value };
  const flaw = value === 'development' ? 'is the word "development"' : `has ${value.length} characters`;
  return fault(`${name} ${flaw}, so that anybody could sign deliveries: ${SECRET_REPAIR}`);
}

function privateKey(read: Reader): Part {
  const path = read.text('PRIVATE_KEY_PATH', '');
  const name = path === '' ? 'PRIVATE_KEY' : 'PRIVATE_KEY_PATH';
  const value = path === '' ? read.secret(name) : fileOf(read, path);
  if (value === null) {
    return fault(`PRIVATE_KEY is missing: give the key that GitHub made for the App, or its file in PRIVATE_KEY_PATH.`);
  }
  const key = parsedKey(value);
  if (key !== null) return { kind: 'value', value: key };
  const repair =
    'give the .pem file that GitHub made for the App: as it is, with \\n for its line feeds, or in base64.';
  return fault(`${name} holds no RSA private key: ${repair}`);
}

function fileOf(read: Reader, path: string): string | null {
  const value = read.file('PRIVATE_KEY_PATH', path);
  if (value !== null) read.secrets.push(value);
  return value;
}

/** As PKCS #8, whichever of the spellings it came in; null where it is none. */
function parsedKey(value: string): string | null {
  const text = value.replaceAll('\\n', '\n');
  const pem = text.includes('-----BEGIN') ? text : Buffer.from(value, 'base64').toString('utf8');
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'rsa' ? key.export({ type: 'pkcs8', format: 'pem' }).toString() : null;
  } catch {
    return null;
  }
}

function fault(words: string): Part {
  return { kind: 'fault', words };
}

interface GithubPlace {
  /** Base address of the API, without a slash at its end. */
  readonly githubApiUrl: string;
  /** Base address for people. */
  readonly githubWebUrl: string;
}

/** GITHUB_API_URL and GITHUB_WEB_URL are stronger than GHE_HOST. */
export function githubPlace(read: Reader): GithubPlace {
  const host = read.text('GHE_HOST', '');
  const protocol = read.oneOf('GHE_PROTOCOL', 'https', ['https', 'http']);
  if (host !== '' && !/^[A-Za-z0-9.-]+(:\d{1,5})?$/.test(host)) {
    read.fault(`GHE_HOST is "${host}": give a host name such as github.example.com, with its port if it has one.`);
  }
  const own = `${protocol}://${host}`;
  return {
    githubApiUrl: read.address('GITHUB_API_URL', host === '' ? 'https://api.github.com' : `${own}/api/v3`),
    githubWebUrl: read.address('GITHUB_WEB_URL', host === '' ? 'https://github.com' : own),
  };
}
