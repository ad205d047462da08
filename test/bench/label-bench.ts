// `label`: measures the way from a label to 👀 and facts, and prints its tables.
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { median, say, spread, table } from './figures.ts';
import type { Timing } from './label.ts';
import { type Measured, measure, type Occasion } from './label-to-facts.ts';
import { makeRepository } from './made-repository.ts';
import { wholeRoad } from './whole-road.ts';

export const LABEL_USAGE = `label: from a label to 👀 and facts
  --files 3000,40000   sizes of the made repositories, in files
  --rounds 5           how often each
  --delay 0            milliseconds added to every answer of the API
  --later              also a label a minute later, after a push
  --keep FOLDER        keeps the made repositories there for the next time
`;

const OPTIONS = {
  files: { type: 'string', default: '3000,40000' },
  rounds: { type: 'string', default: '5' },
  delay: { type: 'string', default: '0' },
  later: { type: 'boolean', default: false },
  keep: { type: 'string' },
} as const;

export async function labelBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  await using folders = new AsyncDisposableStack();
  const folder = values.keep ?? (await mkdtemp(path.join(tmpdir(), 'causeway-bench-')));
  if (values.keep === undefined) folders.defer(() => rm(folder, { recursive: true, force: true }));
  const plan = { rounds: Number(values.rounds), delayMs: Number(values.delay), later: values.later };
  for (const files of values.files.split(',').map(Number)) {
    const made = await makeRepository(folder, files);
    const before = loadavg()[0] ?? 0;
    print(await measure(made, plan), { rounds: plan.rounds, before, after: loadavg()[0] ?? 0 });
  }
  const road = await wholeRoad();
  say(`\nCalls from a label to a draft pull request (service just set up, scripted model):\n\n${callsOf([road])}`);
}

interface Circumstances {
  readonly rounds: number;
  readonly before: number;
  readonly after: number;
}

function print({ files, delayMs, occasions }: Measured, { rounds, before, after }: Circumstances): void {
  const plain = occasions.flatMap(({ samples }) => samples.map((one) => one.plain));
  const load = `load ${before.toFixed(1)} before, ${after.toFixed(1)} after, on ${cpus().length} cores`;
  const delay = delayMs === 0 ? '' : `, ${delayMs} ms added to every answer of the API`;
  say(`\n## ${files} files${delay}\n\n${rounds} rounds; median (least–most); ${load}.\n`);
  const head = ['', 'to 202, ms', '👀, ms', 'facts, ms', '× clone', '× empty fetch', 'API calls', 'git requests'];
  say(table(head, occasions.map(rowOf)));
  const [clone, fetch, get] = [
    plain.map((one) => one.clone),
    plain.map((one) => one.fetch),
    plain.map((one) => one.get),
  ];
  say(`\nclone --mirror ${spread(clone)} ms; fetch of nothing ${spread(fetch)} ms; GET ${spread(get, 1)} ms.`);
  for (const { name, samples } of occasions) say(`\nCalls, ${name}:\n\n${callsOf(samples)}`);
}

/** Ratios are those of each round, since the machine is not always the same. */
function rowOf({ name, samples }: Occasion): readonly string[] {
  return [
    name,
    spread(samples.map((one) => one.accepted)),
    spread(samples.map((one) => one.eyes)),
    spread(samples.map((one) => one.facts)),
    spread(
      samples.map((one) => one.facts / one.plain.clone),
      1,
    ),
    spread(
      samples.map((one) => one.facts / one.plain.fetch),
      0,
    ),
    String(median(samples.map(callCount))),
    String(median(samples.map((one) => one.git))),
  ];
}

function callCount({ calls }: Timing): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}

/** The greatest number of each. */
function callsOf(timings: readonly Timing[]): string {
  const most = new Map<string, number>();
  for (const { calls } of timings) {
    for (const [route, count] of calls) most.set(route, Math.max(count, most.get(route) ?? 0));
  }
  const rows = [...most].map(([route, count]) => [`\`${route}\``, String(count)]);
  return table(['call', 'times'], [...rows, ['git', String(Math.max(...timings.map((one) => one.git)))]]);
}
