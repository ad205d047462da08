// `ci-log-stream`: made logs of 1 MB and 100 MB read in constant memory, beside `grep -nE` for the words of failures in the same run.
import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { condenseLog } from '../../src/ci/condense-log.ts';
import { CHECK_LOG_BYTES } from '../../src/core/check.ts';
import { load, median, say, spread, table } from './figures.ts';
import { CAUSE, writeMadeLog } from './made-log.ts';

export const CI_LOG_STREAM_USAGE = `ci-log-stream: long logs of made lines, beside grep
  --times N            of each (5)
`;

/** What somebody looks for who has nothing but grep. */
const WORDS =
  'error|Error|ERROR|fail|Fail|FAIL|fatal|panic|[Ee]xception|Traceback|not ok|undefined|Killed|denied|refused';
const SIZES = [1_000_000, 100_000_000];
const SIGNAL = new AbortController().signal;
const MB = 1_000_000;

interface Figures {
  readonly size: number;
  /** MB/s. */
  readonly ours: readonly number[];
  readonly grep: readonly number[];
  /** The same by the time of the processor that each took: on a machine with other work the fairer one. */
  readonly oursOfCpu: readonly number[];
  readonly grepOfCpu: readonly number[];
  /** MB over idle, at most. */
  readonly peak: number;
  /** The longest time that nothing else was let in, in ms. */
  readonly held: number;
  readonly kept: string;
}

export async function ciLogStreamBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { times: { type: 'string' } } });
  const folder = await mkdtemp(path.join(tmpdir(), 'causeway-bench-'));
  try {
    const all: Figures[] = [];
    for (const size of SIZES)
      all.push(await measured(path.join(folder, `${size}.log`), size, Number(values.times ?? 5)));
    say(`\n## Long logs\n\n${tableOf(all)}\n\n${load()}`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measured(file: string, size: number, times: number): Promise<Figures> {
  await writeMadeLog(file, size);
  const [ours, grep, oursOfCpu, grepOfCpu]: [number[], number[], number[], number[]] = [[], [], [], []];
  let [peak, held, kept] = [0, 0, ''];
  for (let time = 0; time < times; time += 1) {
    const found = await grepped(file);
    grep.push(size / MB / found.wall);
    grepOfCpu.push(size / MB / found.cpu);
    const watch = watched();
    const before = process.cpuUsage();
    const took = await seconds(async () => {
      kept = await condenseLog(chunksOf(file), CHECK_LOG_BYTES, SIGNAL);
    });
    const { user, system } = process.cpuUsage(before);
    ours.push(size / MB / took);
    oursOfCpu.push(size / ((user + system) / 1_000_000) / MB);
    const seen = watch();
    peak = Math.max(peak, seen.peak);
    held = Math.max(held, seen.held);
  }
  return { size, ours, grep, oursOfCpu, grepOfCpu, peak, held, kept };
}

function tableOf(all: readonly Figures[]): string {
  const head = [
    'log',
    'ours, MB/s',
    'grep -nE, MB/s',
    'ratio',
    'of CPU time: ours',
    'grep',
    'ratio',
    'peak over idle, MB',
  ];
  return table(
    [...head, 'held at most, ms', 'kept, MB', 'first cause kept'],
    all.map(({ size, ours, grep, oursOfCpu, grepOfCpu, peak, held, kept }) => [
      `${size / MB} MB`,
      ...[spread(ours), spread(grep), ratio(ours, grep)],
      ...[spread(oursOfCpu), spread(grepOfCpu), ratio(oursOfCpu, grepOfCpu)],
      ...[peak.toFixed(0), held.toFixed(0), (Buffer.byteLength(kept) / MB).toFixed(2)],
      kept.includes(CAUSE) ? 'yes' : 'no',
    ]),
  );
}

function ratio(ours: readonly number[], others: readonly number[]): string {
  return (median(ours) / median(others)).toFixed(2);
}

/** Where its output leads nowhere, grep ends with the first line that it finds: here it is read. */
async function grepped(file: string): Promise<{ readonly wall: number; readonly cpu: number }> {
  const script = 'TIMEFORMAT="%R %U %S"; time grep -anE "$1" "$2" | cat > /dev/null';
  const { stderr } = await promisify(execFile)('bash', ['-c', script, 'bash', WORDS, file]);
  const [wall = 0, user = 0, system = 0] = stderr.trim().split(' ').map(Number);
  return { wall, cpu: user + system };
}

/** In one buffer again and again: what is measured is the memory of the reader, not that of what waits to be freed of a download. */
async function* chunksOf(file: string): AsyncGenerator<Uint8Array> {
  await using log = await open(file);
  const buffer = Buffer.allocUnsafe(64 * 1_024);
  for (;;) {
    const { bytesRead } = await log.read(buffer, 0, buffer.length);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

/** Looks at memory and at the clock every few milliseconds, until it is called. */
function watched(): () => { readonly peak: number; readonly held: number } {
  globalThis.gc?.();
  const idle = process.memoryUsage.rss();
  let [most, held, last] = [idle, 0, performance.now()];
  const look = () => {
    const now = performance.now();
    held = Math.max(held, now - last - STEP_MS);
    last = now;
    most = Math.max(most, process.memoryUsage.rss());
  };
  const timer = setInterval(look, STEP_MS);
  return () => {
    look();
    clearInterval(timer);
    return { peak: (most - idle) / MB, held };
  };
}

const STEP_MS = 5;
