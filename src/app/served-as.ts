// How a data folder was last served, for commands that are started with nothing but that folder: without it they would
// take the records of GitHub mode for local ones, and a new SQLite file for those in PostgreSQL.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.ts';
import { CausewayError } from '../core/errors.ts';

interface ServedAs {
  /** Which GitHub; null: local mode. */
  readonly github: { readonly apiUrl: string; readonly webUrl: string } | null;
  /** Address of the PostgreSQL database, without its password; null: SQLite in the folder. */
  readonly postgres: string | null;
}

/** Whole or not at all, so that a kill leaves the earlier one. It holds no secret. */
export function recordServedAs(
  { dataDir, database, githubApiUrl, githubWebUrl }: Config,
  mode: 'local' | 'github',
): void {
  const servedAs: ServedAs = {
    github: mode === 'github' ? { apiUrl: githubApiUrl, webUrl: githubWebUrl } : null,
    postgres: database.kind === 'postgres' ? database.shown : null,
  };
  const file = getFile(dataDir);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(servedAs)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** Null: it was never served by this version. */
export function readServedAs(dataDir: string): ServedAs | null {
  const file = getFile(dataDir);
  if (!existsSync(file)) return null;
  try {
    // Only we write it, whole.
    const { github = null, postgres = null }: Partial<ServedAs> = JSON.parse(readFileSync(file, 'utf8'));
    return { github, postgres };
  } catch (error) {
    const repair = 'delete it, and start the service again, which writes it';
    throw new CausewayError('store_unusable', `${file} cannot be read: ${repair}.`, { cause: error });
  }
}

function getFile(dataDir: string): string {
  return path.join(dataDir, 'served-as.json');
}
