// A caller's webhook endpoint on loopback: keeps every delivery as it arrived and answers as it is told.
import { createServer } from 'node:http';
import { listenOnLoopback } from './loopback.ts';
import { patience } from './patience.ts';

interface Delivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  readonly deliveries: readonly Delivery[];
  /** Resolves once `count` deliveries have arrived. */
  received(count: number): Promise<readonly Delivery[]>;
  /** Status of the answers from now on (200 at first). */
  answerWith(status: number): void;
}

export async function webhookReceiver(): Promise<WebhookReceiver> {
  const deliveries: Delivery[] = [];
  const arrivals = new EventTarget();
  let status = 200;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    deliveries.push({ headers: request.headers as Record<string, string>, body });
    response.writeHead(status).end();
    arrivals.dispatchEvent(new Event('arrival'));
  });
  const { url, close } = await listenOnLoopback(server);
  return {
    url: `${url}/hook?a=1&b=%20`,
    deliveries,
    answerWith: (next) => {
      status = next;
    },
    received: async (count) => {
      const deadline = patience();
      while (deliveries.length < count) {
        await new Promise<void>((resolve, reject) => {
          arrivals.addEventListener('arrival', () => resolve(), { once: true });
          deadline.addEventListener(
            'abort',
            () => reject(new Error(`${deliveries.length} of ${count} webhooks came`)),
            { once: true },
          );
        });
      }
      return deliveries;
    },
    [Symbol.asyncDispose]: close,
  };
}
