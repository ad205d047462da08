// Where Causeway is to be had: written from two fields of package.json, and while they are empty nothing is promised in anybody's name.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { NAMED_FILES, packageName, placesOf, writeNames } from '../../scripts/release/write-names.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const { published } = JSON.parse(read('package.json'));
const ACME = { scope: '@acme', repository: 'https://github.com/acme/causeway' };

it('the pages say what package.json says', () => {
  for (const file of NAMED_FILES) expect(writeNames(file, read(file), published)).toBe(read(file));
});

it('a copy that is published says so on every page, and turns back', () => {
  for (const file of NAMED_FILES) {
    const text = writeNames(file, read(file), ACME);
    expect(text).toMatch(/https:\/\/github\.com\/acme\/causeway|uses: acme\/causeway@v\d/);
    expect(writeNames(file, text, { scope: '', repository: '' })).toBe(
      writeNames(file, read(file), { scope: '', repository: '' }),
    );
  }
  expect(writeNames('README.md', read('README.md'), ACME)).toContain('npx @acme/causeway serve');
  expect(writeNames('docs/install.md', read('docs/install.md'), ACME)).toContain(
    'npm install --global @acme/causeway ',
  );
  expect(placesOf(ACME)).toEqual({
    repository: 'git+https://github.com/acme/causeway.git',
    bugs: 'https://github.com/acme/causeway/issues',
    homepage: 'https://github.com/acme/causeway#readme',
  });
  expect(placesOf({ scope: '', repository: '' })).toEqual({});
  expect([packageName(ACME), packageName({ scope: '', repository: '' })]).toEqual(['@acme/causeway', null]);
});

it('names no package, owner or address that belongs to others', () => {
  const shipped = [
    '*.md',
    'app.yml',
    'docs/*.{md,json}',
    '.github/**/*',
    '{src,packages}/**/*.{ts,md,json}',
    'deploy/**/*',
    'bin/*',
  ];
  const files = shipped
    .flatMap((glob) => globSync(glob, { cwd: ROOT, withFileTypes: true }))
    .filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(400);
  const of =
    /\b(?:npx|npm (?:i|install|add|exec|create))(?: -{1,2}[\w-]+)* causeway\b|github\.com\/(?:apps\/)?causeway\b|@causeway\/|git clone REPOSITORY/;
  const found = files.filter((file) => of.test(readFileSync(path.join(file.parentPath, file.name), 'utf8')));
  expect(found.map(({ name }) => name)).toEqual([]);
});
