// The thread that brings the log of a SQLite file into the file, over a connection of its own.
import { parentPort } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { type Numbered, READY } from '../redact/asked-thread.ts';
import type { CheckpointRequest } from './checkpoints.ts';

/** Only a log that is in the file to its last page begins anew. What is committed during one go is left to the next, which is shorter. */
const MOST_GOES = 5;

let connection: Sqlite.Database | null = null;

parentPort?.on('message', ({ id, file }: Numbered<CheckpointRequest>) => {
  connection ??= open(file);
  const bringOver = connection.prepare<[], { log: number; checkpointed: number }>('pragma wal_checkpoint(passive)');
  for (let go = 0, before = -1; go < MOST_GOES; go++) {
    const { log = 0, checkpointed = 0 } = bringOver.get() ?? {};
    // Done, or as far as somebody who reads lets it come.
    if (log === checkpointed || checkpointed === before) break;
    before = checkpointed;
  }
  parentPort?.postMessage({ id });
});
parentPort?.postMessage(READY);

function open(file: string): Sqlite.Database {
  const opened = new Sqlite(file, { fileMustExist: true, timeout: 0 });
  // The log may be overwritten once the file has its pages: both must be on the disk by then.
  opened.pragma('synchronous = FULL');
  return opened;
}
