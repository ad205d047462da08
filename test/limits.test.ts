// The table of limits says what the code does: every row is held against the constant that it names, and no bound of bytes or time is missing.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
const TABLE = readFileSync(path.join(ROOT, 'docs', 'limits.md'), 'utf8');

interface Row {
  readonly what: string;
  readonly file: string;
  readonly name: string;
  readonly value: string;
  readonly test: string;
}

const ROWS: readonly Row[] = TABLE.split('\n').flatMap((line) => {
  const cells = line.split('|').map((cell) => cell.trim());
  const [, file = '', name = ''] = /^`(src\/[^:]+): (\w+)`$/.exec(cells[3] ?? '') ?? [];
  const plain = (cell = '') => cell.replace(/^`|`$/g, '');
  return file === '' ? [] : [{ what: cells[1] ?? '', file, name, value: plain(cells[4]), test: plain(cells[6]) }];
});

/** What stands behind the constant's name in the code. */
function inTheCode(file: string, name: string): string {
  const place = path.join(ROOT, file);
  const code = existsSync(place) ? readFileSync(place, 'utf8') : '';
  const found = new RegExp(`^(?:export )?const ${name}(?:: [^=]+?)? = (.+?)(?: as const)?;$`, 'm').exec(code);
  return found?.[1] ?? `there is no such constant in ${file}`;
}

/** Bounds of what comes from outside: whatever the size of it, these are all there is of it. */
const BOUND = /^(?:export )?const ((?:MAX|MOST)_(?:\w+_)?BYTES|DEADLINE_MS|MAX_CONNECTIONS|MAX_DEPTH)\b/gm;
/** Rooms whose other side is a stranger. */
const ROOMS = ['api', 'web', 'webhooks', 'github/intake', 'github/setup', 'github/sign-in', 'redact', 'models', 'db'];
/** Named alike in files that do the same: one row stands for all. */
const ALIKE = new Set([
  'src/github/sign-in/hand-back.ts',
  'src/github/sign-in/read-person.ts',
  'src/db/group-commit.ts',
]);

describe('docs/limits.md', () => {
  it.each(ROWS.map((row) => [`${row.file}: ${row.name}`, row] as const))('has the value of %s', (_name, row) => {
    expect(row.value).toBe(inTheCode(row.file, row.name));
  });

  it('names tests that are there', () => {
    const named = ROWS.map(({ test }) => test).filter((test) => test !== '–');
    expect(named.filter((test) => !existsSync(path.join(ROOT, test)))).toEqual([]);
    expect(named.length).toBeGreaterThan(ROWS.length / 2);
  });

  it('has the bounds of everything that strangers send', () => {
    const listed = new Set(ROWS.map(({ file, name }) => `${file}: ${name}`));
    const missing = ROOMS.flatMap((room) => filesIn(`src/${room}`)).flatMap((file) => {
      if (ALIKE.has(file)) return [];
      const code = readFileSync(path.join(ROOT, file), 'utf8');
      return [...code.matchAll(BOUND)].map(([, name]) => `${file}: ${name}`).filter((place) => !listed.has(place));
    });
    expect(missing).toEqual([]);
    expect(ROWS.length).toBeGreaterThan(80);
  });
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`);
}
