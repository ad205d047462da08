// Lines that only bring in or pass on names, in several languages.
import { describe, expect, it } from 'vitest';
import { markPassedOn, passesOn } from '../../../src/triage/localise/passed-on.ts';

const mark = (text: string): string => [...markPassedOn(text.split('\n'))].join('');

describe('markPassedOn', () => {
  it.each([
    ['from .termui import clear as clear\nclear()', '10'],
    ['from .a import (\n    b,\n    c,\n)\nd = 1', '11110'],
    ["export * from './a.js';\nexport { b };\nexport const c = 1;", '110'],
    ["import { a } from 'a';\nimport('./b').then(run);", '10'],
    ["const a = require('./a');\nexports.b = require('./b').b;\nconst c = make();", '110'],
    ['module.exports = { a, b };', '1'],
    ["module.exports = {\n  a: require('./a'),\n  b,\n};", '1111'],
    ['module.exports = {\n  a() {\n    return 1;\n  },\n};', '00000'],
    ['module.exports = { a: () => 1 };', '0'],
    ['pub mod a;\npub(crate) use a::{b, c};\nfn d() {}', '110'],
    ['#include <a.h>\nint b;', '10'],
    ['using System.IO;\nusing (var a = Open()) {', '10'],
    ["require_relative 'a'\nrequire_admin!", '10'],
    ['__all__ = [\n    "a",\n]\n__version__ = "1"', '1110'],
  ])('%j', (text, marks) => {
    expect(mark(text)).toBe(marks);
  });
});

describe('passesOn', () => {
  const asked = (path: string, text: string): boolean => {
    const lines = text.split('\n');
    return passesOn(path, lines, markPassedOn(lines));
  };

  it('does not count comments, and allows for a version', () => {
    const passed = Array.from({ length: 5 }, (_, index) => `from .a import b${index}`).join('\n');
    expect(asked('a/__init__.py', `"""The package.\n\nLong.\n"""\n${passed}\n\n__version__ = "1"\n`)).toBe(true);
  });

  it('is not said of a file that defines something, nor of an empty one', () => {
    expect(asked('a.py', 'import b\n\ndef c():\n    return b\n')).toBe(false);
    expect(asked('a.py', '')).toBe(false);
  });
});
