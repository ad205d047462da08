// Where records are kept: SQLite in DATA_DIR, or the PostgreSQL database that DATABASE_URL names.
import type { Reader } from './reader.ts';

export type DatabaseConfig =
  | { readonly kind: 'sqlite' }
  /** `url` holds a password; `shown` is the same without it, for people. */
  | PostgresConfig;

export interface PostgresConfig {
  readonly kind: 'postgres';
  readonly url: string;
  readonly shown: string;
}

const REPAIR = 'give an address such as postgres://causeway:PASSWORD@db.example.com:5432/causeway';

/** DATABASE_URL, or the file that DATABASE_URL_FILE names. Nothing of its value is repeated in a fault: it holds a password. */
export function databaseConfig(read: Reader): DatabaseConfig {
  const value = read.secret('DATABASE_URL');
  if (value === null) return { kind: 'sqlite' };
  const parsed = parsePostgresUrl(value);
  if (typeof parsed === 'string') {
    read.fault(`DATABASE_URL ${parsed}; without it records are kept in SQLite, in DATA_DIR.`);
    return { kind: 'sqlite' };
  }
  read.secrets.push(...passwordsOf(value));
  return parsed;
}

/** The database of an address; where it is none, what is wrong with it and the repair, as the end of a sentence. */
export function parsePostgresUrl(value: string): PostgresConfig | string {
  const url = URL.parse(value);
  if (url === null) return `is no address (does the password hold one of : / ? # @ % unencoded?): ${REPAIR}`;
  if (!/^postgres(ql)?:$/.test(url.protocol)) return `does not begin with postgres://: ${REPAIR}`;
  if (!/^\/[^/]+$/.test(url.pathname)) return `names no database after the host: ${REPAIR}`;
  if (!isDecodable(url)) return `has a "%" that encodes nothing: write %25 for it, and ${REPAIR}`;
  return { kind: 'postgres', url: value, shown: withoutPassword(url) };
}

/** The password as it stands in the address and as it is meant: either may turn up in an error. */
export function passwordsOf(value: string): readonly string[] {
  const url = URL.parse(value);
  const inQuery = url?.searchParams.get('password') ?? '';
  const all = [url?.password ?? '', decoded(url?.password ?? '') ?? '', inQuery];
  return [...new Set(all)].filter((each) => each !== '');
}

function withoutPassword(url: URL): string {
  const user = url.username === '' ? '' : `${url.username}@`;
  return `${url.protocol}//${user}${url.host}${url.pathname}`;
}

function isDecodable({ username, password, pathname }: URL): boolean {
  return [username, password, pathname].every((part) => decoded(part) !== null);
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
