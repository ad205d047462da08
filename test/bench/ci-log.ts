// `ci-log`: 100 MB of CI log to the cause in it, as it streams in: the memory that takes over idle, and the time next to grep.
import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { condenseLog, readCheck } from 'causeway-ci-log';
import { CHECK_LOG_BYTES } from '../../src/core/check/check.ts';
import { temporaryFolder } from '../support/service.ts';
import { CAUSE, writeMadeLog } from './made-log.ts';
import type { Measurement } from './row.ts';

const BYTES = 100_000_000;
const MB = 1_000_000;
const WORDS = 'error|Error|ERROR|fail|Fail|FAIL|fatal|panic|[Ee]xception|Traceback|not ok|undefined|Killed|refused';

export const CI_LOG: Measurement = {
  name: 'ci-log',
  about: '100 MB of CI log to the cause of the failure, before redaction',
  async *measure(rounds) {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'job.log');
    await writeMadeLog(file, BYTES);
    // Not counted: a service runs for weeks, and the first time also compiles the code.
    await findCause(file);
    const peaks: number[] = [];
    const times: number[] = [];
    const greps: number[] = [];
    for (let round = 0; round < rounds; round++) {
      greps.push(await timeGrep(file));
      const stopWatching = watchMemory();
      const begun = performance.now();
      const cause = await findCause(file);
      times.push(performance.now() - begun);
      peaks.push(stopWatching() / MB);
      if (!cause.includes(CAUSE)) throw new Error(`the cause was read as "${cause}"`);
    }
    yield { what: '100 MB of CI log, memory over idle', unit: 'MB', aim: 64, ours: peaks };
    const other = { what: 'grep -nE for words of failures', figures: greps };
    yield { what: '100 MB of CI log to the cause', unit: 'ms', aim: 5_000, ours: times, other };
  },
};

async function findCause(file: string): Promise<string> {
  const log = await condenseLog(readChunks(file), CHECK_LOG_BYTES, new AbortController().signal);
  return readCheck({ name: 'test', output: '', log, annotations: [] }).excerpt.headline;
}

/** All in one buffer, so that the garbage of a download is not counted as memory of the reader. */
async function* readChunks(file: string): AsyncGenerator<Uint8Array> {
  await using log = await open(file);
  const buffer = Buffer.allocUnsafe(256 * 1_024);
  for (;;) {
    const { bytesRead } = await log.read(buffer, 0, buffer.length);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

async function timeGrep(file: string): Promise<number> {
  const begun = performance.now();
  const child = spawn('grep', ['-anE', WORDS, file], { stdio: ['ignore', 'ignore', 'inherit'] });
  await new Promise((resolve) => child.once('close', resolve));
  return performance.now() - begun;
}

/** The function ends it: bytes of resident memory at its highest over what it was. */
function watchMemory(): () => number {
  const idle = process.memoryUsage.rss();
  let most = idle;
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 10);
  return () => {
    look();
    clearInterval(timer);
    return most - idle;
  };
}
