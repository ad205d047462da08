// What people wrote of the commits of a range, compared with what failed, and which of them take each other back.

import { forEachTerm, forEachWord, splitIntoTerms } from 'causeway-code-words';

interface TitledCommit {
  readonly sha: string;
  /** As {@link readCommitTitle} reads it. */
  readonly title: string;
}

/** Its first line; of a merge, which names branches there, the title of what it merges. */
export function readCommitTitle(message: string): string {
  const [subject = '', ...body] = message.split('\n').map((line) => line.trim());
  return (subject.startsWith('Merge ') ? body.find((line) => line !== '') : undefined) ?? subject;
}

/** Commits that a later one of the range takes back, and those that do so: what fails now is neither's. Newest first. */
export function findTakenBack(commits: readonly TitledCommit[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [at, { sha, title }] of commits.entries()) {
    const reverted = readReverted(title);
    if (reverted === null || found.has(sha)) continue;
    const earlier = commits
      .slice(at + 1)
      .find((one) => !found.has(one.sha) && removeNumber(one.title) === removeNumber(reverted));
    if (earlier !== undefined) found.add(sha).add(earlier.sha);
  }
  return found;
}

const REVERT = 'Revert "';

/** What git and GitHub write between the quotes. */
function readReverted(title: string): string | null {
  const last = title.lastIndexOf('"');
  return title.startsWith(REVERT) && last > REVERT.length ? title.slice(REVERT.length, last) : null;
}

/** A squashed pull request has its number behind its title. */
function removeNumber(title: string): string {
  const at = title.lastIndexOf(' (#');
  return at > 0 && title.endsWith(')') ? title.slice(0, at) : title;
}

/** Words that a title has in common with what failed; `weight`: 1 for each that no other title has. */
interface SharedTitle {
  readonly word: string;
  readonly weight: number;
}

/** By commit; the word that the fewest titles have stands for all. */
export function compareTitles(
  commits: readonly TitledCommit[],
  failing: readonly string[],
): ReadonlyMap<string, SharedTitle> {
  const wanted = new Set<string>();
  for (const text of failing) forEachTerm(text, (term) => wanted.add(term));
  const counts = new Map<string, number>();
  const shared = commits.map(({ sha, title }) => {
    const words = new Map<string, string>();
    forEachWord(title, (word) => {
      for (const term of splitIntoTerms(word)) if (wanted.has(term) && isTelling(term)) words.set(term, word);
    });
    for (const term of words.keys()) counts.set(term, (counts.get(term) ?? 0) + 1);
    return { sha, words };
  });
  return new Map(
    shared.flatMap(({ sha, words }): readonly (readonly [string, SharedTitle])[] => {
      const weighed = [...words].map(([term, word]) => ({ word, weight: 1 / (counts.get(term) ?? 1) }));
      const [best] = weighed.toSorted((a, b) => b.weight - a.weight);
      if (best === undefined) return [];
      return [[sha, { word: best.word, weight: weighed.reduce((sum, { weight }) => sum + weight, 0) }]];
    }),
  );
}

function isTelling(term: string): boolean {
  return term.length > 2 && /\p{L}/u.test(term) && !COMMON.has(term);
}

/** Stems that titles of commits and of tests have whatever they are of. */
const COMMON: ReadonlySet<string> = new Set(
  'the and for with from into when that this not are was will should does can has have but its all any only add use used using make chang updat fix bug issue feat chor refactor merg pull request branch test spec error expect receiv assert fail'.split(
    ' ',
  ),
);
