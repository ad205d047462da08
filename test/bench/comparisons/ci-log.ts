// `ci-log`: a long log as it is downloaded, to the cause of the failure in it, beside `grep -nE` for the words of failures.
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { condenseLog } from '../../../src/ci/condense-log.ts';
import { readCheck } from '../../../src/ci/read-check.ts';
import { CHECK_LOG_BYTES } from '../../../src/core/check.ts';
import type { Comparison, Round, Row } from '../comparison.ts';
import { CAUSE, writeMadeLog } from '../made-log.ts';
import { watchMemory } from './memory.ts';
import { bytesOf, timed } from './stopwatch.ts';

const SIZES = [1_000_000, 100_000_000];
const MB = 1_000_000;
const SIGNAL = new AbortController().signal;
/** What somebody looks for who has nothing but grep. */
const WORDS =
  'error|Error|ERROR|fail|Fail|FAIL|fatal|panic|[Ee]xception|Traceback|not ok|undefined|Killed|denied|refused';

export const CI_LOG: Comparison = {
  name: 'ci-log',
  about: 'a log of CI of 1 and 100 MB to its cause, before redaction',
  measure: async function* ({ rounds }) {
    const folder = await mkdtemp(path.join(tmpdir(), 'causeway-bench-'));
    try {
      for (const size of SIZES) yield* await measured(path.join(folder, `${size}.log`), size, rounds);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
};

async function measured(file: string, size: number, rounds: number): Promise<readonly Row[]> {
  await writeMadeLog(file, size);
  // Untimed: a service runs for weeks, and what is measured is not how code that is new to it is compiled.
  await causeIn(file);
  const speeds: Round[] = [];
  const peaks: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const grep = await timed(() => bytesOf(['grep', '-anE', WORDS, file], path.dirname(file)));
    const memory = watchMemory();
    const ours = await timed(() => causeIn(file));
    peaks.push({ ours: memory() / MB, other: size / MB });
    if (grep.result === 0 || !ours.result.includes(CAUSE)) throw new Error(`the cause is told as "${ours.result}"`);
    speeds.push({ ours: size / 1_000 / ours.ms, other: size / 1_000 / grep.ms });
  }
  return [
    {
      ...{ what: `log of CI to its cause, ${size / MB} MB`, against: 'grep -nE for words of failures', unit: 'MB/s' },
      ...{ rounds: speeds, aim: { kind: 'ratio-at-least', limit: 0.3 } },
    },
    {
      ...{ what: `memory over idle meanwhile, ${size / MB} MB`, against: 'the whole log', unit: 'MB' },
      ...{ rounds: peaks, aim: { kind: 'at-most', limit: 64 } },
    },
  ];
}

async function causeIn(file: string): Promise<string> {
  const log = await condenseLog(chunksOf(file), CHECK_LOG_BYTES, SIGNAL);
  return readCheck({ name: 'test', output: '', log, annotations: [] }).excerpt.headline;
}

/** In one buffer again and again: what is measured is the memory of the reader, not that of what waits to be freed of a download. */
async function* chunksOf(file: string): AsyncGenerator<Uint8Array> {
  await using log = await open(file);
  const buffer = Buffer.allocUnsafe(256 * 1_024);
  for (;;) {
    const { bytesRead } = await log.read(buffer, 0, buffer.length);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}
