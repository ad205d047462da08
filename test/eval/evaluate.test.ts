// `npm run eval` end to end: made repositories, made cases, ranks that are known; and how it tells what it cannot do.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { evaluate } from './evaluate.ts';
import { EvalFault, type Part } from './part.ts';
import { PARTS } from './parts.ts';

const CART = `class Cart:
    """Things to buy."""

    def add(self, thing):
        self.things.append(thing)

    def total_price(self, coupon):
        return self.subtotal() - coupon.discount

    def subtotal(self):
        return sum(thing.price for thing in self.things)
`;
const FILES = {
  'shop/cart.py': CART,
  'shop/mail.py': 'def send_mail(address):\n    connect(address)\n',
  'shop/store.py': 'def open_store(path):\n    return read(path)\n',
  'tests/test_cart.py': 'def test_total_price():\n    assert Cart().total_price(None) == 0\n',
};
const PROBLEM = 'total_price fails without a coupon\n\n`Cart.total_price(None)` breaks: there is no discount.';

let folder = '';
let base = '';
let fix = '';

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-eval-test-'));
  await using repository = await gitRepository();
  base = await repository.commit(FILES, 'the shop');
  fix = await repository.commit({ 'shop/coupon.py': 'def total_price(): pass\n' }, 'total_price without a coupon');
  mkdirSync(file('repositories'));
  repository.git('clone', '--quiet', '--bare', repository.path, file('repositories/acme+shop.git'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string): string {
  return path.join(folder, name);
}

function made(more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    id: 'shop-1',
    repo: 'acme/shop',
    baseCommit: base,
    language: 'python',
    source: 'made',
    problem: PROBLEM,
    goldFiles: ['shop/cart.py'],
    goldFunctions: ['shop/cart.py::Cart.total_price'],
    goldLines: { 'shop/cart.py': [[8, 8]] },
    ...more,
  };
}

function writeCases(...cases: readonly object[]): string {
  writeFileSync(file('cases.jsonl'), cases.map((one) => `${JSON.stringify(one)}\n`).join(''));
  return file('cases.jsonl');
}

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function run(args: readonly string[], parts: readonly Part[] = PARTS): Promise<Ran> {
  const said = { out: '', err: '' };
  const output = {
    out: (text: string) => {
      said.out += text;
    },
    err: (text: string) => {
      said.err += text;
    },
  };
  const code = await evaluate(args, parts, output, new AbortController().signal);
  return { code, ...said };
}

function runCases(part: string, cases: string, ...more: readonly string[]): Promise<Ran> {
  return run([part, '--cases', cases, '--repositories', file('repositories'), ...more]);
}

/** Cells of the first row of a table that begins so. */
function rowOf(out: string, group: string, system: string): readonly string[] {
  const row = out.split('\n').find((line) => line.startsWith(`| ${group} | ${system} |`));
  return row === undefined ? [] : row.split('|').map((cell) => cell.trim());
}

describe('npm run eval', () => {
  it('ranks files as the product does, beside plain BM25, and notes each ranking down', async () => {
    const cases = writeCases(made(), made({ id: 'shop-2', goldFiles: ['shop/other.py'] }));
    const { code, out } = await runCases('files', cases, '--baseline', 'bm25', '--json', file('rows.jsonl'));
    expect(code).toBe(0);
    expect(rowOf(out, 'all', 'causeway').slice(3, 8)).toEqual(['2', '50.0', '50.0', '50.0', '0.500']);
    expect(rowOf(out, 'all', 'bm25').slice(3, 8)).toEqual(['2', '50.0', '50.0', '50.0', '0.500']);
    const rows = readFileSync(file('rows.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.map(({ id, system, rank }) => [id, system, rank])).toEqual([
      ['shop-1', 'causeway', 1],
      ['shop-1', 'bm25', 1],
      ['shop-2', 'causeway', 0],
      ['shop-2', 'bm25', 0],
    ]);
    expect(rows[0].ranked[0]).toMatchObject({
      file: 'shop/cart.py',
      reasons: expect.arrayContaining([expect.any(String)]),
    });
    expect(rows[0].gold).toEqual(['shop/cart.py']);
    expect(rows.flatMap(({ ranked }) => ranked.map((each: { file: string }) => each.file))).not.toContain(
      'tests/test_cart.py',
    );
  });

  it('knows nothing of what came after the commit, though the report names it', async () => {
    const problem = `total_price fails\n\nBroken at ${fix.slice(0, 12)}, see shop/coupon.py.`;
    await runCases('files', writeCases(made({ problem })), '--json', file('rows.jsonl'));
    const [row] = readFileSync(file('rows.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(row.ranked.map((each: { file: string }) => each.file)).not.toContain('shop/coupon.py');
    expect(JSON.stringify(row.ranked)).not.toContain(fix.slice(0, 7));
  });

  it('ranks functions, and says how near the line is', async () => {
    const { out } = await runCases('functions', writeCases(made(), made({ id: 'none', goldFunctions: [] })));
    expect(rowOf(out, 'all', 'causeway').slice(3, 10)).toEqual(['1', ...Array.from({ length: 6 }, () => '100.0')]);
    expect(out).toContain('1 cases without "goldFunctions" were left out');
  });

  it('places raw edits, and says which of them leave a file that parses', async () => {
    const edit = (original: string, patched: string, name = 'shop/cart.py') => ({ file: name, original, patched });
    const edits = [
      edit('        self.things.append(thing)', '        self.things.add(thing)'),
      edit(
        'def subtotal(self):\n    return sum(thing.price for thing in self.things)',
        'def subtotal(self):\n    pass',
      ),
      edit('        self.things.append(thing)', '        self.things.append(('),
      edit('return nothing', 'return None'),
      edit('a', 'b', 'shop/gone.py'),
    ];
    const cases = writeCases({ id: 'e', repo: 'acme/shop', baseCommit: base, source: 'made: by hand', edits });
    const { out } = await runCases('edits', cases);
    expect(rowOf(out, 'all', 'causeway').slice(3, 7)).toEqual(['4', '50.0', '75.0', '50.0']);
    expect(out).toContain('2 exact, 1 tolerant, 1 absent, 1 no file');
  });

  it('says which repository is not there, and how many cases it skipped for that', async () => {
    const cases = writeCases(made(), made({ id: 'a', repo: 'acme/gone' }), made({ id: 'b', repo: 'acme/gone' }));
    const { code, out } = await runCases('files', cases);
    expect(code).toBe(0);
    expect(rowOf(out, 'all', 'causeway')[3]).toBe('1');
    expect(out).toContain('acme/gone is not among the repositories: 2 of 3 cases skipped.');
  });

  it('reads a case from the mirror that it names, and says where a commit is missing', async () => {
    const mirrored = made({ repo: 'else/where', mirror: 'acme/shop' });
    const lost = made({ id: 'lost', baseCommit: '1'.repeat(40) });
    const { out } = await runCases('files', writeCases(mirrored, lost));
    expect(rowOf(out, 'all', 'causeway').slice(3, 5)).toEqual(['1', '100.0']);
    expect(out).toContain('lost: its commit is not in acme/shop; skipped.');
  });

  it('compares with recorded figures, and keeps the parts that were not run', async () => {
    const record = file('record.json');
    await runCases('functions', writeCases(made()), '--record', record);
    await runCases(
      'files',
      writeCases(made(), made({ id: 'shop-2', goldFiles: ['shop/other.py'] })),
      '--record',
      record,
    );
    expect(Object.keys(JSON.parse(readFileSync(record, 'utf8')).parts)).toEqual(['functions', 'files']);
    const { out } = await runCases('files', writeCases(made()), '--against', record);
    expect(rowOf(out, 'all', 'causeway').slice(3, 5)).toEqual(['1 (was 2)', '100.0 (+50.0)']);
    expect(rowOf(out, 'all', 'causeway')[7]).toBe('1.000 (+0.500)');
  });

  it('without a part runs those that the cases fit', async () => {
    const cases = ['--cases', writeCases(made()), '--repositories', file('repositories')];
    const { out } = await run(cases);
    expect(out.match(/^## .*$/gm)).toEqual(['## files', '## functions']);
    const traced = ['--cases', writeCases(made({ source: 'a trace', goldFunctions: [] })), ...cases.slice(2)];
    expect((await run(traced)).out.match(/^## .*$/gm)).toEqual(['## traces']);
  });
});

describe('npm run eval says', () => {
  it('in one message what it needs', async () => {
    const { code, err } = await run(['files']);
    expect(code).toBe(2);
    expect(err).toContain('give --cases FILE');
    expect((await run(['files', '--cases', writeCases(made())])).err).toContain('give --repositories DIR');
    expect((await runCases('everything', writeCases(made()))).err).toContain(
      'name one part of files, traces, functions',
    );
    expect((await run(['--cases'])).code).toBe(2);
  });

  it('the number of a line that is no case', async () => {
    const cases = writeCases(made());
    writeFileSync(cases, `${JSON.stringify(made())}\n\n{"id": "cut\n`);
    const { code, err } = await runCases('files', cases);
    expect(code).toBe(2);
    expect(err).toMatch(/^cases\.jsonl, line 3, is no JSON/);
    writeFileSync(cases, '[1]\n');
    expect((await runCases('files', cases)).err).toContain('line 1, is no JSON object');
    expect((await runCases('files', writeCases(made(), made({ problem: '' })))).err).toContain(
      'line 2, has no text "problem"',
    );
    expect((await runCases('files', writeCases(made({ baseCommit: 'main' })))).err).toContain('no full commit id');
  });

  it('what a part found wrong, and lets other errors through', async () => {
    const part = (error: Error): Part => ({
      name: 'made',
      says: 'nothing',
      fits: () => true,
      run: async () => {
        throw error;
      },
    });
    const args = ['made', '--cases', writeCases(made())];
    expect((await run(args, [part(new EvalFault('Give --logs DIR.'))])).err).toBe('Give --logs DIR.\n');
    await expect(run(args, [part(new Error('broken'))])).rejects.toThrow('broken');
  });
});
