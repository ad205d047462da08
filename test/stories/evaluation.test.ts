// `causeway eval` on a small repository with a past: what a model sees, what is asked again after a kill, what money
// allows, and what is printed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitRepository, gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { type AskedRequest, type ModelEndpoint, modelEndpoint } from '../../packages/models/test/model-endpoint.ts';
import { call, type Played, turnsIn } from '../../packages/models/test/played.ts';
import { removeOldEvaluations } from '../../src/app/evaluation-state.ts';
import { COMPILED } from '../support/compiled.ts';
import { patience } from '../support/patience.ts';
import { conclusion, plays } from '../support/played-model.ts';
import { storedRows } from '../support/records.ts';
import { PROGRAM, runCauseway, temporaryFolder } from '../support/service.ts';

/** In each fix, and in what came after it. */
const CANARY = 'canaryOfAFix';
const MODEL = 'test-model';

const CART = `export function totalOf(cart, customer) {
  const sum = cart.items.reduce((all, item) => all + item.price, 0);
  return sum * (1 - customer.discount);
}
`;
const MAIL = `export function sendReceipt(mailer, address) {
  return mailer.send(address, 'receipt');
}
`;
const REPORTS = [
  {
    number: 3,
    title: 'totalOf crashes for guests',
    body: "TypeError: Cannot read properties of undefined (reading 'discount')\n    at totalOf (src/cart.js:3:29)",
  },
  {
    number: 5,
    title: 'sendReceipt sends to no address',
    body: '`sendReceipt` in src/mail.js does not look at the address.',
  },
  { number: 9, title: 'The colour of the button', body: 'It should be green.' },
];

interface Past {
  readonly repository: GitRepository;
  readonly folder: string;
  readonly fixes: readonly string[];
}

let past: Past;
const cleanup = new AsyncDisposableStack();

beforeAll(async () => {
  const repository = cleanup.use(await gitRepository({ folder: 'shop' }));
  const folder = cleanup.use(await temporaryFolder()).path;
  await repository.commit({ 'src/cart.js': CART, 'src/mail.js': MAIL, 'README.md': 'A shop\n' }, 'Begin');
  const three = await repository.commit(
    { 'src/cart.js': CART.replace('customer.discount', `(customer?.discount ?? 0) /* ${CANARY}3 */`) },
    `Handle ${CANARY}3, fixes #3`,
  );
  const five = await repository.commit(
    { 'src/mail.js': MAIL.replace('return', `if (!address) return null; // ${CANARY}5\n  return`) },
    `Handle ${CANARY}5, fixes #5`,
  );
  repository.tag(`${CANARY}-tag`);
  await repository.commit({ 'README.md': 'A shop, in green\n' }, 'Say green, closes #9');
  past = { repository, folder, fixes: [three, five] };
  writeFileSync(path.join(folder, 'reports.jsonl'), REPORTS.map((report) => `${JSON.stringify(report)}\n`).join(''));
  // Dear enough to be counted.
  writeFileSync(
    path.join(folder, 'prices.json'),
    JSON.stringify({ [MODEL]: { prompt: 10, cached: 10, completion: 10 } }),
  );
});
afterAll(() => cleanup.disposeAsync());

/** Looks wherever a later commit could show, then says nothing. */
const LOOKS: readonly Played[] = [
  {
    say: 'I look around.',
    calls: [
      call('search', { pattern: CANARY.slice(0, 6) }),
      call('history', { newer: true }),
      call('history', { message: 'Handle' }),
      call('history', { text: CANARY.slice(0, 6) }),
      call('compare', { from: 'main' }),
    ],
  },
  () => ({ say: 'By name.', calls: past.fixes.map((sha) => call('compare', { from: sha })) }),
  { calls: [conclusion({ outcome: 'inconclusive', ruledOut: ['Nothing'] })] },
];

function start(
  state: string | null,
  options: readonly string[],
  endpoint: ModelEndpoint | null = null,
  more: Readonly<Record<string, string>> = {},
): ChildProcess {
  const { repository, folder } = past;
  const kept = state === null ? [] : ['--state', state];
  const args = ['eval', '--repo', repository.path, '--reports', 'reports.jsonl', ...kept, ...options];
  const model = {
    MODEL,
    OPENAI_BASE_URL: endpoint?.url,
    OPENAI_API_KEY: 'key',
    MODEL_PRICES: path.join(folder, 'prices.json'),
  };
  const env = { PATH: process.env['PATH'], ...COMPILED, DATA_DIR: path.join(folder, 'data'), ...(endpoint && model) };
  return spawn(process.execPath, [PROGRAM, ...args], {
    cwd: folder,
    env: { ...env, OPENAI_BASE_URL: endpoint?.url, ...more },
  });
}

async function run(...given: Parameters<typeof start>) {
  const child = start(...given);
  const [out, err] = [text(child.stdout!), text(child.stderr!)];
  const [code] = await once(child, 'close');
  return { code, out: await out, err: await err };
}

/** How often each report was begun to be asked about. */
function countBegun(requests: readonly AskedRequest[]): readonly number[] {
  const openings = requests.filter((asked) => turnsIn(asked) === 0).map(({ raw }) => raw);
  return REPORTS.slice(0, 2).map(({ title }) => openings.filter((raw) => raw.includes(title)).length);
}

describe('an evaluation on the past of a repository', () => {
  it('needs no model, and says of each case how near the facts come', async () => {
    const { code, out, err } = await run('none', ['--html', 'page.html']);
    expect([code, err]).toEqual([0, expect.stringContaining('2/2  #3  none  right file first, near a changed line')]);
    expect(out).toMatch(/^2 cases of shop: reports from a file, each at the commit before its fix\.\n/);
    expect(out).toMatch(/right file first {10,}100 % \(34–100\)/);
    expect(out).toContain('cannot know whether a stated cause is right');
    const page = readFileSync(path.join(past.folder, 'page.html'), 'utf8');
    expect(page).toContain('<th scope="row">right file first</th><td>100 % (34–100)</td>');
    expect(page).not.toMatch(/<script|src=|href=/);
  });

  it('shows a model nothing that came after the base', async () => {
    await using endpoint = await modelEndpoint(plays(LOOKS));
    const { code, err } = await run('canary', ['--models', MODEL], endpoint);
    expect([code, endpoint.requests.length]).toEqual([0, 6]);
    expect(err).toContain('spent $');
    const raws = (report: number) =>
      endpoint.requests.map(({ raw }) => raw).filter((raw) => raw.includes(REPORTS[report]!.title));
    // The case of #5 may see the fix of #3, but none its own, and that of #3 neither.
    const seen = (raw: string, name: string) => raw.replaceAll(/"arguments":"(?:[^"\\]|\\.)*"/g, '').includes(name);
    expect(raws(0).filter((raw) => seen(raw, `${CANARY}3`) || seen(raw, `${CANARY}5`))).toEqual([]);
    expect(raws(1).filter((raw) => seen(raw, `${CANARY}5`) || seen(raw, `${CANARY}-tag`))).toEqual([]);
    expect(raws(1).some((raw) => seen(raw, `${CANARY}3`))).toBe(true);
  });

  it('that is killed goes on where it was, and asks nothing twice but what was under way', async () => {
    const held = Promise.withResolvers<void>();
    const answer = plays(LOOKS);
    await using endpoint = await modelEndpoint(answer, answer, answer, answer, () => held.resolve(), answer);
    const first = start('killed', ['--models', `${MODEL},none`], endpoint);
    const closed = once(first, 'close');
    await Promise.race([held.promise, closed]);
    first.kill('SIGKILL');
    await closed;
    expect(countBegun(endpoint.requests)).toEqual([1, 1]);
    const { code, out, err } = await run('killed', ['--models', `${MODEL},none`, '--json'], endpoint);
    expect([code, err]).toEqual([0, expect.stringContaining('Continuing: 2 of 4 answers are there.')]);
    expect(countBegun(endpoint.requests)).toEqual([2, 1]);
    const { cases, summary, spentUsd } = JSON.parse(out);
    expect(cases.map((one: { name: string; answers: object }) => [one.name, Object.keys(one.answers)])).toEqual([
      ['#5', [MODEL, 'none']],
      ['#3', [MODEL, 'none']],
    ]);
    expect(summary[MODEL]).toMatchObject({ answers: 2, outcomes: { inconclusive: 2 }, turns: { mean: 3 } });
    // One answered question was of the run that was killed: it was paid for.
    expect(spentUsd).toBeGreaterThan(summary[MODEL].totalUsd);
  });

  it('stops asking where the budget ends, keeps no answer that the budget cut short, and goes on with more', async () => {
    await using endpoint = await modelEndpoint(plays(LOOKS));
    const poor = await run('budget', ['--models', `${MODEL},none`, '--budget', '0.15'], endpoint);
    expect(poor.code).toBe(1);
    expect(poor.out).toContain('of test-model: the budget is used up: give more with --budget');
    expect(poor.out).toMatch(/answers {21}[01] {23}2\n/);
    const rich = await run('budget', ['--models', `${MODEL},none`, '--budget', '20', '--json'], endpoint);
    expect([rich.code, JSON.parse(rich.out).missing]).toEqual([0, []]);
  });

  it('counts in the budget of the month, and spends no more than is left of it', async () => {
    await using endpoint = await modelEndpoint(plays(LOOKS));
    const dataDir = path.join(past.folder, 'month');
    const env = { DATA_DIR: dataDir, BUDGET_MONTH: '0.15' };
    const models = ['--models', MODEL, '--budget', '20', '--json'];
    const first = await run('month', models, endpoint, env);
    const { missing, spentUsd } = JSON.parse(first.out);
    expect([first.code, missing.at(-1).reason]).toEqual([1, 'month']);
    const [row] = await storedRows<{ spent: string }>(dataDir, 'select sum(spent) as spent from costs');
    expect(Number(row?.spent) / 1_000_000).toBeCloseTo(spentUsd, 4);
    expect(spentUsd).toBeLessThanOrEqual(0.15);
    // A budget of another evaluation's own gives no more.
    const asked = endpoint.requests.length;
    const second = await run('month-again', [...models.slice(0, -1)], endpoint, {
      ...env,
      BUDGET_MONTH: (spentUsd - 0.005).toFixed(2),
    });
    expect([second.code, endpoint.requests.length]).toEqual([1, asked]);
    expect(second.out).toContain('2 of test-model: what was left of BUDGET_MONTH is used up');
  });

  it('goes with its retention after its last use, and with the erasure of what it is about', async () => {
    const dataDir = path.join(past.folder, 'kept');
    const evaluations = path.join(dataDir, 'evaluations');
    const evaluate = () => run(null, ['--models', 'none'], null, { DATA_DIR: dataDir });
    expect((await evaluate()).code).toBe(0);
    expect(readdirSync(evaluations)).toEqual(['shop']);
    const now = new Date();
    const sweep = (days: number) =>
      removeOldEvaluations(dataDir, new Date(now.getTime() + days * 86_400_000), patience());
    expect([await sweep(-1), readdirSync(evaluations)]).toEqual([0, ['shop']]);
    expect([await sweep(1), readdirSync(evaluations)]).toEqual([1, []]);
    expect((await evaluate()).code).toBe(0);
    const erase = (name: string) =>
      runCauseway(['erase', '--project', name, '--yes'], { cwd: past.folder, env: { DATA_DIR: dataDir } });
    for (const other of ['local/other', '..', '.', 'local/..', 'local/']) await erase(other);
    expect(readdirSync(evaluations)).toEqual(['shop']);
    await erase('local/Shop');
    expect(readdirSync(evaluations)).toEqual([]);
  });

  it('says that the messages of the fixes give them away, and counts without them', async () => {
    const args = ['eval', '--repo', past.repository.path, '--subjects', '--state', 'subjects'];
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: past.folder,
      env: { PATH: process.env['PATH'], ...COMPILED, DATA_DIR: path.join(past.folder, 'data') },
    });
    const out = await text(child.stdout);
    expect(out).toContain("the fixes' own commit messages as reports, which give the fix away");
    expect(out).toContain('  #3: the text is the message of the fix');
    expect(out).toMatch(/Without these:\n +none\nanswers +0\n/);
  });

  it('fails for a model that is not configured, and for a file of reports that is none', async () => {
    const unknown = await run('faulty', ['--models', 'gpt-9']);
    expect([unknown.code, unknown.err]).toEqual([
      2,
      expect.stringContaining('No model is configured that could be asked as "gpt-9"'),
    ]);
    writeFileSync(path.join(past.folder, 'broken.jsonl'), '{"number": 1, "title": "x"}\nnot json\n');
    const broken = await run('faulty', ['--reports', 'broken.jsonl']);
    expect([broken.code, broken.err]).toEqual([2, expect.stringContaining('broken.jsonl, line 2, is not {"number"')]);
  });
});
