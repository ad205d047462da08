// The lines of a change, and the change without those parts of it that touch a secret.
import type { FileChange } from '../core/change-set.ts';
import { diffLines, type Hunk } from '../core/diff/line-diff.ts';
import { REDACTED } from '../core/redacted.ts';
import type { ChangedLines } from './loosened-tests.ts';

type Redact = (text: string) => Promise<string>;

export function changedLines(change: FileChange): ChangedLines {
  const { before, after } = sides(change);
  const hunks = diffLines(before, after);
  return {
    removed: hunks.flatMap((hunk) => before.slice(hunk.before, hunk.before + hunk.removed)),
    inserted: hunks.flatMap((hunk) => after.slice(hunk.after, hunk.after + hunk.inserted)),
  };
}

/** Lines taken out and put in. */
export function lineCount(change: FileChange): number {
  const { removed, inserted } = changedLines(change);
  return removed.length + inserted.length;
}

/** Null where nothing of it can be shown: the file is new or gone, and holds a secret. `withheld`: parts left out. */
export async function withoutSecretHunks(
  change: FileChange,
  redact: Redact,
): Promise<{ readonly change: FileChange | null; readonly withheld: number }> {
  const { before, after } = sides(change);
  const secretBefore = await secretLines(before, redact);
  const secretAfter = await secretLines(after, redact);
  const touches = (hunk: Hunk): boolean =>
    anyIn(secretBefore, hunk.before, hunk.removed) ||
    anyIn(secretAfter, hunk.after, hunk.inserted) ||
    writesMarker(hunk, before, after);
  const hunks = diffLines(before, after);
  const kept = hunks.filter((hunk) => !touches(hunk));
  const withheld = hunks.length - kept.length;
  if (withheld === 0) return { change, withheld };
  if (change.kind === 'added' || change.kind === 'deleted') return { change: null, withheld };
  return { change: { ...change, after: applied(kept, before, after).join('') }, withheld };
}

/** Lines with their line feeds, so that joining them gives the text again. */
function sides(change: FileChange): { readonly before: readonly string[]; readonly after: readonly string[] } {
  return {
    before: change.kind === 'added' ? [] : wholeLines(change.before),
    after: change.kind === 'deleted' ? [] : wholeLines(change.after),
  };
}

function wholeLines(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

/** Indices of the lines that do not stay as they are when secrets are taken out: a key may run over many. */
async function secretLines(lines: readonly string[], redact: Redact): Promise<ReadonlySet<number>> {
  const text = lines.join('');
  const clean = await redact(text);
  if (clean === text) return new Set();
  const hunks = diffLines(lines, wholeLines(clean));
  return new Set(hunks.flatMap(({ before, removed }) => Array.from({ length: removed }, (_, index) => before + index)));
}

function anyIn(lines: ReadonlySet<number>, from: number, count: number): boolean {
  for (let index = from; index < from + count; index++) if (lines.has(index)) return true;
  return false;
}

/** The marker stands for a secret in all that a model was shown: an edit that writes it would put it in the secret's place. */
function writesMarker(hunk: Hunk, before: readonly string[], after: readonly string[]): boolean {
  const has = (line: string): boolean => line.includes(REDACTED);
  const fresh = after.slice(hunk.after, hunk.after + hunk.inserted);
  return fresh.some(has) && !before.slice(hunk.before, hunk.before + hunk.removed).some(has);
}

function applied(hunks: readonly Hunk[], before: readonly string[], after: readonly string[]): readonly string[] {
  const out: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    for (const line of before.slice(at, hunk.before)) out.push(line);
    for (const line of after.slice(hunk.after, hunk.after + hunk.inserted)) out.push(line);
    at = hunk.before + hunk.removed;
  }
  for (const line of before.slice(at)) out.push(line);
  return out;
}
