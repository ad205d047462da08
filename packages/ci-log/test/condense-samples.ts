// Lines and logs for tests of long logs: everything in quotes in the tests of this folder, and what the tables match.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { ERROR_PATTERNS } from '../src/error-patterns.ts';
import { LAST_NAMING_LINES, NAMING_LINES } from '../src/failed-tests.ts';

/** Of code, line by line: what looks like a string and is none does no harm here. */
const QUOTED = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\\n$]|\\.)*`/g;

/** Every string of the tests of this folder: who adds a sample of a sign there adds it here. */
export function ownLogs(): readonly string[] {
  const folder = import.meta.dirname;
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.startsWith('condense-'));
  const quoted = files.flatMap((name) => readFileSync(path.join(folder, name), 'utf8').match(QUOTED) ?? []);
  return [...new Set(quoted.map(unquoted))];
}

function unquoted(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replace(/\\u([\dA-Fa-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\(.)/g, (_, sign: string) => ({ n: '\n', t: '\t', r: '\r' })[sign] ?? sign);
}

/** Of every sign in the tables that tells by itself. */
export const SIGN_PATTERNS: readonly RegExp[] = [
  ...ERROR_PATTERNS.filter(({ kind }) => kind !== 'weak' && kind !== 'harmless').flatMap(({ patterns }) => patterns),
  ...[...NAMING_LINES, ...LAST_NAMING_LINES].map(({ pattern }) => pattern),
];

/** Lines of which most fit the pattern: of what looks around itself some do not, or none. */
export function linesFor(pattern: RegExp): fc.Arbitrary<string> {
  return fc
    .stringMatching(new RegExp(withoutLooks(pattern.source)), { size: '-1' })
    .map((text) => text.replace(/[\f\v]/g, ' ').replace(/[\r\n\u0085\u2028\u2029]/g, ''));
}

/** Without what looks ahead or behind, the ends of words, and names of groups, of which no text can be made. */
function withoutLooks(source: string): string {
  let kept = '';
  for (let at = 0; at < source.length; ) {
    const isLook = /^\(\?<?[=!]/.test(source.slice(at, at + 4));
    const token = isLook
      ? source.slice(at, groupEnd(source, at))
      : source.slice(at, at + (source[at] === '\\' ? 2 : 1));
    kept += isLook || token === '\\b' ? '' : token;
    at += token.length;
  }
  return kept.replace(/\(\?<\w+>/g, '(');
}

function groupEnd(source: string, from: number): number {
  let depth = 0;
  let isClass = false;
  for (let at = from; at < source.length; at += 1) {
    const sign = source[at];
    if (sign === '\\') at += 1;
    else if (isClass) isClass = sign !== ']';
    else if (sign === '[') isClass = true;
    else if (sign === '(') depth += 1;
    else if (sign === ')' && --depth === 0) return at + 1;
  }
  return source.length;
}
