// What a report says by itself: stack traces, places, errors, paths, identifiers, commands, versions.

import { findCommands } from './commands.ts';
import { type ErrorMessage, findErrors } from './error-lines.ts';
import { findTraces } from './frames/find-traces.ts';
import type { Trace } from './frames/frame.ts';
import { findIdentifiers, type Identifier } from './identifiers.ts';
import { installedVersions } from './installed-versions.ts';
import { findPaths, type Place } from './named-paths.ts';
import { cleanPath } from './path-forms.ts';
import { isLogLine, plainLines } from './plain-text.ts';
import { findVersions, type NamedVersion } from './versions.ts';
import { findWords, type Word } from './words.ts';

export interface Signals {
  /** The first line; "" where the report begins with a log. */
  readonly title: string;
  /** In the order of the text, but roots of a chain of causes first. */
  readonly traces: readonly Trace[];
  /** `path:line` outside of traces, as compilers, linters and people write it. */
  readonly places: readonly Place[];
  readonly errors: readonly ErrorMessage[];
  readonly paths: readonly string[];
  /** Names that look like code, the most telling first. */
  readonly identifiers: readonly Identifier[];
  /** Plain words, the most telling first. */
  readonly words: readonly Word[];
  readonly commands: readonly string[];
  readonly versions: readonly NamedVersion[];
  /** What may be a commit id: 7 to 40 hexadecimal digits, letters and digits mixed. */
  readonly shas: readonly string[];
}

/** At most so many lines are read for names and words: the rest of a log repeats them. */
const PROSE_LINES = 4_000;
/** Longer first lines are cut to this many characters as titles. */
export const MAX_TITLE = 300;

/** Finds all signals in a text of up to 1 MiB; linear in its length. */
export function findSignals(text: string): Signals {
  const lines = plainLines(text);
  const { traces, lines: traced } = findTraces(lines);
  const rest = lines.filter((_, index) => !traced.has(index));
  const prose = rest.slice(0, PROSE_LINES);
  const title = titleOf(lines);
  const { paths, places } = findPaths(rest);
  const commands = findCommands(prose);
  return {
    title,
    traces,
    places: outsideOf(traces, places),
    errors: findErrors(rest, traces, commands),
    paths,
    identifiers: findIdentifiers(prose, title, commands),
    words: findWords(prose, title),
    commands,
    versions: [...installedVersions(traces), ...findVersions(prose)],
    shas: findShas(prose),
  };
}

/** Whether the text gives nothing to look up. */
export function isSilent(signals: Signals): boolean {
  return (
    signals.traces.length + signals.places.length + signals.paths.length + signals.errors.length === 0 &&
    signals.identifiers.length + signals.words.length === 0
  );
}

/** A place that a frame names as well is the frame's: Node prints it again above its error. */
function outsideOf(traces: readonly Trace[], places: readonly Place[]): readonly Place[] {
  const keyOf = ({ file, line }: Place): string => `${cleanPath(file)}:${line}`;
  const framed = new Set(traces.flatMap(({ frames }) => frames.map(keyOf)));
  return places.filter((place) => !framed.has(keyOf(place)));
}

function titleOf(lines: readonly string[]): string {
  const line = lines.find((candidate) => /[\p{L}\p{N}]/u.test(candidate)) ?? '';
  if (isLogLine(line)) return '';
  return line
    .replace(/^\s*(?:#{1,6}\s*)?/, '')
    .trim()
    .slice(0, MAX_TITLE);
}

function findShas(lines: readonly string[]): readonly string[] {
  const shas = new Set<string>();
  for (const line of lines) {
    for (const [sha] of line.matchAll(/(?<![\w-])[0-9a-f]{7,40}(?![\w-])/g)) {
      if (/\d/.test(sha) && /[a-f]/.test(sha) && shas.size < 10) shas.add(sha);
    }
  }
  return [...shas];
}
