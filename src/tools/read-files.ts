// The tools that read files: whole or by ranges of lines, and as an outline of what they define.
import { z } from 'zod';
import { toLines } from '../core/diff/diff.ts';
import type { Finding, Tool } from '../core/evidence.ts';
import type { FileRead, LineRange } from '../core/source.ts';

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
});
const READ = z.strictObject({ files: z.array(PART).min(1).max(10) });

/** Source is what a model reads most: a cut costs a whole turn. */
const MAX_READ_BYTES = 16_000;
/** The least share of each part; beyond it, parts are served in the given order. */
const LEAST_BYTES = 600;

type Part = z.output<typeof PART>;

/** One part: `kind` is that of a finding. */
interface PartRead {
  readonly kind: 'found' | 'nothing' | 'failed';
  readonly text: string;
  readonly cut: string;
}

export function defineReadFilesTool(source: EditedTree): Tool {
  return defineTool({
    name: 'read_files',
    description:
      'Reads up to 10 files or ranges of lines, each line with its number. At most 16 kB in all, in the order asked: put what matters first. What was cut is named with the line to go on from. Edited files are shown as edited.',
    parameters: READ,
    example: { files: [{ path: 'src/app.ts', from: 1, to: 120 }] },
    action: ({ files }) => describeAtCommit(`read ${files.map(describePart).join('; ')}`, source.tree.revision),
    execute: async ({ files }, signal) => {
      const parts: PartRead[] = [];
      let left = MAX_READ_BYTES;
      for (const [index, part] of files.entries()) {
        const kept = LEAST_BYTES * (files.length - index - 1);
        const read = await readPart(source, part, Math.max(LEAST_BYTES, left - kept), signal);
        left = Math.max(0, left - Buffer.byteLength(read.text));
        parts.push(read);
      }
      return joinParts(parts);
    },
  });
}

function describePart({ path, from, to }: Part): string {
  if (from === undefined && to === undefined) return path;
  return `${path} lines ${from ?? 1}–${to ?? 'end'}`;
}

/** One finding of several parts: found where any was found. */
function joinParts(parts: readonly PartRead[]): Finding {
  const text = parts.map((part) => part.text).join('\n\n');
  if (parts.some(({ kind }) => kind === 'found')) return answerFound(text, joinNotes(...parts.map(({ cut }) => cut)));
  return parts.some(({ kind }) => kind === 'failed') ? answerFailed(text) : answerNothing(text);
}

async function readPart(source: EditedTree, part: Part, bytes: number, signal: AbortSignal): Promise<PartRead> {
  const path = normalisePath(part.path);
  const range = toRange(part);
  const read = await source.read(path, range, signal);
  if (read.kind !== 'text') return { kind: 'failed', text: explainNoText(path, read), cut: '' };
  const lines = toLines(read.text).lines;
  const name = `${path}${source.mark(path)}`;
  if (lines.length === 0) {
    const none =
      read.totalLines === 0 ? 'is empty' : `has ${read.totalLines} lines, none of them in the range asked for`;
    return { kind: 'nothing', text: `${name} ${none}.`, cut: '' };
  }
  const shown = takeFittingLines(formatNumberedLines(lines, read.firstLine), bytes);
  const last = read.firstLine + shown.length - 1;
  const wanted = Math.min(range?.to ?? read.totalLines, read.totalLines);
  const cut = last < wanted ? `${path} is cut after line ${last}: go on with "from": ${last + 1}.` : read.cut;
  const head = `${name}, lines ${read.firstLine}–${last} of ${read.totalLines}:`;
  return { kind: 'found', text: `${head}\n${shown.join('\n')}`, cut };
}

function toRange({ from, to }: Part): LineRange | undefined {
  if (from === undefined && to === undefined) return undefined;
  return { from: from ?? 1, to: to ?? Number.MAX_SAFE_INTEGER };
}

const OUTLINE = z.strictObject({
  paths: z.array(PATH).min(1).max(10),
  from: z.int().min(1).optional().describe('Only definitions from this line on, to go on after a cut.'),
});

export function defineOutlineTool(source: EditedTree): Tool {
  return defineTool({
    name: 'outline',
    description:
      'Shows what up to 10 files define (functions, classes, types) with line numbers, found line by line in common languages. At most 12 kB, shared among the files.',
    parameters: OUTLINE,
    example: { paths: ['src/app.ts'] },
    action: ({ paths, from }) =>
      describeAtCommit(
        `outline ${paths.join(', ')}${from === undefined ? '' : ` from line ${from}`}`,
        source.tree.revision,
      ),
    execute: async ({ paths, from = 1 }, signal) => {
      const parts: PartRead[] = [];
      for (const path of paths.map(normalisePath)) {
        parts.push(await outlineFile(source, { path, from, bytes: MAX_RESULT_BYTES / paths.length }, signal));
      }
      return joinParts(parts);
    },
  });
}

async function outlineFile(
  source: EditedTree,
  { path, from, bytes }: { readonly path: string; readonly from: number; readonly bytes: number },
  signal: AbortSignal,
): Promise<PartRead> {
  const read = await source.read(path, { from: 1, to: 1 }, signal);
  if (read.kind !== 'text') return { kind: 'failed', text: explainNoText(path, read), cut: '' };
  const symbols = (await source.outline(path, signal)).filter(({ line }) => line >= from);
  const name = `${path}${source.mark(path)}`;
  if (symbols.length === 0) {
    return { kind: 'nothing', text: `${name}: no definition was recognised; read the file.`, cut: '' };
  }
  const lines = symbols.map(({ line, kind, signature }) => `${String(line).padStart(6)} | ${kind}: ${signature}`);
  const shown = takeFittingLines(lines, bytes);
  const next = symbols[shown.length];
  const cut =
    next === undefined
      ? ''
      : `${path}: ${symbols.length - shown.length} more from line ${next.line} on; outline it alone with "from": ${next.line}.`;
  return { kind: 'found', text: `${name}:\n${shown.join('\n')}`, cut };
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
