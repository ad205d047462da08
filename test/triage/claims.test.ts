// What a report says of the code, checked: what it names is listed, looked up, and told where it does not hold.
import { describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { checkClaims } from '../../src/triage/claims/check-claims.ts';
import { listSaidLines } from '../../src/triage/claims/check-places.ts';
import { listNamedCommits, listOwnVersions } from '../../src/triage/claims/check-versions.ts';
import { listNamedThings } from '../../src/triage/claims/list-names.ts';
import { mapTraces } from '../../src/triage/clues.ts';
import { gatherFacts } from '../../src/triage/facts.ts';
import { concludeFromFacts } from '../../src/triage/facts-only.ts';
import { createNotebook } from '../../src/triage/lookups.ts';
import { createPathIndex } from '../../src/triage/paths.ts';
import { findSignals } from '../../src/triage/signals.ts';
import { testLexicons } from '../support/memory-source.ts';
import { pathProject, testSource } from '../support/project-source.ts';

const SIGNAL = new AbortController().signal;

const NO_FRAMES = { own: [], lost: new Set<string>(), lostFiles: new Set<string>(), others: new Set<string>() };

function namesOf(report: string, more: Partial<Parameters<typeof listNamedThings>[0]> = {}) {
  return listNamedThings({
    report,
    messages: [],
    ownNames: ['shop'],
    isWish: false,
    files: [],
    framed: NO_FRAMES,
    ...more,
  });
}

describe('the names in a report', () => {
  it('are of this project where the report says what they are', () => {
    const named = namesOf('Carts\n\nThe option `allowDebt` and `sumPrices()` in `src/cart.ts`; `Basket` is fine.', {
      files: ['src/cart.ts'],
    });
    expect(named.filter(({ isTied }) => isTied).map(({ text, kind }) => [text, kind])).toEqual([
      ['allowDebt', 'option'],
      ['sumPrices', 'function'],
    ]);
  });

  it('are not where the sample of the reporter defines or imports them', () => {
    const report = [
      'Totals are wrong',
      '',
      '```ts',
      "import { renderPage } from 'other-lib'",
      'function makeOrder(items) { return renderPage(sumPrices(items)); }',
      '```',
      '',
      'The function `makeOrder` and the helper `renderPage` run, `sumPrices()` fails.',
    ].join('\n');
    expect(namesOf(report).map(({ text }) => text)).toEqual(['sumPrices']);
  });

  it('are not fields, parameters and texts of the sample, nor the options of other programs in it', () => {
    const report = [
      'Totals are wrong',
      '',
      '```',
      'public class Order { private String timeZone;',
      '  void order(Map<String, String> zoneNames, Item cartItem) { return sumPrices(zoneNames.get("time_zone")); }',
      '$ cmake --build .',
      '$ shop --strict-totals',
      '--round-up',
      '```',
      'It is `timeZone`, `cartItem.price`, and the class `ShopCart.class`.',
    ].join('\n');
    expect(namesOf(report).map(({ text }) => text)).toEqual(['ShopCart', 'sumPrices', '--strict-totals', '--round-up']);
  });

  it('are not words that people write so, nor what a language has', () => {
    const report =
      'On macOS and NodeJS the ShopKit of GitHub throws `TypeError`, and `describe` of `Cart.describe` is `function`.';
    expect(namesOf(report, { ownNames: ['shopkit'] }).map(({ text }) => text)).toEqual(['Cart.describe']);
  });

  it('are not missed where they are proposed, of a language, or of the reporter', () => {
    const report =
      'Totals\n\nPlease add the option `allowDebt`. Our helper `payTwice` calls the method `System.exitNow`, as `-prune` of `find` does.';
    expect(namesOf(report).filter(({ isTied }) => isTied)).toEqual([]);
  });

  it('are settings of this project where they begin with its name', () => {
    const named = namesOf('Set SHOP_STRICT_TOTALS=1 or OTHER_STRICT_TOTALS=1');
    expect(named.filter(({ isTied }) => isTied).map(({ text }) => text)).toEqual(['SHOP_STRICT_TOTALS']);
  });

  it('take what a program says that it does not know', () => {
    expect(namesOf("AttributeError: 'Cart' object has no attribute 'total_of'")).toContainEqual(
      expect.objectContaining({ text: 'total_of', qualifier: 'Cart' }),
    );
  });
});

describe('the lines that a sentence gives', () => {
  const find = (file: string) => (file === 'src/cart.ts' ? file : null);
  it.each([
    ['in `src/cart.ts`, line 12', 12],
    ['in `src/cart.ts` the loop of `sum` (line 131) is wrong', 131],
    ['my.conf has it (line 7)', null],
    ['see src/cart.ts. Then there is more (line 7)', null],
  ])('%s', (text, line) => {
    expect(listSaidLines(text, find)).toEqual(line === null ? [] : [{ file: 'src/cart.ts', line }]);
  });
});

describe('the versions in a report', () => {
  const isOwn = (name: string) => name === 'shop';
  it.each([
    ['shop 2.9.0', true],
    ['Broken since 2.9.0.', true],
    ['Elixir version 1.13.2', null],
    ['Shop Framework version: 2.9.0', true],
    ['shop upgrade error from v1.8.0 to v2.9.0', true],
    ['python 3.12.1', null],
    ['after upgrading lodash from 4.17.1 to 4.17.9', null],
    ['2.9.0 is there', false],
  ])('%s', (text, isSaid) => {
    expect(listOwnVersions(text, isOwn).map((one) => one.isSaid)).toEqual(
      isSaid === null ? [] : expect.arrayContaining([isSaid]),
    );
  });
});

describe('the commits in a report', () => {
  it.each([
    ['Broken by commit 6d3d2750.', ['6d3d2750']],
    ['Bisected to 77ab3e01c2d9f4486b0d.', ['77ab3e01c2d9f4486b0d']],
    ['The address 7f04916 is free', []],
    ['sha256 9f3c2ab71e4d0c8a5b6f71d2e3c4a5968712d0fe', []],
    ['/tmp/2316ae91e848b763869f.js?745c3db05ccd6d7437dca35f2a7b84cdfb23abf1:17', []],
  ])('%s', (text, shas) => {
    expect(listNamedCommits(text)).toEqual(shas);
  });
});

const CART = 'export class Cart {\n  total(items: number[]) {\n    return sumAll(items);\n  }\n}\n';

async function shopRepository() {
  const repo = await gitRepository();
  await repo.commit(
    {
      'package.json': '{ "name": "shop" }\n',
      'src/cart.ts': CART,
      'src/legacy/auth.ts': 'export function parseToken(text: string) {\n  return text;\n}\n',
      'src/legacy/keys.ts': 'export const KEYS = 1;\n',
      'src/payment/card.ts': 'export const CARD = 1;\n',
    },
    'Begin',
  );
  repo.tag('v1.0.0');
  await repo.commit({ 'src/sum.ts': 'export const sumAll = (all: number[]) => all.length;\n' }, 'Sum');
  repo.tag('v1.1.0');
  const removal = await repo.commit({ 'src/legacy/auth.ts': null }, 'Remove the old way in');
  repo.tag('v1.2.0');
  await repo.commit({ 'src/legacy/keys.ts': null, 'src/keys.ts': 'export const KEYS = 1;\n' }, 'Move the keys');
  await repo.commit({ 'CHANGES.md': 'The option `roundUp` is gone.\n' }, 'Tell of changes');
  return { repo, removal };
}

async function checkedBy(
  report: string,
  { repo }: Awaited<ReturnType<typeof shopRepository>>,
  limitMs?: number,
): Promise<Readonly<Record<string, string>>> {
  await using opened = testSource();
  const repository = await opened.source.open(pathProject(repo.path), SIGNAL);
  const tree = repository.tree((await repository.resolve('', SIGNAL)) ?? '');
  const ground = {
    index: createPathIndex(await tree.files(SIGNAL)),
    packages: [{ name: 'shop', folder: '', kind: 'npm' as const }],
  };
  const lookups = { repository, tree, ground, notebook: createNotebook(async () => {}), signal: SIGNAL };
  const signals = findSignals(report);
  const mapped = mapTraces(ground, signals.traces);
  const claims = await checkClaims(lookups, { report, signals, mapped, at: { tree, ground, name: 'main' } }, limitMs);
  return Object.fromEntries(claims.map(({ text, state, note }) => [text, `${state}: ${note}`]));
}

describe('a report about a real repository', () => {
  it('is told what is not there, when it went, and what is there instead', async () => {
    const shop = await shopRepository();
    await using _repo = shop.repo;
    const claims = await checkedBy(
      [
        'Totals are wrong in shop 1.1.0',
        '',
        'Since shop 1.9.0 the function `parseToken` in `src/legacy/auth.ts` fails. `src/cart.ts`, line 480 calls `Cart.addAll()`,',
        'and `src/cart.ts:2` is `Cart.total`. The option `round_up` and the option `roundUp` do nothing.',
        'Broken by commit 4be81c0d5577. See `src/payment/crypt.ts` and `src/legacy/keys.ts`.',
      ].join('\n'),
      shop,
    );
    const removed = `removed in ${shop.removal.slice(0, 7)}`;
    expect(claims).toMatchObject({
      '1.1.0': 'exists: ',
      '1.9.0': 'absent: no such release; newest 1.2.0',
      parseToken: expect.stringContaining(`removed: not found at main; ${removed}`),
      'src/legacy/auth.ts': expect.stringContaining(`removed: not found at main; ${removed}`),
      'src/payment/crypt.ts': 'absent: not found at main; nor in history',
      'src/legacy/keys.ts': expect.stringMatching(
        /^moved: not found at main; removed in .{7} \(.{10}\); src\/keys\.ts has that name$/,
      ),
      'src/cart.ts:480': 'absent: src/cart.ts has 5 lines',
      'src/cart.ts:2': 'exists: ',
      'Cart.total': 'exists: ',
      'Cart.addAll': 'absent: not found at main; nor in history',
      roundUp: 'absent: in no source file at main; only in CHANGES.md:1',
      '4be81c0d5577': 'absent: no commit on a branch or tag here has this id',
    });
    expect(claims).not.toHaveProperty('src/payment/crypt');
  });

  it('is told nothing of files that may be of the reporter, by folders that every project has', async () => {
    const shop = await shopRepository();
    await using _repo = shop.repo;
    const claims = await checkedBy(
      'Totals\n\n`shop src/checkout.ts` and `shop src/old/cart.ts` fail, by /home/me/work/cart.ts and /home/me/shop/src/cart.ts',
      shop,
    );
    expect(Object.keys(claims)).toEqual(['/home/me/shop/src/cart.ts']);
  });

  it('is told of a file whose name is misspelt, and not of one in another folder or language', async () => {
    const shop = await shopRepository();
    await using _repo = shop.repo;
    await shop.repo.commit({ 'src/discount-rules.ts': 'export const RULES = 1;\n' }, 'Rules');
    const claims = await checkedBy(
      'Totals\n\n`dicsount-rules.ts`, `discount-rule.js` and `lib/discount-rule.ts` are wrong.',
      shop,
    );
    expect(claims).toEqual({ 'dicsount-rules.ts': 'absent: not found at main; src/discount-rules.ts is' });
  });

  it('is told nothing of what its own sample defines, and of other packages', async () => {
    const shop = await shopRepository();
    await using _repo = shop.repo;
    const report = [
      'Totals',
      '',
      '```ts',
      "import { useThing } from 'react-thing'",
      'const myTotals = useThing(new Cart())',
      '```',
      '',
      'The value `myTotals` and the hook `useThing` of `react-thing` 18.9.1, node 22.1.0, `SomeLibrary.readAll`',
    ].join('\n');
    expect(await checkedBy(report, shop)).toEqual({ Cart: 'exists: ' });
  });

  it('is told of nothing that it is absent where the search did not end', async () => {
    const shop = await shopRepository();
    await using _repo = shop.repo;
    const claims = await checkedBy('Totals\n\nThe option `neverThere` in `src/cart.ts` does nothing.', shop, 0);
    expect(claims).toMatchObject({ neverThere: 'unchecked: ' });
    expect(Object.values(claims).filter((told) => !/^(?:exists|unchecked)/.test(told))).toEqual([]);
  });

  it('gives the model and the API what does not hold, and nothing where all holds', async () => {
    const shop = await shopRepository();
    await using _repo = shop.repo;
    await using opened = testSource();
    await using lexicons = testLexicons();
    const gather = async (report: string) =>
      await gatherFacts({
        report,
        revision: '',
        repository: await opened.source.open(pathProject(shop.repo.path), SIGNAL),
        lexicon: lexicons.of(pathProject(shop.repo.path)),
        onStep: async () => {},
        signal: SIGNAL,
      });
    const facts = await gather('Totals are wrong\n\n`Cart.total` and `Cart.addAll` in `src/cart.ts` fail.');
    expect(facts.steps).toContainEqual({
      action: 'check what the report names at main',
      result: 'Cart.addAll: not found at main; nor in history',
      analysis: '2 of 3 things that the report names of this code exist here.',
    });
    expect(concludeFromFacts(facts, { seconds: 1 }).analysis.claims?.map(({ text, state }) => [text, state])).toEqual([
      ['Cart.addAll', 'absent'],
      ['src/cart.ts', 'exists'],
      ['Cart.total', 'exists'],
    ]);
    const whole = await gather('Totals are wrong\n\n`Cart.total` in `src/cart.ts` fails.');
    expect(whole.steps.filter(({ action }) => action.startsWith('check what'))).toEqual([]);
  });
});
