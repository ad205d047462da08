// The step of the ranking, in words: what was looked up in the digests of a commit, and what it gave.
import type { InvestigationStep } from '../../core/evidence.ts';
import { STOP_WORDS } from '../identifiers.ts';
import { formatCount } from '../lookups.ts';
import type { Known } from './gather-signals.ts';
import type { RankedFile } from './rank-files.ts';

const SHOWN_TERMS = 12;
const SHOWN_FILES = 8;

export interface RankingTold {
  /** Short sha. */
  readonly at: string;
  /** What was left out, in words; "" where nothing was. */
  readonly cut: readonly string[];
  readonly ranked: readonly RankedFile[];
}

export function describeRanking(known: Known, { at, cut, ranked }: RankingTold): InvestigationStep {
  const {
    table,
    query,
    history: { commits },
  } = known;
  const found = query.terms
    .map((term, index) => ({ word: term.word, rarity: table.rarities[index] ?? 0 }))
    .filter(({ rarity }) => rarity > 0)
    .sort((a, b) => b.rarity - a.rarity);
  const defined = query.names.filter((_, index) => (table.definers[index]?.length ?? 0) > 0).map(({ word }) => word);
  const lines = [
    termLine(
      found.map(({ word }) => word),
      query.terms.length,
    ),
    `defined here: ${listed(defined)}`,
    ...ranked.slice(0, SHOWN_FILES).map((file) => `${file.path}: ${reasonFor(file, known)}`),
    ...cut.filter((note) => note !== ''),
  ];
  return {
    action: `compare the report with ${formatCount(table.paths.length, 'file')} and ${formatCount(commits.length, 'commit message')} at ${at}`,
    result: lines.join('\n'),
    analysis:
      ranked.length === 0
        ? 'No file here shares anything with the report.'
        : 'Files ordered by shared words and names, what they define, and earlier commits that resemble the report.',
  };
}

function termLine(found: readonly string[], asked: number): string {
  if (found.length === 0) return `None of ${formatCount(asked, 'term')} found.`;
  const count = found.length === asked ? `All ${formatCount(asked, 'term')}` : `${found.length} of ${asked} terms`;
  return `${count} found; rarest: ${listed(found.filter((word) => !STOP_WORDS.has(word.toLowerCase())))}`;
}

/** A file without words of the report ranks for a frame, a path or a message. */
function reasonFor({ path, clues }: RankedFile, known: Known): string {
  const clue = clues[0] ?? known.clues.find((given) => given.path === path);
  return clue?.reason ?? '';
}

function listed(words: readonly string[]): string {
  const all = [...new Set(words)];
  if (all.length === 0) return 'none';
  return `${all.slice(0, SHOWN_TERMS).join(', ')}${all.length > SHOWN_TERMS ? `, … ${all.length - SHOWN_TERMS} more` : ''}`;
}
