// Proxies and authorities of the environment are for GitHub and the model; callbacks know neither.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COMPILED } from '../support/compiled.ts';
import { makeCertificate } from './certificate.ts';
import { publicAndCanary } from './public-and-canary.ts';

const PROGRAM = fileURLToPath(new URL('./post-once.ts', import.meta.url));

/** What a process of this environment says after it posted once. */
async function postOnce(how: 'callback' | 'fetch', origin: string, env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, how, origin], {
    env: { ...COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [said] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return said.trim();
}

describe('the environment', () => {
  it('may name a proxy, which is used by what obeys it, and by no callback', async () => {
    await using receiver = await publicAndCanary();
    let asked = 0;
    const proxy = createServer((socket) => {
      asked += 1;
      socket.destroy();
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const address = proxy.address();
    const proxyPort = typeof address === 'object' && address !== null ? address.port : 0;
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
    const proxies = Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${proxyPort}`]));
    const env = { NODE_USE_ENV_PROXY: '1', ...proxies };
    try {
      expect(await postOnce('fetch', `http://127.0.0.2:${receiver.port}`, env)).toBe('failed');
      expect([asked > 0, receiver.connections()]).toEqual([true, 0]);
      asked = 0;
      expect(await postOnce('callback', `http://public.test:${receiver.port}`, env)).toBe('delivered');
      expect([asked, receiver.connections(), receiver.canary()]).toEqual([0, 1, 0]);
    } finally {
      proxy.close();
    }
  });

  it.each(['NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED'])(
    'may say whom to trust by %s, which is heard by what obeys it, and by no callback',
    async (name) => {
      const certificate = makeCertificate('DNS:public.test,IP:127.0.0.2');
      await using receiver = await publicAndCanary({ certificate });
      const folder = mkdtempSync(path.join(tmpdir(), 'causeway-authority-'));
      const file = path.join(folder, 'authority.pem');
      writeFileSync(file, certificate.cert);
      const env = { [name]: name === 'NODE_EXTRA_CA_CERTS' ? file : '0' };
      const origin = `https://127.0.0.2:${receiver.port}`;
      try {
        expect(await postOnce('fetch', origin, env)).toBe('delivered');
        expect(await postOnce('callback', origin, env)).toBe('tls');
        expect(receiver.requests()).toHaveLength(1);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
});
