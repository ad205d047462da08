// `deliveries`: acknowledgements of a steady stream of deliveries while nobody works on them, beside those of Probot's own server.
import { parseArgs } from 'node:util';
import { serveWithoutWorker } from '../support/github-no-worker.ts';
import { storedQueue } from '../support/github-queue.ts';
import { openShop } from '../support/github-shop.ts';
import { type GithubStage, openGithubStage } from '../support/github-stage.ts';
import {
  type Letter,
  letterOf,
  type Plan,
  type Streamed,
  streamedTo,
  type Target,
  WARM_UP,
} from './delivery-stream.ts';
import { load, say, table } from './figures.ts';
import { besideSyncs, syncTimes } from './fsync-times.ts';
import { startProbot } from './probot-server.ts';

export const DELIVERIES_USAGE = `deliveries: signed deliveries at a steady rate to a service without a worker, and to Probot's own server
  --rate 200           a second
  --seconds 60         how long
`;

const OPTIONS = {
  rate: { type: 'string', default: '200' },
  seconds: { type: 'string', default: '60' },
} as const;

export async function deliveriesBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const plan = { rate: Number(values.rate), seconds: Number(values.seconds) };
  await using stage = await openGithubStage({ prepare: (double) => openShop(double) });
  const letter = await letterOf(stage);
  say(
    `\n${plan.rate} deliveries a second for ${plan.seconds} s, each on a connection of its own, ${JSON.stringify(letter).length} bytes.`,
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

async function ours(stage: GithubStage, letter: Letter, plan: Plan): Promise<readonly string[]> {
  await using receiving = await serveWithoutWorker(stage);
  const { app } = stage.double;
  const target = { name: 'Causeway', url: app.webhookUrl ?? '', ...receiving };
  const [streamed, longest] = await besideSyncs(stage.dataDir, () => streamedTo(target, { app, letter, plan }));
  say(`The longest fdatasync beside it took ${longest.toFixed(0)} ms.`);
  const { deliveries, jobs } = await storedQueue(stage.dataDir);
  const subjects = new Set(jobs.filter(({ kind }) => kind === 'delivery').map(({ subject }) => subject));
  const kept = deliveries['waiting'] ?? 0;
  const words = `${streamed.accepted + WARM_UP} accepted (${WARM_UP} of them before the clock), ${kept} kept, ${subjects.size} jobs`;
  // One whose answer came too late for its sender may be kept all the same; one that was accepted must be.
  if (kept < streamed.accepted + WARM_UP || subjects.size !== kept) throw new Error(words);
  say(`Afterwards: ${words}.\n`);
  return rowOf(target, streamed);
}

async function probots(stage: GithubStage, letter: Letter, plan: Plan): Promise<readonly string[]> {
  const { app } = stage.double;
  await using probot = await startProbot(app);
  const target = { name: 'Probot with an empty handler', ...probot };
  return rowOf(target, await streamedTo(target, { app, letter, plan }));
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
