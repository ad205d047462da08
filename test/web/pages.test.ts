// Every page of the account area for every reader: empty, after days and after months of use: no barrier, nothing wider than the window, no
// page heavier than a photograph, and quick.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { barriersOn, type OpenBrowser, openBrowser } from '../support/browser.ts';
import { conclusion } from '../support/store-samples.ts';
import { FULL, fillHouse, type HouseSize, REPOSITORIES, USUAL } from './filled-house.ts';
import { BASE, repository, type WebGround, webGround } from './web-ground.ts';

/** Bytes of a page with its style and its script, as they go over the wire. */
const MAX_WEIGHT = 150_000;

const STATES: readonly (readonly [name: string, repositories: typeof REPOSITORIES, size: HouseSize | null])[] = [
  ['empty', [repository('corner/shop')], null],
  ['usual', REPOSITORIES.slice(0, 3), USUAL],
  ['full', REPOSITORIES, FULL],
];

const opened = new AsyncDisposableStack();
let browser: OpenBrowser;

beforeAll(async () => {
  browser = opened.use(await openBrowser());
});

afterAll(() => opened[Symbol.asyncDispose]());

describe.each(STATES)('the account area, %s', (state, repositories, size) => {
  let ground: WebGround;

  beforeAll(async () => {
    ground = opened.use(await webGround({ repositories }));
    if (size !== null) await fillHouse(ground, size);
  });

  /** Addresses by the name of their pictures; those of records that the state has none of are left out. */
  async function listAddresses(): Promise<readonly (readonly [name: string, address: string])[]> {
    const { store, projects } = ground;
    const [project] = projects;
    const projectIds = projects.map(({ id }) => id);
    const [issue] = await store.listIssueLines({ projectIds, limit: 1 });
    const [failure] = await store.listFailures(projectIds, { state: 'open', isOnDefault: true, limit: 1 });
    const [running] = await store.listInvestigations({ projectIds, state: 'running', limit: 1 });
    return [
      ...([
        ['home', '/'],
        ['projects', '/projects'],
        ['search', `/search?q=${encodeURIComponent('discount')}`],
        ['project', `/projects/${project?.id}`],
        ['failures', `/projects/${project?.id}/failures`],
        ['calibration', `/projects/${project?.id}/calibration`],
        ['observed', `/projects/${projects.at(-1)?.id}/observed`],
        ['settings', `/projects/${project?.id}/settings`],
        ['all-calibration', '/calibration'],
        ['usage', '/usage'],
        ['audit', '/audit'],
        ['subscriptions', '/account/subscriptions'],
        ['deliveries', '/account/deliveries'],
        ['credentials', '/account/security-credentials'],
      ] as const),
      ...(issue === undefined ? [] : [['issue', `/issues/${issue.id}`] as const]),
      ...(failure === undefined ? [] : [['failure', `/projects/${failure.projectId}/failures/${failure.id}`] as const]),
      ...(running === undefined ? [] : [['running', `/investigations/${running.id}`] as const]),
    ];
  }

  it('has no barrier on any page, and none is heavy', async () => {
    const { page, faults } = await browser.page();
    const weights = new Map<string, number>();
    // The pages of a server that only this test reaches; a live one never ends its stream.
    await page.route(`${BASE}/**`, async (route) => {
      const { pathname, search } = new URL(route.request().url());
      if (pathname.endsWith('/live')) return route.abort('aborted');
      const answer = await ground.visitor.get(`${pathname}${search}`);
      const body = Buffer.from(await answer.arrayBuffer());
      weights.set(`${pathname}${search}`, body.length);
      await route.fulfill({ status: answer.status, headers: Object.fromEntries(answer.headers), body });
    });
    const barriers: string[] = [];
    for (const [name, address] of await listAddresses()) {
      weights.clear();
      const answer = await page.goto(`${BASE}${address}`);
      const weight = [...weights.values()].reduce((sum, bytes) => sum + bytes, 0);
      if (answer?.status() !== 200) barriers.push(`${name}: ${answer?.status()}`);
      if (weight > MAX_WEIGHT) barriers.push(`${name}: ${weight} bytes`);
      barriers.push(...(await barriersOn(page, `${state}-${name}`)));
    }
    expect(barriers).toEqual([]);
    expect(faults.filter((fault) => !fault.includes('/live'))).toEqual([]);
  });
});

it('brings what begins and ends to the first screen, and leaves alone what a person types', async () => {
  await using ground = await webGround();
  const { page } = await browser.page();
  await page.route(`${BASE}/**`, async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const answer = await ground.visitor.get(`${pathname}${search}`);
    const body = Buffer.from(await answer.arrayBuffer());
    await route.fulfill({ status: answer.status, headers: Object.fromEntries(answer.headers), body });
  });
  await page.clock.install();
  await page.goto(BASE);
  await page.getByRole('searchbox').fill('half a wo');
  const { runId } = await ground.accepted({ text: 'TypeError: basket is empty' });
  await page.clock.runFor(21_000);
  await page.getByRole('link', { name: 'TypeError: basket is empty' }).waitFor();
  const now = ground.clock.now.toISOString();
  const run = await ground.store.startRun(runId, now);
  if (run === null) throw new Error('The run is gone.');
  await ground.store.conclude(run, { ...conclusion(), problem: 'The basket was empty' }, now);
  await page.clock.runFor(5_000);
  await page.getByRole('link', { name: 'The basket was empty' }).waitFor();
  expect(await page.getByRole('link', { name: 'TypeError: basket is empty' }).count()).toBe(0);
  expect(await page.getByRole('searchbox').inputValue()).toBe('half a wo');
});
