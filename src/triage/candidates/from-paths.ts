// Clues from paths that the report names, and from file names that share its words.
import { fileKind } from '../file-kind.ts';
import { type Ground, mapPath, pathsOf } from '../map-paths.ts';
import type { Place } from '../named-paths.ts';
import type { Signals } from '../signals.ts';
import { nameParts, stem } from '../tokens.ts';
import type { Clue } from './clue.ts';

const PLACE = 0.8;
const NAMED = 0.7;
const NAMED_BY_NAME_ONLY = 0.45;
/** Only the file's name agrees, its folders do not: mostly a file of another program. */
export const NAME_ONLY = 0.35;
const SHARED_WORDS = 0.34;
const MAX_BY_WORDS = 40;

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
  const shared = fits > 1 ? `; ${fits} files end so` : '';
  const reason = `\`${name}\` is named in the report${shared}`;
  return { kind: line > 0 ? 'place' : 'path', path, line, function: '', strength, reason };
}

/** Source files whose path shares words with the report, the seldom ones counting most. */
export function pathWordClues(ground: Ground, signals: Pick<Signals, 'words' | 'identifiers'>): readonly Clue[] {
  const wanted = new Map<string, number>();
  const spelled = new Map(signals.words.map(({ stem: key, word }) => [key, word]));
  for (const { stem: key, weight } of signals.words) wanted.set(key, Math.sqrt(weight));
  for (const { name, weight } of signals.identifiers.slice(0, 15)) {
    for (const part of nameParts(name))
      wanted.set(stem(part), Math.max(wanted.get(stem(part)) ?? 0, Math.sqrt(weight)));
  }
  const foldersOf = folderWords();
  const files = ground.index.paths
    .filter((path) => fileKind(path) === 'source')
    .map((path) => wordsOf(path, foldersOf));
  const rarity = rarities(files, wanted);
  return files
    .map(({ path, name, folders }) => {
      const shared = [...name, ...folders].filter((word) => wanted.has(word));
      const value = (word: string): number => (wanted.get(word) ?? 0) * (rarity.get(word) ?? 0);
      const inName = [...name].reduce((sum, word) => sum + value(word), 0) / Math.sqrt(Math.max(1, name.size));
      const inFolders = [...folders].reduce((sum, word) => sum + value(word), 0) * 0.35;
      return { path, shared, score: inName + inFolders };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
    .slice(0, MAX_BY_WORDS)
    .map(
      ({ path, shared, score }, _, all): Clue => ({
        kind: 'name',
        path,
        line: 0,
        function: '',
        strength: SHARED_WORDS * (score / (all[0]?.score ?? 1)),
        reason: `its path shares ${quoted(shared.map((word) => spelled.get(word) ?? word))} with the report`,
        names: [],
      }),
    );
}

interface PathWords {
  readonly path: string;
  readonly name: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

function wordsOf(path: string, foldersOf: (folder: string) => ReadonlySet<string>): PathWords {
  const end = path.lastIndexOf('/');
  const name = new Set(nameParts(path.slice(end + 1).replace(/\.\w+$/, '')).map(stem));
  return { path, name, folders: foldersOf(path.slice(0, Math.max(0, end))).difference(name) };
}

/** Many files share a folder: its words are looked for once. */
function folderWords(): (folder: string) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>();
  return (folder) => {
    const words = known.get(folder) ?? new Set(folder.split('/').flatMap(nameParts).map(stem));
    known.set(folder, words);
    return words;
  };
}

function rarities(files: readonly PathWords[], wanted: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { name, folders } of files) {
    for (const word of name.union(folders)) if (wanted.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return new Map([...counts].map(([word, count]) => [word, Math.log(files.length / count)]));
}

function quoted(words: readonly string[]): string {
  return [...new Set(words)]
    .slice(0, 4)
    .map((word) => `“${word}”`)
    .join(', ');
}
