// So many connections, each asking again as soon as it was answered: how many requests a second a server does.
import { Agent, type IncomingMessage, request } from 'node:http';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Loop {
  /** `http://host:port`. */
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** The request of that number, from 0. */
  ask(number: number): Asked;
  /** Throws where the answer is wrong. */
  check(answer: Answer, number: number): void;
}

/** A second, over the whole time. */
export async function requestsPerSecond({ url, connections, seconds, ask, check }: Loop): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const begun = performance.now();
  let [number, answered] = [0, 0];
  const connection = async () => {
    while (performance.now() - begun < seconds * 1_000) {
      const mine = number++;
      check(await answerTo(url, ask(mine), agent), mine);
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, connection));
  agent.destroy();
  return answered / ((performance.now() - begun) / 1_000);
}

/** By node:http, the lightest client at hand: what it costs stands on both sides of a ratio. */
export function answerTo(url: string, { method, path, headers, body = '' }: Asked, agent?: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const asked = request(
      `${url}${path}`,
      { method, headers: { ...headers, ...length }, ...(agent && { agent }) },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
        response.on('error', reject);
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}
