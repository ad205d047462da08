// From a report to suspects and steps, over a small repository in memory.
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../src/core/errors.ts';
import { gatherFacts } from '../../src/triage/facts.ts';
import { concludeFromFacts } from '../../src/triage/facts-only.ts';
import { createMemoryRepository, testLexicons } from '../support/memory-source.ts';
import { COMMITS, FILES, FIRST, factsOf, HEADER, SECOND, SHOP, TRACE } from './shop.ts';

describe('a report with a stack trace', () => {
  it('suspects own frames, the innermost first, with their functions', async () => {
    const { suspects } = await factsOf(TRACE);
    expect(suspects.slice(0, 2).map(({ file, line, function: name }) => [file, line, name])).toEqual([
      ['src/header.ts', 2, 'parseHeader'],
      ['src/request.ts', 4, 'readRequest'],
    ]);
    expect(suspects[0]?.reasons[0]).toBe('top frame of the stack trace in this repository; compiled file');
    expect(suspects[1]?.reasons[0]).toBe('further out in the stack trace');
    expect(suspects.every(({ score }) => score >= 0 && score <= 1)).toBe(true);
  });

  it('tells every step as it is taken, with the exact query', async () => {
    const { told, steps } = await factsOf(TRACE);
    expect(told).toEqual(steps);
    const actions = told.map(({ action }) => action);
    expect(actions).toEqual(
      expect.arrayContaining([
        'map 4 stack frames to files at 2b2b2b2',
        'read src/header.ts:1-6 at 2b2b2b2',
        'find tests of src/header.ts at 2b2b2b2',
        'history src/header.ts (last 3) at 2b2b2b2',
      ]),
    );
    const frames = told.find(({ action }) => action.startsWith('map '));
    expect(frames?.result).toContain('dependency left-pad');
    const read = told.find(({ action }) => action.startsWith('read src/header.ts'));
    expect(read?.result).toContain('  2 | export function parseHeader(line: string): Header {');
    expect(read?.analysis).toBe('`parseHeader` fits the report best in src/header.ts; the report names no line of it.');
    expect(told.every(({ action, result, analysis }) => action !== '' && result !== '' && analysis !== '')).toBe(true);
  });

  it('names only the file where the report names a line behind its end', async () => {
    const facts = await factsOf('Cookies are lost\n\nThe value of a header is lost at src/header.ts:99999.');
    expect(facts.shown[0]).toMatchObject({ file: 'src/header.ts', line: 0, function: '' });
    const { rootCause, analysis } = concludeFromFacts(facts, { seconds: 1 });
    expect(rootCause).toContain('src/header.ts has 6 lines at this commit, but the report names line 99999');
    expect(analysis.citations).toEqual([]);
  });

  it('says where a line does not exist at the commit', async () => {
    const facts = await factsOf('Error: boom\n    at readRequest (/srv/shop/src/request.ts:400:1)\n');
    expect(facts.suspects[0]).toMatchObject({ file: 'src/request.ts', line: 3, function: 'readRequest' });
    const { rootCause } = concludeFromFacts(facts, { seconds: 1 });
    expect(rootCause).toContain('src/request.ts has 5 lines at this commit, but the report names line 400');
  });

  it.each([
    [2, 'line 2 of src/request.ts, which the report names, is blank at this commit'],
    [6, 'line 6 of src/request.ts, which the report names, is a comment at this commit'],
  ])('shows no line that holds no code: %d', async (line, says) => {
    const files = { ...FILES, 'src/request.ts': `${FILES['src/request.ts']}// The end.\n` };
    const facts = await factsOf(`Error: boom\n    at readRequest (/srv/shop/src/request.ts:${line}:1)\n`, {
      commits: [{ sha: FIRST, subject: 'one', files }],
    });
    expect(facts.suspects[0]).toMatchObject({ file: 'src/request.ts', line: 3, function: 'readRequest' });
    expect(concludeFromFacts(facts, { seconds: 1 }).rootCause).toContain(says);
  });

  it('says of no function that it is in the stack trace by the line of another version', async () => {
    const files = { ...FILES, 'src/header.ts': `export function other() {\n${'  run();\n'.repeat(20)}}\n${HEADER}` };
    const commits = [
      { sha: FIRST, subject: 'Read headers', files: FILES },
      { sha: SECOND, subject: 'Add another', files },
    ];
    const report = 'Stops\n\nVersion: 1.0.0\n\nError: gone\n    at /srv/shop/src/header.ts:4:27\n';
    const reasons = async (tags: Readonly<Record<string, string>>) =>
      (await factsOf(report, { commits, tags })).functions.flatMap((each) => each.reasons);
    expect(await reasons({})).toContain('`other` is in the stack trace');
    expect(await reasons({ 'v1.0.0': FIRST })).not.toContain('`other` is in the stack trace');
  });

  it('reads frames at the version that the report names, and carries the line over', async () => {
    const moved = { ...FILES, 'src/header.ts': `// A new first line.\n${HEADER}` };
    const facts = await factsOf('shop v1.0.0\n\nError: boom\n    at parseHeader (/srv/shop/src/header.ts:3:1)\n', {
      commits: [COMMITS[0]!, { sha: SECOND, subject: 'Move', files: moved }],
      tags: { 'v1.0.0': FIRST },
    });
    expect(facts.revisions).toMatchObject({ asked: SECOND, frames: FIRST, framesName: 'v1.0.0' });
    expect(facts.suspects[0]).toMatchObject({ file: 'src/header.ts', line: 4 });
    expect(facts.suspects[0]?.reasons[0]).toContain('(line 3 at v1.0.0)');
    expect(concludeFromFacts(facts, { seconds: 1 }).analysis.revision).toBe(SECOND);
  });

  it('takes a line that one of several fits does not have as a sign against that fit only', async () => {
    const long = `${'let filler;\n'.repeat(50)}export function load() {}\n`;
    const files = { 'a/src/index.ts': long, 'b/src/index.ts': 'export const b = 1;\n' };
    const facts = await factsOf('Error: qqq\n    at load (/srv/src/index.ts:51:1)\n', {
      commits: [{ sha: FIRST, subject: 'two', files }],
    });
    expect(facts.suspects[0]).toMatchObject({ file: 'a/src/index.ts', line: 51, function: 'load' });
    expect(facts.mismatches).toEqual([]);
    expect(facts.suspects[1]?.reasons).toContain('line 51 does not exist in this file at this commit');
  });

  it('stays in a file that does more than raise, whatever it is called', async () => {
    const checker =
      'export function check(total: number) {\n  const rest = total - 3;\n  if (rest < 0) throw new Error("x");\n  return rest;\n}\n';
    const files = {
      'src/checker.ts': checker,
      'src/cart.ts': 'export function open(cart: string) {\n  return check(1);\n}\n',
    };
    const { suspects } = await factsOf(
      'Error: qqq\n    at check (/srv/shop/src/checker.ts:3:9)\n    at open (/srv/shop/src/cart.ts:2:10)\n',
      { commits: [{ sha: FIRST, subject: 'one', files }] },
    );
    expect(suspects.slice(0, 2).map(({ file }) => file)).toEqual(['src/checker.ts', 'src/cart.ts']);
  });

  it.each(['validate.ts', 'reporter.ts', 'text-utils.ts', 'CartException.ts', 'total.ts'])(
    'goes on from %s, which only raises, to what called it',
    async (guard) => {
      const files = {
        [`src/${guard}`]: 'export function require(value: string) {\n  throw new Error(value);\n}\n',
        'src/cart.ts':
          "import { require } from './guard';\nexport function open(cart: string) {\n  require(cart);\n}\n",
      };
      const { suspects } = await factsOf(
        `Error: qqq\n    at require (/srv/shop/src/${guard}:2:9)\n    at open (/srv/shop/src/cart.ts:3:3)\n`,
        { commits: [{ sha: FIRST, subject: 'one', files }] },
      );
      expect(suspects.slice(0, 2).map(({ file }) => file)).toEqual(['src/cart.ts', `src/${guard}`]);
    },
  );

  it('names the line of a test that broke by itself before files that only share words', async () => {
    const files = { ...FILES, 'test/fuzz.test.ts': "it('reads any header', () => {\n  parse(all[at].line);\n});\n" };
    const of = async (error: string) =>
      (
        await factsOf(`CI fails\n\n${error}\n    at Object.<anonymous> (/srv/shop/test/fuzz.test.ts:2:9)\n`, {
          commits: [{ sha: FIRST, subject: 'one', files }],
        })
      ).suspects;
    const [first, ...others] = await of("TypeError: Cannot read the header of a request, reading 'line'");
    expect(first).toMatchObject({ file: 'test/fuzz.test.ts', line: 2 });
    expect(first?.reasons[0]).toBe('top frame of the stack trace in this repository, a test');
    expect(others.map(({ file }) => file)).toContain('src/header.ts');
    const [source] = await of('AssertionError: expected a header of a request, reading 1');
    expect(source?.file).not.toBe('test/fuzz.test.ts');
  });

  it('keeps the order of the trace among its files', async () => {
    const files = {
      'src/rate.ts': 'export function rate(cart) {\n  return cart.rate.value;\n}\n',
      'src/total.ts': 'export function sum(cart) {\n  return rate(cart);\n}\n',
      'src/checkout.ts':
        'export function checkout(cart) {\n  // checkout of a cart: total and discount\n  return sum(cart);\n}\n',
    };
    const { suspects } = await factsOf(
      `Checkout of a cart shows no discount, the checkout total is wrong

TypeError: qqq
    at rate (/srv/shop/src/rate.ts:2:10)
    at sum (/srv/shop/src/total.ts:2:10)
    at checkout (/srv/shop/src/checkout.ts:3:10)
`,
      { commits: [{ sha: FIRST, subject: 'one', files }] },
    );
    expect(suspects.map(({ file }) => file)).toEqual(['src/rate.ts', 'src/total.ts', 'src/checkout.ts']);
  });

  it('puts the subject of a failing test before the test', async () => {
    const { suspects } = await factsOf('Error: expected 1 to be 2\n    at /srv/shop/test/header.test.ts:2:20\n');
    expect(suspects[0]).toMatchObject({ file: 'src/header.ts' });
    expect(suspects[0]?.reasons).toContain('tested by `header.test.ts`, judging by the file name');
  });
});

describe('a report without a stack trace', () => {
  it('is led by the literal text of the error message, not by documents that repeat it', async () => {
    const { suspects } = await factsOf('It stops\n\nError: header has no value: cookie');
    expect(suspects[0]).toMatchObject({ file: 'src/header.ts', line: 4, function: 'parseHeader' });
    expect(suspects[0]?.reasons[0]).toBe('contains the error message “header has no value” at line 4');
  });

  it('leads from the function with the error message to what calls it', async () => {
    const { suspects } = await factsOf('It stops\n\nError: header has no value: cookie', {
      commits: [{ sha: FIRST, subject: 'one', files: { ...FILES, 'src/login.ts': 'const a = parseHeader(line);\n' } }],
    });
    expect(suspects.find(({ file }) => file === 'src/login.ts')?.reasons).toContain(
      'calls `parseHeader`, which has the error message, at line 1',
    );
  });

  it('takes no comment for the place of the message', async () => {
    const files = { ...FILES, 'src/tree.ts': '// If the node is null it is new\nstart();\n' };
    const { suspects } = await factsOf('It stops\n\nTypeError: the node is null', {
      commits: [{ sha: FIRST, subject: 'one', files }],
    });
    expect(suspects.flatMap(({ reasons }) => reasons).filter((reason) => reason.startsWith('contains '))).toEqual([]);
  });

  it('takes neither the definition of the same name elsewhere nor a comment for a call', async () => {
    const files = {
      ...FILES,
      'src/cookie.ts': 'export class Cookies {\n  parseHeader(line: string) {\n  }\n}\n',
      'src/note.ts': '// parseHeader(line) is of headers\nstart();\n',
    };
    const { suspects } = await factsOf('It stops\n\nError: header has no value: cookie', {
      commits: [{ sha: FIRST, subject: 'one', files }],
    });
    expect(suspects.flatMap(({ reasons }) => reasons).filter((reason) => reason.startsWith('calls '))).toEqual([]);
  });

  it('names no place as reliable for plain words, also where they are the names of functions', async () => {
    const { shown } = await factsOf('It should never discount a total', {
      commits: [{ sha: FIRST, subject: 'one', files: { 'src/total.ts': 'export function discount() {}\n' } }],
    });
    for (const { score, reasons } of shown) {
      expect(score).toBeLessThanOrEqual(0.5);
      expect(reasons.join()).not.toContain('mentioned in the report');
    }
  });

  it('is led by a name with its owner', async () => {
    const files = {
      'src/cart.ts': 'export class Cart {\n  open() {\n    return 1;\n  }\n}\n',
      'src/door.ts': 'export class Door {\n  open() {\n    return 1;\n  }\n}\n',
    };
    const { suspects } = await factsOf('Nothing comes back from `Cart#open`', {
      commits: [{ sha: FIRST, subject: 'one', files }],
    });
    expect(suspects[0]?.file).toBe('src/cart.ts');
    expect(suspects[0]?.reasons[0]).toContain('defines `Cart#open`, mentioned in the report');
  });

  it('is led by what its words name, not by what its sample calls', async () => {
    const files = {
      'src/shop.ts':
        'export function openDoor() {\n  return 1;\n}\n\nexport class DoorKeeper {\n  openGently() {\n    return 1;\n  }\n}\n\nexport class CartTotal {\n  sum() {\n    return 1;\n  }\n}\n',
    };
    const report =
      '`CartTotal` is wrong\n\nI see it in `CartTotal`:\n\n```ts\nDoorKeeper.openGently();\nnew CartTotal();\n```';
    const { suspects } = await factsOf(report, { commits: [{ sha: FIRST, subject: 'one', files }] });
    expect(suspects[0]?.reasons[0]).toBe('defines `CartTotal`, mentioned in the report');
  });

  it('is led by names that it mentions', async () => {
    const { suspects } = await factsOf('The total is wrong after `applyDiscount`');
    expect(suspects[0]).toMatchObject({ file: 'src/discount.ts', line: 1, function: 'applyDiscount' });
    expect(suspects[0]?.reasons).toContain('defines `applyDiscount`, mentioned in the report');
  });

  it('is led by paths that it names', async () => {
    const { suspects } = await factsOf('Something is wrong in src/request.ts:4');
    expect(suspects[0]).toMatchObject({ file: 'src/request.ts', line: 4 });
    expect(suspects[0]?.reasons).toContain('mentioned in the report');
  });

  it('that names nothing found here suspects nothing', async () => {
    expect((await factsOf('zzz qqq')).suspects).toEqual([]);
  });

  it('gives the same answer each time, at most 30 suspects', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [
        `src/part-${i}.ts`,
        `export function parseHeader${i}() {}\n// parseHeader\n`,
      ]),
    );
    const commits = [{ sha: FIRST, subject: 'many', files: many }];
    const one = await factsOf('`parseHeader` breaks', { commits });
    expect(one.suspects).toHaveLength(30);
    expect((await factsOf('`parseHeader` breaks', { commits })).suspects).toEqual(one.suspects);
  });
});

describe('a lookup that fails', () => {
  it('is a step that says so, and the rest goes on', async () => {
    const facts = await factsOf(TRACE, {
      before: (lookup) => {
        if (lookup.startsWith('outline')) throw new CausewayError('internal', 'It failed. fatal: /srv/mirrors/p.git');
      },
    });
    const failed = facts.steps.filter(({ result }) => result === 'failed');
    expect(failed.length).toBeGreaterThan(0);
    expect(JSON.stringify(facts.steps)).not.toContain('/srv/mirrors');
    expect(facts.suspects[0]?.file).toBe('src/header.ts');
    expect(facts.steps.some(({ action }) => action.startsWith('history'))).toBe(true);
  });

  it('because the repository is gone, or the run is aborted, ends the run', async () => {
    const gone = new CausewayError('repository_unreachable', 'gone');
    const before = (lookup: string): void => {
      if (lookup.startsWith('read src/')) throw gone;
    };
    await expect(factsOf(TRACE, { before })).rejects.toBe(gone);
    const aborted = new AbortController();
    const repository = createMemoryRepository({ commits: COMMITS, before: () => aborted.abort(new Error('stop')) });
    await using lexicons = testLexicons();
    const run = gatherFacts({
      lexicon: lexicons.of(SHOP),
      report: TRACE,
      revision: '',
      repository,
      onStep: async () => {},
      signal: aborted.signal,
    });
    await expect(run).rejects.toThrow('stop');
  });
});
