// Names are found by their parts and as a whole, however they are joined.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDefinedNames, forEachTerm, hashTerm, hashWord, joinName } from '../src/terms.ts';

function terms(text: string): readonly string[] {
  const all: string[] = [];
  forEachTerm(text, (term) => all.push(term));
  return all;
}

describe('the terms of a text', () => {
  it.each([
    ['readLine', ['readline', 'read', 'line']],
    ['READ_LINE', ['readline', 'read', 'line']],
    ['ReadHTTPLines', ['readhttplines', 'read', 'http', 'line']],
    ['headers, parsed', ['header', 'pars']],
    ['sha256 of x, 12 or 404', ['sha256', 'of', 'or', '404']],
    ['größte_Zahl', ['größtezahl', 'größt', 'zahl']],
  ])('of %s', (text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  it('hold no encoded data, and repeat what repeats', () => {
    expect(terms(`${'A'.repeat(65)} cart cart`)).toEqual(['cart', 'cart']);
  });

  it('are those of its halves, wherever it is parted between words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (left, right) => {
        expect(terms(`${left} ${right}`)).toEqual([...terms(left), ...terms(right)]);
      }),
    );
  });

  it('have hashes of 32 bits that tell them apart', () => {
    const hashes = Array.from({ length: 2_000 }, (_, index) => hashTerm(`term${index}`));
    expect(new Set(hashes).size).toBe(2_000);
    expect(hashes.every((hash) => Number.isInteger(hash) && hash >= 0 && hash < 2 ** 32)).toBe(true);
  });

  it('meet in the whole name, however it is joined', () => {
    expect(new Set(['readLine', 'read_line', 'READ-LINE', '$readLine'].map(joinName))).toEqual(new Set(['readline']));
  });
});

describe('the names that a line defines', () => {
  it.each([
    ['export class Cart {', ['Cart']],
    ['  total(items) {', ['total']],
    ['  total(items)', []],
    ['  if (ready) {', []],
    ['const sum = (a, b) => a + b;', ['sum']],
    ['# def old():', []],
    ["var Cart = require('./cart')", []],
    ["const { Cart } = await import('./cart.js');", []],
    ["import { type Cart, total } from './cart'", []],
    ['  type Cart,', []],
    ["export { type Cart } from './cart'", []],
    ['from shop import Cart', []],
    ['  type Item;', ['Item']],
    ['type Cart = Item[];', ['Cart']],
    ['export { Cart };', []],
    ['class Cart;', []],
    ['pub(crate) struct Cart<T> {', ['Cart']],
    ['enum class Kind : char {', ['Kind']],
    ['func (c *Cart) Total() int {', ['Total']],
    ['type Cart []Item', ['Cart']],
    ['class Cart < Shop', ['Cart']],
    ['class Cart extends Shop {', ['Cart']],
    ['module Shop', ['Shop']],
    ['    public static Cart openCart(Shop shop) {', ['openCart']],
    ['static readonly: Cart = open();', ['readonly']],
    ['const uint8_t digits[256] = {', []],
    ['const cart: Cart = open();', ['cart']],
    ['private const val CART_SIZE = 3', ['CART_SIZE']],
    ['fun Shop?.openCart() = cart', ['openCart']],
    ['fun Shop.Cart.total(): Int = 3', ['total']],
    ['static CARTS: usize = 3;', ['CARTS']],
    ['    This class handles the cart of a shop', []],
    ['  throw new TypeError("unknown type cart: ", cart);', []],
    ['  close(); // as the function open(cart) does', []],
    ['  struct cart *cart = open();', []],
    ['template <class Item, class Key>', []],
    ['  Total operator()(Cart const& cart) {', []],
  ])('of %s are %j', (line, names) => {
    expect(findDefinedNames(line)).toEqual(names);
  });
});

describe('the words that are remembered', () => {
  it('do not keep the texts alive that they were cut from', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heap = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = heap();
    for (let file = 0; file < 60; file++) {
      const text = `rememberedWord${file} ${'x '.repeat(400_000)}`;
      hashWord(text.slice(0, text.indexOf(' ')));
    }
    expect(heap() - before).toBeLessThan(10_000_000);
  });
});
