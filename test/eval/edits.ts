// `edits`: where does old text land that a model wrote from memory, and does the file still parse afterwards?
import type { Repository } from 'causeway-git-objects';
import { placeEdit } from '../../src/investigate/tools/place-edit.ts';
import { checkSyntax } from '../../src/investigate/tools/syntax.ts';
import { type Case, EvalFault, type EvalOptions, type Part, type PartResult } from './part.ts';
import { textIn } from './read-case.ts';
import { openRepositories } from './repositories.ts';
import { rowsOf, type Scored } from './scores.ts';

export const EDITS: Part = {
  name: 'edits',
  says: 'old and new text that a model wrote → its place in the file; --cases, --repositories',
  fits: (cases) => cases.every(({ data }) => Array.isArray(data['edits'])),
  run: runEdits,
};

/** `no file`: the case names none, or one that the commit does not have; no figure counts it. */
type Outcome = 'exact' | 'tolerant' | 'ambiguous' | 'absent' | 'refused' | 'no file';

interface RawEdit {
  readonly file: string | null;
  readonly original: string;
  readonly patched: string;
}

async function runEdits(options: EvalOptions): Promise<PartResult> {
  await using repositories = openRepositories(options.repositories, options.keep);
  const scored: Scored[] = [];
  const counts = new Map<Outcome, number>();
  const notes: string[] = [];
  for (const [name, own] of Map.groupBy(options.cases, (one) => textIn(one, 'repo'))) {
    const opened = await repositories.open(name, options.signal);
    if (opened === null) notes.push(`${name} is not among the repositories: ${own.length} cases skipped.`);
    for (const one of opened === null ? [] : own) {
      const repository = await opened?.asOf(textIn(one, 'baseCommit'), options.signal);
      if (!repository) {
        notes.push(`${textIn(one, 'id')}: its commit is not in ${name}; skipped.`);
        continue;
      }
      for (const { outcome, score } of await placeCase(one, repository, options)) {
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        if (outcome !== 'no file') scored.push(score);
      }
    }
    options.progress(`${name}: ${own.length} cases`);
  }
  notes.push(
    `Edits, each made on the file as the commit has it: ${[...counts].map(([kind, n]) => `${n} ${kind}`).join(', ')}.`,
  );
  return { rows: rowsOf('causeway', scored), notes };
}

async function placeCase(one: Case, repository: Repository, { emit, signal }: EvalOptions) {
  const id = textIn(one, 'id');
  const commit = textIn(one, 'baseCommit');
  const tree = repository.tree(commit);
  const paths = (await tree.files(signal)).entries.map(({ path }) => path);
  const source = textIn(one, 'source').split(':')[0] ?? '';
  return Promise.all(
    readEdits(one).map(async (edit, index) => {
      const path = findFile(edit.file, paths);
      const read = path === null ? null : await tree.read(path, {}, signal);
      const began = performance.now();
      const text = read?.kind === 'text' && read.cut === '' ? read.text : null;
      const placed = text === null ? null : placeEdit(text, { oldText: edit.original, newText: edit.patched });
      const ms = performance.now() - began;
      const isPlaced = placed?.kind === 'placed';
      const parses = isPlaced && (await checkSyntax(path ?? '', text, placed.text)).ok;
      const outcome: Outcome = !placed
        ? 'no file'
        : !isPlaced
          ? placed.kind
          : placed.note === ''
            ? 'exact'
            : 'tolerant';
      emit({ id: `${id}#${index}`, path, outcome, parses, ...(isPlaced ? { text: placed.text } : {}) });
      const figures = {
        'exact %': outcome === 'exact' ? 100 : 0,
        'placed %': isPlaced ? 100 : 0,
        'and parses %': parses ? 100 : 0,
      };
      return { outcome, score: { language: '', source, ms, figures } };
    }),
  );
}

/** As written, or the only file whose path ends so: models leave leading folders out. */
function findFile(written: string | null, paths: readonly string[]): string | null {
  if (written === null) return null;
  if (paths.includes(written)) return written;
  const [path, ...more] = paths.filter((each) => each.endsWith(`/${written}`));
  return path === undefined || more.length > 0 ? null : path;
}

function readEdits(one: Case): readonly RawEdit[] {
  const edits = one.data['edits'];
  if (!Array.isArray(edits) || !edits.every(isEdit)) {
    throw new EvalFault(`${one.file}, line ${one.line}, has no list "edits" of file, original and patched.`);
  }
  return edits;
}

function isEdit(value: unknown): value is RawEdit {
  if (typeof value !== 'object' || value === null) return false;
  const { file, original, patched } = value as Record<string, unknown>;
  return (file === null || typeof file === 'string') && typeof original === 'string' && typeof patched === 'string';
}
