// The App that the set-up page made: kept in DATA_DIR, sealed with the key of the house, for the service's user alone.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AppCredentials, Config } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import { createSeal } from '../db/seal.ts';
import { openDataFolder } from './data-folder.ts';

export interface KeptApp {
  readonly credentials: AppCredentials;
  /** Address under which GitHub reaches the service, as it was given at set-up. */
  readonly publicUrl: string;
}

type Place = Pick<Config, 'dataDir' | 'encryptionKey' | 'database'>;

const PURPOSE = 'github-app';

/** The App of an earlier set-up; null where there was none. Throws `store_unusable` where it cannot be opened. */
export function readKeptApp({ dataDir, encryptionKey, database }: Place): KeptApp | null {
  const file = fileIn(dataDir);
  if (!existsSync(file)) return null;
  const sealed = readFileSync(file, 'utf8').trim();
  return parsed(createSeal(openDataFolder(dataDir, encryptionKey, database).encryptionKey).open(sealed, PURPOSE), file);
}

/** Whole or not at all: a kill in the middle leaves the file of before. */
export function keepApp({ dataDir, encryptionKey, database }: Place, app: KeptApp): void {
  const seal = createSeal(openDataFolder(dataDir, encryptionKey, database).encryptionKey);
  const file = fileIn(dataDir);
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${seal.seal(JSON.stringify(app), PURPOSE)}\n`, { mode: 0o600, flush: true });
  renameSync(draft, file);
}

function fileIn(dataDir: string): string {
  return path.join(dataDir, 'github-app');
}

/** Only we write what the seal opens: its form is checked against a version to come, not against strangers. */
function parsed(text: string, file: string): KeptApp {
  const app: Partial<KeptApp> = JSON.parse(text);
  const { credentials, publicUrl } = app;
  if (typeof credentials?.appId === 'number' && typeof credentials.privateKey === 'string') {
    return { credentials, publicUrl: publicUrl ?? '' };
  }
  throw new CausewayError(
    'store_unusable',
    `${file} was not written by this version: restore it from a backup, or set APP_ID, PRIVATE_KEY and WEBHOOK_SECRET.`,
  );
}
