// The main road as a caller walks it: the real service in its own process, real git, a real webhook endpoint.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import type { Issue } from '../../src/core/issue/issue.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { engine, recordsEnv } from '../support/records.ts';
import { PROGRAM, printedToken, type Service, startService, temporaryFolder } from '../support/service.ts';
import { placesWith } from '../support/stored-text.ts';
import { webhookReceiver } from '../support/webhook-receiver.ts';

const run = promisify(execFile);

const REPORT = `Checkout crashes for guests

Steps to reproduce:
1. Open the shop without signing in
2. Put anything into the cart
3. Press "Check out"

TypeError: Cannot read properties of undefined (reading 'discount')
    at totalOf (/srv/shop/dist/cart/total.js:3:24)
    at checkOut (/srv/shop/dist/check-out.js:4:17)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
`;

const SOURCES = {
  'package.json': '{ "name": "shop", "version": "1.0.0" }\n',
  'src/cart/total.ts':
    'export function totalOf(cart, customer) {\n  const sum = cart.items.reduce((all, item) => all + item.price, 0);\n  return sum * (1 - customer.discount);\n}\n',
  'src/check-out.ts':
    "import { totalOf } from './cart/total.ts';\n\nexport function checkOut(cart, session) {\n  return { due: totalOf(cart, session.customer) };\n}\n",
  'src/greeting.ts': "export const greeting = 'hello';\n",
};

describe('a report by REST call', () => {
  const cleanup = new AsyncDisposableStack();
  let service: Service;
  let dataDir: string;
  let sha: string;
  let api: ApiClient;

  beforeAll(async () => {
    const repository = cleanup.use(await gitRepository());
    await repository.commit(SOURCES, 'Shop');
    sha = await repository.commit({ 'README.md': '# Shop\n' }, 'Say what it is');
    dataDir = cleanup.use(await temporaryFolder()).path;
    service = cleanup.use(await startService({ projects: [repository.path], dataDir, ownProcess: true }));
    api = apiClient(service.address, printedToken(service));
  });
  afterAll(() => cleanup.disposeAsync());

  it('becomes an Issue that is told by webhook, read by GET, listed with its project and erased by DELETE', async () => {
    await using receiver = await webhookReceiver();
    const project = await api.project();
    const investigation = await api.report({
      projectId: project.id,
      data: REPORT,
      callbackUrl: receiver.url,
      reference: 'ticket 7',
    });

    const events = await api.text(`${investigation}events/`);
    expect(events).toMatch(/event: step\n/);
    expect(events).toMatch(/event: end\n/);

    const { state, issueId } = await api.end(investigation);
    expect(state).toBe('concluded');
    const issue: Issue = await api.get(`/api/v1/issues/${issueId}/`);
    expect(issue.analysis).toMatchObject({ outcome: 'facts_only', revision: sha, reference: 'ticket 7', model: null });
    expect(issue.analysis.suspects[0]).toMatchObject({ file: 'src/cart/total.ts', function: 'totalOf' });
    expect(issue.rootCause).toContain('src/cart/total.ts');
    expect(issue.stepsToReproduce.map((step) => step.description)).toEqual([
      'Open the shop without signing in',
      'Put anything into the cart',
      'Press "Check out"',
    ]);

    const [delivery] = await receiver.received(1);
    const secret = await signingSecret();
    const headers = { ...delivery?.headers };
    const told = new StandardWebhook(secret).verify(delivery?.body ?? '', headers);
    new SvixWebhook(secret).verify(delivery?.body ?? '', headers);
    expect(told).toEqual({ type: 'issue.created', timestamp: expect.any(String), data: issue });

    expect((await api.project()).issueIds).toEqual([issueId]);
    expect(await api.status(`/api/v1/issues/${issueId}/`, 'DELETE')).toBe(200);
    expect(await api.status(`/api/v1/issues/${issueId}/`)).toBe(404);
    expect(await api.status(investigation)).toBe(404);
    expect(await api.status(`/api/v1/issues/${issueId}/`, 'DELETE')).toBe(404);
    expect((await api.project()).issueIds).toEqual([]);
  });

  it('that equals one just concluded gets its own Issue and webhook, answered from the first', async () => {
    await using receiver = await webhookReceiver();
    const { id: projectId } = await api.project();
    const json = { projectId, data: `${REPORT}\nagain`, callbackUrl: receiver.url };
    const first = await api.issue(await api.report(json));
    const second = await api.issue(await api.report(json));
    expect(second.id).not.toBe(first.id);
    expect(second.analysis).toMatchObject({ sameAs: first.id, suspects: first.analysis.suspects });
    expect(second.analysis.investigationId).not.toBe(first.analysis.investigationId);
    expect(await receiver.received(2)).toHaveLength(2);
  });

  it('that names a revision which is not there is told so by issue.failed', async () => {
    await using receiver = await webhookReceiver();
    const { id: projectId } = await api.project();
    const json = { projectId, data: REPORT, callbackUrl: receiver.url, revision: 'v9.9.9' };
    const end = await api.end(await api.report(json));
    expect(end).toMatchObject({ state: 'gave_up', issueId: null, reason: { code: 'revision_not_found' } });
    const [delivery] = await receiver.received(1);
    expect(JSON.parse(delivery?.body ?? '')).toMatchObject({
      type: 'issue.failed',
      data: { projectId, reason: { code: 'revision_not_found', detail: expect.stringContaining('v9.9.9') } },
    });
  });

  it('never stores, sends or prints a secret that stands in it', async () => {
    const secret = ['ghp', 'x9Kd72LmQp04VbN3tYw8ZrAe5HcJ1uSg6FoT'].join('_');
    const { id: projectId } = await api.project();
    const issue = await api.issue(await api.report({ projectId, data: `${REPORT}\nAuthorization: Bearer ${secret}` }));
    expect(JSON.stringify(issue)).not.toContain(secret);
    expect(issue.analysis.report).toContain('[redacted');
    expect(service.output()).not.toContain(secret);
    expect(await placesWith(dataDir, secret)).toEqual([]);
  });

  async function signingSecret(): Promise<string> {
    const env = { PATH: process.env['PATH'], DATA_DIR: dataDir, ...(await recordsEnv(dataDir)) };
    const { stdout } = await run(process.execPath, [PROGRAM, 'webhook-secret', 'show'], { env });
    return stdout.trim();
  }
});

describe('the service', () => {
  it('stops on SIGTERM with exit code 0, and prints no second token at the next start', async () => {
    await using repository = await gitRepository();
    await repository.commit({ 'a.txt': 'a\n' }, 'First');
    await using folder = await temporaryFolder();
    await using first = await startService({ projects: [repository.path], dataDir: folder.path, ownProcess: true });
    expect(printedToken(first)).toMatch(/^cwy_/);
    expect(await first.end('SIGTERM')).toBe(0);
    await using second = await startService({ projects: [repository.path], dataDir: folder.path, ownProcess: true });
    expect(second.output()).not.toContain('cwy_');
    expect(await second.end('SIGINT')).toBe(0);
  });

  it.runIf(engine() === 'sqlite')('refuses to start beside another one on the same data folder', async () => {
    await using repository = await gitRepository();
    await repository.commit({ 'a.txt': 'a\n' }, 'First');
    await using folder = await temporaryFolder();
    await using _first = await startService({ projects: [repository.path], dataDir: folder.path, ownProcess: true });
    await expect(startService({ projects: [repository.path], dataDir: folder.path, ownProcess: true })).rejects.toThrow(
      /Another Causeway server/,
    );
  });
});
