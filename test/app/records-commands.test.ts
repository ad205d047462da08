// The commands about records, over both engines: what they say and do next to whatever runs.
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../src/app/run-command.ts';
import type { Command } from '../../src/cli/command-line.ts';
import { takeOwnership } from '../../src/db/sqlite.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { scriptedTerminal } from '../support/scripted-terminal.ts';
import { temporaryFolder } from '../support/service.ts';

const NOW = new Date('2026-11-20T10:00:00.000Z');

describe('migrate', () => {
  it('says which steps were new, and that none was; never next to a service on SQLite', async () => {
    await using folder = await temporaryFolder();
    const environment = { DATA_DIR: folder.path };
    expect((await run({ kind: 'migrate' }, environment)).err).toMatch(
      /causeway\.db: .*\n {2}0001-first-release\n {2}0002-outcomes\n/,
    );
    expect((await run({ kind: 'migrate' }, environment)).err).toMatch(/already up to date \(\d+ migrations?\)\.\n$/);
    using _service = takeOwnership(path.join(folder.path, 'causeway.db'));
    await expect(run({ kind: 'migrate' }, environment)).rejects.toMatchObject({ code: 'store_locked' });
  });

  it('over PostgreSQL names the database without its password', async () => {
    await using folder = await temporaryFolder();
    await using database = await emptyDatabase();
    const url = new URL(database.url);
    url.password ||= 'hidden-0123456789';
    const environment = { DATA_DIR: folder.path, DATABASE_URL: url.href, ENCRYPTION_KEY: 'ab'.repeat(32) };
    const { err } = await run({ kind: 'migrate' }, environment);
    expect(err).toMatch(/the schema is now up to date\. New: (\d+) of \1 migrations:\n/);
    expect(err).not.toContain(url.password);
    expect((await run({ kind: 'pause' }, environment)).err).toMatch(/^Paused: /);
    expect((await run({ kind: 'pause' }, environment)).err).toBe('It is already paused.\n');
    expect((await run({ kind: 'resume' }, environment)).err).toMatch(/^Resumed: /);
    await expect(run({ kind: 'backup', file: null }, environment)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/pg_dump --format=custom .*\n.*\n {2}pg_restore/),
    });
    await database.query(
      `insert into jobs (id, kind, subject, group_key, urgency, state, run_at, attempts, failures)
        values ('j', 'publish', 'thr_gone', 'thr_gone', 'person', 'dead', '2026-11-20T10:00:00.000Z', 3, 3)`,
    );
    expect((await run({ kind: 'redrive', jobs: 'publish' }, environment)).err).toMatch(/ {2}publish {2}1\n/);
  });
});

describe('backup', () => {
  it('names its file by the moment in DATA_DIR, only on standard output, and says which key belongs to it', async () => {
    await using folder = await temporaryFolder();
    const environment = { DATA_DIR: folder.path };
    await expect(run({ kind: 'backup', file: null }, environment)).rejects.toMatchObject({ code: 'usage' });
    await run({ kind: 'migrate' }, environment);
    using _service = takeOwnership(path.join(folder.path, 'causeway.db'));
    const { out, err } = await run({ kind: 'backup', file: null }, environment);
    expect(out).toBe(`${path.join(folder.path, 'backups', 'causeway-20261120-100000.db')}\n`);
    expect(err).toContain(`be decrypted with ${path.join(folder.path, 'encryption.key')}: store`);
    expect((await run({ kind: 'redrive', jobs: null }, environment)).err).toMatch(/^There are no failed jobs/);
  });
});

async function run(command: Command, environment: Readonly<Record<string, string>>) {
  const io = scriptedTerminal();
  await runCommand(command, { io, environment, now: () => NOW }, new AbortController().signal);
  return io.printed;
}
