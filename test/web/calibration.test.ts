// The pages of calibration: figures as a table, the diagram, the threshold with its reason; and the outcome on an Issue's page.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toCalibrationView } from '../../src/api/outcome-schemas.ts';
import { EMPTY_EXCERPT } from '../../src/core/check/head.ts';
import type { Verdict } from '../../src/core/check/verdict.ts';
import { calibrate } from '../../src/core/outcome/calibration.ts';
import type { Fate, Vote } from '../../src/core/outcome/outcome.ts';
import { describeVerdict } from '../../src/web/components.ts';
import { barriersOn, openBrowser } from '../support/browser.ts';
import { conclusion, finding, inBranch, recorded, seenAs, sighting } from '../support/store-samples.ts';
import { contentOf, mainOf, rowsOf } from './read-page.ts';
import { repository, type WebGround, webGround } from './web-ground.ts';

const RELIABILITY = 'How often answers of each confidence were right';
const URL = 'https://github.com/octo/shop/pull/31';

/** An answer of that confidence with what became of it. */
async function followed(
  ground: WebGround,
  confidence: number,
  fate: Fate,
  votes: readonly Vote[] = [],
  project = ground.projects[0],
) {
  const { analysis } = conclusion();
  const found = { analysis: { ...analysis, outcome: 'code_fix', confidence } as const };
  const { issueId } = await ground.concluded({
    text: `of ${Math.random()}`,
    conclusion: found,
    ...(project && { project }),
  });
  const { id = '' } = (await ground.store.findOutcomeOfIssue(issueId)) ?? {};
  const now = ground.clock.now.toISOString();
  await ground.store.saveLook(id, { fate, reactions: null, now });
  for (const vote of votes) await ground.store.recordVote(issueId, vote, vote.at);
  return issueId;
}

const AT = '2026-11-19T10:00:00.000Z';
const MERGED: Fate = { kind: 'merged', url: URL, at: AT, commit: 'a'.repeat(40) };
const CLOSED: Fate = { kind: 'closed', url: URL, at: AT };

describe('the calibration of a project', () => {
  it('says that nothing is known, and where the threshold starts', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const page = await ground.visitor.page(`/projects/${ground.projects[0]?.id}/calibration`);
    expect(contentOf(page)).toContain(
      'Fixes for a red default branch open automatically from 78 % confidence (default).',
    );
    expect(contentOf(page)).toContain('No answers yet.');
    expect(page).not.toContain('<svg');
  });

  it('counts a few answers without a chart, and says that they are few', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const address = `/projects/${ground.projects[0]?.id}/calibration`;
    await followed(ground, 0.8, { kind: 'pending' });
    expect(contentOf(await ground.visitor.page(address))).toContain('1 answer, none rated yet.');
    await followed(ground, 0.8, MERGED);
    const page = await ground.visitor.page(address);
    expect(contentOf(page)).toContain('1 of 1 rated answers was right; 1 unrated. Too few to judge.');
    expect(page).not.toContain('<svg');
  });

  it('lists each project on the page of all of them', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop'), repository('octo/site')] });
    for (let at = 0; at < 5; at += 1) await followed(ground, 0.9, at < 4 ? MERGED : CLOSED);
    await followed(ground, 0.9, MERGED, [], ground.projects[1]);
    const page = await ground.visitor.page('/calibration');
    expect(contentOf(page)).toContain('5 of 6 rated answers were right.');
    expect(rowsOf(page, 'Rated answers by project')).toEqual([
      ['octo/shop', '4 of 5', '80 %', '0'],
      ['octo/site', '1 of 1', '–', '0'],
    ]);
  });

  it('draws what its table says, and moves the threshold with its reason', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    for (let at = 0; at < 14; at += 1) await followed(ground, 0.8, CLOSED);
    for (let at = 0; at < 3; at += 1) await followed(ground, 0.95, MERGED);
    const page = await ground.visitor.page(`/projects/${ground.projects[0]?.id}/calibration`);
    expect(rowsOf(page, RELIABILITY)).toEqual([
      ['80 % to 90 %', '80 %', '14', '0', '0 %', '0 % to 22 %'],
      ['90 % to 100 %', '95 %', '3', '3', '100 %', '44 % to 100 %'],
    ]);
    expect(page.match(/class="dot"/g)).toHaveLength(2);
    expect(contentOf(page)).toContain(
      'from 85 % confidence (raised from 78 %: of 14 fixes with 78 to 85 % confidence, 0 were right).',
    );
    expect(contentOf(page)).toContain('3 of 17 rated answers were right. Few answers: the intervals are wide.');
    expect(contentOf(page)).toContain('Stated confidence');
    const all = await ground.visitor.page('/calibration');
    expect(rowsOf(all, RELIABILITY)).toEqual(rowsOf(page, RELIABILITY));
  });

  it('says why no pull request is opened, instead of a threshold that would not count', async () => {
    const settings = { noPullRequests: 'The repository opens no pull requests.' };
    await using ground = await webGround({ repositories: [repository('octo/shop')], settings });
    for (let at = 0; at < 6; at += 1) await followed(ground, 0.9, MERGED);
    const page = await ground.visitor.page(`/projects/${ground.projects[0]?.id}/calibration`);
    expect(contentOf(page)).toContain('Threshold The repository opens no pull requests.');
    expect(contentOf(page)).not.toContain('open automatically');
    expect(page).toContain('class="dot"');
    expect(page).not.toContain('class="threshold"');
  });

  it('says that the configuration fixes it', async () => {
    const settings = { threshold: 0.9 };
    await using ground = await webGround({ repositories: [repository('octo/shop')], settings });
    const page = await ground.visitor.page(`/projects/${ground.projects[0]?.id}/calibration`);
    expect(contentOf(page)).toContain('from 90 % confidence (set by pull_request.threshold).');
  });
});

describe('the plot and the tables', () => {
  const opened = new AsyncDisposableStack();
  let ground: WebGround;
  let issue = '';
  let address = '';

  beforeAll(async () => {
    ground = opened.use(await webGround({ repositories: [repository('octo/shop')] }));
    const [project] = ground.projects;
    address = `/projects/${project?.id}`;
    for (const [confidence, right, wrong] of [
      ...([
        [0.12, 0, 2],
        [0.31, 1, 3],
        [0.55, 4, 5],
        [0.68, 7, 3],
        [0.74, 9, 2],
      ] as const),
      ...([
        [0.79, 11, 1],
        [0.83, 14, 2],
        [0.95, 21, 0],
        [0.99, 3, 0],
      ] as const),
    ]) {
      for (let at = 0; at < right + wrong; at += 1) {
        issue = await followed(ground, confidence, at < right ? MERGED : CLOSED);
      }
    }
    await recorded(ground.store, project?.id ?? '', [inBranch('a', 5)]);
    const now = ground.clock.now.toISOString();
    const ends: readonly (readonly [Verdict, Fate])[] = [
      ...(['1', '2', '3'].map(() => ['code', { kind: 'fixed_later', commit: 'c'.repeat(40) }]) as [Verdict, Fate][]),
      ['code', { kind: 'rerun_green' }],
      ['flaky', { kind: 'rerun_green' }],
      ['infrastructure', { kind: 'rerun_green' }],
    ];
    for (const [at, [verdict, fate]] of ends.entries()) {
      const head = { id: `hed_${at}`, projectId: project?.id ?? '', sha: String(at).repeat(40), branch: 'topic' };
      await ground.store.ensureHead(head, { runAt: now, now });
      await ground.store.saveHead(head.id, seenAs('red', { findings: [finding('fal_1', { verdict })] }), now);
      const [given] = await ground.store.listOutcomes({ limit: 1, kind: 'verdict' });
      await ground.store.saveLook(given?.id ?? '', { fate, reactions: null, now });
    }
    const keys = ['first', 'second', 'third'];
    const failure = { id: 'fal_2', projectId: project?.id ?? '', fingerprint: 'flaky', headline: 'expected 3, got 2' };
    await ground.store.recordSightings(
      failure,
      keys.map((key) => sighting(key, { at: now, sha: '5'.repeat(40) })),
    );
    await ground.store.markFlaky('fal_2', keys.slice(1));
    const testFile = { path: 'test/basket.test.ts', owners: ['@octo/shop', '@octo/payments'] };
    const excerpt = { ...EMPTY_EXCERPT, tests: ['a basket sums what is in it'] };
    await ground.store.saveHead('hed_5', seenAs('red', { findings: [finding('fal_2', { excerpt, testFile })] }), now);
  });
  afterAll(() => opened.disposeAsync());

  const readJson = async () => {
    const followedAll = await ground.store.listCalibrated([ground.projects[0]?.id ?? '']);
    return toCalibrationView(null, calibrate(followedAll), null);
  };

  it('have every figure of the API', async () => {
    const json = await readJson();
    const page = await ground.visitor.page(`${address}/calibration`);
    const percent = (share: number | null) => `${Math.round((share ?? 0) * 100)} %`;
    const known = json.deciles.filter(({ count }) => count > 0);
    expect(known).toHaveLength(7);
    expect(rowsOf(page, RELIABILITY)).toEqual(
      known.map(({ from, to, confidence, count, right, share, low, high }) => [
        ...[`${percent(from)} to ${percent(to)}`, percent(confidence), String(count), String(right), percent(share)],
        `${percent(low)} to ${percent(high)}`,
      ]),
    );
    expect(rowsOf(page, 'Verdicts confirmed and refuted by what followed')).toEqual(
      json.verdicts
        .filter(({ confirmed, refuted }) => confirmed + refuted > 0)
        .map(({ verdict, confirmed, refuted }) => [
          ...[describeVerdict(verdict), String(confirmed), String(refuted)],
          percent(confirmed / (confirmed + refuted)),
        ]),
    );
    const words = contentOf(page);
    expect(words).toContain(`${json.right} of ${json.right + json.wrong} rated answers were right`);
    expect(words).toContain(`Brier score ${json.brier?.toFixed(3)}`);
  });

  it('draw the same: dots, intervals and bars', async () => {
    const known = (await readJson()).deciles.filter(({ count }) => count > 0);
    const page = await ground.visitor.page(`${address}/calibration`);
    const frame = numbersOf(page, 'rect', 'frame')[0] ?? {};
    const { x = 0, y = 0, width = 1, height = 1 } = frame;
    const across = (at = 0) => (at - x) / width;
    const up = (at = 0) => 1 - (at - y) / height;
    const dots = numbersOf(page, 'circle', 'dot').map(({ cx, cy }) => [across(cx), up(cy)]);
    expectClose(
      dots,
      known.map(({ confidence, share }) => [confidence ?? 0, share ?? 0]),
    );
    const intervals = numbersOf(page, 'line', 'interval').map(({ x1, x2, y1, y2 }) => [
      across(x1),
      across(x2),
      up(y1),
      up(y2),
    ]);
    expectClose(
      intervals,
      known.map(({ confidence, low, high }) => [confidence ?? 0, confidence ?? 0, low, high]),
    );
    const most = Math.max(...known.map(({ count }) => count));
    const bars = numbersOf(page, 'rect', 'bar').map((bar) => bar['height'] ?? 0);
    expectClose([bars.map((bar) => bar / Math.max(...bars))], [known.map(({ count }) => count / most)]);
  });

  it('bar nobody in a browser, nor do the pages of what became of answers', async () => {
    await using browser = await openBrowser();
    const { page, faults } = await browser.page();
    await page.route('**/*', async (route) => {
      const url = new globalThis.URL(route.request().url());
      const answer = await ground.visitor.get(`${url.pathname}${url.search}`);
      const body = Buffer.from(await answer.arrayBuffer());
      await route.fulfill({ status: answer.status, headers: Object.fromEntries(answer.headers), body });
    });
    const open = (path: string) => page.goto(`${ground.deps.baseUrl()}${path}`);
    for (const [name, path] of [
      ['calibration-project', `${address}/calibration`],
      ['calibration', '/calibration'],
      ['failures-known', `${address}/failures`],
      ['failure-known', `${address}/failures/fal_1`],
      ['failure-flaky', `${address}/failures/fal_2`],
      ['issue-outcome', `/issues/${issue}`],
    ] as const) {
      await open(path);
      expect(await barriersOn(page, name)).toEqual([]);
    }
    await page.getByText('Analyse again').click();
    expect(await barriersOn(page, 'issue-retry')).toEqual([]);
    expect(faults).toEqual([]);
  });
});

/** The numbers among the attributes of each such element. */
function numbersOf(page: string, tag: string, name: string): readonly Readonly<Record<string, number>>[] {
  const found = page.match(new RegExp(`<${tag} class="${name}"[^>]*>`, 'g')) ?? [];
  return found.map((element) =>
    Object.fromEntries([...element.matchAll(/(\w+)="(-?[\d.]+)"/g)].map(([, key = '', value]) => [key, Number(value)])),
  );
}

function expectClose(drawn: readonly (readonly number[])[], wanted: readonly (readonly number[])[]): void {
  const round = (rows: readonly (readonly number[])[]) =>
    rows.map((row) => row.map((value) => Number(value.toFixed(6))));
  expect(round(drawn)).toEqual(round(wanted));
}

describe('the page of an Issue', () => {
  it('says in one line what became of it, and what people wrote, as text', async () => {
    await using ground = await webGround({ repositories: [repository('octo/shop')] });
    const why = 'No: <script>alert(1)</script> @mara';
    const vote: Vote = { personId: 9, source: 'command', vote: 'wrong', why, at: AT };
    const page = await ground.visitor.page(`/issues/${await followed(ground, 0.8, MERGED, [vote])}`);
    expect(contentOf(page)).toContain('Details Outcome Merged');
    expect(contentOf(page)).toContain('Merged as it was');
    expect(contentOf(page)).toContain('1 person found it wrong');
    expect(mainOf(page)).not.toContain('<script>');
  });
});
