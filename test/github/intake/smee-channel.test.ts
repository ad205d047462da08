// A channel of smee.io: what it hands on passes our own receiver, with GitHub's signature over GitHub's bytes.
import { createHmac } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import type { NewDelivery } from '../../../src/db/deliveries.ts';
import { createReceiver } from '../../../src/github/intake/receive-delivery.ts';
import { openSmeeChannel } from '../../../src/github/intake/smee-channel.ts';
import { createLog } from '../../../src/log.ts';
import { listenOnLoopback } from '../../support/loopback.ts';

const SECRET = 'a secret of at least thirty-two characters';
const log = createLog({ level: 'silent' });

/** As smee.io does it: the headers and the parsed body as one event. */
async function channel() {
  const open = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('event: ready\ndata: {}\n\n');
    open.resolve(response);
  });
  const { url, close } = await listenOnLoopback(server);
  return {
    url: `${url}/channel`,
    send: async (id: string, body: string, secret = SECRET) => {
      const event = {
        'x-github-delivery': id,
        'x-github-event': 'issues',
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
        body: JSON.parse(body),
      };
      (await open.promise).write(`data: ${JSON.stringify(event)}\n\n`);
    },
    [Symbol.asyncDispose]: close,
  };
}

it('takes what GitHub has signed, and refuses what another has put into the channel', async () => {
  await using smee = await channel();
  const stored: NewDelivery[] = [];
  const receive = createReceiver({
    store: {
      acceptDelivery: async (delivery) => {
        stored.push(delivery);
        return 'stored';
      },
    },
    secrets: () => [SECRET],
    now: () => new Date(),
    log,
  });
  const statuses: number[] = [];
  const counted = async (request: Request) => {
    const answer = await receive(request);
    statuses.push(answer.status);
    return answer;
  };
  await using _channel = await openSmeeChannel({ source: smee.url, receive: counted, log });
  const body = (title: string) =>
    JSON.stringify({
      ...{ action: 'labeled', label: { name: 'analyse' } },
      issue: { number: 1, title, labels: [] },
      ...{ repository: { id: 1, full_name: 'o/r' }, installation: { id: 2 }, sender: { id: 3, login: 'mara' } },
    });
  await smee.send('11111111-cc78-11e3-81ab-4c9367dc0958', body('forged'), 'somebody else’s secret, also long enough');
  await smee.send('22222222-cc78-11e3-81ab-4c9367dc0958', body('Grüße 👋 </script> \u2028 "quoted"'));
  await expect.poll(() => statuses).toEqual([401, 202]);
  expect(stored.map(({ id, body }) => [id, JSON.parse(body).issue.title])).toEqual([
    ['22222222-cc78-11e3-81ab-4c9367dc0958', 'Grüße 👋 </script> \u2028 "quoted"'],
  ]);
});

it('lets the service start and stop while the channel is out of reach', async () => {
  const receive = async () => new Response();
  const channel = await openSmeeChannel({ source: 'http://127.0.0.1:9/channel', receive, log });
  await channel[Symbol.asyncDispose]();
});
