// A pooler in front of PostgreSQL as far as a client can tell: numbers of sessions are its own, and between transactions nothing comes through.
import { once } from 'node:events';
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** `session`: each client keeps its session. `transaction`: what comes while a client asks nothing, such as a notice, is lost. */
export type PoolMode = 'session' | 'transaction';

/** Message types of PostgreSQL's protocol, see "Message Formats" in its documentation. */
const BACKEND_KEY = 'K';
const NOTIFICATION = 'A';

export async function startPooler(server: string, mode: PoolMode): Promise<AsyncDisposable & { readonly url: string }> {
  const target = new URL(server);
  const open = new Set<Socket>();
  const pooler = createServer((client) => {
    const peer = dial(Number(target.port), target.hostname);
    for (const socket of [client, peer]) {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
    }
    client.pipe(peer);
    peer.pipe(pooled(mode)).pipe(client);
  });
  pooler.listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  const url = new URL(server);
  url.port = String((pooler.address() as AddressInfo).port);
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      pooler.close();
      await once(pooler, 'close');
    },
  };
}

/** Every message of the server is a letter, a length that counts itself, and what it says. */
function pooled(mode: PoolMode): Transform {
  let rest = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _, done) {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        const end = 1 + rest.readUInt32BE(1);
        const message = Buffer.from(rest.subarray(0, end));
        rest = rest.subarray(end);
        const type = message.toString('latin1', 0, 1);
        if (type === BACKEND_KEY) message.writeInt32BE(-message.readInt32BE(5), 5);
        if (type !== NOTIFICATION || mode === 'session') this.push(message);
      }
      done();
    },
  });
}
