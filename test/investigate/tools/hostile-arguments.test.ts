// Any arguments that a model may write get an answer of bounded size that says what is wrong, never an exception.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../src/investigate/budget.ts';
import { ask, type Workbench, workbench } from './workbench.ts';

const NAMES = [
  'list_files',
  'read_files',
  'outline',
  'search',
  'history',
  'blame',
  'compare',
  'ci_log',
  'owners',
  'replace',
  'create_file',
  'delete_file',
  'rename_file',
];
/** Right arguments of each tool with one text in every place that takes one. */
const WITH_TEXT: readonly (readonly [string, (text: string) => unknown])[] = [
  ['list_files', (text) => ({ folder: text })],
  ['list_files', (text) => ({ glob: text })],
  ['read_files', (text) => ({ files: [{ path: text }] })],
  ['outline', (text) => ({ paths: [text] })],
  ['search', (text) => ({ pattern: text })],
  ['search', (text) => ({ pattern: text, regex: true, ignore_case: true })],
  ['search', (text) => ({ pattern: 'a', paths: [text] })],
  ['history', (text) => ({ path: text })],
  ['history', (text) => ({ path: text, from: 1, to: 2 })],
  ['history', (text) => ({ message: text })],
  ['blame', (text) => ({ path: text, from: 1, to: 2 })],
  ['compare', (text) => ({ from: text })],
  ['compare', (text) => ({ from: 'main', path: text })],
  ['ci_log', (text) => ({ find: text })],
  ['owners', (text) => ({ paths: [text] })],
  ['replace', (text) => ({ path: text, old: 'a', new: 'b' })],
  ['replace', (text) => ({ path: 'a.ts', old: text, new: `${text} ` })],
  ['create_file', (text) => ({ path: text, content: text })],
  ['delete_file', (text) => ({ path: text })],
  ['rename_file', (text) => ({ from: text, to: 'x' })],
  ['rename_file', (text) => ({ from: 'a.ts', to: text })],
];
const TEXTS = [
  '',
  '.',
  '/',
  '../x',
  '/etc/passwd',
  'a/../../b',
  ':(glob)**',
  ':(exclude)a.ts',
  ':!a.ts',
  '-n',
  '--output=/tmp/x',
  '--all',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u200b',
  'x'.repeat(200_000),
  'a/'.repeat(3_000),
  '**/'.repeat(90),
  '{a,b}'.repeat(50),
  '(a+)+$',
  '[',
  '\\',
  'HEAD~1',
  '@{-1}',
  '.git/config',
  '$(id)',
];
const RAW = [
  '',
  'null',
  '[]',
  '"x"',
  '{',
  'x'.repeat(1_000_000),
  '['.repeat(100_000),
  `{"files":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
  '{"__proto__":{"path":"a.ts"}}',
  '{"constructor":1,"path":{"toString":1}}',
  '{"path":1e999,"files":[null],"paths":[[["a"]]]}',
  JSON.stringify({ files: Array.from({ length: 10_000 }, (_, index) => ({ path: 'a.ts', from: index + 1 })) }),
];

let bench: Workbench;

beforeAll(async () => {
  bench = await workbench(
    { 'a.ts': 'export const a = 1;\n', '-n': 'dash\n', 'x[1].txt': 'bracket\n', ':(glob)b': 'magic\n' },
    { ciLog: 'one\ntwo\n' },
  );
});
afterAll(() => bench[Symbol.asyncDispose]());

describe('the toolbox', () => {
  it('has its tools in this order', () => {
    expect(bench.toolbox.tools.map(({ name }) => name)).toEqual(NAMES);
  });

  it('describes itself with the same bytes each time, in at most 2,200 tokens', async () => {
    const described = ({ tools }: typeof bench.toolbox) =>
      JSON.stringify(tools.map(({ name, description, parameters }) => ({ name, description, parameters })));
    expect(described(await bench.again())).toBe(described(bench.toolbox));
    expect(estimateTokens(described(bench.toolbox))).toBeLessThanOrEqual(2_200);
    expect(described(bench.toolbox)).not.toMatch(/\$schema|9007199254740991/);
  });

  it('ends with the reason of an abort', async () => {
    const reason = new Error('enough');
    for (const tool of bench.toolbox.tools)
      await expect(tool.run('{}', AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe('arguments', () => {
  it('that are no use are answered with an example that is right', async () => {
    expect(await bench.ask('read_files', '{"files": [{"from": 3}]}')).toMatchInlineSnapshot(`
      "read_files {"files": [{"from": 3}]}
      failed: ✖ Invalid input: expected string, received undefined → at files[0].path. Write the arguments like this: {"files":[{"path":"src/app.ts","from":1,"to":120},{"path":"src/cart.ts","symbol":"Cart.total"}]}"
    `);
    expect(await bench.ask('blame', 'path=a.ts')).toMatchInlineSnapshot(`
      "blame path=a.ts
      failed: The arguments are not JSON. Write the arguments like this: {"path":"src/app.ts","from":10,"to":30}"
    `);
    expect(await bench.ask('search', { pattern: 'a', maximum: 3 })).toMatchInlineSnapshot(`
      "search {"pattern":"a","maximum":3}
      failed: ✖ Unrecognized key: "maximum". Write the arguments like this: {"pattern":"parseDate(","paths":["src"]}"
    `);
    for (const { name, run } of bench.toolbox.tools) {
      const { finding } = await run('{"no such argument": 1}', new AbortController().signal);
      const [, example = ''] = /Write the arguments like this: (.*)$/.exec(finding.text) ?? [];
      expect(await bench.ask(name, example)).not.toContain('Write the arguments');
    }
  });

  it('in the wrong type are understood where only one thing can be meant', async () => {
    expect(await bench.ask('read_files', { files: 'a.ts' })).toContain('1 | export const a = 1;');
    expect(await bench.ask('read_files', { files: ['a.ts'] })).toContain('1 | export const a = 1;');
    expect(await bench.ask('read_files', { files: { path: 'a.ts', from: '1', to: null } })).toContain('1 | export');
    expect(await bench.ask('search', { pattern: 'A =', ignore_case: 'true', paths: null, limit: '5' })).toContain(
      '1 | export',
    );
    expect(await bench.ask('outline', { paths: 'a.ts' })).toContain('export const a');
  });

  it('of every strange kind are answered, in at most 13 kB', async () => {
    const toolbox = await bench.again();
    for (const [name, given] of WITH_TEXT) {
      for (const text of TEXTS) {
        const answer = await ask(toolbox, name, given(text));
        expect(answer).toMatch(/\n(found|nothing|failed): /);
        expect(Buffer.byteLength(answer)).toBeLessThan(13_000);
      }
    }
  });

  it('that are broken as JSON are answered by every tool', async () => {
    for (const name of NAMES) {
      for (const raw of RAW) {
        const answer = await bench.ask(name, raw);
        expect(answer).toMatch(/\n(found|nothing|failed): /);
        expect(answer.length).toBeLessThan(13_000);
      }
    }
  });

  it('mean names as they are written, not as options, patterns or magic', async () => {
    const read = (path: string) => bench.ask('read_files', { files: [{ path }] });
    expect(await read('-n')).toContain('1 | dash');
    expect(await read('x[1].txt')).toContain('1 | bracket');
    expect(await read(':(glob)b')).toContain('1 | magic');
    expect(await read(':(glob)**')).toContain('\nfailed: There is no');
    expect(await bench.ask('search', { pattern: 'magic', paths: [':(glob)b'] })).toContain('1 | magic');
    expect(await bench.ask('search', { pattern: '-n' })).toContain('\nnothing: ');
    expect(await bench.ask('blame', { path: '-n', from: 1, to: 1 })).toContain('Begin');
    expect(await bench.ask('history', { path: '-n' })).toContain('Begin');
  });
});
