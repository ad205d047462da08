// Local mode as a newcomer meets it: started with nothing set, looked at in the browser, and asked with the curl that it prints.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import type { Issue } from '../../src/core/issue/issue.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { printedToken, type Service, startService, temporaryFolder } from '../support/service.ts';
import { webVisitor } from '../support/web-visitor.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

interface Listed {
  readonly name: string;
  readonly issueIds: readonly string[];
}

/** The body of the printed curl, as a shell hands it to curl. */
function pastedReport(output: string): Record<string, unknown> {
  const curl = /^curl -i (?:.*\\\n)+[\s\S]*?^}'$/m.exec(output)?.[0] ?? '';
  const given = execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${curl}`], { encoding: 'utf8' });
  return JSON.parse(given.split('\0').at(-2) ?? '');
}

describe('a first start with nothing set', () => {
  const cleanup = new AsyncDisposableStack();
  let service: Service;
  let api: ApiClient;
  let dataDir = '';
  let token = '';

  beforeAll(async () => {
    dataDir = cleanup.use(await temporaryFolder()).path;
    // In the clone, as the README says.
    service = await startService({ projects: [], dataDir, cwd: ROOT, ownProcess: true });
    cleanup.defer(async () => void (await service.end('SIGKILL')));
    token = printedToken(service);
    api = apiClient(service.address, token);
  });
  afterAll(() => cleanup.disposeAsync());

  it('prints five lines, the link first', () => {
    const [, after = ''] = service.output().split('Preparing the demo project (once)…\n');
    const [head = ''] = after.split('\n\n');
    expect(head.split('\n')).toHaveLength(5);
    expect(head).toMatch(/^Causeway is ready: http:\/\/127\.0\.0\.1:\d+\/sign-in\/local\?code=/);
    expect(head).toContain('Projects (set PROJECTS to change): local/corner-shop (demo)\n');
  });

  it('has one project with one finished Issue, which says that a script played the model', async () => {
    const projects: readonly Listed[] = await api.get('/api/v1/projects/');
    expect(projects.map(({ name, issueIds }) => [name, issueIds.length])).toEqual([['local/corner-shop', 1]]);
    const issue: Issue = await api.get(`/api/v1/issues/${projects[0]?.issueIds[0]}/`);
    expect(issue.analysis).toMatchObject({ outcome: 'code_fix', model: 'scripted', partial: false });
    expect(issue.analysis.reference).toContain("the model's answers come from a script");
    expect(issue.analysis.usage.costUsd).toBe(0);
    const visitor = webVisitor(service.address);
    const link = new URL(/http:\S+\/sign-in\/local\?code=[\w-]+/.exec(service.output())?.[0] ?? '');
    await visitor.send(link.href, '/sign-in/local', { code: link.searchParams.get('code') ?? '' });
    expect(await (await visitor.get('/projects')).text()).toContain('local/corner-shop');
    const page = await (await visitor.get(`/issues/${issue.id}`)).text();
    expect(page).toContain('A script plays the model here.');

    const form = await (await visitor.get('/account/tokens/new')).text();
    const key = /name="form_key" value="([^"]+)"/.exec(form)?.[1] ?? '';
    const wish = { name: 'ci', scope: 'issues:write', bound: 'all', expiry: '90', form_key: key };
    const made = await visitor.send('/account/tokens/new', '/account/tokens', wish);
    expect(await made.text()).toContain('at discountFor (file:///srv/corner-shop/src/coupons.js:14:11)');
  });

  it('prints a curl whose answer points at the line that breaks', async () => {
    const issue = await api.issue(await api.report(pastedReport(service.output())));
    expect(issue.analysis).toMatchObject({ outcome: 'facts_only', model: null });
    expect(issue.analysis.suspects[0]).toMatchObject({ file: 'src/coupons.js', line: 14 });
    expect(issue.rootCause).toContain('src/coupons.js:14');
  });

  it('makes the finished Issue once: a deleted one does not come back', async () => {
    const [before]: readonly Listed[] = await api.get('/api/v1/projects/');
    for (const id of before?.issueIds ?? []) await api.status(`/api/v1/issues/${id}/`, 'DELETE');
    await service.end('SIGTERM');
    service = await startService({ projects: [], dataDir, cwd: ROOT, ownProcess: true });
    const [after]: readonly Listed[] = await apiClient(service.address, token).get('/api/v1/projects/');
    expect(after?.issueIds).toEqual([]);
    expect(service.output()).not.toContain('Preparing the demo project');
  });
});

it('a start in a repository has that one as well, and PROJECTS has what it names alone', async () => {
  await using folder = await temporaryFolder();
  await using repository = await gitRepository({ folder: 'shop' });
  await repository.commit({ 'a.txt': 'a\n' }, 'First');
  const started = { dataDir: folder.path, cwd: repository.path };
  const names = async (service: Service, token: string) => {
    const listed: readonly Listed[] = await apiClient(service.address, token).get('/api/v1/projects/');
    return listed.map(({ name }) => name);
  };
  const first = await startService({ ...started, projects: [] });
  const token = printedToken(first);
  expect(await names(first, token)).toEqual(['local/corner-shop', 'local/shop']);
  await first.end('SIGTERM');
  await using second = await startService({ ...started, projects: [repository.path] });
  expect(await names(second, token)).toEqual(['local/shop']);
});
