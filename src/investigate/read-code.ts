// The code that an investigation has read, as one text for a second reader: each line once, and where not all fits in,
// what the conclusion relies on first.

import { type ChangeSet, diffLines, hasChanges, toLines } from 'causeway-diff';
import type { LineRange, SourceTree } from 'causeway-git-objects';
import { truncate } from 'causeway-visible-text';
import type { Conclusion } from '../core/issue/index.ts';
import { findSpans } from '../core/source/index.ts';
import { type PreparedText, prepareText } from './quotation.ts';

/** UTF-8 bytes, about 4 a token. */
const MAX_BYTES = 14_000;
/** A longer function is shown only around the line. */
const MAX_FUNCTION = 100;
const AROUND = 20;
const MAX_LINE = 300;

interface Stretch extends LineRange {
  readonly file: string;
}

/** A line as the tools and the facts show it: `> 14 | text`. */
const ROW = /^[> ] *(\d{1,7}) \| (.*)$/;

/** "" where no code was read. Throws what the tree throws. */
export async function showReadCode(
  { investigationSteps, analysis, changeSet }: Conclusion,
  tree: SourceTree,
  signal: AbortSignal,
): Promise<string> {
  const paths = new Set((await tree.files(signal)).entries.map(({ path }) => path));
  const texts = new Map<string, readonly string[]>();
  const linesOf = async (file: string): Promise<readonly string[]> => {
    const known = texts.get(file);
    if (known !== undefined) return known;
    const read = paths.has(file) ? await tree.read(file, {}, signal) : null;
    const lines = read?.kind === 'text' ? toLines(read.text).lines : [];
    texts.set(file, lines);
    return lines;
  };
  const widen = async ({ file, from, to }: Stretch): Promise<Stretch> => {
    const lines = await linesOf(file);
    const spans = findSpans(file, lines.join('\n'), await tree.outline(file, signal));
    const around = spans.findLast(
      (span) => span.kind === 'function' && span.line <= from && to <= span.lastLine && !isLong(span),
    );
    return around === undefined
      ? { file, from: Math.max(1, from - AROUND), to: to + AROUND }
      : { file, from: around.leadLine, to: around.lastLine };
  };
  const seen = await Promise.all(
    investigationSteps.map(({ action, result }) => listRows(`${action}\n${result}`, paths, linesOf)),
  );
  const prepared = new Map<string, readonly PreparedText[]>();
  const quoted: Stretch[] = [];
  for (const { step, quote } of analysis.citations) {
    const files = new Set((seen[step - 1] ?? []).map(({ file }) => file));
    for (const file of files) {
      const lines = prepared.get(file) ?? (await linesOf(file)).map(prepareText);
      prepared.set(file, lines);
      quoted.push(...findQuote(file, quote, lines));
    }
  }
  const changed = listChangedStretches(changeSet);
  const near = await Promise.all([...changed, ...quoted].map(widen));
  // What was read last was looked for, while the first steps are guesses of where to look.
  return await formatStretches([...near, ...seen.toReversed().flat()], linesOf);
}

function isLong({ leadLine, lastLine }: { readonly leadLine: number; readonly lastLine: number }): boolean {
  return lastLine - leadLine >= MAX_FUNCTION;
}

/** Lines of other commits and of edits are not in the tree, and are left out. */
async function listRows(
  text: string,
  paths: ReadonlySet<string>,
  linesOf: (file: string) => Promise<readonly string[]>,
): Promise<readonly Stretch[]> {
  const rows: Stretch[] = [];
  let file = '';
  for (const line of text.split('\n')) {
    const [, number, shown = ''] = ROW.exec(line) ?? [];
    if (number === undefined) {
      file = line.split(/[\s:,;`()]+/).find((word) => paths.has(word)) ?? file;
      continue;
    }
    const at = Number(number);
    const own = (await linesOf(file))[at - 1];
    if (own?.trim().startsWith(shown.trim().slice(0, 60)) === true) rows.push({ file, from: at, to: at });
  }
  return rows;
}

function findQuote(file: string, quote: string, lines: readonly PreparedText[]): readonly Stretch[] {
  const ready = prepareText(quote);
  for (const form of ['plain', 'withoutGutters'] as const) {
    const own = lines.flatMap((line, index) => (line[form] === '' ? [] : [{ text: line[form], number: index + 1 }]));
    const at = own
      .map(({ text }) => text)
      .join(' ')
      .indexOf(ready[form]);
    if (at === -1) continue;
    let end = -1;
    const touched = own.filter(({ text }) => {
      const begin = end + 1;
      end = begin + text.length;
      return end > at && begin < at + Math.max(1, ready[form].length);
    });
    return [{ file, from: touched[0]?.number ?? 1, to: touched.at(-1)?.number ?? 1 }];
  }
  return [];
}

/** Where the change begins and ends, in the lines before it. */
function listChangedStretches({ files }: ChangeSet): readonly Stretch[] {
  return files.filter(hasChanges).flatMap((change) => {
    if (change.kind === 'added') return [];
    const file = change.kind === 'renamed' ? change.previousPath : change.path;
    const after = change.kind === 'deleted' ? '' : change.after;
    return diffLines(toLines(change.before).lines, toLines(after).lines).map(({ before, removed }) => ({
      file,
      from: before + 1,
      to: before + Math.max(1, removed),
    }));
  });
}

/** The first stretches count most; files are in the order in which they are first needed. */
async function formatStretches(
  stretches: readonly Stretch[],
  linesOf: (file: string) => Promise<readonly string[]>,
): Promise<string> {
  const kept = new Map<string, Map<number, string>>();
  let left = MAX_BYTES;
  for (const { file, from, to } of stretches) {
    const lines = await linesOf(file);
    const own = kept.get(file) ?? new Map<number, string>();
    for (let at = from; at <= Math.min(to, lines.length); at += 1) {
      const row = `${String(at).padStart(6)} | ${truncate(lines[at - 1] ?? '', MAX_LINE)}`;
      if (own.has(at) || Buffer.byteLength(row) >= left) continue;
      own.set(at, row);
      left -= Buffer.byteLength(row) + 1;
    }
    if (own.size > 0) kept.set(file, own);
  }
  return [...kept].map(([file, own]) => `${file}:\n${joinRows(own)}`).join('\n\n');
}

function joinRows(rows: ReadonlyMap<number, string>): string {
  const numbers = [...rows.keys()].sort((a, b) => a - b);
  return numbers
    .map((at, index) => `${index > 0 && at > (numbers[index - 1] ?? 0) + 1 ? '       …\n' : ''}${rows.get(at) ?? ''}`)
    .join('\n');
}
