// Which mode the settings lead to, and what is said where they lead to none.
import { statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { chooseMode, keepApp, readKeptApp } from '../../src/app/mode.ts';
import { readConfig } from '../../src/config.ts';
import { APP_ENVIRONMENT, APP_KEY, WEBHOOK_SECRET } from '../support/new-key.ts';
import { temporaryFolder } from '../support/service.ts';

const OPEN = { HOST: '0.0.0.0', PUBLIC_URL: 'https://causeway.example' };

describe('the mode of the service', () => {
  it.each([
    ['nothing', {}, 'local'],
    ['a loopback PUBLIC_URL', { PUBLIC_URL: 'http://localhost:3000' }, 'local'],
    ['a HOST that others reach, as in the image', { HOST: '0.0.0.0' }, 'setup'],
    ['a PUBLIC_URL that others reach', { PUBLIC_URL: OPEN.PUBLIC_URL }, 'setup'],
    ['credentials', APP_ENVIRONMENT, 'github'],
    ['credentials and an address', { ...APP_ENVIRONMENT, ...OPEN }, 'github'],
    ['credentials, but LOCAL_MODE=1', { ...APP_ENVIRONMENT, LOCAL_MODE: '1' }, 'local'],
    ['half a set of them, but LOCAL_MODE=1', { APP_ID: '1', LOCAL_MODE: '1' }, 'local'],
    ['only sign-in credentials', { GITHUB_CLIENT_ID: 'Iv1.x', GITHUB_CLIENT_SECRET: 'y' }, 'local'],
  ])('with %s', async (_, environment, kind) => {
    await using folder = await temporaryFolder();
    expect(chooseMode(readConfig({ DATA_DIR: folder.path, ...environment })).kind).toBe(kind);
  });

  it.each([
    ['APP_ID', { APP_ID: 'abc' }, 'APP_ID is "abc": give the number'],
    ['APP_ID', { APP_ID: '' }, 'APP_ID is missing'],
    ['PRIVATE_KEY', { PRIVATE_KEY: '' }, 'PRIVATE_KEY is missing'],
    ['PRIVATE_KEY', { PRIVATE_KEY: 'x' }, 'PRIVATE_KEY holds no RSA private key'],
    ['WEBHOOK_SECRET', { WEBHOOK_SECRET: '' }, 'WEBHOOK_SECRET is missing'],
    ['WEBHOOK_SECRET', { WEBHOOK_SECRET: 'development' }, 'WEBHOOK_SECRET is the word "development"'],
    ['WEBHOOK_SECRET', { WEBHOOK_SECRET: 'x'.repeat(31) }, 'WEBHOOK_SECRET has 31 characters'],
    ['WEBHOOK_SECRET_OLD', { WEBHOOK_SECRET_OLD: 'short' }, 'WEBHOOK_SECRET_OLD has 5 characters'],
  ])('is none with a %s like %j', (_, changes, words) => {
    const choose = () => chooseMode(readConfig({ ...APP_ENVIRONMENT, ...changes }));
    expect(choose).toThrow(words);
    expect(choose).toThrow('LOCAL_MODE=1');
  });

  it('names all that is missing of half a set at once', () => {
    expect(() => chooseMode(readConfig({ APP_ID: '1' }))).toThrow(
      /^PRIVATE_KEY is missing.*\nWEBHOOK_SECRET is missing/,
    );
  });

  it('is GitHub mode with the App that set-up has kept, unless the environment has another', async () => {
    await using folder = await temporaryFolder();
    const place = { DATA_DIR: folder.path };
    const credentials = {
      ...{ appId: 7, privateKey: APP_KEY, webhookSecrets: [WEBHOOK_SECRET] },
      ...{ clientId: '', clientSecret: '' },
    };
    keepApp(readConfig(place), { credentials, publicUrl: 'https://kept.example' });
    expect(statSync(path.join(folder.path, 'github-app')).mode & 0o777).toBe(0o600);
    expect(chooseMode(readConfig({ ...place, HOST: '0.0.0.0' }))).toEqual({
      ...{ kind: 'github', publicUrl: 'https://kept.example', credentials },
    });
    expect(chooseMode(readConfig({ ...place, PUBLIC_URL: OPEN.PUBLIC_URL }))).toMatchObject({
      publicUrl: OPEN.PUBLIC_URL,
    });
    const both = chooseMode(readConfig({ ...place, ...APP_ENVIRONMENT }));
    expect(both).toMatchObject({ credentials: { appId: 4711 } });
    expect(chooseMode(readConfig({ ...place, LOCAL_MODE: '1' })).kind).toBe('local');
    const otherKey = readConfig({ ...place, ENCRYPTION_KEY: '0'.repeat(64) });
    expect(() => readKeptApp(otherKey)).toThrow(/encryption key is not the one/);
  });
});
