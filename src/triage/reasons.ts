// Why a file is a suspect, in the few sentences that are worth reading.
import { type Clue, type ClueKind, isFirm } from './candidates/clue.ts';

const MAX_REASONS = 3;
/** Where it broke, what stands there, what was named; shared words last. */
const FIRMNESS: readonly ClueKind[] = [
  'frame',
  'message',
  'place',
  'path',
  'tested',
  'definition',
  'commit',
  'use',
  'name',
];

/**
 * At most 3, the firmest first. Left out is what another reason says already: the place of a frame named again, the use
 * of a name that the file defines; and, beside a firm reason, whatever rests on everyday words.
 */
export function reasonsOf(clues: readonly Clue[]): readonly string[] {
  const isSure = clues.some(isFirm);
  const framed = new Set(clues.filter(({ kind }) => kind === 'frame').map(({ line }) => line));
  const defined = clues.flatMap(({ kind, names }) => (kind === 'definition' ? (names ?? []) : []));
  const says = ({ kind, line, names }: Clue): boolean => {
    if (kind === 'place') return !framed.has(line);
    if (names === undefined) return true;
    if (names.length === 0) return !isSure;
    return kind !== 'use' || names.some((name) => !defined.includes(name));
  };
  const ordered = clues
    .filter(says)
    .toSorted((a, b) => FIRMNESS.indexOf(a.kind) - FIRMNESS.indexOf(b.kind) || b.strength - a.strength);
  return [...new Set(ordered.map(({ reason }) => reason))].slice(0, MAX_REASONS);
}
