// Every fault of an endpoint, seen from outside: the investigation succeeds after repair, or ends in an Issue, and the operator alone is told what to do.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type AskedBehaviour,
  type Behaviour,
  delta,
  drips,
  events,
  fails,
  floods,
  gives,
  modelEndpoint,
  resetsAfter,
  says,
  stallsAfter,
  wire,
} from '../../packages/models/test/model-endpoint.ts';
import { call, type Played, turnsIn } from '../../packages/models/test/played.ts';
import type { Issue } from '../../src/core/issue/issue.ts';
import { expectForPeople } from '../support/for-people.ts';
import { MODEL_KEY, type ModelHouse, type ModelLimits, modelHouse } from '../support/model-house.ts';
import { priceOf } from '../support/model-service.ts';
import { conclusion, plays, playTurn, stepWith, textsIn } from '../support/played-model.ts';
import { engine } from '../support/records.ts';
import { temporaryFolder } from '../support/service.ts';
import { CAUSE, FIX_TURNS, SHOP, SHOP_REPORT } from '../support/shop-fix.ts';
import { storedRun } from '../support/stored-run.ts';

const HALF = delta({ content: 'half an ans' });
const HALF_CALL = delta({ tool_calls: [{ index: 0, id: 'x', function: { name: 'search', arguments: '{"pat' } }] });

/** Two turns: a look, and a conclusion that is proven by it. */
const TURNS: readonly Played[] = [
  { say: 'I look.', calls: [call('search', { pattern: 'customer.discount' })] },
  (asked) => ({
    say: 'That is it.',
    calls: [conclusion({ outcome: 'not_a_bug', rootCause: [proof(stepWith(asked, CAUSE))] })],
  }),
];

function proof(step: number) {
  return { text: 'It reads the discount.', citations: [{ step, quote: CAUSE }], places: [] };
}

/** What the endpoint does at the question before which it has taken `turn` turns, so often as it has behaviours; then it plays. */
function disturbed(turn: number, ...behaviours: Behaviour[]): AskedBehaviour {
  const left = [...behaviours];
  return (response, request, asked) => {
    const fault = turnsIn(asked) === turn ? left.shift() : undefined;
    return (fault ?? plays(TURNS))(response, request, asked);
  };
}

/** The fault for ever, from turn `turn` on. */
function broken(turn: number, fault: Behaviour): AskedBehaviour {
  return (response, request, asked) => (turnsIn(asked) < turn ? plays(TURNS) : fault)(response, request, asked);
}

/** A turn of the model's own instead of the one that is due, once. */
function instead(...turns: readonly Played[]): AskedBehaviour {
  const [first, ...rest] = turns;
  return plays([first ?? {}, ...rest, ...TURNS]);
}

const reset: Behaviour = (response) => void response.socket?.resetAndDestroy();
const silence: Behaviour = () => {};
const SHORT: ModelLimits = { idleMs: 300 };

type Passing = readonly [name: string, fault: Behaviour, limits?: ModelLimits];
type Lasting = readonly [name: string, fault: Behaviour, reason: RegExp, limits?: ModelLimits];

/** Faults that pass. */
const REPAIRED: readonly Passing[] = [
  ['silence before the first byte', silence, SHORT],
  ['silence in the middle', stallsAfter(HALF), SHORT],
  ['a cut stream', events(HALF)],
  ['a cut call', events(HALF_CALL, '[DONE]')],
  ['a reset before the answer', reset],
  ['a reset in the middle', resetsAfter(HALF)],
  ['a web page with 200', gives('<!doctype html><title>Sign in</title>', 'text/html')],
  ['no choices', events({ choices: [] }, '[DONE]')],
  ['an answer cut at the limit of tokens', events(HALF, delta({}, 'length'), '[DONE]')],
  ['a call cut at the limit of tokens', events(HALF_CALL, delta({}, 'length'), '[DONE]')],
  ['a rate limit with a short wait', fails(429, 'slow down', { 'retry-after': '2' })],
  ['an internal error', fails(500, 'oops')],
  ['an overloaded server', fails(529, 'overloaded_error')],
  ['50 MB', floods(50 * 1024 * 1024, `: ${'x'.repeat(60_000)}\n`)],
];

/** Faults that stay, and what the Issue says of them. */
const FINAL: readonly Lasting[] = [
  ['a web page with 200', gives('<html></html>', 'text/html'), /web page .* check OPENAI_BASE_URL/],
  ['no choices', events({ choices: [] }, '[DONE]'), /without a choice: check OPENAI_BASE_URL and MODEL/],
  ['a refusal', events(delta({ refusal: 'I cannot' }), delta({}, 'stop'), '[DONE]'), /refused to answer/],
  ['a content filter', events(HALF, delta({}, 'content_filter'), '[DONE]'), /content filter stopped the answer/],
  ['an answer cut at the limit', events(HALF, delta({}, 'length'), '[DONE]'), /cut at the limit of tokens/],
  ['a wrong key', fails(401, `Incorrect API key provided: ${MODEL_KEY}`), /\(401\): check OPENAI_API_KEY/],
  ['a model that is not there', fails(404, 'no such model'), /\(404\): check OPENAI_BASE_URL and MODEL \(test-model\)/],
  ['an exhausted account', fails(429, { message: 'x', code: 'insufficient_quota' }), /no credit left: top it up/],
  ['50 MB of text', floods(50 * 1024 * 1024, wire([delta({ content: 'x'.repeat(60_000) })])), /larger than any real/],
  ['a drip without end', drips(), /raise MODEL_TIMEOUT_S/, { timeoutMs: 500 }],
];

/** Outages: the run waits in the queue, and when that has taken too long it ends. */
const OUTAGES: readonly Lasting[] = [
  ['silence before the first byte', silence, /said nothing for 0\.3 s \(MODEL_IDLE_S\)/, SHORT],
  ['silence in the middle', stallsAfter(HALF), /nothing more came for 0\.3 s \(MODEL_IDLE_S\)/, SHORT],
  ['a cut stream', events(HALF), /cut before its end/],
  ['a reset', reset, /connection failed or was lost \(ECONNRESET\)/],
  ['an internal error', fails(500, 'the database is away'), /own account \(500\)\. It says: .*database is away/],
  ['a rate limit', fails(429, 'slow down'), /limits the rate of requests \(429\)/],
  ['an overloaded server', fails(529, 'overloaded_error'), /\(529\)/],
];

function passing([name, fault, limits = {}]: Passing) {
  return [name, fault, limits] as const;
}

function lasting([name, fault, reason, limits = {}]: Lasting) {
  return [name, fault, reason, limits] as const;
}

// Over SQLite alone: days pass here by a clock that is moved, and PostgreSQL goes by its own.
describe.runIf(engine() === 'sqlite')('an endpoint', () => {
  const cleanup = new AsyncDisposableStack();
  let house: ModelHouse;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = cleanup.use(await temporaryFolder()).path;
    house = cleanup.use(await modelHouse({ files: SHOP, dataDir, report: SHOP_REPORT }));
  });
  afterAll(() => cleanup.disposeAsync());

  /** The Issue of a report that the endpoint is asked about, with what must hold for every one of them. */
  async function issueBy(behaviour: AskedBehaviour, limits: ModelLimits = {}) {
    await using endpoint = await modelEndpoint(behaviour);
    return await issueAt(endpoint.url, limits);
  }

  async function issueAt(url: string, limits: ModelLimits = {}): Promise<Issue> {
    const issue = await house.issue(await house.investigate(url, nextReference(), limits));
    expect(JSON.stringify(issue)).not.toContain(MODEL_KEY.slice(0, 12));
    expect(JSON.stringify(issue)).not.toContain('half an ans');
    if (issue.analysis.partial) expectForPeople(issue.analysis.reason);
    expect(issue.investigationSteps[0]?.action).toContain('read the report');
    expect(issue.analysis.suspects).toContainEqual(expect.objectContaining({ file: 'src/cart/total.js', line: 3 }));
    expect(await storedRun(dataDir, '')).toMatchObject({ money: { reserved: 0 }, jobs: [] });
    return issue;
  }

  let reports = 0;
  function nextReference(): string {
    reports += 1;
    return `report-${reports}`;
  }

  /** The last turn is that of the second look. */
  const WHOLE = {
    ...{ outcome: 'not_a_bug', partial: false, citations: [{ quote: CAUSE }], usage: { turns: 3 } },
    secondLook: { verdict: 'agrees', usage: { turns: 1 } },
  };

  it.each(REPAIRED.map(passing))('with %s is asked again, and the investigation succeeds', async (_, fault, limits) => {
    const { analysis } = await issueBy(disturbed(1, fault), limits);
    expect(analysis).toMatchObject(WHOLE);
  });

  it('that fails three times in a row is asked a fourth time, and the investigation succeeds', async () => {
    const { analysis } = await issueBy(disturbed(0, fails(500, 'a'), fails(503, 'b'), fails(500, 'c')));
    expect(analysis).toMatchObject(WHOLE);
  });

  it.each(FINAL.map(lasting))(
    'with %s at the first question leaves the facts, and says why',
    async (_, fault, reason, limits) => {
      const { analysis, diff } = await issueBy(broken(0, fault), limits);
      expect(analysis).toMatchObject({ outcome: 'facts_only', partial: true, usage: { turns: 0, costUsd: 0 } });
      expect(house.trouble()).toMatch(reason);
      expect(diff.files).toEqual([]);
    },
  );

  it.each(FINAL.map(lasting))(
    'with %s later on leaves what was found, and says why',
    async (_, fault, reason, limits) => {
      const { analysis, diff, investigationSteps } = await issueBy(broken(1, fault), limits);
      expect(analysis).toMatchObject({ outcome: 'inconclusive', partial: true, usage: { turns: 1 } });
      expect(house.trouble()).toMatch(reason);
      expect(diff.files).toEqual([]);
      expect(investigationSteps.at(-1)?.action).toContain('search "customer.discount"');
    },
  );

  it.each(OUTAGES.map(lasting))(
    'with %s is waited for, and then the facts stand with the reason',
    async (_, fault, reason, limits) => {
      await using endpoint = await modelEndpoint(broken(0, fault));
      const waiting = await house.investigate(endpoint.url, nextReference(), limits);
      expect(waiting.outcome.state).toBe('running');
      const [job, ...others] = (await storedRun(dataDir, '')).jobs;
      expect(others).toEqual([]);
      expect(job?.state).toBe('waiting');
      // A minute, when the endpoint names no time.
      expect(Date.parse(job?.run_at ?? '')).toBeGreaterThan(Date.now() + 30_000);
      await house.cancel(waiting);
      const { analysis } = await issueAt(endpoint.url, { ...limits, patienceMs: 0 });
      expect(analysis).toMatchObject({ outcome: 'facts_only', partial: true });
      expect(house.trouble()).toMatch(reason);
    },
  );

  it.each(OUTAGES.map(lasting))(
    'with %s for too long later on leaves what was found, and says why',
    async (_, fault, reason, limits) => {
      const { analysis } = await issueBy(broken(1, fault), { ...limits, patienceMs: 0 });
      expect(analysis).toMatchObject({ outcome: 'inconclusive', partial: true, usage: { turns: 1 } });
      expect(house.trouble()).toMatch(reason);
    },
  );

  it('that breaks off every answer is paid for what it took, by estimate', async () => {
    await using endpoint = await modelEndpoint(events(HALF));
    const before = (await storedRun(dataDir, '')).money.spent;
    const { analysis } = await issueAt(endpoint.url, { patienceMs: 0 });
    expect(analysis).toMatchObject({ outcome: 'facts_only', usage: { turns: 0, costUsd: 0 } });
    expect(endpoint.requests).toHaveLength(4);
    const [{ body } = expect.fail('it was not asked')] = endpoint.requests;
    const characters = JSON.stringify(body.messages).length + JSON.stringify(body['tools']).length;
    const taken = { prompt_tokens: Math.ceil(characters / 4), prompt_tokens_details: { cached_tokens: 0 } };
    const cost = 4 * priceOf({ ...taken, completion_tokens: Math.ceil('half an ans'.length / 4) });
    expect((await storedRun(dataDir, '')).money.spent - before).toBe(Math.ceil(cost * 1_000_000));
  });

  it.each([
    ['limits the rate', fails(429, 'slow down')],
    ['fails before it answers', fails(500, 'oops')],
    ['hangs up', reset],
  ])('that %s is paid nothing', async (_, fault) => {
    const before = (await storedRun(dataDir, '')).money.spent;
    await issueBy(broken(0, fault), { patienceMs: 0 });
    expect((await storedRun(dataDir, '')).money.spent).toBe(before);
  });

  it('that breaks when half of the edits are made leaves none of them', async () => {
    const { analysis, diff, investigationSteps } = await issueBy((response, request, asked) =>
      (turnsIn(asked) < 4 ? plays(FIX_TURNS) : fails(401, 'expired'))(response, request, asked),
    );
    expect(analysis).toMatchObject({ outcome: 'inconclusive', partial: true, usage: { turns: 4 } });
    expect(house.trouble()).toMatch(/check OPENAI_API_KEY/);
    expect(analysis.reason).toMatch(/Unfinished edits are left out/);
    expect(investigationSteps.at(-1)?.action).toBe('create docs/guests.md');
    expect(diff.files).toEqual([]);
  });

  it('that is not there is waited for too', async () => {
    const { url, ...gone } = await modelEndpoint(says(''));
    await gone[Symbol.asyncDispose]();
    const { analysis } = await issueAt(url, { patienceMs: 0 });
    expect(analysis).toMatchObject({ outcome: 'facts_only', partial: true });
    expect(house.trouble()).toMatch(/ECONNREFUSED\): check OPENAI_BASE_URL/);
  });

  it('that asks for ten minutes of rest is left alone for so long, and then asked the same question again', async () => {
    await using endpoint = await modelEndpoint(disturbed(1, fails(429, 'slow down', { 'retry-after': '600' })));
    const before = Date.now();
    const reference = nextReference();
    const waiting = await house.investigate(endpoint.url, reference);
    const { jobs, turns, money } = await storedRun(dataDir, reference);
    const runAt = Date.parse(jobs[0]?.run_at ?? '');
    expect(runAt).toBeGreaterThanOrEqual(before + 600_000);
    expect(runAt).toBeLessThanOrEqual(Date.now() + 600_000);
    expect([turns, money.reserved, endpoint.requests.length]).toEqual([1, 0, 2]);
    // Longer than an investigation may take: waiting does not count.
    const ended = await house.later(601_000, waiting);
    expect((await house.issue(ended)).analysis).toMatchObject(WHOLE);
    expect(endpoint.requests.map(turnsIn)).toEqual([0, 1, 1, 0]);
    expect(endpoint.requests[2]?.raw).toBe(endpoint.requests[1]?.raw);
  });

  describe('whose model', () => {
    it.each([
      ['writes invalid JSON as arguments', '{"pattern": "customer.disc', 'Refused'],
      ['writes arguments of a wrong type', { pattern: { text: 'customer.discount' } }, 'Write the arguments like this'],
      ['leaves out an argument', {}, 'Write the arguments like this'],
    ])('%s is told what is wrong, and the investigation succeeds', async (_, args, told) => {
      await using endpoint = await modelEndpoint(instead({ say: 'I try.', calls: [call('search', args)] }));
      const { analysis } = await issueAt(endpoint.url);
      expect(analysis).toMatchObject({ ...WHOLE, usage: { turns: 4 } });
      expect(textsIn(endpoint.requests[1] ?? expect.fail('it was asked once')).at(-1)).toContain(told);
    });

    it('calls a tool that is not there is told which there are', async () => {
      await using endpoint = await modelEndpoint(instead({ calls: [call('run_tests', { all: true })] }));
      expect((await issueAt(endpoint.url)).analysis).toMatchObject({ ...WHOLE, usage: { turns: 4 } });
      const told = textsIn(endpoint.requests[1] ?? expect.fail('it was asked once')).at(-1);
      expect(told).toMatch(/there is no tool run_tests.*list_files.*conclude/);
    });

    it('answers with text is reminded once', async () => {
      const { analysis } = await issueBy(
        plays([TURNS[0] ?? {}, { say: 'It must be the discount.' }, ...TURNS.slice(1)]),
      );
      expect(analysis).toMatchObject({ ...WHOLE, usage: { turns: 4 } });
    });

    it('answers with text alone ends without a result, and says so', async () => {
      const { analysis } = await issueBy(plays([TURNS[0] ?? {}, { say: 'It is.' }, { say: 'It is so.' }]));
      expect(analysis).toMatchObject({ outcome: 'inconclusive', partial: true });
      expect(analysis.reason).toContain('stopped investigating without a conclusion');
    });

    it('runs out of context has the earlier results shortened once, and goes on', async () => {
      const overflow = fails(400, { message: 'too long', code: 'context_length_exceeded' });
      await using endpoint = await modelEndpoint(disturbed(1, overflow));
      expect((await issueAt(endpoint.url)).analysis).toMatchObject(WHOLE);
      expect(endpoint.requests.map(turnsIn)).toEqual([0, 1, 1, 0]);
    });

    it('runs out of context again ends with what it has', async () => {
      const overflow = fails(400, { message: 'too long', code: 'context_length_exceeded' });
      const { analysis } = await issueBy(broken(1, overflow));
      expect(analysis).toMatchObject({ outcome: 'inconclusive', partial: true, usage: { turns: 1 } });
      expect(analysis.reason).toContain('too long for the language model');
    });

    it('cannot call tools is asked in JSON, and the investigation succeeds', async () => {
      await using endpoint = await modelEndpoint((response, request, asked) => {
        if ('tools' in asked.body) return fails(400, 'test-model does not support tools')(response, request);
        const step = Number(/\[step (\d+)\] search "customer/.exec(textsIn(asked).join('\n'))?.[1]);
        const turns = [
          { calls: [call('search', { pattern: 'customer.discount' })] },
          { calls: [conclusion({ outcome: 'not_a_bug', rootCause: [proof(step)] })] },
        ];
        const answer = { tool_calls: playTurn(turns, asked).calls, content: 'I look.' };
        return says(JSON.stringify(answer))(response, request);
      });
      expect((await issueAt(endpoint.url)).analysis).toMatchObject(WHOLE);
      expect(endpoint.requests.map(({ body }) => 'tools' in body)).toEqual([true, false, false, false]);
    });

    it('does not say what it took has it estimated, and paid for by the budget', async () => {
      const { analysis } = await issueBy((response, request, asked) => {
        const answer = plays(TURNS);
        const end = response.end.bind(response);
        response.end = ((text: string) =>
          end(text.replace(/data: \{"choices":\[\],.*\n\n/, ''))) as typeof response.end;
        return answer(response, request, asked);
      });
      expect(analysis).toMatchObject(WHOLE);
      expect(analysis.usage.promptTokens).toBeGreaterThan(1_000);
      expect(analysis.usage.completionTokens).toBeGreaterThan(10);
      expect(analysis.usage.costUsd).toBeGreaterThan(0);
    });
  });
});
