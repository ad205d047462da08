// The configuration: what the environment says, and what is said of its faults.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig, requireLocalMode } from '../src/config.ts';

describe('the configuration', () => {
  it('has a default for everything, and takes an empty variable for an absent one', () => {
    const config = readConfig({ PORT: '', HOST: ' ', RATE_LIMIT: '' });
    expect(config).toMatchObject({ host: '127.0.0.1', port: 3000, concurrency: 4, retentionDays: 90, projects: [] });
    expect(config.rateLimit).toEqual({ callsPerMinute: 600, creationsPerMinute: 60 });
    expect(config.investigationTimeoutMs).toBe(600_000);
    expect(config.dataDir).toMatch(/[\\/]data$/);
  });

  it('names every fault at once, each with its variable and its repair', () => {
    const environment = {
      PORT: '70000',
      CONCURRENCY: 'many',
      LOG_LEVEL: 'loud',
      GITHUB_API_URL: 'ftp://x',
      ENCRYPTION_KEY: 'short',
    };
    expect(() => readConfig(environment)).toThrow(
      [
        'PORT is "70000": give a whole number from 0 to 65535.',
        'ENCRYPTION_KEY must be 32 bytes as 64 hex digits or base64 ("openssl rand -hex 32" makes one).',
        'CONCURRENCY is "many": give a whole number from 1 to 64.',
        'LOG_LEVEL is "loud": give one of trace, debug, info, warn, error, fatal, silent.',
        'GITHUB_API_URL is "ftp://x": give an address that begins with https:// or http://.',
      ].join('\n'),
    );
  });

  it('reads a secret from the file that NAME_FILE names, and says which file cannot be read', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'causeway-config-'));
    const file = path.join(folder, 'token');
    writeFileSync(file, 'from-the-file\n');
    expect(readConfig({ GITHUB_TOKEN_FILE: file }).githubToken).toBe('from-the-file');
    rmSync(folder, { recursive: true });
    expect(() => readConfig({ GITHUB_TOKEN_FILE: file })).toThrow(`GITHUB_TOKEN_FILE names ${file}`);
  });

  it('splits PROJECTS as PATH is split, and takes RATE_LIMIT=off', () => {
    const config = readConfig({ PROJECTS: ['a', 'b'].join(path.delimiter), RATE_LIMIT: 'off' });
    expect(config).toMatchObject({ projects: ['a', 'b'], rateLimit: 'off' });
  });
});

describe('local mode', () => {
  const config = readConfig({});

  it.each(['127.0.0.1', '127.8.8.8', 'localhost', '::1'])('listens on %s', (host) => {
    expect(() => requireLocalMode({ ...config, host }, {})).not.toThrow();
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.0.0.1.example.com'])('refuses to listen on %s', (host) => {
    expect(() => requireLocalMode({ ...config, host }, {})).toThrow(/HOST=.*loopback only: set HOST=127.0.0.1/);
  });

  it('is not what App credentials ask for, unless LOCAL_MODE insists', () => {
    expect(() => requireLocalMode(config, { APP_ID: '1', WEBHOOK_SECRET_FILE: '/run/x' })).toThrow(
      /APP_ID, WEBHOOK_SECRET ask/,
    );
    expect(() => requireLocalMode(config, { APP_ID: '1', LOCAL_MODE: '1' })).not.toThrow();
  });
});
