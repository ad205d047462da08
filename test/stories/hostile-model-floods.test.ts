// A hostile model that floods, loops, stalls or answers garbage: the run still ends, soon, in an honest Issue.
import { Worker } from 'node:worker_threads';
import { createEndpointModel } from 'causeway-models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delta, modelEndpoint } from '../../packages/models/test/model-endpoint.ts';
import type { Issue } from '../../src/core/issue/issue.ts';
import { parseLenientJson } from '../../src/investigate/conclusion-draft.ts';
import { occursIn, prepareText } from '../../src/investigate/quotation.ts';
import { endpointConfig } from '../support/endpoint-config.ts';
import {
  type Attack,
  answersIn,
  type Call,
  concludes,
  creates,
  type HostileHouse,
  hostileHouse,
  LOOK,
  MEND,
  SHOP,
} from '../support/hostile-house.ts';

const HUGE = 'a line of a very large file\n'.repeat(800_000);
const FILES = { ...SHOP, 'huge.txt': HUGE, 'wide.txt': 'wide '.repeat(190_000) };

function isHonest({ analysis, diff, rootCause }: Issue): void {
  expect(analysis).toMatchObject({ outcome: 'inconclusive', confidence: null, partial: true });
  expect(rootCause).toContain("I don't know");
  expect(diff.files).toEqual([]);
}

describe('a hostile model that floods', () => {
  let house: HostileHouse;
  beforeAll(async () => {
    house = await hostileHouse(FILES);
  });
  afterAll(() => house[Symbol.asyncDispose]());

  /** The answers to these calls of one turn. */
  async function answers(calls: readonly Call[]) {
    const { asked } = await house.attack([{ calls }, concludes({ outcome: 'not_a_bug' })]);
    return answersIn(asked[1]);
  }

  it('repeats itself: the same call, the same in other words, a narrower search after nothing are refused', async () => {
    const search = (args: object): Call => ['search', { pattern: 'zebra', ...args }];
    const read: Call = ['read_files', '{ "files": [ {"path":"src/total.ts"} ], "x": null }'];
    const told = await answers([
      LOOK,
      LOOK,
      read,
      search({}),
      search({ paths: ['src'] }),
      search({ pattern: 'zebras' }),
    ]);
    expect(told.map((text) => text.startsWith('Refused'))).toEqual([false, true, true, false, true, true]);
  });

  it('calls 40 tools at once, tools that are not there, and conclude among others', async () => {
    const odd = ['__proto__', 'constructor', 'toString', 'conclude', 'shell', '\u001b[2J'];
    const many = Array.from({ length: 34 }, (_, at): Call => ['search', { pattern: `word${at}` }]);
    const told = await answers([...odd.map((name): Call => [name, {}]), ...many]);
    expect(told).toHaveLength(32);
    expect(told.slice(0, 6).every((text) => text.startsWith('Refused: '))).toBe(true);
    expect(told.filter((text) => text.startsWith('[step'))).toHaveLength(2);
  });

  it('sends keys of prototypes, half JSON, brackets by the ten thousand and strings without an end', async () => {
    const told = await answers([
      ['search', '{"pattern":"total","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'],
      ['search', '{"pattern": "tot'],
      ['search', `{"pattern":"x","paths":${'['.repeat(90_000)}${']'.repeat(90_000)}}`],
      ['search', `{"pattern":"${'\\"'.repeat(99_000)}`],
      ['search', `{"pattern":"${'x'.repeat(300_000)}"}`],
      ['search', '[]'],
      ['search', 'null'],
      ['search', '{"pattern":{"toString":1}}'],
    ]);
    expect(told).toHaveLength(8);
    expect(told.every((text) => /^Refused|\nfailed: /.test(text))).toBe(true);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('asks for the whole of a huge file, and for expressions that never end', async () => {
    const told = await answers([
      ['read_files', { files: [{ path: 'huge.txt' }] }],
      ['search', { pattern: 'large' }],
      ['read_files', { files: [{ path: 'wide.txt' }] }],
      creates('src/long.txt', `${'a'.repeat(40)}!\n`),
      ['search', { pattern: '(a+)+$', regex: true }],
      ['search', { pattern: '(((a|a?)+)+)+b', regex: true, paths: ['src/long.txt'] }],
      ['list_files', { path: '**/'.repeat(300) }],
      ['owners', { paths: Array(5_000).fill('a/b') }],
    ]);
    expect(told).toHaveLength(8);
    expect(Math.max(...told.map((text) => text.length))).toBeLessThan(26_000);
  });

  it('says 1 MB at once, in words and in arguments: what is kept is cut', async () => {
    const { issue, asked } = await house.attack([
      { say: 'blah '.repeat(100_000), calls: [LOOK, creates('src/x.ts', 'x'.repeat(500_000))] },
      concludes({ outcome: 'not_a_bug' }),
    ]);
    expect(JSON.stringify(asked[1]?.messages).length).toBeLessThan(120_000);
    expect(answersIn(asked[1])[1]).toMatch(/^Refused/);
    expect(issue.analysis.outcome).toBe('not_a_bug');
  });

  it('streams 50 MB over the wire: it is cut off, and the facts stand', async () => {
    const piece = `data: ${JSON.stringify(delta({ content: 'x'.repeat(1_000_000) }))}\n\n`;
    await using endpoint = await modelEndpoint(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let sent = 0; sent < 50 && !response.destroyed; sent++) {
        response.write(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    const settings = endpointConfig({ name: 'flood', baseUrl: endpoint.url });
    const given = { settings, timeoutMs: 10_000, idleMs: 5_000, prices: null };
    const model = createEndpointModel({ ...given, now: () => new Date(), random: () => 0 });
    const { issue } = await house.attack(model);
    expect(issue.analysis).toMatchObject({ outcome: 'facts_only', partial: true });
    expect(issue.analysis.reason).not.toContain(endpoint.url);
    expect(issue.diff.files).toEqual([]);
  });

  it('never concludes, or only talks', async () => {
    let number = 0;
    const searching: Attack = [
      { calls: [MEND] },
      () => {
        number += 1;
        return { calls: [['search', { pattern: `never${number}` }]] };
      },
    ];
    const { issue, asked } = await house.attack(searching);
    isHonest(issue);
    expect(issue.analysis.reason).toContain('30 turns');
    expect(asked).toHaveLength(30);
    expect(asked.slice(-2).map(({ toolChoice }) => toolChoice)).toEqual(['none', 'none']);
    isHonest((await house.attack([{ say: 'Let me think about it.' }])).issue);
  });

  it('concludes with garbage, twice', async () => {
    const garbage = [
      `{"outcome":"code_fix","problem":"${'p'.repeat(300_000)}"}`,
      '{"__proto__":{"outcome":"code_fix"},"constructor":1}',
      `{"outcome":"code_fix","problem":"p","rootCause":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      `{"outcome":"${'\\"'.repeat(90_000)}`,
    ];
    for (const args of garbage) {
      const { issue } = await house.attack([{ calls: [LOOK, MEND] }, { calls: [['conclude', args]] }]);
      isHonest(issue);
    }
  });

  it('makes what is searched expensive: a line of blanks, a string without an end', () => {
    // Quadratic time would be half a minute for each.
    expect(occursIn(prepareText('blank'), prepareText(`${' '.repeat(400_000)}blank`))).toBe(true);
    expect(parseLenientJson(`{"a":"${'\\"'.repeat(99_000)}`).kind).toBe('fault');
  });

  it('replaces a word that stands a hundred thousand times in one line', async () => {
    // A copy of the line for each place would be 20 GB.
    const module = new URL('../../src/investigate/tools/place-edit.ts', import.meta.url).href;
    const code = `import(${JSON.stringify(module)}).then(({ placeEdit }) =>
      placeEdit('a '.repeat(99_000), { oldText: 'a', newText: 'b' }))`;
    const worker = new Worker(code, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 200 } });
    const end = await new Promise((resolve) => worker.once('error', resolve).once('exit', resolve));
    expect(end).toBe(0);
  });
});
