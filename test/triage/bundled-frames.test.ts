// Frames of a bundle, whose file is not in the source, lead to what defines their function.
import { expect, it } from 'vitest';
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
