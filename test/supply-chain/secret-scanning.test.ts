// The published patterns of our own secrets (docs/security.md): they find what we make, and nothing of ordinary text.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSigningSecret, createToken } from '../../src/core/account/account.ts';
import { ROOT } from './lockfile.ts';

const page = readFileSync(path.join(ROOT, 'docs', 'security.md'), 'utf8');
const MANY = 500;

interface Pattern {
  readonly name: string;
  find(text: string): string | undefined;
}

/** Shannon's, in bits a character, as gitleaks counts it. */
function entropy(text: string): number {
  const shares = [...new Set(text)].map((each) => (text.split(each).length - 1) / text.length);
  return shares.reduce((sum, share) => sum - share * Math.log2(share), 0);
}

/** A rule of the TOML. */
function gitleaks(id: string): Pattern {
  const rule = page.split('[[rules]]').find((part) => part.includes(`id = "${id}"`)) ?? '';
  const regex = new RegExp(/regex = '''(.*)'''/.exec(rule)?.[1] ?? 'a^');
  const least = Number(/entropy = (\d+)/.exec(rule)?.[1]);
  const keyword = /keywords = \["(.*)"\]/.exec(rule)?.[1] ?? '';
  return {
    name: `gitleaks ${id}`,
    find: (text) => {
      const found = text.includes(keyword) ? regex.exec(text)?.[1] : undefined;
      return found !== undefined && entropy(found) > least ? found : undefined;
    },
  };
}

/** A column of the table; `\A` and `\z` are JavaScript's `^` and `$`. */
function github(column: number): Pattern {
  const field = (name: string) => {
    const row = page.split('\n').find((line) => line.startsWith(`| ${name} |`)) ?? '';
    const cell = row.split(/(?<!\\)\|/)[column + 1]?.trim() ?? '';
    return cell.slice(1, -1).replaceAll('\\|', '|').replace('\\A', '^').replace('\\z', '$');
  };
  const regex = new RegExp(`(?:${field('Before secret')})(${field('Secret format')})(?:${field('After secret')})`);
  return { name: `GitHub, column ${column}`, find: (text) => regex.exec(text)?.[1] };
}

const BENIGN = [
  'cwy_short',
  `cwy_${'a'.repeat(37)}`,
  `xcwy_${'a'.repeat(36)}`,
  'const cwy_variable_name_that_is_rather_long_indeed = 1;',
  'whsec_…',
  `whsec_${'a'.repeat(33)}`,
  'STRIPE_SECRET=whsec_test',
  'sha512-9gRYqVjQbkZJGSDLbQhCqCXKu8H7j8uGhQ==',
  '3d3c42e5aac5ba805825da76410c181273ba90b1',
  'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
  readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'),
  readFileSync(path.join(ROOT, 'README.md'), 'utf8'),
];

describe.each([
  { make: createToken, patterns: [gitleaks('causeway-access-token'), github(1)] },
  { make: createSigningSecret, patterns: [gitleaks('causeway-signing-secret'), github(2)] },
])('the patterns for $make.name', ({ make, patterns }) => {
  it.each(patterns)('$name: find each, wherever it stands', ({ find }) => {
    const around = [
      (secret: string) => secret,
      (secret: string) => `Authorization: Bearer ${secret}\n`,
      (secret: string) => `{"token":"${secret}"}`,
      (secret: string) => `TOKEN=${secret}`,
      (secret: string) => `see ${secret}, please`,
      (secret: string) => `\`${secret}\``,
    ];
    const secrets = Array.from({ length: MANY }, make);
    for (const put of around) expect(secrets.filter((secret) => find(put(secret)) !== secret)).toEqual([]);
  });

  it.each(patterns)('$name: find nothing in ordinary text', ({ find }) => {
    expect(BENIGN.map(find).filter((found) => found !== undefined)).toEqual([]);
  });
});

it('the published check of the checksum takes every token of ours, and no other text of that form', async () => {
  const source = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const { isCausewayToken } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  const tokens = Array.from({ length: MANY }, createToken);
  expect(tokens.filter((token) => !isCausewayToken(token))).toEqual([]);
  const other = (token: string) => token.slice(0, 10) + (token[10] === 'x' ? 'y' : 'x') + token.slice(11);
  expect(tokens.map(other).filter(isCausewayToken)).toEqual([]);
  expect(isCausewayToken(`cwy_${'a'.repeat(36)}`)).toBe(false);
});
