// Edits against one commit, kept aside of it: reads see them, and the change set is computed from them, never written by a model.

import type { ChangeSet } from '../core/change-set.ts';
import { isText } from '../core/diff/text-lines.ts';
import { REDACTED } from '../core/redacted.ts';
import type { SourceTree, TreeEntry } from '../core/source.ts';
import { whyNotFree } from './free-path.ts';
import { changesOf, touchedPaths } from './overlay-files.ts';
import { type Edit, type PlacedAt, type Placement, placeEdit } from './place-edit.ts';
import { stillParses } from './syntax.ts';
import { createWorkingTree } from './working-tree.ts';

export interface Overlay {
  /** What the edits come to. Its base is the commit of the tree. */
  changeSet(): ChangeSet;
  /** The paths at which something else stands than in the commit, and the text there; null where nothing does. */
  touched(): ReadonlyMap<string, string | null>;
  /** Everything that stands in the tree now, in path order. */
  entries(signal: AbortSignal): Promise<readonly TreeEntry[]>;
  replace(path: string, edit: Edit, signal: AbortSignal): Promise<EditOutcome>;
  create(path: string, text: string, signal: AbortSignal): Promise<EditOutcome>;
  remove(path: string, signal: AbortSignal): Promise<EditOutcome>;
  rename(from: string, to: string, signal: AbortSignal): Promise<EditOutcome>;
}

export type EditOutcome =
  /** `note`: what the asker should know besides; "" for nothing. */
  | { readonly ok: true; readonly text: string; readonly at: PlacedAt; readonly note: string }
  | { readonly ok: false; readonly reason: string };

const MAX_BYTES = 1024 * 1024;

/**
 * An overlay without edits. The same edits in the same order make the same state; a refused one changes nothing.
 * `clean` takes out of a whole text what may not be shown: answers quote files.
 */
export function createOverlay(tree: SourceTree, clean: (text: string) => Promise<string>): Overlay {
  const working = createWorkingTree(tree);
  const { present, deleted, entries, open } = working;
  // Two calls of one turn may run at once; each must see what the one before it did.
  let last: Promise<unknown> = Promise.resolve();

  function inTurn(edit: () => Promise<EditOutcome>): Promise<EditOutcome> {
    const next = last.then(edit, edit);
    last = next.catch(() => undefined);
    return next;
  }

  return {
    changeSet: () => ({ base: tree.revision, files: changesOf(working) }),
    touched: () => touchedPaths(working),
    entries,
    replace: (path, edit, signal) =>
      inTurn(async () => {
        const file = await open(path, signal);
        if (typeof file === 'string') return refused(file);
        const outcome = await edited({ path, text: file.text, shown: await clean(file.text) }, edit);
        if (outcome.ok) present.set(path, { ...file, text: outcome.text });
        return outcome;
      }),
    create: (path, text, signal) =>
      inTurn(async () => {
        const reason = whyNoContent(text) || whyNotFree(path, await entries(signal));
        if (reason !== '') return refused(reason);
        present.set(path, { origin: null, text, mode: deleted.get(path)?.mode ?? '100644' });
        return { ok: true, text, at: { from: 1, to: text.split('\n').length }, note: await parseNote(path, text) };
      }),
    remove: (path, signal) =>
      inTurn(async () => {
        const file = await open(path, signal);
        if (typeof file === 'string') return refused(file);
        present.delete(path);
        if (file.origin !== null) deleted.set(file.origin.path, file.origin);
        return { ok: true, text: '', at: { from: 1, to: 0 }, note: '' };
      }),
    rename: (from, to, signal) =>
      inTurn(async () => {
        const file = await open(from, signal);
        if (typeof file === 'string') return refused(file);
        const others = (await entries(signal)).filter(({ path }) => path !== from || path === to);
        const reason = whyNotFree(to, others);
        if (reason !== '') return refused(reason);
        present.delete(from);
        present.set(to, file);
        return { ok: true, text: file.text, at: { from: 1, to: 0 }, note: '' };
      }),
  };
}

function refused(reason: string): EditOutcome {
  return { ok: false, reason };
}

interface EditedText {
  readonly path: string;
  readonly text: string;
  /** The same without secrets. What does not stand here does not stand there, for all that an asker learns. */
  readonly shown: string;
}

function placeUnseen({ text, shown }: EditedText, edit: Edit): Placement {
  const seen = placeEdit(shown, edit);
  if (seen.kind !== 'placed' || shown === text) return seen;
  const placed = placeEdit(text, edit);
  if (placed.kind === 'placed') return placed;
  const reason = `the old text holds ${REDACTED}, which stands for a secret: leave its lines out of the replacement`;
  return { kind: 'refused', reason };
}

async function edited(file: EditedText, edit: Edit): Promise<EditOutcome> {
  const { path, text, shown } = file;
  const placed = placeUnseen(file, edit);
  switch (placed.kind) {
    case 'refused':
      return refused(placed.reason);
    case 'ambiguous':
      return refused(
        `the old text stands in ${path} at lines ${placed.lines.slice(0, 20).join(', ')}: give more lines around it, or "line" with one of these`,
      );
    case 'absent':
      return refused(
        `the old text does not stand in ${path}. ${placed.nearest === '' ? 'Nothing there is like it.' : `Nearest to it:\n${placed.nearest}`}`,
      );
    case 'placed': {
      const reason = whyNoContent(placed.text);
      if (reason !== '') return refused(reason);
      const syntax = await stillParses(path, text, placed.text);
      if (syntax.ok) return { ok: true, text: placed.text, at: placed.at, note: placed.how };
      return refused(
        `${path} would no longer parse: line ${syntax.line}${shown === text ? `, ${syntax.what}` : ''}. Replace a whole construct at once`,
      );
    }
  }
}

async function parseNote(path: string, text: string): Promise<string> {
  const syntax = await stillParses(path, null, text);
  return syntax.ok ? '' : `it seems not to parse: line ${syntax.line}, ${syntax.what}`;
}

function whyNoContent(text: string): string {
  if (!isText(text)) return 'the new text is no text: it holds NUL or half a character';
  return Buffer.byteLength(text) > MAX_BYTES ? 'the file would be larger than 1 MiB' : '';
}
