// `deliveries`: acknowledgements of a steady stream of deliveries while nobody works on them, beside those of Probot's own server.
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { App } from '../github-double/state.ts';
import { post, signedHeaders } from '../github-double/webhooks/post.ts';
import { serveWithoutWorker } from '../support/github-no-worker.ts';
import { storedQueue } from '../support/github-queue.ts';
import { openShop, reportBug, SHOP_NAME } from '../support/github-shop.ts';
import { type GithubStage, openGithubStage } from '../support/github-stage.ts';
import { load, say, table } from './figures.ts';
import { syncTimes } from './fsync-times.ts';
import { startProbot } from './probot-server.ts';

export const DELIVERIES_USAGE = `deliveries: signed deliveries at a steady rate to a service without a worker, and to Probot's own server
  --rate 200           a second
  --seconds 60         how long
`;

const OPTIONS = {
  rate: { type: 'string', default: '200' },
  seconds: { type: 'string', default: '60' },
} as const;

/** Sent before anything is measured: compilation and the first pages of the database are nobody's question here. */
const WARM_UP = 400;

interface Plan {
  readonly rate: number;
  readonly seconds: number;
}

/** Where deliveries go, and what that takes there. */
interface Target {
  readonly name: string;
  readonly url: string;
  memory(): Promise<number | null>;
  processor(): Promise<number | null>;
}

interface Streamed {
  /** Milliseconds from the moment that a delivery was due to its whole answer, in order of size. */
  readonly took: readonly number[];
  readonly accepted: number;
  readonly seconds: number;
  /** MiB. */
  readonly before: number | null;
  readonly most: number | null;
  /** Milliseconds of processor time for each. */
  readonly processor: number;
}

export async function deliveriesBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const plan = { rate: Number(values.rate), seconds: Number(values.seconds) };
  await using stage = await openGithubStage({ prepare: (double) => openShop(double) });
  const letter = await letters(stage);
  say(
    `\n${plan.rate} deliveries a second for ${plan.seconds} s, each on a connection of its own, ${letter().length} bytes.`,
  );
  say(`fdatasync of 8 KiB beside it: ${syncTimes(stage.dataDir)}; ${load()} before.\n`);
  const rows = [await ours(stage, letter, plan), await probots(stage, letter, plan)];
  say(
    table(
      [
        '',
        'accepted',
        'reached, a second',
        'p50, ms',
        'p95',
        'p99',
        'most',
        'memory, MiB',
        'at most',
        'processor, ms each',
      ],
      rows,
    ),
  );
  say(`\n${load()} after.`);
}

/** Bodies of one real comment, each under a number of its own. */
async function letters(stage: GithubStage): Promise<() => string> {
  const number = await reportBug(stage.double);
  stage.double.people.comment(SHOP_NAME, number, { by: 'ola', body: 'It happens to me as well.' });
  await stage.rest();
  const latest = stage.sender.deliveries(stage.double.app.id).find(({ event }) => event === 'issue_comment');
  const payload = latest?.request.payload as { readonly comment: object };
  return () => JSON.stringify({ ...payload, comment: { ...payload.comment, id: stage.double.state.nextId() } });
}

async function ours(stage: GithubStage, letter: () => string, plan: Plan): Promise<readonly string[]> {
  await using receiving = await serveWithoutWorker(stage);
  const { app } = stage.double;
  const target = { name: 'Causeway', url: app.webhookUrl ?? '', ...receiving };
  const streamed = await streamedTo(target, { app, letter, plan });
  const { deliveries, jobs } = await storedQueue(stage.dataDir);
  const subjects = new Set(jobs.filter(({ kind }) => kind === 'delivery').map(({ subject }) => subject));
  const kept = deliveries['waiting'] ?? 0;
  const words = `${streamed.accepted + WARM_UP} accepted (${WARM_UP} of them before the clock), ${kept} kept, ${subjects.size} jobs`;
  // One whose answer came too late for its sender may be kept all the same; one that was accepted must be.
  if (kept < streamed.accepted + WARM_UP || subjects.size !== kept) throw new Error(words);
  say(`Afterwards: ${words}.\n`);
  return rowOf(target, streamed);
}

async function probots(stage: GithubStage, letter: () => string, plan: Plan): Promise<readonly string[]> {
  const { app } = stage.double;
  await using probot = await startProbot(app);
  const target = { name: 'Probot with an empty handler', ...probot };
  return rowOf(target, await streamedTo(target, { app, letter, plan }));
}

interface Source {
  readonly app: App;
  readonly letter: () => string;
  readonly plan: Plan;
}

/** Sends at the moments that the rate says, whatever has been answered: a slow answer makes no other one come later. */
async function streamedTo(target: Target, { app, letter, plan }: Source): Promise<Streamed> {
  const send = async (due: number) => {
    const body = letter();
    const headers = signedHeaders(app, { guid: randomUUID(), event: 'issue_comment', body });
    const { statusCode } = await post(target.url, headers, body, new AbortController().signal);
    return { isAccepted: statusCode >= 200 && statusCode < 300, took: performance.now() - due };
  };
  for (let sent = 0; sent < WARM_UP; sent += 8) {
    const all = await Promise.all(Array.from({ length: 8 }, () => send(performance.now())));
    if (!all.every(({ isAccepted }) => isAccepted))
      throw new Error('a delivery was not accepted before the clock began');
  }
  const before = await target.memory();
  let most = before;
  const processorBefore = await target.processor();
  const begun = performance.now();
  const answers: Promise<Awaited<ReturnType<typeof send>>>[] = [];
  for (let index = 0; index < plan.rate * plan.seconds; index++) {
    const due = begun + (index * 1_000) / plan.rate;
    if (due > performance.now()) await wait(due - performance.now());
    answers.push(send(due));
    if (index % plan.rate === 0) most = Math.max(most ?? 0, (await target.memory()) ?? 0);
  }
  const ended = await Promise.all(answers);
  const seconds = (performance.now() - begun) / 1_000;
  const took = ended.map((one) => one.took).toSorted((one, other) => one - other);
  const processor = ((await target.processor()) ?? 0) - (processorBefore ?? 0);
  const accepted = ended.filter(({ isAccepted }) => isAccepted).length;
  return { took, accepted, seconds, before, most, processor: processor / ended.length };
}

function rowOf({ name }: Target, { took, accepted, seconds, before, most, processor }: Streamed): readonly string[] {
  const at = (share: number) =>
    (took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? Number.NaN).toFixed(1);
  const mebibytes = (value: number | null) => value?.toFixed(0) ?? '–';
  return [
    ...[name, `${accepted} of ${took.length}`, (took.length / seconds).toFixed(0)],
    ...[at(0.5), at(0.95), at(0.99), at(1), mebibytes(before), mebibytes(most), processor.toFixed(2)],
  ];
}
