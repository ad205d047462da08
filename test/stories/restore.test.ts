// A night with the SQLite file: it is damaged, or deleted under the running service, and the operator finds out what to do and does it.
import { execFile } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { COMPILED } from '../support/compiled.ts';
import { engine } from '../support/records.ts';
import {
  PROGRAM,
  printedToken,
  type Service,
  type ServiceOptions,
  startService,
  temporaryFolder,
} from '../support/service.ts';

describe.runIf(engine() === 'sqlite')('a database', () => {
  it('that is damaged names its newest backup at the start, and the command restores all Issues', async () => {
    await using ground = await started();
    const issue = await concluded(ground);
    const { out: printed } = await ground.causeway('backup');
    const backup = printed.trim();
    const refused = await ground.causeway('restore', backup, '--yes');
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/Another Causeway server or worker/)]);
    await ground.service.end('SIGTERM');
    damage(ground.database);

    const words = await startService(ground.plan).then(
      (service) => service.end('SIGTERM').then(() => 'it started'),
      (error: Error) => error.message,
    );
    expect(words).toContain(`is damaged`);
    expect(words).toContain(`causeway restore ${backup} --yes`);
    expect((await ground.causeway('doctor')).out).toContain(`causeway restore ${backup} --yes`);

    const damaged = readFileSync(ground.database);
    const asked = await ground.causeway('restore', backup);
    expect([asked.code, asked.err]).toEqual([2, expect.stringMatching(/replaces .*\n.*\nNothing was changed; repeat/)]);
    expect(readFileSync(ground.database).equals(damaged)).toBe(true);

    const restored = await ground.causeway('restore', backup, '--yes');
    expect([restored.code, restored.err]).toEqual([
      0,
      expect.stringMatching(/^Restored .*: [\d,]+ rows in \d+ tables\./),
    ]);
    const kept = readdirSync(ground.plan.dataDir).find((name) => /^causeway\.db\.before-restore-[\d-]+$/.test(name));
    expect(readFileSync(path.join(ground.plan.dataDir, kept ?? '')).equals(damaged)).toBe(true);
    expect(statSync(ground.database).mode & 0o777).toBe(0o600);
    await using service = await startService(ground.plan);
    const api = apiClient(service.address, ground.token);
    expect(await api.get(`/api/v1/issues/${issue}/`)).toMatchObject({ id: issue });
    expect((await api.project()).issueIds).toEqual([issue]);
  });

  it('is not replaced by a backup that is damaged, of a newer version, of another key, or none at all', async () => {
    await using ground = await started();
    await concluded(ground);
    const backup = (await ground.causeway('backup')).out.trim();
    await ground.service.end('SIGTERM');
    const before = readFileSync(ground.database);
    const refusal = async (file: string, env = {}) => {
      const { code, err } = await ground.run(env, 'restore', file, '--yes');
      expect(code).not.toBe(0);
      expect(readFileSync(ground.database).equals(before)).toBe(true);
      return err;
    };
    expect(await refusal(path.join(ground.plan.dataDir, 'none.db'))).toContain('There is no file');
    expect(await refusal(ground.database)).toContain('is the database itself');
    expect(await refusal(PROGRAM)).toContain('is damaged (SQLITE_NOTADB)');
    expect(await refusal(backup, { ENCRYPTION_KEY: 'ab'.repeat(32) })).toContain('encrypted with another key');
    const newer = new Sqlite(backup);
    newer.exec("insert into kysely_migration (name, timestamp) values ('9999-of-tomorrow', '')");
    newer.close();
    expect(await refusal(backup)).toContain('made by a newer Causeway (it has 9999-of-tomorrow)');
    damage(backup);
    expect(await refusal(backup)).toContain('is damaged');
    expect(readdirSync(ground.plan.dataDir).filter((name) => /restor/.test(name))).toEqual([]);
  });

  it('that was deleted or replaced under the service takes nothing in, and goes on once the file is back', async () => {
    await using ground = await started();
    const { service, database, report } = ground;
    expect((await report('before')).status).toBe(202);
    const away = `${database}.away`;
    renameSync(database, away);
    for (const replace of [() => {}, () => closeSync(openSync(database, 'w'))]) {
      replace();
      const answer = await report('meanwhile');
      expect([answer.status, answer.headers.get('Content-Type')]).toEqual([503, 'application/problem+json']);
      expect(service.output()).toMatch(/database file \S+ was deleted or replaced while the service was running/);
      const ready = await fetch(`${service.address}/readyz`);
      expect(ready.status).toBe(503);
      expect(await ready.json()).toMatchObject({
        checks: expect.arrayContaining([
          { name: 'database', ok: false, detail: expect.stringMatching(/^its file was deleted or replaced/) },
        ]),
      });
    }
    renameSync(away, database);
    expect((await report('after')).status).toBe(202);
  });
});

interface Ground extends AsyncDisposable {
  readonly plan: ServiceOptions;
  readonly service: Service;
  readonly api: ApiClient;
  readonly token: string;
  readonly database: string;
  report(text: string): Promise<Response>;
  causeway(...args: string[]): Promise<Ended>;
  run(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended>;
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A service in local mode that has taken nothing in yet. */
async function started(): Promise<Ground> {
  await using opening = new AsyncDisposableStack();
  const repository = opening.use(await gitRepository());
  await repository.commit({ 'src/total.js': 'export function total(cart) {\n  return cart.sum;\n}\n' }, 'Start');
  const folder = opening.use(await temporaryFolder());
  const plan = { projects: [repository.path], dataDir: folder.path };
  const service = opening.use(await startService(plan));
  const token = printedToken(service);
  const api = apiClient(service.address, token);
  const { id: projectId } = await api.project();
  const run = (env: Readonly<Record<string, string>>, ...args: string[]) =>
    new Promise<Ended>((resolve) => {
      const all = { PATH: process.env['PATH'], ...COMPILED, DATA_DIR: folder.path, ...env };
      execFile(process.execPath, [PROGRAM, ...args], { cwd: folder.path, env: all }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  const opened = opening.move();
  return {
    ...{ plan, service, token, api, run },
    database: path.join(folder.path, 'causeway.db'),
    report: (text) =>
      fetch(`${service.address}/api/v1/issues/`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ projectId, data: `TypeError: cart is undefined (${text})` }),
      }),
    causeway: (...args) => run({}, ...args),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** One report, brought to its end; the id of its Issue. */
async function concluded({ api, report }: Ground): Promise<string> {
  const answer = await report('first');
  const { issueId } = await api.end(answer.headers.get('Location') ?? '');
  expect(issueId).toMatch(/^iss_/);
  return issueId ?? '';
}

/** Pages behind the first become rubbish, as on a failing disk. */
function damage(database: string): void {
  expect(existsSync(`${database}-wal`)).toBe(false);
  const { size } = statSync(database);
  const file = openSync(database, 'r+');
  for (let at = 4096; at < size; at += 4096) writeSync(file, Buffer.alloc(512, 0xa5), 0, 512, at);
  closeSync(file);
}
