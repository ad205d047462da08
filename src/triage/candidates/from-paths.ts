// Clues from paths that the report names, and from file names that share its words.
import { type Ground, mapPath, pathsOf } from '../map-paths.ts';
import type { Place } from '../named-paths.ts';
import type { Signals } from '../signals.ts';
import type { Clue } from './clue.ts';

const PLACE = 0.8;
const NAMED = 0.7;
const NAMED_BY_NAME_ONLY = 0.45;
/** Only the file's name agrees, its folders do not: mostly a file of another program. */
export const NAME_ONLY = 0.35;

/** Files named with or without a line. */
export function namedPathClues(ground: Ground, signals: Pick<Signals, 'paths' | 'places'>): readonly Clue[] {
  const named = [...signals.places, ...signals.paths.map((file) => ({ file, line: 0 }))];
  return named.flatMap((place, order) => {
    const mapping = mapPath(ground, place.file);
    const paths = pathsOf(mapping);
    const certain = mapping.kind === 'own' && !mapping.certain && !mapping.compiled ? NAME_ONLY : 1;
    // Those named first are nearer to what the reporter means; a long list says little about each.
    const strength = (namedStrength(place) * certain * 0.95 ** Math.min(order, 30)) / Math.max(1, paths.length);
    return paths.map((path) => namedClue(place, path, strength, paths.length));
  });
}

function namedStrength({ file, line }: Place): number {
  if (line > 0) return PLACE;
  return /[/\\]/.test(file) ? NAMED : NAMED_BY_NAME_ONLY;
}

function namedClue({ file, line }: Place, path: string, strength: number, fits: number): Clue {
  const name = line > 0 ? `${file}:${line}` : file;
  const shared = fits > 1 ? `; ${fits} files match` : '';
  const reason = `\`${name}\` is named in the report${shared}`;
  return { kind: line > 0 ? 'place' : 'path', path, line, function: '', strength, reason };
}
