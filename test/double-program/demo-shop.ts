// The shop of the shipped demo as it is tried out: three bugs, a report of each, and a CI that runs its tests.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type GithubDouble, type RunningCi, startCi } from 'causeway-github-double';
import { gitIn } from '../../packages/git-objects/test/git-repository.ts';

const DEMO = path.join(import.meta.dirname, '..', '..', 'demo');

export const DEMO_SHOP = 'corner/shop';

const REPORTS = [
  { file: 'report.md', by: 'ola', labels: ['bug'] },
  { file: 'second-report.md', by: 'mara', labels: [] },
  { file: 'third-report.md', by: 'mara', labels: [] },
] as const;

const RUN_TESTS = ['node', '--test', '--test-isolation=none'] as const;
/** People push with the page, and a model may write a fix: the tests read their own folder, write nothing and start no program. */
const RESTRICTED = { NODE_OPTIONS: '--permission --allow-fs-read=.' } as const;

/** With its people and its reports as the first issues. CI has run on main. */
export async function openDemoShop(double: GithubDouble): Promise<RunningCi> {
  const { people } = double;
  const folder = await mkdtemp(path.join(tmpdir(), 'github-double-'));
  try {
    await gitIn(folder, 'clone', '--quiet', '--bare', path.join(DEMO, 'corner-shop.bundle'), folder);
    await people.openRepository(DEMO_SHOP, { from: folder, description: 'A small shop, and three bugs in it' });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  people.grant(DEMO_SHOP, 'mara', 'write');
  people.grant(DEMO_SHOP, 'per', 'triage');
  people.user('ola');
  const { botId } = people.otherApp('renovate');
  double.repository(DEMO_SHOP).collaborators.set(botId, { base: 'push', roleName: 'write' });
  people.makeLabel(DEMO_SHOP, 'analyse', { color: '0e8a16', description: 'Causeway looks into it' });
  people.makeLabel(DEMO_SHOP, 'bug', { color: 'd73a4a', description: 'Something is not working' });
  for (const { file, by, labels } of REPORTS) {
    const [title = '', ...body] = (await readFile(path.join(DEMO, file), 'utf8')).split('\n');
    people.openIssue(DEMO_SHOP, { by, title, body: body.join('\n').trim(), labels });
  }
  const ci = startCi(double, DEMO_SHOP, { jobs: { test: RUN_TESTS }, environment: RESTRICTED });
  await ci.run((await double.tip(DEMO_SHOP)) ?? '');
  return ci;
}
