// A model finds a bug and mends it, over the wire, in the real service: from the report to a patch that git applies.
import { execFile, execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { toChangeSet, toUnifiedPatch } from 'causeway-diff';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitRepository, gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { type ModelEndpoint, modelEndpoint } from '../../packages/models/test/model-endpoint.ts';
import { call, type Played, usageOfTurn } from '../../packages/models/test/played.ts';
import type { Issue } from '../../src/core/issue/issue.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { treeAfterPatch } from '../support/git-apply.ts';
import { modelSettings, priceOf } from '../support/model-service.ts';
import { conclusion, isSecondLook, plays, stepWith, textsIn } from '../support/played-model.ts';
import { PROGRAM, printedToken, type Service, startService, temporaryFolder } from '../support/service.ts';
import { CAUSE, FIX_TURNS, MENDED, SHOP, SHOP_REPORT, WORDS } from '../support/shop-fix.ts';
import { storedRun } from '../support/stored-run.ts';
import { webhookReceiver } from '../support/webhook-receiver.ts';

const run = promisify(execFile);

/** What the model plays for a report that names it. */
const PLAYS: Readonly<Record<string, readonly Played[]>> = {
  'play-fix': FIX_TURNS,
  'play-questions': [
    { say: 'Nothing here tells.', calls: [call('list_files', {})] },
    { calls: [conclusion({ outcome: 'needs_information', questions: ['Which browser do you use?'] })] },
  ],
  'play-mended': [
    { say: 'Was it mended already?', calls: [call('history', { message: 'Say what' })] },
    (asked) => {
      const step = stepWith(asked, 'Say what it is');
      const sha = /([0-9a-f]{10}) \S+ Ada Example: Say what it is/.exec(textsIn(asked).join('\n'))?.[1] ?? '';
      const citations = [{ step, quote: 'Ada Example: Say what it is' }];
      const rootCause = [{ text: 'The commit says what it is.', citations, places: [] }];
      return { calls: [conclusion({ outcome: 'already_fixed', fixedBy: [sha], rootCause })] };
    },
  ],
  'play-intended': [
    { say: 'Is it meant so?', calls: [call('search', { pattern: 'customer.discount' })] },
    (asked) => ({ calls: [conclusion({ outcome: 'not_a_bug', rootCause: [cause(stepWith(asked, CAUSE))] })] }),
  ],
  'play-together': [
    { say: 'Is it meant so?', calls: [call('search', { pattern: 'customer.discount' })] },
    (asked) => ({ calls: [conclusion({ outcome: 'not_a_bug', rootCause: [cause(stepWith(asked, CAUSE))] })] }),
  ],
  'play-unknown': [
    { say: 'Perhaps the queue?', calls: [call('search', { pattern: 'queue' })] },
    { calls: [conclusion({ outcome: 'inconclusive', ruledOut: ['There is no queue'] })] },
  ],
  // The second quotation stands nowhere.
  'play-false': [
    { say: 'I look.', calls: [call('search', { pattern: 'customer.discount' })] },
    (asked) => ({ calls: [conclusion(withFalseQuotation(stepWith(asked, CAUSE)))] }),
  ],
  'play-again': [
    { say: 'I look.', calls: [call('search', { pattern: 'customer.discount' })] },
    { say: 'I look again.', calls: [call('search', { paths: [], pattern: 'customer.discount' })] },
    { calls: [conclusion({ outcome: 'inconclusive', ruledOut: ['Nothing'] })] },
  ],
  // Never comes to an end by itself.
  'play-endless': Array.from({ length: 40 }, (_, turn) => ({
    say: `Look number ${turn}.`,
    calls: [call('search', { pattern: `w${turn}x` })],
  })),
};

function cause(step: number) {
  return { text: 'The discount is that of the customer.', citations: [{ step, quote: CAUSE }], places: [] };
}

function withFalseQuotation(step: number) {
  const invented = {
    text: 'The tax is wrong.',
    citations: [{ step, quote: 'return sum * taxOf(country);' }],
    places: [],
  };
  return { outcome: 'action_recommended', rootCause: [cause(step), invented], solutionSteps: ['Ask the tax office.'] };
}

describe('a report that a model investigates', () => {
  const cleanup = new AsyncDisposableStack();
  let repository: GitRepository;
  let sha: string;
  let dataDir: string;
  let endpoint: ModelEndpoint;
  let settings: Readonly<Record<string, string>>;
  let service: Service;
  let api: ApiClient;

  beforeAll(async () => {
    repository = cleanup.use(await gitRepository());
    await repository.commit(SHOP, 'Shop');
    sha = await repository.commit({ 'src/greeting.js': SHOP['src/greeting.js'] ?? '' }, 'Say what it is');
    dataDir = cleanup.use(await temporaryFolder()).path;
    endpoint = cleanup.use(
      await modelEndpoint((response, request, asked) => {
        const [, brief = ''] = textsIn(asked);
        const name = Object.keys(PLAYS).find((each) => brief.includes(each)) ?? '';
        return plays(PLAYS[name] ?? [])(response, request, asked);
      }),
    );
    settings = await modelSettings(endpoint, dataDir);
    service = cleanup.use(await startService({ projects: [repository.path], dataDir, env: settings }));
    api = apiClient(service.address, printedToken(service));
  });
  afterAll(() => cleanup.disposeAsync());

  async function report(name: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const { id: projectId } = await api.project();
    return await api.report({ projectId, data: `${SHOP_REPORT}\n${name}`, reference: name, ...more });
  }

  describe('and mends', () => {
    let issue: Issue;
    let events: string;
    let told: unknown;

    beforeAll(async () => {
      await using receiver = await webhookReceiver();
      const investigation = await report('play-fix', { callbackUrl: receiver.url });
      events = await api.text(`${investigation}events/`);
      issue = await api.issue(investigation);
      const [delivery] = await receiver.received(1);
      told = JSON.parse(delivery?.body ?? '');
    });

    it('is a code fix whose diff, through git, gives exactly the mended files', () => {
      expect(issue.analysis).toMatchObject({ outcome: 'code_fix', revision: sha, partial: false, guards: [] });
      const read = (file: string) => baseText(repository, `${sha}:${file}`);
      const changeSet = toChangeSet(issue.analysis.revision, issue.diff, read);
      expect(treeAfterPatch(repository.path, sha, toUnifiedPatch(changeSet))).toEqual(MENDED);
      const kinds = issue.diff.files.map(({ fileName, status }) => `${status} ${fileName}`).toSorted();
      expect(kinds).toEqual([
        'added docs/guests.md',
        'deleted src/old-total.js',
        'modified src/cart/total.js',
        'modified src/check-out.js',
        'renamed src/words/greeting.js',
      ]);
    });

    it('tells every step in its order: the facts, then what the model asked for, with its own words as analysis', () => {
      const steps = issue.investigationSteps;
      const first = steps.findIndex(({ action }) => action.startsWith('search "customer.discount"'));
      expect(first).toBeGreaterThan(3);
      expect(steps[0]?.action).toContain('read the report');
      expect(steps.slice(first).map(({ action }) => action.replace(/ at [0-9a-f]{7}$/, ''))).toEqual([
        'search "customer.discount"',
        'read src/cart/total.js; src/check-out.js',
        'blame src/cart/total.js lines 3–3',
        'history of src/cart/total.js',
        'replace in src/cart/total.js',
        'replace in src/check-out.js',
        'create docs/guests.md',
        'rename src/greeting.js to src/words/greeting.js',
        'delete src/old-total.js',
      ]);
      for (const { action, result, analysis } of steps) expect([action, result, analysis]).not.toContain('');
      // What was said in the turn after is about the last step of the turn before.
      const said = steps.slice(first).map(({ analysis }) => analysis);
      expect([said[0], said[3], said[4], said[6], said[8]]).toEqual(WORDS.slice(1));
    });

    it('cites a step that holds the quotation, and is confident', () => {
      expect(issue.analysis.citations).toHaveLength(1);
      const [{ step, quote } = { step: 0, quote: '?' }] = issue.analysis.citations;
      expect(issue.investigationSteps[step - 1]?.result).toContain(quote);
      expect(issue.rootCause).toContain(`[step ${step}]`);
      expect(issue.analysis.confidence).toBeGreaterThan(0.5);
    });

    it('counts the turns, tokens and money that the endpoint gave, in the Issue and in the ledger', async () => {
      const own = FIX_TURNS.map((_, turn) => usageOfTurn(turn));
      // The last one is that of the second look, which has a figure of its own as well.
      const turns = [...own, usageOfTurn(0)];
      const sum = (of: (turn: (typeof turns)[number]) => number) => turns.reduce((all, turn) => all + of(turn), 0);
      const { usage, model } = issue.analysis;
      expect(model).toBe('test-model');
      expect(usage).toMatchObject({
        turns: turns.length,
        promptTokens: sum(({ prompt_tokens }) => prompt_tokens),
        completionTokens: sum(({ completion_tokens }) => completion_tokens),
      });
      expect(usage.costUsd).toBeCloseTo(sum(priceOf), 9);
      const { money, turns: kept } = await storedRun(dataDir, 'play-fix');
      // Kept for a replay.
      expect(kept).toBe(FIX_TURNS.length);
      // Each call is rounded up to a whole millionth.
      const look = Math.ceil(priceOf(usageOfTurn(0)) * 1_000_000);
      expect(issue.analysis.secondLook).toMatchObject({ verdict: 'agrees', usage: { turns: 1 } });
      expect((issue.analysis.secondLook?.usage.costUsd ?? 0) * 1_000_000).toBeCloseTo(look, -1);
      expect(money).toEqual({ reserved: 0, spent: sum((turn) => Math.ceil(priceOf(turn) * 1_000_000)) });
    });

    it('is told by webhook as GET gives it, and step by step by its events', () => {
      expect(told).toEqual({ type: 'issue.created', timestamp: expect.any(String), data: issue });
      const steps = [...events.matchAll(/event: step\ndata: (.*)\n/g)].map(([, data = '']) => JSON.parse(data));
      expect(steps.map(({ number }) => number)).toEqual(issue.investigationSteps.map((_, index) => index + 1));
      const shown = ({ action, result }: { action: string; result: string }) => ({ action, result });
      expect(steps.map(shown)).toEqual(issue.investigationSteps.map(shown));
      expect(events).toContain('event: end\n');
    });

    it('is the same in the terminal with MODEL=scripted:FILE, where --patch writes what git applies', async () => {
      const script = path.join(dataDir, 'script.json');
      const patch = path.join(dataDir, 'fix.patch');
      await writeFile(script, JSON.stringify({ turns: turnsPlayed(endpoint, 'play-fix') }));
      const env = { PATH: process.env['PATH'], DATA_DIR: dataDir, MODEL: `scripted:${script}` };
      const args = ['analyse', `${SHOP_REPORT}\nplay-fix`, '--repo', repository.path, '--json', '--patch', patch];
      const { stdout } = await run(process.execPath, [PROGRAM, ...args], { env });
      const other: Issue = JSON.parse(stdout);
      expect(other.analysis).toMatchObject({
        outcome: 'code_fix',
        model: 'scripted',
        citations: issue.analysis.citations,
      });
      expect(other.investigationSteps).toEqual(issue.investigationSteps);
      expect(other.diff).toEqual(issue.diff);
      expect(treeAfterPatch(repository.path, sha, await readFile(patch, 'utf8'))).toEqual(MENDED);
    });

    /** The turns as the endpoint gave them: those that the last request holds, and the conclusion that it was answered with. */
    function turnsPlayed({ requests }: ModelEndpoint, name: string) {
      const last = requests.findLast((asked) => !isSecondLook(asked) && textsIn(asked).join('\n').includes(name));
      if (last === undefined) throw new Error(`nothing was asked about ${name}`);
      return FIX_TURNS.map((played) => (typeof played === 'function' ? played(last) : played)).map(
        ({ say = '', calls = [] }) => ({ content: say, tool_calls: calls }),
      );
    }

    it('asks with the same tools in every question, and each question begins with the one before', () => {
      const asked = endpoint.requests.filter((each) => !isSecondLook(each) && textsIn(each)[1]?.includes('play-fix'));
      expect(new Set(asked.map(({ body }) => JSON.stringify([body['tools'], body.messages[0]]))).size).toBe(1);
      const last = asked.at(-1)?.body.messages ?? [];
      for (const { body } of asked) expect(body.messages).toEqual(last.slice(0, body.messages.length));
    });

    it('answers an equal report at once, without a call', async () => {
      const asked = endpoint.requests.length;
      const same = await api.issue(await report('play-fix'));
      expect(same.analysis).toMatchObject({ sameAs: issue.id, outcome: 'code_fix', model: 'test-model' });
      expect(same.diff).toEqual(issue.diff);
      expect(same.investigationSteps).toEqual(issue.investigationSteps);
      expect(endpoint.requests).toHaveLength(asked);
    });
  });

  it('that comes five times at once is one paid run, and five Issues', async () => {
    const issues = await Promise.all(
      [1, 2, 3, 4, 5].map(async () => api.issue(await report('play-together', { reference: 'together' }))),
    );
    expect(new Set(issues.map(({ id }) => id)).size).toBe(5);
    expect(new Set(issues.map(({ analysis }) => analysis.outcome))).toEqual(new Set(['not_a_bug']));
    expect(issues.filter(({ analysis }) => analysis.sameAs === null)).toHaveLength(1);
    const asked = endpoint.requests.filter((each) => textsIn(each).join('\n').includes('play-together'));
    expect([asked.length, asked.filter(isSecondLook).length]).toEqual([3, 1]);
  });

  it('that needs information ends with the questions', async () => {
    const { analysis, diff } = await api.issue(await report('play-questions'));
    expect(analysis).toMatchObject({ outcome: 'needs_information', questions: ['Which browser do you use?'] });
    expect(diff.files).toEqual([]);
  });

  it('that was mended already ends with the commit, found in the history', async () => {
    const { analysis, rootCause } = await api.issue(await report('play-mended'));
    expect(analysis).toMatchObject({ outcome: 'already_fixed', reason: `Fixed by ${sha.slice(0, 10)}.` });
    expect(rootCause).toMatch(/^The commit says what it is \[step \d+\]\.$/);
  });

  it('that is no bug ends with what shows it', async () => {
    const { analysis, rootCause } = await api.issue(await report('play-intended'));
    expect(analysis).toMatchObject({ outcome: 'not_a_bug', partial: false, citations: [{ quote: CAUSE }] });
    expect(rootCause).toContain('The discount is that of the customer');
  });

  it('that stays open ends with what was ruled out', async () => {
    const { analysis } = await api.issue(await report('play-unknown'));
    expect(analysis).toMatchObject({ outcome: 'inconclusive', partial: false });
    expect(analysis.reason).toContain('There is no queue');
  });

  it('costs no turn for a quotation that stands nowhere, whose claim is left out and said', async () => {
    const { analysis, rootCause } = await api.issue(await report('play-false'));
    expect(analysis).toMatchObject({
      outcome: 'action_recommended',
      usage: { turns: 3 },
      secondLook: { usage: { turns: 1 } },
      citations: [{ quote: CAUSE }],
    });
    expect(rootCause).not.toContain('tax');
    expect(analysis.reason).toContain('1 of 2 claims were left out');
  });

  it('has an identical call refused, which is no step', async () => {
    const { investigationSteps } = await api.issue(await report('play-again'));
    const searches = investigationSteps.filter(({ action }) => action.startsWith('search "customer.discount"'));
    expect(searches).toHaveLength(1);
    const last = endpoint.requests.findLast((asked) => textsIn(asked).join('\n').includes('play-again'));
    expect(last && textsIn(last).at(-1)).toMatch(/^Refused: step \d+ was the same call/);
  });

  it('ends in part at its last turn, told to conclude before and asked without tools at last', async () => {
    const { analysis, investigationSteps } = await api.issue(await report('play-endless'));
    expect(analysis).toMatchObject({ outcome: 'inconclusive', partial: true, usage: { turns: 30 } });
    expect(analysis.reason).toContain('30 turns');
    expect(investigationSteps.some(({ action }) => action.startsWith('search "w27x"'))).toBe(true);
    const asked = endpoint.requests.filter((each) => textsIn(each).join('\n').includes('play-endless'));
    expect(asked.map(({ body }) => body['tool_choice'] ?? 'auto')).toEqual([
      ...Array.from({ length: 28 }, () => 'auto'),
      'none',
      'none',
    ]);
  });

  it('ends in part when its money is spent, and another model does not answer from what this one said', async () => {
    await service.end('SIGTERM');
    const env = { ...settings, BUDGET_RUN: '0.12', MODEL: 'test-model' };
    await using poor = await startService({ projects: [repository.path], dataDir, env });
    const first = apiClient(poor.address, printedToken(service));
    const { id: projectId } = await first.project();
    const fresh = await first.report({ projectId, data: `${SHOP_REPORT}\nplay-endless`, fresh: true });
    const { analysis } = await first.issue(fresh);
    expect(analysis).toMatchObject({ outcome: 'inconclusive', partial: true });
    expect(analysis.reason).toContain('$0.12');
    expect(analysis.usage.costUsd).toBeLessThanOrEqual(0.12);
    expect(analysis.usage.turns).toBeGreaterThan(1);
    await poor.end('SIGTERM');
    const next = { ...settings, MODEL: 'other-model' };
    await using other = await startService({ projects: [repository.path], dataDir, env: next });
    const second = apiClient(other.address, printedToken(service));
    const anew = await second.issue(await second.report({ projectId, data: `${SHOP_REPORT}\nplay-intended` }));
    expect(anew.analysis).toMatchObject({ sameAs: null, model: 'other-model', usage: { turns: 3, costUsd: null } });
    expect(anew.analysis.secondLook).toMatchObject({ model: 'other-model', usage: { turns: 1 } });
  });
});

function baseText(repository: GitRepository, object: string): string | null {
  try {
    return execFileSync('git', ['cat-file', 'blob', object], { cwd: repository.path, stdio: 'pipe' }).toString();
  } catch {
    return null;
  }
}
