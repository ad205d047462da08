// The tool that shows what files define.
import { z } from 'zod';
import type { Tool } from '../core/tool.ts';
import { type EditedTree, normalisePath } from './edited-tree.ts';
import { explainNoText } from './read-files.ts';
import {
  answerFailed,
  answerFound,
  answerNothing,
  defineTool,
  describeAtCommit,
  MAX_RESULT_BYTES,
  PATH,
  takeFittingLines,
} from './tool-kit.ts';

const PARAMETERS = z.strictObject({
  paths: z.array(PATH).min(1).max(10),
  from: z.int().min(1).optional().describe('Only definitions from this line on, to go on after a cut.'),
});

export function defineOutlineTool(source: EditedTree): Tool {
  return defineTool({
    name: 'outline',
    description:
      'Shows what up to 10 files define (functions, classes, types) with line numbers, found line by line in common languages. At most 12 kB, shared among the files.',
    parameters: PARAMETERS,
    example: { paths: ['src/app.ts'] },
    action: ({ paths, from }) =>
      describeAtCommit(
        `outline ${paths.join(', ')}${from === undefined ? '' : ` from line ${from}`}`,
        source.tree.revision,
      ),
    execute: async ({ paths, from = 1 }, signal) => {
      const parts = [];
      for (const path of paths.map(normalisePath)) {
        parts.push(await outlineFile(source, { path, from, bytes: MAX_RESULT_BYTES / paths.length }, signal));
      }
      const text = parts.map((part) => part.text).join('\n\n');
      if (parts.every(({ kind }) => kind !== 'found')) {
        return parts.some(({ kind }) => kind === 'failed') ? answerFailed(text) : answerNothing(text);
      }
      return answerFound(
        text,
        parts
          .map((part) => part.cut)
          .filter((cut) => cut !== '')
          .join(' '),
      );
    },
  });
}

interface OutlinePart {
  readonly kind: 'found' | 'nothing' | 'failed';
  readonly text: string;
  readonly cut: string;
}

async function outlineFile(
  source: EditedTree,
  { path, from, bytes }: { readonly path: string; readonly from: number; readonly bytes: number },
  signal: AbortSignal,
): Promise<OutlinePart> {
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
