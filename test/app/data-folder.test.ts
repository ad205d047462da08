// The data folder: made for the service's user alone, with a key that stays.
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDataFolder } from '../../src/app/data-folder.ts';
import { temporaryFolder } from '../support/service.ts';

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
    expect(() => openDataFolder(path.join(base.path, 'data'), null)).toThrow(/does not hold a key of 32 bytes/);
  });
});
