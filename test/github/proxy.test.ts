// GitHub behind a company's proxy: HTTP_PROXY and HTTPS_PROXY are honoured for what is read from it.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, it } from 'vitest';
import { COMPILED } from '../support/compiled.ts';
import { temporaryFolder } from '../support/service.ts';

const LAUNCHER = path.join(import.meta.dirname, '..', '..', 'bin', 'causeway');

it('an issue is read through the proxy that the environment names', async () => {
  await using folder = await temporaryFolder();
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"message":"Not Found"}');
  });
  // Whether as an absolute address or through a tunnel is the client's choice.
  proxy.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const env = {
    PATH: process.env['PATH'],
    ...COMPILED,
    CAUSEWAY_SKIP_INSTALL: '1',
    DATA_DIR: folder.path,
    ...{ GHE_HOST: 'github.test', GHE_PROTOCOL: 'http' },
    HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  };
  const child = spawn(process.execPath, [LAUNCHER, 'analyse', 'http://github.test/o/r/issues/1'], { env });
  await new Promise((resolve) => child.once('close', resolve));
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
  expect(asked.join('\n')).toContain('github.test');
});
