// CODEOWNERS as GitHub reads it: one rule a line, the last that matches a path decides.
import { matchesParts } from './path-glob.ts';

export interface OwnerRule {
  /** Line of the file, 1-based. */
  readonly line: number;
  readonly pattern: string;
  /** Empty: the rule takes the owners away. */
  readonly owners: readonly string[];
}

export function parseCodeOwners(text: string): readonly OwnerRule[] {
  return text.split(/\r?\n/).flatMap((row, index) => {
    // A blank in a pattern is escaped; `\#` is a name, not a comment.
    const words = row.replace(/^\ufeff/, '').match(/(?:\\.|[^\s\\])+/g) ?? [];
    const comment = words.findIndex((word) => word.startsWith('#'));
    const [pattern, ...owners] = comment === -1 ? words : words.slice(0, comment);
    if (pattern === undefined || pattern.startsWith('!') || /^\[.*\]/.test(row.trim())) return [];
    return [{ line: index + 1, pattern: pattern.replaceAll(/\\(.)/g, '$1'), owners }];
  });
}

/** The rule that decides for `path`; undefined where none matches. */
export function ruleFor(rules: readonly OwnerRule[], path: string): OwnerRule | undefined {
  const parts = path.split('/');
  return rules.findLast(({ pattern }) => matches(parts, pattern));
}

function matches(parts: readonly string[], pattern: string): boolean {
  const isFolder = pattern.endsWith('/');
  const names = pattern.replace(/^\/+/, '').replace(/\/+$/, '').split('/');
  const anchored = pattern.replace(/\/+$/, '').includes('/');
  const full = anchored ? names : ['**', ...names];
  if (!isFolder && matchesParts(parts, full)) return true;
  // `docs/*` is what stands in the folder itself; every other pattern may name a folder, with all that is below.
  if (!isFolder && anchored && names.at(-1) === '*') return false;
  return matchesParts(parts, [...full, '*', '**']);
}
