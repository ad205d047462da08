// A stretch of wire before a PostgreSQL server that can be cut at a commit: before the server hears of it, or before the answer is heard.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export interface Wire extends AsyncDisposable {
  /** The database's address, by way of this. */
  readonly url: string;
  /** The next commit is the last that is said on its connection. */
  cutNext(where: 'before' | 'after'): void;
  /** How often it was cut. */
  cuts(): number;
}

/** As the client says it: a query of its own, with nothing else. */
const COMMIT = Buffer.from('commit\0');

export async function wireTo(url: string): Promise<Wire> {
  const target = new URL(url);
  let cut: 'before' | 'after' | null = null;
  let cuts = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.on('data', (part) => {
      if (cut === null || !part.includes(COMMIT)) return void upstream.write(part);
      const where = cut;
      [cut, cuts] = [null, cuts + 1];
      if (where === 'before') return end();
      client.destroy();
      client.off('close', end);
      // Whatever the server answers, nobody hears it.
      upstream.end(part);
    });
    upstream.on('data', (part) => client.write(part));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const at = new URL(url);
  if (address !== null && typeof address !== 'string') at.port = `${address.port}`;
  return {
    url: at.href,
    cutNext(where) {
      cut = where;
    },
    cuts: () => cuts,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}
