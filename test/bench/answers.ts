// `answers`: how long callers and GitHub wait for an answer with 50 reports or deliveries a second, idle and while an index is built.

import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { postDelivery, signDelivery } from 'causeway-github-double';
import { openShop, reportBug, SHOP_NAME } from '../support/github-shop.ts';
import { openGithubStage } from '../support/github-stage.ts';
import { type LocalService, openLocalService } from './local-service.ts';
import { keptRepository } from './made-repository.ts';
import { startProbot } from './probot-server.ts';
import type { Measurement } from './row.ts';

const RATE = 50;
const SECONDS = 20;
const AIM_MS = 100;

export const ANSWERS: Measurement = {
  name: 'answers',
  about: 'p99 of the answers to reports and deliveries, 50 a second',
  async *measure(rounds) {
    const repository = await keptRepository(40_000);
    const idle: number[] = [];
    const indexing: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await using local = await openLocalService(repository.gitDir);
      // The first report has the whole repository indexed.
      const first = local.solve(repository.report(round));
      first.catch(() => undefined);
      indexing.push(await sendReports(local));
      await first;
      idle.push(await sendReports(local));
    }
    const both = { unit: 'ms', aim: AIM_MS } as const;
    yield { what: 'a report answered, 50 a second, p99', ...both, ours: idle };
    yield { what: 'the same while 40,000 files are indexed', ...both, ours: indexing };
    yield* measureDeliveries(rounds);
  },
};

/** Equal reports share one run, so that what is measured is accepting them and not the runs. */
function sendReports({ api, projectId }: LocalService): Promise<number> {
  return measureStream(async () => void (await api.report({ projectId, data: 'The build of main is slow.' })));
}

async function* measureDeliveries(rounds: number): ReturnType<Measurement['measure']> {
  await using stage = await openGithubStage({ prepare: (double) => openShop(double) });
  const { app, people } = stage.double;
  await using probot = await startProbot(app);
  const number = await reportBug(stage.double);
  people.comment(SHOP_NAME, number, { by: 'ola', body: 'It happens to me as well.' });
  await stage.rest();
  const latest = stage.double.webhooks.deliveries(app.id).find(({ event }) => event === 'issue_comment');
  const payload = latest?.request.payload as { readonly comment: object };
  let id = Date.now() * 1_000;
  const send = async (url: string) => {
    const body = JSON.stringify({ ...payload, comment: { ...payload.comment, id: id++ } });
    const headers = signDelivery(app, { guid: randomUUID(), event: 'issue_comment', body });
    const { statusCode } = await postDelivery(url, headers, body);
    if (statusCode >= 300) throw new Error(`the delivery is answered with ${statusCode}`);
  };
  const ours: number[] = [];
  const other: number[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await measureStream(() => send(app.webhookUrl ?? '')));
    other.push(await measureStream(() => send(probot.url)));
  }
  const figures = { what: "Probot's own server with an empty handler", figures: other };
  yield { what: 'a delivery answered, 50 a second, p99', unit: 'ms', aim: AIM_MS, ours, other: figures };
}

/** Each at its moment, whatever was answered before; milliseconds from the moment that it was due, the 99th percentile. */
async function measureStream(send: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  const answers: Promise<number>[] = [];
  for (let index = 0; index < RATE * SECONDS; index++) {
    const due = begun + (index * 1_000) / RATE;
    if (due > performance.now()) await wait(due - performance.now());
    answers.push(send().then(() => performance.now() - due));
  }
  const took = (await Promise.all(answers)).toSorted((one, other) => one - other);
  return took[Math.floor(took.length * 0.99)] ?? Number.NaN;
}
