// The tools that edit: replace, create, delete and rename, all on the overlay.

import { toLines } from 'causeway-diff';
import { z } from 'zod';
import type { Tool } from '../../core/report/index.ts';
import type { EditOutcome, Overlay } from './overlay.ts';
import { answerFailed, answerFound, defineTool, normalisePath, PATH } from './tool-kit.ts';

const REPLACE = z.strictObject({
  path: PATH,
  old: z.string().min(1).describe('Whole lines as the file has them, without line numbers, nothing left out.'),
  new: z.string().describe('What replaces them; empty deletes them.'),
  line: z.int().min(1).optional().describe('Line where "old" begins, if it occurs several times.'),
});

export function defineReplaceTool(overlay: Overlay): Tool {
  return defineTool({
    name: 'replace',
    description:
      'Replaces one part of a file. "old" must occur in it once, apart from white space; otherwise nothing is changed and the answer shows the nearest text. A replacement that breaks the syntax of the file is refused.',
    parameters: REPLACE,
    example: { path: 'src/app.ts', old: '  return a - b;', new: '  return a + b;' },
    action: ({ path, line }) => `replace in ${path}${line === undefined ? '' : ` at line ${line}`}`,
    execute: async ({ path, old, new: text, line }, signal) => {
      const edit = { oldText: old, newText: text, ...(line === undefined ? {} : { line }) };
      const outcome = await overlay.replace(normalisePath(path), edit, signal);
      if (!outcome.ok) return answerRefused(outcome.reason);
      return answerFound(formatEdit(normalisePath(path), outcome));
    },
  });
}

export function defineCreateFileTool(overlay: Overlay): Tool {
  return defineTool({
    name: 'create_file',
    description: 'Creates a text file of at most 1 MiB. Refused where something is at the path already.',
    parameters: z.strictObject({ path: PATH, content: z.string() }),
    example: { path: 'src/date.ts', content: 'export const DAY = 86_400;\n' },
    action: ({ path }) => `create ${path}`,
    execute: async ({ path, content }, signal) => {
      const outcome = await overlay.create(normalisePath(path), content, signal);
      if (!outcome.ok) return answerRefused(outcome.reason);
      const note = outcome.note === '' ? '' : ` But ${outcome.note}.`;
      const count = toLines(content).lines.length;
      return answerFound(`${normalisePath(path)} is created with ${count} ${count === 1 ? 'line' : 'lines'}.${note}`);
    },
  });
}

export function defineDeleteFileTool(overlay: Overlay): Tool {
  return defineTool({
    name: 'delete_file',
    description: 'Deletes one text file.',
    parameters: z.strictObject({ path: PATH }),
    example: { path: 'src/unused.ts' },
    action: ({ path }) => `delete ${path}`,
    execute: async ({ path }, signal) => {
      const outcome = await overlay.remove(normalisePath(path), signal);
      return outcome.ok ? answerFound(`${normalisePath(path)} is deleted.`) : answerRefused(outcome.reason);
    },
  });
}

export function defineRenameFileTool(overlay: Overlay): Tool {
  return defineTool({
    name: 'rename_file',
    description: 'Renames or moves one text file. Names of it in other files are not changed.',
    parameters: z.strictObject({ from: PATH, to: PATH }),
    example: { from: 'src/a.ts', to: 'src/b.ts' },
    action: ({ from, to }) => `rename ${from} to ${to}`,
    execute: async ({ from, to }, signal) => {
      const outcome = await overlay.rename(normalisePath(from), normalisePath(to), signal);
      return outcome.ok
        ? answerFound(`${normalisePath(from)} is now ${normalisePath(to)}.`)
        : answerRefused(outcome.reason);
    },
  });
}

function answerRefused(reason: string) {
  return answerFailed(`Nothing was changed: ${reason}${/[.?!\n]$/.test(reason) || reason.includes('\n') ? '' : '.'}`);
}

/** Where it is now: the new text itself is known to the model. */
function formatEdit(path: string, { at, note }: Extract<EditOutcome, { readonly ok: true }>): string {
  const old = formatEditedRange(at.from, at.from + at.removed - 1);
  const place = at.to < at.from ? `removed ${old}` : `replaced ${old}, now ${formatEditedRange(at.from, at.to)}`;
  return `${path}: ${place}. The old text was found ${note === '' ? 'exactly' : note}.`;
}

function formatEditedRange(from: number, to: number): string {
  return from === to ? `line ${from}` : `lines ${from}–${to}`;
}
