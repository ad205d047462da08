// Names with an owner lead to the file that both are about.
import { describe, expect, it } from 'vitest';
import { findQualifiedNames, scoreQualified } from '../../../src/triage/localise/qualified.ts';

const PATHS = ['src/shop/cart.py', 'src/shop/__init__.py', 'src/shop/tax.py', 'src/store/order.go', 'src/other/add.ts'];
/** What each name is defined by, as rows of `PATHS`. */
const DEFINERS: Readonly<Record<string, readonly number[]>> = { cart: [0], add: [0, 2, 4], open: [3, 4], rate: [2, 4] };

async function findBest(text: string): Promise<readonly string[]> {
  const names = findQualifiedNames([[text, 1]]);
  const { scores } = await scoreQualified(PATHS, names, (name) => DEFINERS[name] ?? [], new AbortController().signal);
  const most = Math.max(...scores);
  return PATHS.filter((_, file) => most > 0 && scores[file] === most);
}

describe('a name with its owner', () => {
  it.each([
    ['a method of a class', 'Cart#add loses a cent', ['src/shop/cart.py']],
    ['a module by its path', 'see src.shop.tax.rate_of', ['src/shop/tax.py']],
    ['a package by its folder', 'import shop from src.shop', ['src/shop/__init__.py']],
    ['what a package exports', 'store.Open fails', ['src/store/order.go']],
    ['a type and its function', 'Cart::add', ['src/shop/cart.py']],
    ['no file, but a host', 'see shop.example.org', []],
    ['nothing of a name that every program has', 'self.add', []],
  ])('%s: %s', async (_, text, files) => {
    expect(await findBest(text)).toEqual(files);
  });
});
