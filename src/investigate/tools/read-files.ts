// The tools that read files: whole or by ranges of lines, and as an outline of what they define.

import { toLines } from 'causeway-diff';
import type { FileRead, LineRange, OutlineSymbol, Repository } from 'causeway-git-objects';
import { z } from 'zod';
import type { LookupFinding, Tool } from '../../core/report/index.ts';
import { findSpans, type Span } from '../../core/source/index.ts';

import { explainInstalled, type FindInstalled, NOTHING_INSTALLED } from './installed.ts';
import { listDataKeys, listTestTitles, type OutlineEntry } from './outline-entries.ts';
import type { EditedTree } from './overlay.ts';
import {
  answerFailed,
  answerFound,
  answerNothing,
  defineTool,
  describeAtCommit,
  formatNumberedLines,
  joinNotes,
  MAX_RESULT_BYTES,
  normalisePath,
  PATH,
  quote,
  takeFittingLines,
} from './tool-kit.ts';

const PART = z.strictObject({
  path: PATH,
  from: z.int().min(1).optional().describe('First line, from 1.'),
  to: z.int().min(1).optional().describe('Last line, inclusive.'),
  symbol: z.string().min(1).max(200).optional().describe('Instead: the function, class or type of this name, whole.'),
  commit: z.string().min(1).max(300).optional().describe('As it was at this older commit, branch or tag.'),
});
const MAX_PARTS = 10;

const READ = z.strictObject({ files: z.array(PART).min(1).max(MAX_PARTS) });

/** Source is what a model reads most: a cut costs a whole turn. */
const MAX_READ_BYTES = 16_000;

type RequestedPart = z.output<typeof PART>;

/** One part: `kind` is that of a finding. */
interface PartFinding {
  readonly kind: 'found' | 'nothing' | 'failed';
  readonly text: string;
  readonly cut: string;
}

/** The lines of one part before it is known how many of them fit in. */
interface PartLines {
  readonly kind: 'lines';
  readonly name: string;
  readonly rows: readonly string[];
  readonly first: number;
  readonly totalLines: number;
  /** What was left out before, in words; "" for nothing. */
  readonly cut: string;
  /** By the file, for what does not fit in. */
  readonly defined: readonly OutlineSymbol[];
}

export function defineReadFilesTool(
  source: EditedTree,
  repository: Repository,
  findInstalled: FindInstalled = NOTHING_INSTALLED,
): Tool {
  return defineTool({
    name: 'read_files',
    description:
      'Reads up to 10 files, line ranges or symbols, with line numbers. At most 16 kB in all; a cut part says from which line to continue, and a line is cut after 300 characters. Edited files are shown as edited.',
    parameters: READ,
    example: {
      files: [
        { path: 'src/app.ts', from: 1, to: 120 },
        { path: 'src/cart.ts', symbol: 'Cart.total' },
      ],
    },
    action: ({ files }) => describeAtCommit(`read ${files.map(describePart).join('; ')}`, source.tree.revision),
    execute: async ({ files }, signal) => {
      const read: (PartFinding | PartLines)[] = [];
      for (const part of files) read.push(await readRequestedPart({ source, repository, findInstalled }, part, signal));
      const shares = shareFairly(
        read.map((part) => (part.kind === 'lines' ? countBytes(part.rows) : Buffer.byteLength(part.text))),
        MAX_READ_BYTES,
      );
      return joinFindings(
        read.map((part, index) => (part.kind === 'lines' ? cutPart(part, shares[index] ?? 0) : part)),
      );
    },
  });
}

function describePart({ path, from, to, symbol, commit }: RequestedPart): string {
  const range = from === undefined && to === undefined ? '' : ` lines ${from ?? 1}–${to ?? 'end'}`;
  return `${symbol === undefined ? '' : `${symbol} of `}${path}${range}${commit === undefined ? '' : ` as of ${commit}`}`;
}

function countBytes(rows: readonly string[]): number {
  return rows.reduce((sum, row) => sum + Buffer.byteLength(row) + 1, 0);
}

/** What each one gets of `total`: all that it needs where that is no more than its share, which the others then divide. */
function shareFairly(needs: readonly number[], total: number): readonly number[] {
  const shares = needs.map(() => 0);
  let left = total;
  let count = needs.length;
  for (const [index, need] of [...needs.entries()].sort(([, a], [, b]) => a - b)) {
    const share = Math.min(need, Math.floor(left / count));
    shares[index] = share;
    left -= share;
    count -= 1;
  }
  return shares;
}

function cutPart({ name, rows, first, totalLines, cut, defined }: PartLines, bytes: number): PartFinding {
  const shown = takeFittingLines(rows, bytes);
  const last = first + shown.length - 1;
  const isCut = shown.length < rows.length;
  const over = isCut ? `${name} is cut after line ${last}: continue with "from": ${last + 1}.` : cut;
  const rest = isCut ? describeRest(defined, last, first + rows.length - 1) : '';
  const head = `${name}, lines ${first}–${last} of ${totalLines}${rest}:`;
  return { kind: 'found', text: `${head}\n${shown.join('\n')}`, cut: over };
}

/** Definitions that are named of what is left out. */
const MAX_NAMED = 12;

/** What follows in the wanted lines, said before those that are shown. */
function describeRest(defined: readonly OutlineSymbol[], last: number, end: number): string {
  const names = defined
    .filter(({ kind, line }) => kind !== 'constant' && line > last && line <= end)
    .map(({ name, line }) => `${name} (${line})`);
  const more = names.length > MAX_NAMED ? ', …' : '';
  const which = names.length === 0 ? '' : `: ${names.slice(0, MAX_NAMED).join(', ')}${more}`;
  return `; cut, ${last + 1}–${end} left out${which}`;
}

/** One finding of several parts: found where any was found. */
function joinFindings(parts: readonly PartFinding[]): LookupFinding {
  const text = parts.map((part) => part.text).join('\n\n');
  if (parts.some(({ kind }) => kind === 'found')) return answerFound(text, joinNotes(...parts.map(({ cut }) => cut)));
  return parts.some(({ kind }) => kind === 'failed') ? answerFailed(text) : answerNothing(text);
}

interface ReadGround {
  readonly source: EditedTree;
  readonly repository: Repository;
  readonly findInstalled: FindInstalled;
}

async function readRequestedPart(
  { source, repository, findInstalled }: ReadGround,
  part: RequestedPart,
  signal: AbortSignal,
): Promise<PartFinding | PartLines> {
  const path = normalisePath(part.path);
  const at = part.commit === undefined ? source : await openOlder(repository, part.commit, signal);
  if (at === null) {
    return { kind: 'failed', text: `There is no commit, branch or tag ${quote(part.commit ?? '')}.`, cut: '' };
  }
  const name = `${path}${at.mark(path)}`;
  const range = part.symbol === undefined ? toRequestedRange(part) : await findSymbol(at, path, part.symbol, signal);
  if (typeof range === 'string') return { kind: 'failed', text: `${name}: ${range}`, cut: '' };
  const read = await at.read(path, range, signal);
  const installed = read.kind === 'absent' ? await explainInstalled(path, { source, find: findInstalled }, signal) : '';
  if (installed !== '') return { kind: 'nothing', text: installed, cut: '' };
  if (read.kind !== 'text') return { kind: 'failed', text: explainNoText(path, read), cut: '' };
  const lines = toLines(read.text).lines;
  if (lines.length === 0) {
    const none = read.totalLines === 0 ? 'is empty' : `has ${read.totalLines} lines; none is in that range`;
    return { kind: 'nothing', text: `${name} ${none}.`, cut: '' };
  }
  const rows = formatNumberedLines(lines, read.firstLine);
  // What is shorter fits in, whatever else is read.
  const defined = countBytes(rows) > MAX_READ_BYTES / MAX_PARTS ? await at.outline(path, signal) : [];
  return { kind: 'lines', name, rows, first: read.firstLine, totalLines: read.totalLines, cut: read.cut, defined };
}

/** Another commit, of which edits change nothing; null where there is no such. */
async function openOlder(
  repository: Repository,
  commit: string,
  signal: AbortSignal,
): Promise<Pick<EditedTree, 'read' | 'outline' | 'mark'> | null> {
  const sha = await repository.resolve(commit, signal);
  if (sha === null) return null;
  const tree = repository.tree(sha);
  return {
    read: (path, lines, inner) => tree.read(path, lines === undefined ? {} : { lines }, inner),
    outline: (path, inner) => tree.outline(path, inner),
    mark: () => ` at ${sha.slice(0, 7)}`,
  };
}

function toRequestedRange({ from, to }: RequestedPart): LineRange | undefined {
  if (from === undefined && to === undefined) return undefined;
  return { from: from ?? 1, to: to ?? Number.MAX_SAFE_INTEGER };
}

const MAX_NAMES = 30;

/** The lines of the definition with the comments above it, or why there are none. `Cart.total` and `total` both do. */
async function findSymbol(
  source: Pick<EditedTree, 'read' | 'outline'>,
  path: string,
  symbol: string,
  signal: AbortSignal,
): Promise<LineRange | string | undefined> {
  const read = await source.read(path, undefined, signal);
  // Why it cannot be read is said where it is read.
  if (read.kind !== 'text') return undefined;
  const spans = findSpans(path, read.text, await source.outline(path, signal));
  const wanted = symbol
    .replace(/\(\)$/, '')
    .split(/[.#]|::/)
    .filter((part) => part !== '');
  const named = spans.filter((span) => endsWithNames(span, wanted));
  const [first, last] = [named[0], named.at(-1)];
  // Overloads and accessors of one owner are one after the other.
  if (first !== undefined && last !== undefined && named.every(({ owner }) => owner === first.owner)) {
    return { from: first.leadLine, to: last.lastLine };
  }
  if (named.length > 0) {
    return `${quote(symbol)} is defined ${named.length} times; name its owner or give lines: ${formatSpanNames(named)}.`;
  }
  const similar = spans.filter((span) => endsWithNames(span, wanted.slice(-1)));
  const none = `no definition of ${quote(symbol)} was recognised.`;
  if (similar.length > 0) return `${none} With that name there is ${formatSpanNames(similar)}.`;
  return spans.length === 0 ? none : `${none} There are: ${formatSpanNames(spans)}.`;
}

/** Whether its names end with these; a private name is also found without its mark. */
function endsWithNames({ owner, name }: Span, wanted: readonly string[]): boolean {
  const end = [...owner.split('.'), name].slice(-wanted.length);
  return end.length === wanted.length && end.every((each, index) => each.replace(/^#/, '') === wanted[index]);
}

function formatSpanNames(spans: readonly Span[]): string {
  const named = spans.map(({ owner, name, line }) => `${owner === '' ? '' : `${owner}.`}${name} (line ${line})`);
  const more = named.length - MAX_NAMES;
  return `${named.slice(0, MAX_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const OUTLINE = z.strictObject({
  paths: z.array(PATH).min(1).max(10),
  from: z.int().min(1).optional().describe('Only definitions from this line on; continues a cut answer.'),
});

export function defineOutlineTool(source: EditedTree): Tool {
  return defineTool({
    name: 'outline',
    description:
      'Lists the functions, classes and types that up to 10 files define, the titles of tests, the keys of JSON, YAML, TOML, ini and CSV, with line numbers. At most 12 kB, shared among the files.',
    parameters: OUTLINE,
    example: { paths: ['src/app.ts'] },
    action: ({ paths, from }) =>
      describeAtCommit(
        `outline ${paths.join(', ')}${from === undefined ? '' : ` from line ${from}`}`,
        source.tree.revision,
      ),
    execute: async ({ paths, from = 1 }, signal) => {
      const parts: PartFinding[] = [];
      for (const path of paths.map(normalisePath)) {
        parts.push(await outlineFile(source, { path, from, bytes: MAX_RESULT_BYTES / paths.length }, signal));
      }
      return joinFindings(parts);
    },
  });
}

async function outlineFile(
  source: EditedTree,
  { path, from, bytes }: { readonly path: string; readonly from: number; readonly bytes: number },
  signal: AbortSignal,
): Promise<PartFinding> {
  const read = await source.read(path, undefined, signal);
  if (read.kind !== 'text') return { kind: 'failed', text: explainNoText(path, read), cut: '' };
  const symbols = await listOutlineEntries(source, path, read.text, signal);
  const entries = symbols.filter(({ line }) => line >= from);
  const name = `${path}${source.mark(path)}`;
  if (entries.length === 0) {
    return { kind: 'nothing', text: `${name}: no definition was recognised; read the file.`, cut: '' };
  }
  const lines = entries.map(({ line, text }) => `${String(line).padStart(6)} | ${text}`);
  const shown = takeFittingLines(lines, bytes);
  const next = entries[shown.length];
  const cut =
    next === undefined
      ? ''
      : `${path}: ${entries.length - shown.length} more from line ${next.line} on; outline only this file with "from": ${next.line}.`;
  return { kind: 'found', text: `${name}:\n${shown.join('\n')}`, cut };
}

/** Definitions, titles and keys, each line once. */
async function listOutlineEntries(
  source: EditedTree,
  path: string,
  text: string,
  signal: AbortSignal,
): Promise<readonly OutlineEntry[]> {
  const symbols = await source.outline(path, signal);
  const defined = symbols.map(({ line, kind, signature }) => ({ line, text: `${kind}: ${signature}` }));
  const shown = new Set(symbols.map(({ line }) => line));
  const others = (listDataKeys(path, text) ?? listTestTitles(path, text)).filter(({ line }) => !shown.has(line));
  return [...defined, ...others].sort((a, b) => a.line - b.line);
}

/** Why there is nothing to read at `path`, and what to do instead. */
export function explainNoText(path: string, read: Exclude<FileRead, { readonly kind: 'text' }>): string {
  switch (read.kind) {
    case 'binary':
      return `${path} is binary (${read.size} bytes).`;
    case 'too_large':
      return `${path} is too large to read (${read.size} bytes). Search in it instead.`;
    case 'symlink':
      return `${path} is a symbolic link to ${quote(read.target)}.`;
    case 'submodule':
      return `${path} is a submodule at ${read.sha}; its files are in another repository.`;
    case 'folder':
      return `${path === '' ? 'The root' : path} is a folder; list it.`;
    case 'absent':
      return `There is no ${path}.${read.nearest.length > 0 ? ` Perhaps: ${read.nearest.join(', ')}.` : ''}`;
  }
}
