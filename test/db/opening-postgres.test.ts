// What hinders opening a PostgreSQL database is named with its repair, and the wait for a server ends with the signal.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { openPostgresParts } from '../../src/app/records.ts';
import { createSeal } from '../../src/db/seal.ts';
import { createLog } from '../../src/log.ts';
import { emptyDatabase } from '../support/postgres.ts';

const log = createLog({ level: 'silent' });
const parts = (url: string, signal?: AbortSignal) =>
  openPostgresParts({
    ...{ database: { kind: 'postgres', url, shown: 'there' }, seal: createSeal(Buffer.alloc(32)), log, signal },
  });

it('names what hinders opening with the repair, also if it hinders the queue', async () => {
  await using database = await emptyDatabase();
  const absent = new URL(database.url);
  absent.pathname += '_absent';
  await expect(parts(absent.href)).rejects.toMatchObject({
    code: 'store_unavailable',
    message: expect.stringMatching(/^The database there does not exist\. Create it .*\(3D000\)$/),
  });
  await database.query('create schema causeway_jobs');
  await database.query('create table causeway_jobs.version (other integer)');
  await expect(parts(database.url)).rejects.toMatchObject({
    code: 'store_unusable',
    message: expect.stringMatching(/^The database there cannot be used\. It may belong to another program/),
  });
});

it('stops waiting for a server that does not answer with the signal', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = new AbortController();
  const { port } = server.address() as AddressInfo;
  const opening = parts(`postgres://a:b@127.0.0.1:${port}/c`, stop.signal);
  const [socket] = await once(server, 'connection');
  stop.abort(new Error('stopped by the operator'));
  await expect(opening).rejects.toThrow('stopped by the operator');
  socket.destroy();
  server.close();
});
