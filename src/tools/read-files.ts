// The tool that reads files and ranges of lines, several in a call.
import { z } from 'zod';
import { toLines } from '../core/diff/text-lines.ts';
import type { Finding } from '../core/evidence.ts';
import type { FileRead, LineRange } from '../core/source.ts';
import type { Tool } from '../core/tool.ts';
import { type EditedTree, normalisePath } from './edited-tree.ts';
import {
  answerFailed,
  answerFound,
  answerNothing,
  defineTool,
  describeAtCommit,
  formatNumberedLines,
  PATH,
  quote,
  takeFittingLines,
} from './tool-kit.ts';

const PART = z.strictObject({
  path: PATH,
  from: z.int().min(1).optional().describe('First line, from 1.'),
  to: z.int().min(1).optional().describe('Last line, inclusive.'),
});
const PARAMETERS = z.strictObject({ files: z.array(PART).min(1).max(10) });

/** Source is what a model reads most: a cut costs a whole turn. */
const MAX_READ_BYTES = 16_000;
/** What every part of a call has at least; beyond it, parts are served in the order in which they were asked for. */
const LEAST_BYTES = 600;

type Part = z.output<typeof PART>;

/** One part read: `kind` as a finding has it, of this part alone. */
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
    parameters: PARAMETERS,
    example: { files: [{ path: 'src/app.ts', from: 1, to: 120 }] },
    action: ({ files }) => describeAtCommit(`read ${files.map(describePart).join('; ')}`, source.tree.revision),
    execute: async ({ files }, signal) => {
      const parts: PartRead[] = [];
      let room = MAX_READ_BYTES;
      for (const [index, part] of files.entries()) {
        const kept = LEAST_BYTES * (files.length - index - 1);
        const read = await readPart(source, part, { bytes: Math.max(LEAST_BYTES, room - kept), signal });
        room = Math.max(0, room - Buffer.byteLength(read.text));
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

function joinParts(parts: readonly PartRead[]): Finding {
  const text = parts.map((part) => part.text).join('\n\n');
  const cut = parts
    .map((part) => part.cut)
    .filter((each) => each !== '')
    .join(' ');
  if (parts.some(({ kind }) => kind === 'found')) return answerFound(text, cut);
  return parts.some(({ kind }) => kind === 'failed') ? answerFailed(text) : answerNothing(text);
}

async function readPart(
  source: EditedTree,
  part: Part,
  { bytes, signal }: { readonly bytes: number; readonly signal: AbortSignal },
): Promise<PartRead> {
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
