// More deliveries than can be worked on, missed ones, and ones about what is gone meanwhile: none lost, none done twice, no storm.

import { randomUUID } from 'node:crypto';
import { postDelivery, signDelivery } from 'causeway-github-double';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deskOf } from '../../support/github-desk.ts';
import { serveWithoutWorker } from '../../support/github-no-worker.ts';
import { openShop, reportBug, SHOP_NAME } from '../../support/github-shop.ts';
import { type GithubStage, OWNER, openGithubStage, storedQueue } from '../../support/github-stage.ts';
import type { Service } from '../../support/service.ts';

/** A multiple of 32; DELIVERIES=12000 is a minute of two hundred a second. */
const MANY = 32 * Math.ceil(Number(process.env['DELIVERIES'] ?? 128) / 32);

let stage: GithubStage;

beforeAll(async () => {
  stage = await openGithubStage({ prepare: (double) => openShop(double) });
});

afterAll(() => stage[Symbol.asyncDispose]());

/** One line of the log for each command of somebody who may not ask. */
function handled(output: string): number {
  return output.split('requested without triage').length - 1;
}

it('asks for all that it missed while it was out, and does each once, even what was sent again by hand meanwhile', async () => {
  const MISSED = 130;
  const number = await reportBug(stage.double);
  await stage.rest();
  await stage.service().end('SIGTERM');
  const asked = await reportBug(stage.double, { more: 'Another one.' });
  for (let index = 0; index < MISSED; index++) {
    stage.double.people.comment(SHOP_NAME, number, { by: 'ola', body: `/analyse ${index}` });
    if (index === MISSED / 2) stage.double.people.label(SHOP_NAME, asked, 'analyse', 'mara');
  }
  await stage.double.webhooks.settled();
  const failed = stage.double.webhooks.deliveries(stage.double.app.id).filter(({ statusCode }) => statusCode !== 202);
  expect(failed.length).toBeGreaterThan(100);

  // Each start asks for what is missed then; people press "Redeliver" beside it.
  const missed = () => {
    const all = stage.double.webhooks.deliveries(stage.double.app.id);
    const arrived = new Set(all.filter(({ statusCode }) => statusCode === 202).map(({ guid }) => guid));
    return all.filter(({ guid }) => !arrived.has(guid)).length;
  };
  const lives: Service[] = [];
  const done = () => lives.map((service) => handled(service.output())).reduce((sum, count) => sum + count, 0);
  for (let start = 0; missed() > 0 && start < 8; start++) {
    const service = await stage.restart();
    lives.push(service);
    for (const { id } of failed.slice(start * 10, start * 10 + 10)) stage.double.webhooks.redeliver(id);
    await stage.until('being asked', () => service.output().includes('requested redelivery of failed webhooks'));
    await stage.rest();
    await service.end('SIGTERM');
  }
  await stage.restart();
  await stage.rest();
  await stage.until('all of them', () => done() >= MISSED);
  expect(done()).toBe(MISSED);
  expect(stage.ourComments(SHOP_NAME, asked)).toHaveLength(1);
  expect(handled(stage.service().output())).toBe(0);
  const { deliveries, jobs } = await storedQueue(stage.dataDir);
  expect([deliveries['waiting'], deliveries['failed'], jobs.filter(({ kind }) => kind === 'delivery')]).toEqual([
    ...[undefined, undefined, []],
  ]);
});

it(`acknowledges ${MANY} deliveries that nobody works on, within bounds, and works them off later`, async () => {
  const number = await reportBug(stage.double, { more: 'The one of the flood.' });
  stage.double.people.comment(SHOP_NAME, number, { by: 'ola', body: '/analyse' });
  await stage.rest();
  const latest = stage.double.webhooks.deliveries(stage.double.app.id).find(({ event }) => event === 'issue_comment');
  const payload = latest?.request.payload as { readonly comment: object };
  const { app, state } = stage.double;
  const receiving = await serveWithoutWorker(stage);
  const flood = async (count: number) => {
    for (let left = count; left > 0; left--) {
      const body = JSON.stringify({ ...payload, comment: { ...payload.comment, id: state.nextId() } });
      const letter = { guid: randomUUID(), event: 'issue_comment', body };
      const { statusCode } = await postDelivery(app.webhookUrl ?? '', signDelivery(app, letter), body);
      expect(statusCode).toBe(202);
    }
  };
  await Promise.all(Array.from({ length: 16 }, () => flood(MANY / 32)));
  const before = await receiving.memory();
  await Promise.all(Array.from({ length: 16 }, () => flood(MANY / 32)));
  const after = await receiving.memory();
  // The first half has warmed it up; what is stored is not held.
  if (before !== null && after !== null) expect(after - before).toBeLessThan(100);
  expect((await storedQueue(stage.dataDir)).deliveries['waiting']).toBe(MANY);
  await receiving[Symbol.asyncDispose]();

  const service = await stage.restart();
  await stage.rest();
  await stage.until('all of them', () => handled(service.output()) >= MANY);
  expect(handled(service.output())).toBe(MANY);
  expect((await storedQueue(stage.dataDir)).deliveries['waiting']).toBeUndefined();
});

it('ends a job whose repository was taken from it, or whose installation was suspended, between delivery and work', async () => {
  const { people, requests } = stage.double;
  await openShop(stage.double, { name: 'corner/lost' });
  const number = await reportBug(stage.double, { name: 'corner/lost' });
  await stage.rest();
  for (const loss of ['suspended', 'removed'] as const) {
    const desk = deskOf(stage, 'corner/lost', number);
    const receiving = await serveWithoutWorker(stage);
    desk.label('mara', loss === 'suspended' ? 'analyse' : 'analyze');
    await stage.double.webhooks.settled();
    expect((await storedQueue(stage.dataDir)).deliveries['waiting']).toBe(1);
    await receiving[Symbol.asyncDispose]();
    stage.double.webhooks.outage(true);
    const [installation] = [...stage.double.state.installations.values()];
    if (installation === undefined) throw new Error('the App is not installed');
    if (loss === 'suspended') people.suspend(installation, 'nora');
    else people.uninstall(installation, 'nora');
    const asked = requests.length;
    await stage.restart();
    await stage.rest();
    expect(requests.length - asked).toBeLessThan(40);
    expect([desk.ours(), desk.reactions()]).toEqual([[], []]);
    expect((await storedQueue(stage.dataDir)).jobs.filter(({ kind }) => kind === 'delivery')).toEqual([]);
    stage.double.webhooks.outage(false);
    if (loss === 'suspended') people.unsuspend(installation, 'nora');
    await stage.rest();
  }
  people.install(OWNER, { by: 'nora' });
  await stage.rest();
});
