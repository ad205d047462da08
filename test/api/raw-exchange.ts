// Bytes to a server on loopback and what comes back, for what no HTTP client would send.
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Opens a connection to `http://host:port`. */
export function connectTo(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Sends the text and reads until the server closes. Status 0: closed without an answer. */
export async function exchange(address: string, text: string | Buffer): Promise<RawAnswer> {
  const socket = await connectTo(address);
  socket.write(text);
  return readToEnd(socket);
}

/** The raw answer as `fetch` would have given it. */
export function responseOf({ status, head, body }: RawAnswer): Response {
  const fields = head.split('\r\n').slice(1);
  const headers = fields.map((field): [string, string] => [
    field.split(':', 1)[0] ?? '',
    field.replace(/^[^:]*: */, ''),
  ]);
  return new Response(body, { status, headers });
}

export function readToEnd(socket: Socket): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const [head = '', ...rest] = text.split('\r\n\r\n');
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body: rest.join('\r\n\r\n') });
    });
  });
}
