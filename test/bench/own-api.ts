// Our own API over a data folder, in a process of its own: everything of the service in local mode but its worker and its list of projects.

import path from 'node:path';
import { openPort } from '../../src/app/port.ts';
import { openServices, type Services, type ServicesOptions } from '../../src/app/services.ts';
import { readConfig } from '../../src/config.ts';
import { createToken, DEFAULT_SCOPES, hashToken } from '../../src/core/account.ts';
import { createId } from '../../src/core/ids.ts';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';

import { createLog } from '../../src/log.ts';
import { parseCallbackAllow } from '../../src/webhooks/address-policy.ts';
import { type ChildServer, startChild, untilStopped } from './child-server.ts';

const KEY = Buffer.alloc(32, 7);

/** A house over the folder, for filling it. */
export function openBenchHouse(dataDir: string, level = 'silent'): Promise<Services> {
  const options: ServicesOptions = {
    database: benchDatabase(dataDir),
    encryptionKey: KEY,
    lexicon: path.join(dataDir, 'lexicon'),
    git: { folder: path.join(dataDir, 'mirrors'), environment: { PATH: process.env['PATH'] } },
    callbackPolicy: { allow: parseCallbackAllow(''), localMode: true },
    log: createLog({ level }),
    now: () => new Date(),
  };
  return openServices(options);
}

export function benchDatabase(dataDir: string): string {
  return path.join(dataDir, 'causeway.db');
}

/** A token of the local account that may do everything. */
export async function benchToken({ store, account }: Services): Promise<string> {
  const token = createToken();
  const times = { createdAt: new Date().toISOString(), expiresAt: null, lastUsedAt: null, revokedAt: null };
  const record = {
    id: createId('tok'),
    accountId: account.id,
    name: 'bench',
    scopes: DEFAULT_SCOPES,
    projectIds: null,
  };
  await store.addToken({ ...record, ...times }, hashToken(token));
  return token;
}

export function startOwnApi(dataDir: string): Promise<ChildServer> {
  return startChild(import.meta.filename, [dataDir]);
}

async function run([dataDir = '']: readonly string[]): Promise<void> {
  await using house = await openBenchHouse(dataDir, 'info');
  await using server = await openPort(house, readConfig({ PORT: '0', RATE_LIMIT: 'off', DATA_DIR: dataDir }), {
    ...{
      publicUrl: '',
      isLocal: true,
      receive: null,
      checks: () => [],
      model: null,
      works: false,
      sessionKey: KEY,
    },
    permissions: { roleOf: async () => 'admin' },
    settingsOf: async () => ({ investigation: DEFAULT_SETTINGS, noPullRequests: '' }),
    configurationOf: () => Promise.reject(new Error('no page is asked for')),
    signInMethod: { kind: 'local', command: '' },
    example: null,
  });
  process.stdout.write(`${server.address}\n`);
  await untilStopped();
}

if (process.argv[1] === import.meta.filename) await run(process.argv.slice(2));
