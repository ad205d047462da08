// Records leave their place: copied while the service writes them, restored, and moved to PostgreSQL; who asks the API sees the same.
import { execFile } from 'node:child_process';
import { copyFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { PROGRAM, printedToken, type Service, startService, temporaryFolder } from '../support/service.ts';
import { SHOP, SHOP_REPORT } from '../support/shop-fix.ts';

const run = promisify(execFile);

describe('the records of a service', () => {
  const cleanup = new AsyncDisposableStack();
  let service: Service;
  let projects: readonly string[];
  let dataDir: string;
  let token: string;
  let api: ApiClient;
  let issueId: string;

  beforeAll(async () => {
    const repository = cleanup.use(await gitRepository());
    await repository.commit(SHOP, 'Shop');
    projects = [repository.path];
    dataDir = cleanup.use(await temporaryFolder()).path;
    service = cleanup.use(await startService({ projects, dataDir, env: { RATE_LIMIT: 'off' } }));
    token = printedToken(service);
    api = apiClient(service.address, token);
    issueId = (await api.issue(await api.report({ projectId: (await api.project()).id, data: SHOP_REPORT }))).id;
  });
  afterAll(() => cleanup.disposeAsync());

  it('are backed up while it writes, and answered by another service from the copy', async () => {
    await using folder = await temporaryFolder();
    const copy = path.join(folder.path, 'causeway.db');
    const stop = new AbortController();
    const { id: projectId } = await api.project();
    const sent = flood(api, projectId, stop.signal);
    const { stdout, stderr } = await causeway(['backup', copy]);
    stop.abort();
    const paths = await sent;
    expect(paths.length).toBeGreaterThan(2);
    expect([stdout, stderr]).toEqual([
      `${copy}\n`,
      expect.stringMatching(/^Copied and checked: \d+ rows in \d+ tables/),
    ]);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    await expect(causeway(['backup', copy])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('a backup never overwrites a file'),
    });
    const issue = await api.get(`/api/v1/issues/${issueId}/`);
    await copyFile(path.join(dataDir, 'encryption.key'), path.join(folder.path, 'encryption.key'));
    await using restored = await startService({ projects, dataDir: folder.path });
    const there = apiClient(restored.address, token);
    expect(await there.get(`/api/v1/issues/${issueId}/`)).toEqual(issue);
    // Of those that were sent meanwhile: the first ones whole, the others not at all.
    const known = await Promise.all(paths.map((investigation) => there.status(investigation)));
    expect(known).toEqual(known.toSorted());
    await restored.end('SIGTERM');
  });

  it('are moved to PostgreSQL, where the same token reads the same Issue', async () => {
    await using database = await emptyDatabase();
    const issue = await api.get(`/api/v1/issues/${issueId}/`);
    const { issueIds } = await api.project();
    const url = new URL(database.url);
    url.password ||= 'hidden-0123456789';
    const env = { DATABASE_URL: url.href };
    const move = ['move', '--from', `sqlite:${path.join(dataDir, 'causeway.db')}`];
    await expect(causeway(move, env)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Another Causeway server or worker \(process \d+\) uses/),
    });
    await service.end('SIGTERM');
    giveUp(path.join(dataDir, 'causeway.db'));
    const { stderr } = await causeway(move, env);
    expect(stderr).toContain('1 failed job moved as well');
    expect((await causeway(['redrive'], env)).stderr).toMatch(/ {2}publish {2}1\n/);
    expect(stderr).toContain('the same counts as in the original');
    expect(stderr).toContain(`ENCRYPTION_KEY to the content of ${path.join(dataDir, 'encryption.key')}`);
    expect(stderr).not.toContain(url.password);
    await using moved = await startService({ projects, dataDir, env });
    const there = apiClient(moved.address, token);
    expect(await there.get(`/api/v1/issues/${issueId}/`)).toEqual(issue);
    expect((await there.project()).issueIds).toEqual(expect.arrayContaining([...issueIds]));
    await moved.end('SIGTERM');
  });

  function causeway(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    return run(process.execPath, [PROGRAM, ...args], { env: { PATH: process.env['PATH'], DATA_DIR: dataDir, ...env } });
  }
});

/** A job whose tries are used up. */
function giveUp(file: string): void {
  const sqlite = new Sqlite(file);
  sqlite.exec(`insert into jobs (id, kind, subject, group_key, state, run_at, attempts, failures, urgency)
    values ('job_dead', 'publish', 'thr_gone', 'thr_gone', 'dead', '2026-11-20T10:00:00.000Z', 3, 3, 'person')`);
  sqlite.close();
}

/** Reports, one after the other, until the signal aborts. */
async function flood(api: ApiClient, projectId: string, signal: AbortSignal): Promise<readonly string[]> {
  const paths: string[] = [];
  while (!signal.aborted) paths.push(await api.report({ projectId, data: `Report ${paths.length}` }));
  return paths;
}
