// A digest says what stands in a file and what it defines.
import { describe, expect, it } from 'vitest';
import { digestText } from '../../../src/triage/localise/blob-digest.ts';
import { hashTerm } from '../../../src/triage/localise/terms.ts';

const SOURCE = `export class HeaderReader {
  readLine(text: string) {
    return this.cart.readLine(text);
  }
}
`;

function countOf(text: string, term: string): number {
  const digest = digestText('a.ts', text);
  return digest.counts[digest.terms.indexOf(hashTerm(term))] ?? 0;
}

function defines(text: string, name: string): boolean {
  return digestText('a.ts', text).defines.includes(hashTerm(name));
}

describe('a digest', () => {
  it('counts terms, at most 255 of each', () => {
    expect(countOf(SOURCE, 'readline')).toBe(2);
    expect(countOf(SOURCE, 'text')).toBe(2);
    expect(countOf('cart '.repeat(1_000), 'cart')).toBe(255);
    expect(digestText('a.ts', 'cart '.repeat(1_000)).length).toBe(1_000);
  });

  it('tells what is defined from what is used', () => {
    expect(defines(SOURCE, 'headerreader')).toBe(true);
    expect(defines(SOURCE, 'readline')).toBe(true);
    expect(defines(SOURCE, 'cart')).toBe(false);
    expect(defines('    return readLine(text)\n', 'readline')).toBe(false);
  });

  it.each([
    ['class Cart(Base):', 'cart'],
    ['    async def add_item(self):', 'additem'],
    ['func (c *Cart) AddItem(name string) error {', 'additem'],
    ['pub(crate) fn add_item<T>(&mut self) {', 'additem'],
    ['    public static List<Item> addItem(String name) {', 'additem'],
    ['  private suspend fun <T> addItem(', 'additem'],
    ['  public <T> List<T> addItem(String name) {', 'additem'],
    ['fun Cart.addItem(name: String) = 1', 'additem'],
    ['export const addItem = (name) => {', 'additem'],
    ['const addItem = 1;', 'additem'],
    ['  addItem(name) {', 'additem'],
    ['Cart.prototype.addItem = function (name) {', 'additem'],
    ['MAX_ITEMS = 10', 'maxitems'],
    ['macro_rules! add_item {', 'additem'],
  ])('knows %s', (line, name) => {
    expect(defines(line, name)).toBe(true);
  });

  it.each(['  if (addItem(name)) {', '// class addItem', '  return addItem(', '  x.y(() => addItem(name));'])(
    'is not misled by %s',
    (line) => {
      expect(defines(line, 'additem')).toBe(false);
    },
  );
});
