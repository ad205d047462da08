// Several processes over one PostgreSQL database: two that take reports, started at once, and one that does the work.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import type { HeldModel } from '../../packages/models/test/played.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { heldModel } from '../support/held-model.ts';
import { modelSettings } from '../support/model-service.ts';
import { emptyDatabase, type TestDatabase } from '../support/postgres.ts';
import { printedToken, type Service, startService, temporaryFolder } from '../support/service.ts';
import { FIX_TURNS, SHOP, SHOP_REPORT } from '../support/shop-fix.ts';
import { webhookReceiver } from '../support/webhook-receiver.ts';

describe('several processes over one PostgreSQL database', () => {
  const cleanup = new AsyncDisposableStack();
  let database: TestDatabase;
  let model: HeldModel;
  let doors: readonly Service[];
  let worker: Service;
  /** Of the worker. */
  let mirrors: string;
  let one: ApiClient;
  let other: ApiClient;
  let startWorker: () => Promise<Service>;

  beforeAll(async () => {
    const repository = cleanup.use(await gitRepository());
    await repository.commit(SHOP, 'Shop');
    database = cleanup.use(await emptyDatabase());
    model = cleanup.use(await heldModel(FIX_TURNS));
    const folders = [0, 1, 2].map(async () => cleanup.use(await temporaryFolder()).path);
    const [first = '', second = '', third = ''] = await Promise.all(folders);
    const env = {
      ...(await modelSettings(model.endpoint, first)),
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    };
    const projects = [repository.path];
    const start = (dataDir: string, ...command: string[]) =>
      startService({ projects, dataDir, env, command, ownProcess: true });
    doors = await Promise.all([first, second].map((dataDir) => start(dataDir, 'serve', '--no-worker')));
    for (const door of doors) cleanup.use(door);
    mirrors = path.join(third, 'mirrors');
    mkdirSync(path.join(mirrors, 'prj_erased.git'), { recursive: true });
    startWorker = () => start(third, 'worker', '--concurrency', '2');
    worker = cleanup.use(await startWorker());
    const [token = ''] = doors.filter((door) => door.output().includes('cwy_')).map(printedToken);
    [one, other] = doors.map((door) => apiClient(door.address, token)) as [ApiClient, ApiClient];
  });
  afterAll(() => cleanup.disposeAsync());

  it('each remove their own copies of source whose project was erased', async () => {
    const gone = path.join(mirrors, 'prj_erased.git');
    await expect.poll(() => existsSync(gone)).toBe(false);
  });

  it('that start at once on an empty database make its schema, its account and its project once', async () => {
    const [counts] = await database.query<Record<string, string>>(
      `select (select count(*) from accounts) as accounts, (select count(*) from projects) as projects,
        (select count(*) from kysely_migration) = (select count(distinct name) from kysely_migration) as once`,
    );
    expect(counts).toEqual({ accounts: '1', projects: '1', once: true });
    expect((await one.project()).id).toBe((await other.project()).id);
  });

  it('show a report that one took, and a third investigates, live to whoever asks the first, and tell its caller once', async () => {
    await using receiver = await webhookReceiver();
    const { id: projectId } = await one.project();
    const held = model.at('asked', 3);
    const path = await one.report({ projectId, data: SHOP_REPORT, callbackUrl: receiver.url });
    await held;
    // The model is waited for: what is told now was told while it happened.
    const live = eventsUntil(one, path, /event: step\n/);
    expect(await live).toContain('event: state\n');
    model.release();
    // A held question is never answered: its worker stops, and the next one asks it again.
    expect(await worker.end('SIGTERM')).toBe(0);
    worker = cleanup.use(await startWorker());
    const issue = await one.issue(path);
    expect(issue.analysis).toMatchObject({ outcome: 'code_fix', partial: false });
    expect(await other.issue(path)).toEqual(issue);
    await receiver.received(1);
    expect(receiver.deliveries.map(({ body }) => JSON.parse(body).data.id)).toEqual([issue.id]);
  });

  it('stop a run in one when it is cancelled through another', async () => {
    const { id: projectId } = await one.project();
    const held = model.at('asked', 2);
    const path = await one.report({ projectId, data: `${SHOP_REPORT}\ncancelled` });
    const { closed } = await held;
    expect(await other.status(path, 'DELETE')).toBe(200);
    await closed;
    expect(await one.end(path)).toMatchObject({ state: 'cancelled', reason: { code: 'cancelled' } });
    model.release();
  });

  it('answer operators of the worker, and nobody else there', async () => {
    const asked = async (place: string) => await fetch(`${worker.address}${place}`);
    expect(await (await asked('/healthz')).json()).toEqual({ status: 'alive' });
    expect(await (await asked('/readyz')).json()).toMatchObject({ status: 'ready' });
    for (const place of ['/api/v1/projects/', '/docs', '/', '/sign-in']) expect((await asked(place)).status).toBe(404);
  });
});

/** What the stream of an investigation says until it says that. */
async function eventsUntil(api: ApiClient, investigation: string, words: RegExp): Promise<string> {
  const stop = new AbortController();
  const answer = await api.open(`${investigation}events/`, stop.signal);
  let said = '';
  for await (const piece of answer.body ?? []) {
    said += Buffer.from(piece).toString();
    if (words.test(said)) break;
  }
  stop.abort();
  return said;
}
