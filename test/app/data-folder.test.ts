// The data folder: made for the service's user only, with a key that stays.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataFolder } from '../../src/app/data-folder.ts';
import { COMPILED } from '../support/compiled.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { PROGRAM, temporaryFolder } from '../support/service.ts';

describe('the data folder', () => {
  it('is made with a key that only its user may read and that every later start finds', async () => {
    await using base = await temporaryFolder();
    const folder = path.join(base.path, 'deep', 'data');
    const first = openDataFolder(folder, null);
    expect(first.encryptionKey).toHaveLength(32);
    expect(openDataFolder(folder, null).encryptionKey).toEqual(first.encryptionKey);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(folder, 'encryption.key')).mode & 0o777).toBe(0o600);
  });

  it('keeps the mode of a folder that was there, and closes what it makes in it', async () => {
    await using base = await temporaryFolder();
    chmodSync(base.path, 0o755);
    const { mirrors } = openDataFolder(base.path, null);
    expect(statSync(base.path).mode & 0o777).toBe(0o755);
    expect(statSync(mirrors).mode & 0o777).toBe(0o700);
  });

  it('makes no key where one is given', async () => {
    await using base = await temporaryFolder();
    const key = Buffer.alloc(32, 1);
    expect(openDataFolder(base.path, key).encryptionKey).toBe(key);
    expect(() => statSync(path.join(base.path, 'encryption.key'))).toThrow('ENOENT');
  });

  it('that cannot be made, or whose key is damaged, is refused with the repair', async () => {
    await using base = await temporaryFolder();
    writeFileSync(path.join(base.path, 'file'), '');
    expect(() => openDataFolder(path.join(base.path, 'file', 'data'), null)).toThrow(/name another with DATA_DIR/);
    mkdirSync(path.join(base.path, 'data'));
    writeFileSync(path.join(base.path, 'data', 'encryption.key'), 'half');
    const damaged = openDataFolder(path.join(base.path, 'data'), null);
    expect(() => damaged.encryptionKey).toThrow(/does not contain a key of 32 bytes/);
  });

  it('makes a key only when one is asked for', async () => {
    await using base = await temporaryFolder();
    openDataFolder(base.path, null);
    expect(existsSync(path.join(base.path, 'encryption.key'))).toBe(false);
  });

  it('makes no key over PostgreSQL, which other machines would not have, and takes one that is kept', async () => {
    await using base = await temporaryFolder();
    const database = { kind: 'postgres', url: 'postgres://db/c', shown: 'postgres://db/c' } as const;
    const folder = openDataFolder(base.path, null, database);
    expect(folder.database).toEqual(database);
    expect(() => folder.encryptionKey).toThrow(/DATABASE_URL needs an ENCRYPTION_KEY, the same for every process/);
    const key = 'ab'.repeat(32);
    writeFileSync(path.join(base.path, 'encryption.key'), key);
    expect(folder.encryptionKey.toString('hex')).toBe(key);
  });

  it('never makes a key where there is a database already', async () => {
    await using base = await temporaryFolder();
    writeFileSync(path.join(base.path, 'causeway.db'), '');
    const repair = /restore encryption\.key from the backup, or set ENCRYPTION_KEY/;
    const folder = openDataFolder(base.path, null);
    expect(() => folder.encryptionKey).toThrow(expect.objectContaining({ code: 'store_unusable' }));
    expect(() => folder.encryptionKey).toThrow(repair);
    expect(existsSync(path.join(base.path, 'encryption.key'))).toBe(false);
    for (const args of [['token', 'list'], ['webhook-secret', 'rotate'], ['serve']]) {
      const { status, stderr } = causeway(args, base.path);
      expect(status).toBe(1);
      expect(stderr).toMatch(repair);
    }
  });

  it.skipIf(!existsSync('/proc/self'))('in a place where nothing can be made is refused at once', () => {
    const { status, stderr } = causeway(['token', 'list'], '/proc/causeway/data');
    expect(stderr).toMatch(/name another with DATA_DIR/);
    expect(status).toBe(1);
  });
});

/** Runs the command line to its end; one that never ends has no status. */
function causeway(args: readonly string[], dataDir: string) {
  const env = { PATH: process.env['PATH'], ...COMPILED, DATA_DIR: dataDir, PORT: '0' };
  const options = { cwd: tmpdir(), env, encoding: 'utf8', timeout: PATIENCE_MS, killSignal: 'SIGKILL' } as const;
  return spawnSync(process.execPath, [PROGRAM, ...args], options);
}
