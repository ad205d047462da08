// `causeway replay`: an Issue's report asked again with another model while the service runs, and what cannot be replayed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitRepository, gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { type ModelEndpoint, modelEndpoint } from '../../packages/models/test/model-endpoint.ts';
import { call } from '../../packages/models/test/played.ts';
import type { Issue } from '../../src/core/issue/issue.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { COMPILED } from '../support/compiled.ts';
import { BESIDE_THE_BUG, minutesAgo, redStage } from '../support/github-red-desk.ts';
import { COUPONS } from '../support/github-red-model.ts';
import { modelSettings } from '../support/model-service.ts';
import { conclusion, plays } from '../support/played-model.ts';
import { recordsEnv, storedRows } from '../support/records.ts';
import { PROGRAM, printedToken, type Service, startService, temporaryFolder } from '../support/service.ts';
import { FIX_TURNS, SHOP, SHOP_REPORT } from '../support/shop-fix.ts';
import { webhookReceiver } from '../support/webhook-receiver.ts';

const OTHER = 'other-model';

describe('an Issue replayed while the service runs', () => {
  const cleanup = new AsyncDisposableStack();
  let repository: GitRepository;
  let endpoint: ModelEndpoint;
  let service: Service;
  let api: ApiClient;
  let dataDir = '';
  let settings: Readonly<Record<string, string>> = {};
  let issue: Issue;
  let webhooks: Awaited<ReturnType<typeof webhookReceiver>>;

  beforeAll(async () => {
    repository = cleanup.use(await gitRepository({ folder: 'shop' }));
    await repository.commit(SHOP, 'Begin');
    dataDir = cleanup.use(await temporaryFolder()).path;
    webhooks = cleanup.use(await webhookReceiver());
    const unsure = plays([
      { say: 'Where?', calls: [call('search', { pattern: 'canaryAfterwards' }), call('history', { newer: true })] },
      { calls: [conclusion({ outcome: 'inconclusive', ruledOut: ['There is nothing'] })] },
    ]);
    const fixes = plays(FIX_TURNS);
    endpoint = cleanup.use(
      await modelEndpoint((response, request, asked) =>
        (asked.body['model'] === OTHER ? unsure : fixes)(response, request, asked),
      ),
    );
    settings = await modelSettings(endpoint, dataDir);
    service = await startService({ projects: [repository.path], dataDir, env: settings });
    cleanup.use(service);
    api = apiClient(service.address, printedToken(service));
    const { id: projectId } = await api.project();
    issue = await api.issue(await api.report({ projectId, data: SHOP_REPORT, callbackUrl: webhooks.url }));
    // What came after the answer must not be seen by a replay.
    await repository.commit({ 'src/late.js': 'export const canaryAfterwards = 1;\n' }, 'Add canaryAfterwards');
  });
  afterAll(() => cleanup.disposeAsync());

  async function replay(...args: readonly string[]) {
    const env = {
      PATH: process.env['PATH'],
      ...COMPILED,
      ...(await recordsEnv(dataDir)),
      ...settings,
      DATA_DIR: dataDir,
    };
    const child = spawn(process.execPath, [PROGRAM, 'replay', ...args], { cwd: dataDir, env });
    const [out, err] = [text(child.stdout), text(child.stderr)];
    const [code] = await once(child, 'close');
    return { code, out: await out, err: await err };
  }

  const readSpent = async () => {
    const [row] = await storedRows<{ spent: string }>(dataDir, 'select sum(spent) as spent from costs');
    return Number(row?.spent);
  };

  it('shows both answers side by side, at the commit of the old one, and keeps nothing but the cost', async () => {
    const before = await readSpent();
    const asked = endpoint.requests.length;
    const { code, out } = await replay(issue.id, '--model', OTHER, '--json');
    expect(code).toBe(0);
    const answers = JSON.parse(out);
    expect(answers).toMatchObject({
      ...{ issueId: issue.id, revision: issue.analysis.revision, notes: [] },
      before: { model: 'test-model', outcome: 'code_fix', turns: FIX_TURNS.length + 1, proof: null },
      after: { model: OTHER, outcome: 'inconclusive', turns: 2, diff: { files: [] } },
    });
    expect(answers.before.rootCause).toBe(issue.rootCause);
    expect(answers.before.diff).toEqual(issue.diff);
    expect(answers.before.tools.flat()).toContain('replace');
    expect(answers.after.tools).toEqual([['search', 'history'], ['conclude']]);
    const seen = endpoint.requests.slice(asked).flatMap(({ body }) => body.messages);
    const results = seen.filter(({ role }) => role !== 'assistant').map(({ content }) => String(content));
    expect(results.some((result) => /Add canaryAfterwards|src\/late\.js/.test(result))).toBe(false);
    // Each question is rounded up.
    const rounded = (await readSpent()) - before - answers.costUsd * 1_000_000;
    expect([rounded >= -1e-6, rounded < 2, answers.costUsd > 0]).toEqual([true, true, true]);
    expect((await api.project()).issueIds).toEqual([issue.id]);
    expect(await storedRows(dataDir, 'select id from webhooks')).toHaveLength(1);
  });

  it('is readable in a terminal, with both changes', async () => {
    const { out } = await replay(issue.id);
    expect(out).toMatch(/^local\/shop at [0-9a-f]{12}\n {12}before +replayed\nmodel {7}test-model +test-model\n/);
    expect(out.split('Change before')[1]?.split('Change replayed')[1]).toContain('src/cart/total.js +1 -1');
    expect(out.replaceAll('\n', ' ')).toContain('counted in BUDGET_REPOSITORY_MONTH and BUDGET_MONTH.');
  });

  it('says plainly that a transcript, a commit or the Issue is gone', async () => {
    await storedRows(dataDir, 'delete from transcript_entries');
    const untold = await replay(issue.id, '--model', 'none');
    expect([untold.code, untold.out.replaceAll('\n', ' ')]).toEqual([
      0,
      expect.stringContaining('The transcript of the old answer is gone'),
    ]);
    repository.git('checkout', '--quiet', '--orphan', 'fresh');
    repository.git('commit', '--quiet', '-m', 'Begin anew');
    repository.git('branch', '--quiet', '-D', 'main');
    repository.git('reflog', 'expire', '--expire=now', '--all');
    repository.git('gc', '--quiet', '--prune=now');
    const lost = await replay(issue.id);
    expect([lost.code, lost.err]).toEqual([
      1,
      expect.stringContaining('is no longer in local/shop: the report cannot be replayed.'),
    ]);
    await api.status(`/api/v1/issues/${issue.id}/`, 'DELETE');
    const erased = await replay(issue.id);
    expect([erased.code, erased.err]).toEqual([
      2,
      expect.stringContaining(`There is no Issue ${issue.id}: it was deleted`),
    ]);
  });
});

describe('a failed check of a repository on GitHub, replayed', () => {
  const stage = redStage();

  it('knows what failed and the commits since it was green, and writes nothing to GitHub', async () => {
    const desk = await stage.desk('corner/replayed');
    const push = (message: string, files = {}) =>
      stage.double.people.push(desk.name, { by: 'mara', message, files: { 'NOTES.md': `${message}\n`, ...files } });
    await desk.run(await desk.tip(), { test: 'success' }, { at: minutesAgo(6) });
    await push('Tidy the basket');
    const guilty = await push('Ask more of coupons', BESIDE_THE_BUG);
    const red = await push('Say more');
    await desk.run(red, { test: COUPONS });
    const [id = ''] = (await (await stage.api('mara')).project()).issueIds;
    const before = { writes: desk.writes().length, begun: desk.begun().length };
    const replayed = JSON.parse(await stage.command('replay', id, '--json'));
    expect(replayed).toMatchObject({
      ...{ issueId: id, project: desk.name, revision: red, notes: [] },
      before: { outcome: 'code_fix' },
      after: { outcome: 'code_fix', proof: null },
    });
    expect({ ...replayed.after, seconds: 0, proof: null }).toEqual({ ...replayed.before, seconds: 0, proof: null });
    const asked = desk.begun().at(-1) ?? '';
    expect([desk.begun().length, asked]).toEqual([
      before.begun + 1,
      expect.stringContaining('rank the 3 commits since the check was green, by what they touch'),
    ]);
    expect(asked).toMatch(new RegExp(`${guilty.slice(0, 7)}.*touches src/coupons\\.js`));
    await stage.rest();
    expect(desk.writes()).toHaveLength(before.writes);
  });

  it('says so where the records of the check are gone', async () => {
    const desk = await stage.desk('corner/forgotten');
    await desk.run(await desk.push('main'), { test: COUPONS });
    const [{ id } = { id: '' }] = await storedRows<{ id: string }>(
      stage.dataDir,
      "select i.id from issues i join projects p on p.id = i.project_id where p.name = 'corner/forgotten'",
    );
    await storedRows(stage.dataDir, `delete from heads where sha = '${await desk.tip()}'`);
    const { notes } = JSON.parse(await stage.command('replay', id, '--model', 'none', '--json'));
    expect(notes).toEqual(['without_check']);
  });
});
