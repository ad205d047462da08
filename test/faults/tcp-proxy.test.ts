// Wires that hang, drip, are reset or stand half open, between the service and GitHub, the model, and a caller's webhook: one of each comes of it.
import { expect, it } from 'vitest';
import { deskOf } from '../support/github-desk.ts';
import { shopModel } from '../support/github-model.ts';
import { openShop, reportBug, SHOP_NAME } from '../support/github-shop.ts';
import { openGithubStage } from '../support/github-stage.ts';
import { type Spoiling, type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';
import { webhookReceiver } from '../support/webhook-receiver.ts';

const WAYS: readonly Spoiling[] = ['hang', 'drip', 'reset', 'half-open'];
const PATIENCE_MS = 600_000;

/** A stage whose service reaches GitHub, git and the model through proxies alone. */
async function behindProxies() {
  await using opening = new AsyncDisposableStack();
  const model = opening.use(await shopModel());
  const stage = opening.use(
    await openGithubStage({ env: model.env, prepare: (double) => openShop(double), patienceMs: PATIENCE_MS }),
  );
  const github = opening.use(await tcpProxy(portOf(stage.double.webUrl)));
  const answers = opening.use(await tcpProxy(portOf(model.endpoint.url)));
  await stage.rest();
  await stage.service().end('SIGTERM');
  const through = (url: string, { port }: TcpProxy) => url.replace(/:\d+/, `:${port}`);
  await stage.restart({
    GHE_HOST: `127.0.0.1:${github.port}`,
    OPENAI_BASE_URL: through(model.endpoint.url, answers),
    CALLBACK_ALLOW: '127.0.0.1/32',
  });
  const opened = opening.move();
  return { stage, github, answers, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Every other connection, as far as there are so many. */
function everyOther(way: Spoiling): readonly (Spoiling | null)[] {
  return [way, null, way, null, way];
}

it.each(WAYS)('a wire to GitHub that says %s leaves one result and one pull request', async (way) => {
  await using at = await behindProxies();
  const desk = deskOf(at.stage, SHOP_NAME, await reportBug(at.stage.double));
  at.github.spoil(...everyOther(way));
  desk.label('mara');
  await desk.pull();
  await at.stage.rest();
  // Connections are kept: few are made.
  expect(at.github.spoiled[way]).toBeGreaterThanOrEqual(2);
  expect(desk.headlines()).toEqual([expect.stringMatching(/^\*\*Cause found, with a fix/)]);
  expect([desk.pulls().length, desk.reactions()]).toEqual([1, ['eyes']]);
});

it.each(WAYS)(
  'a wire to the model that says %s leaves one result, and a cause that is found all the same',
  async (way) => {
    await using at = await behindProxies();
    const desk = deskOf(at.stage, SHOP_NAME, await reportBug(at.stage.double));
    at.answers.spoil(way, null, way);
    desk.label('mara');
    await desk.pull();
    await at.stage.rest();
    expect(at.answers.spoiled[way]).toBeGreaterThanOrEqual(1);
    expect(desk.headlines()).toEqual([expect.stringMatching(/^\*\*Cause found, with a fix/)]);
    expect(desk.pulls()).toHaveLength(1);
  },
);

it.each(WAYS)('a wire to a caller that says %s has its webhook delivered, under one id however often', async (way) => {
  await using at = await behindProxies();
  await using receiver = await webhookReceiver();
  await using proxy = await tcpProxy(portOf(receiver.url));
  proxy.spoil(way, way);
  // An answer that drips is whole within its 15 s, and counts.
  const spoiled = way === 'drip' ? 1 : 2;
  const api = await at.stage.api('mara');
  const { id: projectId } = await api.project();
  await api.report({
    projectId,
    data: 'TypeError: Cannot destructure property percent of COUPONS.get(...) at src/coupons.js:14',
    callbackUrl: receiver.url.replace(/:\d+/, `:${proxy.port}`),
  });
  await at.stage.until(
    'a delivery that went through',
    () => receiver.deliveries.length > 0 && proxy.spoiled[way] === spoiled,
  );
  await at.stage.until('rest of the webhook', async () => {
    const before = receiver.deliveries.length;
    await at.stage.rest();
    return receiver.deliveries.length === before;
  });
  expect(new Set(receiver.deliveries.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});
