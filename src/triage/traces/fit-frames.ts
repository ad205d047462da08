// Holds the source lines that a trace prints against the files: the same place, moved, or of another version.

import type { CommitInfo } from 'causeway-git-objects';
import { formatInlineCode } from 'causeway-safe-markdown';
import { cutText } from 'causeway-visible-text';
import type { MappedFrame } from '../clues.ts';
import { findNearestLine, formatCommitLine, isInformativeLine } from '../examine.ts';
import { attempt, type Lookups, shortenSha } from '../lookups.ts';
import type { Mapping } from '../paths.ts';
import type { Frame } from './frame.ts';

/** Frames beyond these are callers of callers: their lines change nothing. */
const MAX_FITTED = 40;

export interface Fitted {
  readonly mapped: readonly (readonly MappedFrame[])[];
  /** Printed lines that are not in their file, in words. */
  readonly lost: readonly string[];
  /** The commits that took such lines out of their files, as far as known. */
  readonly removals: readonly CommitInfo[];
}

/** Each is a search through the history of a file. */
const MAX_REMOVALS = 2;

/**
 * Sets the line of each own frame whose source text the trace prints to where that text is: 0 where it is not in the
 * file. `lookups.tree` is the commit that the frames were mapped at.
 */
export async function fitFrames(lookups: Lookups, mapped: readonly (readonly MappedFrame[])[]): Promise<Fitted> {
  const wanted = mapped.flat().filter(isFittable).slice(0, MAX_FITTED);
  if (wanted.length === 0) return { mapped, lost: [], removals: [] };
  const files = await readFiles(lookups, wanted);
  const fitted = new Map(
    wanted.flatMap((one) => {
      const lines = files.get(getFramePath(one.mapping));
      return lines ? [[one, fitOne(one, lines)] as const] : [];
    }),
  );
  await lookups.notebook.record({
    action: `compare the source line${wanted.length === 1 ? '' : 's'} that the report prints with the files at ${shortenSha(lookups.tree.revision)}`,
    result: [...fitted.values()].map(renderFit).join('\n') || 'none of the files could be read',
    analysis: explainFits([...fitted.values()]),
  });
  const gone = new Map(
    [...fitted.values()].filter(isLost).map(({ frame, mapping }) => {
      const path = getFramePath(mapping);
      return [computeLoss(frame, path), { path, code: frame.code }];
    }),
  );
  const removals: CommitInfo[] = [];
  for (const line of [...gone.values()].slice(0, MAX_REMOVALS)) removals.push(...(await findRemoval(lookups, line)));
  return {
    mapped: mapped.map((frames) => frames.map((one) => fitted.get(one) ?? one)),
    lost: [...gone.keys()],
    removals: [...new Map(removals.map((commit) => [commit.sha, commit])).values()],
  };
}

/** The last commit that changed how often a line that is not there now was in its file. */
async function findRemoval(
  lookups: Lookups,
  { path, code }: { readonly path: string; readonly code: string },
): Promise<readonly CommitInfo[]> {
  const { tree, signal, notebook } = lookups;
  const action = `history ${path} (last 1 that changed "${cutText(code, 120)}") at ${shortenSha(tree.revision)}`;
  const found = await attempt(lookups, action, () => tree.history({ path, text: code, limit: 1 }, signal));
  if (found === null) return [];
  const [commit] = found.commits;
  await notebook.record({
    lookup: 'history',
    action,
    result: commit ? formatCommitLine(commit) : 'nothing found',
    analysis: commit
      ? 'This commit removed the line that the report prints, so the report may be from before it.'
      : 'No commit is known that had the line that the report prints.',
  });
  return commit ? [commit] : [];
}

function isFittable({ frame, mapping }: MappedFrame): boolean {
  return mapping.kind === 'own' && frame.line > 0 && isInformativeLine(frame.code);
}

function getFramePath(mapping: Mapping): string {
  return mapping.kind === 'own' ? mapping.path : '';
}

async function readFiles(
  lookups: Lookups,
  wanted: readonly MappedFrame[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = new Map<string, readonly string[]>();
  for (const path of new Set(wanted.map(({ mapping }) => getFramePath(mapping)))) {
    const action = `read ${path} at ${shortenSha(lookups.tree.revision)}`;
    const read = await attempt(lookups, action, () => lookups.tree.read(path, {}, lookups.signal));
    // A file that was cut may still have the line.
    if (read?.kind === 'text' && read.cut === '') files.set(path, read.text.split('\n'));
  }
  return files;
}

function fitOne({ frame, mapping }: MappedFrame, lines: readonly string[]): MappedFrame {
  const compiled = mapping.kind === 'own' && mapping.compiled;
  const line = findNearestLine(lines, frame.code, frame.line);
  if (compiled && lines.filter((text) => text.trim() === frame.code).length !== 1) return { frame, mapping };
  return { frame: { ...frame, line }, mapping, printedLine: frame.line };
}

function isLost({ frame, mapping, printedLine }: MappedFrame): boolean {
  return printedLine !== undefined && frame.line === 0 && mapping.kind === 'own' && mapping.certain;
}

function computeLoss({ code }: Frame, path: string): string {
  return `${formatInlineCode(code.slice(0, 120))}, which the report shows in \`${path}\`, isn't in that file at this commit`;
}

function renderFit({ frame, mapping, printedLine }: MappedFrame): string {
  const place = `${getFramePath(mapping)}:${printedLine ?? frame.line}`;
  if (printedLine === undefined) return `${place}: compiled; not found as it is`;
  if (frame.line === printedLine) return `${place}: same text`;
  return frame.line === 0 ? `${place}: not in this file` : `${place}: found at line ${frame.line}`;
}

function explainFits(fitted: readonly MappedFrame[]): string {
  const known = fitted.filter(({ printedLine }) => printedLine !== undefined);
  if (known.some(isLost))
    return 'Some lines are not in their files: the report may be from another version of this code.';
  return known.every(({ frame, printedLine }) => frame.line === printedLine)
    ? 'The lines are the same here, so their numbers can be trusted.'
    : 'Some lines have moved; from here on their new line numbers are used.';
}
