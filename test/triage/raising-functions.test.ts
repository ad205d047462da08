// Functions that only check and raise are told from those that do something, by their bodies.
import { expect, it } from 'vitest';
import { onlyRaises } from '../../src/triage/traces/raising-functions.ts';

it.each([
  [
    'a.java',
    'public static void isTrue(boolean is, String message) {\n  if (!is)\n    throw new IllegalArgumentException(message);\n}',
  ],
  [
    'a.java',
    'static <T> T checkNotNull(T value) {\n  if (value == null) {\n    throw new NullPointerException();\n  }\n  return value;\n}',
  ],
  [
    'a.java',
    'protected void _report(String msg) throws ParseException {\n  String full = msg + ": " + 3;\n  throw new ParseException(this, full);\n}',
  ],
  ['a.java', 'public ParseException wrong(String message) {\n  return new ParseException(message);\n}'],
  [
    'a.py',
    'def fail(self, message, code=1):\n    """Says so."""\n    text = message % code\n    raise UsageError(text)\n',
  ],
  [
    'a.py',
    'def check(value):\n    # nothing to do\n    if value is None: raise TypeError("x")\n    assert value > 3, "small"\n',
  ],
  [
    'a.ts',
    "export function invariant(is: unknown, message = '{'): asserts is {\n  if (is) return;\n  const error = new Error(`x`);\n  error.name = 'Invariant';\n  throw error;\n}",
  ],
  [
    'a.ts',
    'function fail(name: string): never {\n  const text = String(name);\n  const error = new Error(text);\n  throw error;\n}',
  ],
  ['a.go', 'func mustBe(ok bool, name string) {\n\tif !ok {\n\t\tpanic(fmt.Sprintf("%s: no", name))\n\t}\n}'],
  [
    'a.rs',
    'fn check(index: usize, len: usize) {\n    if index >= len {\n        panic!("{} of {}", index, len);\n    }\n}',
  ],
  ['a.rb', 'def check!(name)\n  raise ArgumentError, "no #{name}" unless name\nend'],
])('%s: only raises: %s', (path, text) => {
  expect(onlyRaises(path, text.split('\n'))).toBe(true);
});

it.each([
  ['a.java', 'int total(int a) {\n  if (a < 0) throw new IllegalArgumentException();\n  return a * 3;\n}'],
  ['a.java', 'void add(Item item) {\n  if (item == null) throw new NullPointerException();\n  items.add(item);\n}'],
  [
    'a.py',
    'def total(cart):\n    result = cart.sum()\n    if result < 0:\n        raise ValueError(result)\n    return result\n',
  ],
  ['a.py', 'def open(self, name):\n    if not name:\n        raise ValueError(name)\n    self.name = name\n'],
  [
    'a.ts',
    'function read(line: string) {\n  const [name, value] = line.split(":");\n  if (!value) throw new Error(name);\n  return { name, value };\n}',
  ],
  ['a.ts', 'function check(a: Cart) {\n  const b = compute(a);\n  if (!b) throw new Error("no");\n}'],
  ['a.java', 'void check(Cart a) {\n  Total b = compute(a);\n  if (b == null) throw new IllegalStateException();\n}'],
  ['a.py', 'def reset(self):\n    self.items.clear()\n    assert self.total == 0\n'],
  [
    'a.ts',
    "function rate(x: Cart) {\n  if (x.a) return compute(x.a);\n  if (x.b) return x.b * 2;\n  throw new Error('no');\n}",
  ],
  ['a.ts', "function sum(x: Cart) {\n  if (x.a) items.add(x.a);\n  if (!x.b)\n    throw new Error('no');\n}"],
  ['a.ts', 'function find(all: string[]) {\n  return all[0];\n}'],
  ['a.go', 'func save(name string) {\n\tif err := write(name); err != nil {\n\t\tpanic(err)\n\t}\n\tcount++\n}'],
])('%s: does more: %s', (path, text) => {
  expect(onlyRaises(path, text.split('\n'))).toBe(false);
});
