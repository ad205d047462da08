// Each signal alone puts the right one of two files first, and says why.
import { describe, expect, it } from 'vitest';
import { FIRST, factsOf, SECOND } from '../shop.ts';

type Files = Readonly<Record<string, string>>;

const FILLER = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => [`src/part-${index}.ts`, `export const part${index} = ${index};\n`]),
);

async function ranked(report: string, ...commits: readonly (readonly [string, Files])[]) {
  const shas = [FIRST, SECOND];
  const all = commits.map(([subject, files], index) => ({
    sha: shas[index]!,
    subject,
    files: { ...FILLER, ...files },
  }));
  return factsOf(report, { commits: all });
}

describe('a suspect behind the first', () => {
  const FOUND = { 'src/first.ts': '// bakery sells bread\nstart();\n' };
  const LIKE = "it('sells bread in the bakery', () => {});\n";

  it('changed together with a test that reads like the report', async () => {
    const { suspects } = await ranked(
      'Bakery sells no bread',
      ['Start', { ...FOUND, 'src/b.ts': 'start();\n' }],
      ['Change', { ...FOUND, 'src/b.ts': 'start(1);\n', 'test/x.test.ts': LIKE }],
    );
    expect(suspects.map(({ file }) => file)).toEqual(['src/first.ts', 'src/b.ts']);
    expect(suspects[1]?.reasons).toEqual([]);
  });
});

describe('the file that a failing test tests', () => {
  it('is in the folder of the test, where others have the same name', async () => {
    const { suspects } = await ranked('FAIL src/b/router.test.ts > adds a path', [
      'Start',
      { 'src/a/router.ts': 'start();\n', 'src/b/router.ts': 'start();\n', 'src/b/router.test.ts': 'add();\n' },
    ]);
    const tested = suspects.filter(({ reasons }) => reasons.some((reason) => reason.startsWith('tested by')));
    expect(tested.map(({ file }) => file)).toEqual(['src/b/router.ts']);
  });
});

describe('the first suspect', () => {
  it('holds the words of the title, rather than those of a pasted script', async () => {
    const { suspects } = await ranked('Ledger totals are wrong\n\n```js\nbakery.open();\n```\n', [
      'Start',
      { 'src/a.ts': '// bakery\nstart();\n', 'src/b.ts': '// totals of the ledger\nstart();\n' },
    ]);
    expect(suspects[0]).toMatchObject({ file: 'src/b.ts', line: 2 });
    expect(suspects[0]?.reasons).toContain('mentions “ledger”, “totals”');
  });

  it('defines the name that a test of another file is for, and not that test', async () => {
    const { suspects } = await ranked('It hangs\n\n`test/response.js::res.sendFile` never ends', [
      'Start',
      {
        'lib/response.js': 'const res = {};\nres.sendFile = function sendFile() {\n  wait();\n};\n',
        'src/a.js': 'go();\n',
      },
    ]);
    expect(suspects[0]).toMatchObject({ file: 'lib/response.js' });
    expect(suspects[0]?.reasons.join()).toContain('defines `sendFile`, mentioned in the report');
    expect(suspects[0]?.reasons.join()).not.toContain('::');
  });

  it('defines a name, rather than uses it; the line is that of the definition', async () => {
    const { suspects } = await ranked('It hangs\n\n`openLedger` never returns', [
      'Start',
      { 'src/a.ts': 'openLedger();\n', 'src/b.ts': '\nexport function openLedger() {\n  wait();\n}\n' },
    ]);
    expect(suspects[0]).toMatchObject({ file: 'src/b.ts', line: 2, function: 'openLedger' });
    expect(suspects[0]?.reasons).toContain('defines `openLedger`, mentioned in the report');
  });

  it.each([
    [
      'src/index.ts',
      "export { openLedger } from './b.js';\nexport {\n  closeLedger,\n  ledgerRows,\n} from './c.js';\n",
    ],
    ['src/index.js', 'module.exports = {\n  openLedger,\n  closeLedger,\n  ledgerRows,\n};\n'],
    [
      'src/__init__.py',
      'from .b import openLedger as openLedger\nfrom .c import closeLedger\nfrom .c import ledgerRows\n\n__all__ = [\n    "openLedger",\n    "closeLedger",\n    "ledgerRows",\n]\n',
    ],
    ['src/lib.rs', 'pub use b::openLedger;\npub use c::{closeLedger, ledgerRows};\n'],
  ])('defines a name, rather than passes it on as %s does', async (path, text) => {
    const { suspects } = await ranked('openLedger hangs\n\n```\nopenLedger();\nledgerRows();\ncloseLedger();\n```\n', [
      'Start',
      { [path]: text, 'src/b.ts': `\nexport function openLedger() {\n${'  wait();\n'.repeat(60)}}\n` },
    ]);
    expect(suspects[0]).toMatchObject({ file: 'src/b.ts', line: 2, function: 'openLedger' });
    expect(suspects.find(({ file }) => file === path)?.line ?? 0).toBe(0);
  });

  it('has a path that shares words', async () => {
    const { suspects } = await ranked('Ledger is wrong', [
      'Start',
      { 'src/bakery.ts': 'start();\n', 'src/ledger.ts': 'start();\n' },
    ]);
    expect(suspects[0]).toMatchObject({ file: 'src/ledger.ts', reasons: [] });
  });

  it('is not said to hold a name of which it holds the parts alone', async () => {
    const { suspects } = await ranked('`LedgerBook` is refused', [
      'Start',
      { 'src/a.ts': '// a ledger\nstart();\n', 'src/b.ts': 'start();\n' },
    ]);
    expect(suspects[0]).toMatchObject({ file: 'src/a.ts', reasons: [] });
  });

  it.each([
    [
      '`__ledger__` hangs',
      'def ledger(self):\n',
      ['defines `ledger`, similar to a name in the report', 'mentions “ledger”'],
    ],
    ['`openLedger` hangs', 'def open_ledger():\n', ['defines `open_ledger`, similar to a name in the report']],
    [
      '`openLedger` hangs',
      'def open_ledger():\n  1\ndef openLedger():\n',
      ['defines `openLedger`, mentioned in the report'],
    ],
    ['`openLedger` hangs', 'open_ledger()\n', ['mentions `open_ledger`, similar to a name in the report']],
    ['`openLedger` hangs', 'open_ledger(openLedger)\n', ['mentions `openLedger`, mentioned in the report']],
    ['`__ledger__` hangs', 'start(ledger)\n', ['mentions “ledger”']],
    ['`_ledgers` hangs', '# a ledger\n', []],
    ['Ledgers hang', 'open_ledger()\n', []],
    ['Ledgers of bakeries hang', 'bakery_ledger()\n', ['mentions “ledger”, “bakery”']],
    ['Ledger 799 hangs 819', '# ledger 799 819\n', []],
    ['`openLedger` hangs', 'type openLedger,\n', ['mentions `openLedger`, mentioned in the report']],
    [
      '`openLedger` hangs',
      'def start():\n    """\n    Calls\n    def openLedger():\n    """\n',
      ['mentions `openLedger`, mentioned in the report'],
    ],
  ])('of “%s” is said to have what it has: %j', async (report, text, reasons) => {
    const { suspects } = await ranked(report, ['Start', { 'src/a.py': text, 'src/b.py': 'start()\n' }]);
    expect(suspects[0]?.file).toBe('src/a.py');
    const said = suspects[0]?.reasons.map((reason) => reason.replace(/^the file /, ''));
    expect(said?.filter((reason) => !reason.startsWith('changed in'))).toEqual(reasons);
  });

  it('is code, rather than texts for people with the same words', async () => {
    const help = "const a = 'The coupon discount of a basket, and the discount coupon of each basket';\n";
    const pay = 'function pay(basket, coupon) {\n  return basket.sum - coupon.discount(basket);\n}\n';
    const { suspects } = await ranked('The coupon discount of a basket is lost', [
      'Start',
      { 'src/help.ts': help, 'src/pay.ts': pay, 'src/start.ts': 'start();\n' },
    ]);
    expect(suspects[0]?.file).toBe('src/pay.ts');
  });

  it('is no suspect for small words, in other languages neither', async () => {
    const report = 'Absturz bei Kauf\n\nDas passiert bei mir immer auf der Seite, und zwar seit sie neu ist';
    const { suspects } = await ranked(report, ['Start', { 'src/bank.ts': "match('bei der Bank auf dem Konto');\n" }]);
    expect(JSON.stringify(suspects)).not.toMatch(/“(?:bei|auf|der|und|sie)”/);
  });

  it('is no suspect for numbers alone', async () => {
    const { suspects } = await ranked('Fails at 799 and 819', ['Start', { 'src/a.ts': 'start(799, 819);\n' }]);
    expect(suspects).toEqual([]);
  });

  it('holds in its own form what the failing test uses', async () => {
    const { suspects } = await ranked('Error: expected 1 to be 2\n    at check (/srv/shop/test/all.test.ts:1:3)\n', [
      'Start',
      { 'src/b.ts': 'open_ledger();\n', 'test/all.test.ts': 'function check() { openLedger(); }\n' },
    ]);
    expect(suspects[0]?.reasons).toContain('mentions `open_ledger`, `ledger`, similar to words of the failing test');
  });

  it('was changed by an earlier commit that reads like the report', async () => {
    const { suspects } = await ranked(
      'Totals of carts lose half a cent',
      ['Start', { 'src/a.ts': 'start();\n', 'src/b.ts': 'start();\n' }],
      ['Totals lost half a cent', { 'src/a.ts': 'start();\n', 'src/b.ts': 'start(1);\n' }],
    );
    expect(suspects[0]?.file).toBe('src/b.ts');
    expect(suspects[0]?.reasons).toContain(
      'changed in 2b2b2b2 “Totals lost half a cent”, which shares “totals”, “half”, “cent” with the report',
    );
  });

  it('is not said to be like a message for one everyday word, or for the name of the project', async () => {
    const manifest = { 'package.json': '{"name": "bakery"}\n' };
    const reasonsFor = async (subject: string) => {
      const { suspects } = await ranked(
        'Totals of carts in the bakery lose half a cent',
        ['Start', { ...manifest, 'src/a.ts': 'start();\n', 'src/b.ts': 'start();\n' }],
        [subject, { ...manifest, 'src/a.ts': 'start();\n', 'src/b.ts': 'start(1);\n' }],
      );
      return suspects.flatMap(({ reasons }) => reasons).join('\n');
    };
    expect(await reasonsFor('Totals of the bakery')).not.toContain('which shares');
    expect(await reasonsFor('Totals lost in the bakery by half')).toContain('shares “totals”, “half” with the report');
  });

  it('is what the failing test uses, where the trace names the test alone', async () => {
    const { suspects } = await ranked('Error: expected 1 to be 2\n    at check (/srv/shop/test/all.test.ts:4:3)\n', [
      'Start',
      {
        'src/a.ts': 'export const bakery = 1;\n',
        'src/b.ts': 'export const ledger = 2;\n',
        'test/all.test.ts': "it('a', () => bakery());\n\nfunction check(\n) { ledger(); }\n",
      },
    ]);
    expect(suspects[0]).toMatchObject({ file: 'src/b.ts', line: 1 });
    expect(suspects[0]?.reasons).toContain('mentions `ledger`, used by the failing test');
    expect(suspects.find(({ file }) => file === 'src/a.ts')).toBeUndefined();
  });

  it('holds together what the failing test uses, rather than far apart', async () => {
    const [near, far] = ['ledger();\nbakery();', `ledger();${'\n'.repeat(60)}bakery();`];
    const { suspects } = await ranked('Error: expected 1 to be 2\n    at check (/srv/shop/test/all.test.ts:2:3)\n', [
      'Start',
      { 'src/a.ts': far, 'src/b.ts': near, 'test/all.test.ts': 'function check() {\n  ledger(bakery());\n}\n' },
    ]);
    expect(suspects.map(({ file }) => file).filter((file) => file.startsWith('src/'))).toEqual([
      'src/b.ts',
      'src/a.ts',
    ]);
  });

  it('is said to have no word of everyday, none of a language and not the name of the project', async () => {
    const others = Object.fromEntries(['b', 'c', 'd', 'e', 'f'].map((name) => [`src/${name}.ts`, 'sorted(basket);\n']));
    const { suspects } = await ranked('`NullPointerException` in the bakery: basket is not sorted by `ledgerRows`', [
      'Start',
      {
        ...others,
        'package.json': '{"name": "bakery"}\n',
        'src/a.ts': 'bakery(ledgerRows, sorted(basket), NullPointerException);\n',
      },
    ]);
    expect(suspects[0]).toMatchObject({
      file: 'src/a.ts',
      reasons: ['mentions `ledgerRows`, mentioned in the report'],
    });
  });

  it('belongs to the product, rather than to its examples', async () => {
    const { suspects } = await ranked('The ledger is wrong', [
      'Start',
      { 'examples/a.ts': '// ledger\n', 'src/b.ts': '// ledger\n' },
    ]);
    expect(suspects.map(({ file }) => file)).toEqual(['src/b.ts', 'examples/a.ts']);
  });
});

describe('the ranking', () => {
  it('is one step that says what was looked up and what it gave', async () => {
    const { told } = await ranked('The ledger is wrong\n\n`openLedger` fails', [
      'Start',
      { 'src/b.ts': 'function openLedger() {}\n' },
    ]);
    const step = told.find(({ action }) => action.startsWith('compare the report with'));
    expect(step?.action).toBe('compare the report with 13 files and 1 commit message at 1a1a1a1');
    expect(step?.result).toContain('defined here: openLedger');
    expect(step?.result).toContain('src/b.ts: defines `openLedger`, mentioned in the report');
  });

  it('holds no file that nothing but its age speaks for', async () => {
    const { suspects } = await ranked('The ledger is wrong', ['Start', { 'src/b.ts': '// ledger\n' }]);
    expect(suspects.map(({ file }) => file)).toEqual(['src/b.ts']);
  });
});
