// A proxy on TCP that spoils the connections which it is told to: it hangs, drips, resets, or leaves them half open.

import type { AddressInfo } from 'node:net';
import { createServer, connect as dial, type Socket } from 'node:net';

/**
 * `hang`: the question arrives, no byte of its answer comes. `drip`: a byte of the answer every 20 ms. `reset`: RST in the middle of the
 * answer. `half-open`: the peer is gone without a word, as after a power cut or behind a firewall that forgot: the connection stands, and
 * whatever is written into it is lost.
 */
export type Spoiling = 'hang' | 'drip' | 'reset' | 'half-open';

export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** The next connections are spoiled so, in this order; null: this one goes through. */
  spoil(...next: readonly (Spoiling | null)[]): void;
  /** How many connections were spoiled so far, by the way. */
  readonly spoiled: Readonly<Record<Spoiling, number>>;
}

const DRIP_MS = 20;

/** In front of a port of loopback. */
export async function tcpProxy(target: number): Promise<TcpProxy> {
  const waiting: (Spoiling | null)[] = [];
  const spoiled = { hang: 0, drip: 0, reset: 0, 'half-open': 0 };
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const peer = dial(target, '127.0.0.1');
    for (const socket of [client, peer]) {
      open.add(socket);
      // Whoever hangs up has said so; errors are what this is for.
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
    }
    const way = waiting.shift() ?? null;
    if (way === null) return join(client, peer);
    spoiled[way] += 1;
    ways[way](client, peer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    spoil: (...next) => void waiting.push(...next),
    spoiled,
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function join(client: Socket, peer: Socket): void {
  client.pipe(peer);
  peer.pipe(client);
  // A reset of one is no end that pipes pass on.
  client.on('close', () => peer.destroy());
  peer.on('close', () => client.destroy());
}

const ways: Readonly<Record<Spoiling, (client: Socket, peer: Socket) => void>> = {
  hang: (client, peer) => {
    client.pipe(peer);
    peer.resume();
    client.on('close', () => peer.destroy());
  },
  drip: (client, peer) => {
    client.pipe(peer);
    client.on('close', () => peer.destroy());
    void drip(client, peer);
  },
  reset: (client, peer) => {
    client.pipe(peer);
    client.on('close', () => peer.destroy());
    peer.once('data', (first: Buffer) => {
      client.write(first.subarray(0, Math.ceil(first.length / 2)), () => client.resetAndDestroy());
    });
  },
  'half-open': (client, peer) => {
    // The question is carried out before the peer goes: what it was asked for may stand, and nobody hears of it.
    client.pipe(peer);
    peer.once('data', () => {
      client.unpipe(peer);
      client.resume();
      peer.destroy();
    });
  },
};

async function drip(client: Socket, peer: Socket): Promise<void> {
  for await (const chunk of peer as AsyncIterable<Buffer>) {
    for (const byte of chunk) {
      if (client.destroyed) return;
      client.write(Buffer.of(byte));
      await new Promise((resolve) => setTimeout(resolve, DRIP_MS));
    }
  }
  client.end();
}
