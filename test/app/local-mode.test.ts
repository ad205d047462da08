// What local mode refuses to be asked.
import { describe, expect, it } from 'vitest';
import { requireLocalMode } from '../../src/app/local-mode.ts';
import { readConfig } from '../../src/config.ts';

describe('local mode', () => {
  it.each(['127.0.0.1', '127.8.8.8', 'localhost', '::1'])('listens on %s', (host) => {
    expect(() => requireLocalMode(readConfig({ HOST: host }))).not.toThrow();
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.0.0.1.example.com'])('refuses to listen on %s', (host) => {
    expect(() => requireLocalMode(readConfig({ HOST: host }))).toThrow(/HOST=.*loopback only: set HOST=127.0.0.1/);
  });

  it.each(['http://127.0.0.1:8080', 'http://localhost/causeway', 'http://[::1]:3000'])('is called at %s', (address) => {
    expect(() => requireLocalMode(readConfig({ PUBLIC_URL: address }))).not.toThrow();
  });

  it('refuses a PUBLIC_URL that is not loopback, and tells all its faults at once', () => {
    const environment = { PUBLIC_URL: 'https://causeway.example', HOST: '0.0.0.0' };
    expect(() => requireLocalMode(readConfig(environment))).toThrow(
      /^HOST=0\.0\.0\.0 is .*\nPUBLIC_URL=https:\/\/causeway\.example is not a loopback address/,
    );
  });
});
