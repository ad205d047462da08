// `queue`: how long a claim and a start take behind a queue as long as after a bad day.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gitRepository } from '../support/git-repository.ts';
import { claimTimes, emptyStore, fillQueue, type LongQueue, queueLength } from '../support/long-queue.ts';
import { startService, temporaryFolder } from '../support/service.ts';
import { load, say, table } from './figures.ts';

export const QUEUE_USAGE = `queue: claims, and starts of the service, behind a long queue and an empty one
  --jobs 100000        how long
  --claims 2000        how many are claimed
  --starts 5           how often the service is started
`;

const OPTIONS = {
  jobs: { type: 'string', default: '100000' },
  claims: { type: 'string', default: '2000' },
  starts: { type: 'string', default: '5' },
} as const;

export async function queueBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const [jobs, claims, starts] = [Number(values.jobs), Number(values.claims), Number(values.starts)];
  say(`${jobs} jobs; ${load()} before.\n`);
  const rows = [];
  for (const [length, groups] of [
    [claims, 1_000],
    [jobs, 1],
    [jobs, 1_000],
    [jobs, jobs],
  ] as const) {
    rows.push(await claimRow({ jobs: length, groups }, claims));
  }
  const head = ['p50', 'p95', 'p99', 'most'];
  say(
    table(
      ['jobs', 'groups', ...head.map((each) => `claim ${each}, ms`), ...head.map((each) => `bare write ${each}`)],
      rows,
    ),
  );
  say('');
  say(table(['jobs', 'due', 'until it answers, ms', '/readyz, ms', 'jobs afterwards'], await startRows(jobs, starts)));
}

async function claimRow(size: Pick<LongQueue, 'jobs' | 'groups'>, claims: number): Promise<readonly string[]> {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'causeway.db');
  await emptyStore(file);
  const queue: LongQueue = { file, kind: 'run', runAt: new Date(Date.now() - 1e6), ...size };
  fillQueue(queue);
  const { claims: claimed, writes } = await claimTimes(queue, claims, claims);
  return [String(size.jobs), String(size.groups), ...parts(claimed), ...parts(writes)];
}

/** Median, 95th and 99th of a hundred, and the longest. */
function parts(times: readonly number[]): readonly string[] {
  const sorted = times.toSorted((one, other) => one - other);
  const part = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return [0.5, 0.95, 0.99, 1].map((share) => part(share).toFixed(2));
}

async function startRows(jobs: number, starts: number): Promise<readonly (readonly string[])[]> {
  const rows = [];
  for (const [length, due] of [
    [0, 'later'],
    [jobs, 'later'],
    [jobs, 'now'],
  ] as const) {
    for (let start = 0; start < starts; start++) rows.push([String(length), due, ...(await startOnce(length, due))]);
  }
  return rows;
}

/** Milliseconds until the service answers, until it says that it is ready, and what is queued a moment later. */
async function startOnce(jobs: number, due: 'later' | 'now'): Promise<readonly string[]> {
  await using repository = await gitRepository();
  await repository.commit({ 'a.txt': 'a\n' }, 'First');
  await using folder = await temporaryFolder();
  const dataDir = path.join(folder.path, 'data');
  mkdirSync(dataDir);
  const place = { projects: [repository.path], dataDir };
  await using first = await startService(place);
  await first.end('SIGTERM');
  const file = path.join(dataDir, 'causeway.db');
  const runAt = new Date(Date.now() + (due === 'now' ? -1e6 : 1e9));
  fillQueue({ file, kind: 'run', jobs, groups: 1_000, runAt });
  const begun = performance.now();
  await using service = await startService(place);
  const started = performance.now();
  await fetch(`${service.address}/readyz`);
  const ready = performance.now();
  await service.end('SIGTERM');
  return [(started - begun).toFixed(0), (ready - started).toFixed(0), String(queueLength(file))];
}
