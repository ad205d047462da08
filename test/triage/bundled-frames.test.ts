// Frames of a bundle, whose file is not in the source, lead to what defines their function.
import { describe, expect, it } from 'vitest';
import { FIRST, factsOf } from './shop.ts';

const FILES = {
  'package.json': '{\n  "name": "till"\n}\n',
  'src/index.ts':
    "export * from './pointer.ts';\nexport class Parser {\n  resolve() {\n    return new Pointer();\n  }\n}\n",
  'src/pointer.ts':
    'export class Pointer {\n  resolve(path: string) {\n    const found = this.at[path];\n    return found.value;\n  }\n}\n',
  'src/ref.ts':
    'export class Ref {\n  resolve(\n    path: string,\n  ) {\n    return new Pointer(path).resolve(path);\n  }\n}\n',
  'src/crawl.ts': 'export function dereferenceAll(all: Ref[]) {\n  for (const one of all) one.resolve("");\n}\n',
};

it.each([
  ['/srv/app/node_modules/till/dist/index.js', 'of a file that has another source'],
  ['/srv/app/node_modules/till/dist/till.min.cjs', 'of a file that has none'],
])('%s, %s', async (bundle) => {
  const { suspects } = await factsOf(
    `TypeError: Cannot read properties of undefined (reading 'value')
    at Pointer.resolve (${bundle}:812:21)
    at Ref.resolve (${bundle}:640:12)
    at dereferenceAll (${bundle}:90:12)
    at Object.<anonymous> (/srv/app/main.js:3:1)
`,
    { commits: [{ sha: FIRST, subject: 'one', files: FILES }] },
  );
  const files = suspects.slice(0, 3).map(({ file }) => file);
  expect([files[0], files.toSorted()]).toEqual(['src/pointer.ts', ['src/crawl.ts', 'src/pointer.ts', 'src/ref.ts']]);
  expect(suspects[0]?.reasons[0]).toContain('top frame of the stack trace');
});

describe('a bundle that is committed beside its sources', () => {
  const define = (name: string): string =>
    `export function ${name}(given) {\n${"  given.push('a heading of the list', given.length);\n".repeat(9)}  return given;\n}\n`;
  const parts = {
    'src/read.js': ['readHeading', 'readQuote', 'readTable', 'readEmphasis', 'readListing'],
    'src/write.js': ['writeHeading', 'writeQuote', 'writeTable', 'writeEmphasis', 'writeListing'],
    'src/rules.js': ['matchHeading', 'matchQuote', 'matchTable'],
  };
  const sources = Object.fromEntries(
    Object.entries(parts).map(([path, names]) => [path, names.map(define).join('\n')]),
  );
  const bundle = Object.values(sources).join('\n');
  const told = (report: string, files: Readonly<Record<string, string>>) =>
    factsOf(report, { commits: [{ sha: FIRST, subject: 'one', files }] });

  it('is no suspect of a report in words', async () => {
    const { suspects } = await told('readTable gives a wrong heading of the list', {
      ...sources,
      'lib/till.cjs': bundle,
    });
    const files = suspects.map(({ file }) => file);
    expect([files[0], files.includes('lib/till.cjs')]).toEqual(['src/read.js', false]);
  });

  it('gives way to the source in a trace', async () => {
    const trace = `TypeError: qqq
    at readTable (/srv/app/node_modules/till/lib/till.cjs:29:3)
    at main (/srv/app/main.js:3:1)
`;
    const { suspects } = await told(trace, {
      ...sources,
      'lib/till.cjs': bundle,
      'package.json': '{ "name": "till" }',
    });
    expect(suspects[0]).toMatchObject({ file: 'src/read.js', function: 'readTable' });
    const lines = sources['src/read.js']?.split('\n') ?? [];
    expect(lines[(suspects[0]?.line ?? 0) - 1]).toContain('readTable');
  });

  it('is none where only one file has the same functions', async () => {
    const { suspects } = await told('readTable gives a wrong heading of the list', {
      'src/read.js': bundle,
      'src/other.js': bundle,
    });
    expect(suspects.map(({ file }) => file)).toContain('src/read.js');
  });
});
