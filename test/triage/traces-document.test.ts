// docs/traces.md says which stack traces are read: it is held against the table of their forms, and against the outlines.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readOutline } from 'causeway-git-objects';
import { describe, expect, it } from 'vitest';
import type { FrameLanguage } from '../../src/triage/traces/frame.ts';
import { FRAME_TABLES } from '../../src/triage/traces/frame-forms.ts';
import { FRAME_READERS } from '../../src/triage/traces/frame-readers.ts';
import { ROOT } from '../support/source-files.ts';

const DOCUMENT = readFileSync(path.join(ROOT, 'docs', 'traces.md'), 'utf8');

const TITLES: Readonly<Record<Exclude<FrameLanguage, 'any'>, string>> = {
  javascript: 'JavaScript and TypeScript',
  python: 'Python',
  jvm: 'Java, Kotlin, Scala',
  csharp: 'C# and .NET',
  go: 'Go',
  rust: 'Rust',
  ruby: 'Ruby',
  php: 'PHP',
  dart: 'Dart',
  elixir: 'Elixir and Erlang',
  native: 'C and C++',
  swift: 'Swift',
  kotlin: 'Kotlin/Native',
  haskell: 'Haskell',
  lua: 'Lua',
  perl: 'Perl',
};

const FORMS = FRAME_TABLES.flatMap(({ forms }) => forms);

const ROWS = [...DOCUMENT.matchAll(/^\| ([A-Z][^|]*) \| [^|]+ \| [^|]+ \| ([^|]+) \|$/gm)]
  .map(([, title = '', functions = '']) => ({ title, functions }))
  .filter(({ title }) => title !== 'Language');

/** A function `total` in each language that has an outline. */
const TOTAL: readonly string[] = [
  'function total() {\n  return 1;\n}\n',
  'def total():\n    return 1\n',
  'class Cart {\n  public int total() {\n    return 1;\n  }\n}\n',
  'fun total(): Int {\n  return 1\n}\n',
  'func total() int {\n\treturn 1\n}\n',
  'fn total() -> i32 {\n    1\n}\n',
  'def total\n  1\nend\n',
  'int total(void) {\n  return 1;\n}\n',
  'defmodule A do\n  def total do\n    1\n  end\nend\n',
];

const findsTotal = (extension: string): boolean =>
  TOTAL.some((text) =>
    readOutline(`src/cart${extension}`, text).some(({ name, kind }) => name === 'total' && kind === 'function'),
  );

describe('the document', () => {
  it('has a row for each language that is read, in which all that reads are', () => {
    expect(ROWS.map(({ title }) => title)).toEqual(Object.values(TITLES));
    const read = new Set([...FRAME_READERS.map(({ language }) => language), ...FORMS.map(({ language }) => language)]);
    expect([...read].toSorted()).toEqual(Object.keys(TITLES).toSorted());
  });

  it.each(ROWS)('says of $title where functions are found', ({ functions }) => {
    const extensions = [...functions.matchAll(/`(\.\w+)`/g)].map(([, extension = '']) => extension);
    expect(functions === 'none').toBe(extensions.length === 0);
    expect(extensions.filter((extension) => !findsTotal(extension))).toEqual([]);
  });

  it.each([...new Set(FORMS.map(({ language }) => language))])('shows every form of %s', (language) => {
    const title = TITLES[language as keyof typeof TITLES];
    const [, block = ''] = DOCUMENT.split(`### ${title}\n\n\`\`\`text\n`)[1]?.match(/^([\s\S]*?)\n```/) ?? [];
    expect(block.split('\n')).toEqual(FORMS.filter((form) => form.language === language).map(({ example }) => example));
  });
});
