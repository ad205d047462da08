// A write-ahead log that nobody moved into its file, because whoever wrote it was killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';

const SCRIPT = `
import Sqlite from 'better-sqlite3';
const [file, megabytes] = process.argv.slice(1);
const database = new Sqlite(file);
database.pragma('journal_mode = WAL');
database.pragma('wal_autocheckpoint = 0');
database.pragma('synchronous = OFF');
database.exec('create table padding (bytes blob)');
database.exec('insert into padding values (zeroblob(67108864))');
for (let written = 64; written < Number(megabytes); written += 64) database.exec('update padding set bytes = randomblob(67108864)');
database.exec('drop table padding');
process.kill(process.pid, 'SIGKILL');
`;

/** Makes the log of a file that nobody has open at least so large; gives its size in bytes. What the file says stays the same. */
export async function lengthenLog(file: string, megabytes: number): Promise<number> {
  const args = ['--input-type=module', '-e', SCRIPT, file, String(megabytes)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [, signal] = await once(child, 'exit');
  if (signal !== 'SIGKILL') throw new Error('the log could not be written');
  return statSync(`${file}-wal`).size;
}
