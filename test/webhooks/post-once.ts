// A program of its own, since Node reads proxies and authorities when it starts: posts once to an origin and prints how it went.
import { createTestSender } from './public-and-canary.ts';

const [how, origin = ''] = process.argv.slice(2);

async function post(): Promise<string> {
  if (how === 'fetch') {
    return await fetch(origin, { method: 'POST' }).then(
      () => 'delivered',
      () => 'failed',
    );
  }
  const delivery = { url: new URL(origin), target: '/', headers: {}, body: Buffer.from('{}') };
  const send = createTestSender(() => ['127.0.0.2']);
  const result = await send(delivery, new AbortController().signal);
  return result.kind === 'failed' ? result.failure : result.kind;
}

process.stdout.write(`${await post()}\n`);
