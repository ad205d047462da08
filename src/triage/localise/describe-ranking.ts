// The step of the ranking, in words: what was looked up in the digests of a commit, and what it gave.
import type { InvestigationStep } from '../../domain/evidence.ts';
import { counted } from '../counted.ts';
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

export function describeRanking({ table, query, commits }: Known, { at, cut, ranked }: RankingTold): InvestigationStep {
  const found = query.terms
    .map((term, index) => ({ word: term.word, rarity: table.rarities[index] ?? 0 }))
    .filter(({ rarity }) => rarity > 0)
    .sort((a, b) => b.rarity - a.rarity);
  const defined = query.names.filter((_, index) => (table.definers[index]?.length ?? 0) > 0).map(({ word }) => word);
  const lines = [
    `${found.length} of ${query.terms.length} terms stand here; the seldom ones: ${listed(found.map(({ word }) => word))}`,
    `defined here: ${listed(defined)}`,
    ...ranked.slice(0, SHOWN_FILES).map(({ path, clues }) => `${path}: ${clues[0]?.reason ?? 'named by the report'}`),
    ...cut.filter((note) => note !== ''),
  ];
  return {
    action: `compare the report with ${counted(table.paths.length, 'file')} and ${counted(commits.length, 'commit message')} at ${at}`,
    result: lines.join('\n'),
    analysis:
      ranked.length === 0
        ? 'Nothing of the report stands in any file here.'
        : 'Where the words and names of the report stand, what they define, and what earlier commits like it touched puts these first.',
  };
}

function listed(words: readonly string[]): string {
  const all = [...new Set(words)];
  if (all.length === 0) return 'none';
  return `${all.slice(0, SHOWN_TERMS).join(', ')}${all.length > SHOWN_TERMS ? `, … ${all.length - SHOWN_TERMS} more` : ''}`;
}
