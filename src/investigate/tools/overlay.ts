// Edits on top of one commit: lookups see them, and the change set is computed from them, never written by a model.
import { type ChangeSet, cutWindow, type FileChange, type FileMode, isText } from 'causeway-diff';
import type { FileRead, LineRange, OutlineSymbol, SourceTree, TreeEntry } from 'causeway-git-objects';
import { readOutline } from 'causeway-git-objects';
import { isSafePath, listFolders } from 'causeway-paths';
import { REDACTED } from 'causeway-redact';
import { type Edit, type PlacedAt, type Placement, placeEdit } from './place-edit.ts';
import { checkSyntax } from './syntax.ts';

/** The commit with the edited files in place of what the commit has. */
export interface EditedTree {
  /** The commit without the edits, as it may be shown. */
  readonly tree: SourceTree;
  /** The texts at the paths that edits touched, as they may be shown; null where a file is gone. */
  readEdited(): Promise<ReadonlyMap<string, string | null>>;
  /** Everything in the tree now, in path order. */
  entries(signal: AbortSignal): Promise<readonly TreeEntry[]>;
  read(path: string, lines: LineRange | undefined, signal: AbortSignal): Promise<FileRead>;
  outline(path: string, signal: AbortSignal): Promise<readonly OutlineSymbol[]>;
  /** `(edited)` where the text at the path is not the commit's; "" where it is. */
  mark(path: string): string;
}

export interface Overlay extends EditedTree {
  /** What the edits come to. Its base is the commit of the tree. */
  changeSet(): ChangeSet;
  replace(path: string, edit: Edit, signal: AbortSignal): Promise<EditOutcome>;
  create(path: string, text: string, signal: AbortSignal): Promise<EditOutcome>;
  remove(path: string, signal: AbortSignal): Promise<EditOutcome>;
  rename(from: string, to: string, signal: AbortSignal): Promise<EditOutcome>;
}

export type EditOutcome =
  /** `note`: what the model should know as well; "" for nothing. */
  | { readonly ok: true; readonly text: string; readonly at: PlacedAt; readonly note: string }
  | { readonly ok: false; readonly reason: string };

const MAX_BYTES = 1024 * 1024;

const ALL_LINES: LineRange = { from: 1, to: Number.MAX_SAFE_INTEGER };

export interface OverlayOptions {
  /** The commit as it may be shown: without secrets. */
  readonly tree: SourceTree;
  /** The same commit as it is: edits are made on what is really there. */
  readonly rawTree: SourceTree;
  /** Takes out of a whole text what may not be shown; lines keep their numbers. */
  readonly clean: (text: string) => Promise<string>;
}

/** A file of the commit as it was. */
interface BaseFile {
  readonly text: string;
  readonly mode: FileMode;
}

/** A file as it is now. `origin`: the path in the commit of the file that it was; null for a new one. */
interface EditedFile extends BaseFile {
  readonly origin: string | null;
}

/** An overlay without edits. The same edits in the same order make the same state; a refused one changes nothing. */
export function createOverlay({ tree, rawTree, clean }: OverlayOptions): Overlay {
  /** The files of the commit that were edited, by their path in the commit. */
  const base = new Map<string, BaseFile>();
  /** The paths at which something else is than in the commit; null where a file is gone. */
  const edited = new Map<string, EditedFile | null>();

  async function entries(signal: AbortSignal): Promise<readonly TreeEntry[]> {
    const listed = (await rawTree.files(signal)).entries;
    if (edited.size === 0) return listed;
    const own = [...edited].flatMap(([path, file]): TreeEntry[] => {
      if (file === null) return [];
      const kind = file.mode === '100755' ? 'executable' : 'file';
      return [{ path, size: Buffer.byteLength(file.text), kind, blob: '' }];
    });
    return [...listed.filter(({ path }) => !edited.has(path)), ...own].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** The file as it is now, or the reason why it cannot be changed. */
  async function open(path: string, signal: AbortSignal): Promise<EditedFile | string> {
    const file = edited.get(path);
    if (file === null) return `${path} no longer exists: you deleted or renamed it`;
    if (file !== undefined) return file;
    if (!isSafePath(path)) return `${JSON.stringify(path)} is not a path that is safe to change on every system`;
    const opened = await openBase(rawTree, path, signal);
    if (typeof opened === 'string') return opened;
    base.set(path, opened);
    return { ...opened, origin: path };
  }

  return {
    tree,
    async readEdited() {
      const shown = new Map<string, string | null>();
      for (const [path, file] of edited) shown.set(path, file && (await clean(file.text)));
      return shown;
    },
    entries,
    async read(path, lines, signal) {
      const file = edited.get(path);
      if (file === null) return { kind: 'absent', nearest: [] };
      if (file !== undefined)
        return { kind: 'text', ...cutWindow(await clean(file.text), lines ?? ALL_LINES), cut: '' };
      const read = await tree.read(path, lines === undefined ? {} : { lines }, signal);
      // The commit does not know a folder that only edits made.
      const isFolder = [...edited].some(([each, now]) => now !== null && each.startsWith(`${path}/`));
      return read.kind === 'absent' && isFolder ? { kind: 'folder' } : read;
    },
    async outline(path, signal) {
      const file = edited.get(path);
      if (file === undefined) return tree.outline(path, signal);
      return file === null ? [] : readOutline(path, await clean(file.text));
    },
    mark: (path) => (edited.has(path) ? ' (edited)' : ''),
    changeSet: () => ({ base: rawTree.revision, files: listChanges(base, edited) }),
    async replace(path, edit, signal) {
      const file = await open(path, signal);
      if (typeof file === 'string') return refuseEdit(file);
      const outcome = await applyEdit({ path, text: file.text, shown: await clean(file.text) }, edit);
      if (outcome.ok) edited.set(path, { ...file, text: outcome.text });
      return outcome;
    },
    async create(path, text, signal) {
      const reason = explainBadContent(text) || explainNotFree(path, await entries(signal));
      if (reason !== '') return refuseEdit(reason);
      edited.set(path, { origin: null, text, mode: base.get(path)?.mode ?? '100644' });
      const syntax = await checkSyntax(path, null, text);
      const note = syntax.ok ? '' : `it does not seem to parse: line ${syntax.line}, ${syntax.what}`;
      return { ok: true, text, at: { from: 1, to: text.split('\n').length, removed: 0 }, note };
    },
    async remove(path, signal) {
      const file = await open(path, signal);
      if (typeof file === 'string') return refuseEdit(file);
      edited.set(path, null);
      return { ok: true, text: '', at: { from: 1, to: 0, removed: 0 }, note: '' };
    },
    async rename(from, to, signal) {
      const file = await open(from, signal);
      if (typeof file === 'string') return refuseEdit(file);
      const others = (await entries(signal)).filter(({ path }) => path !== from || path === to);
      const reason = explainNotFree(to, others);
      if (reason !== '') return refuseEdit(reason);
      edited.set(from, null);
      edited.set(to, file);
      return { ok: true, text: file.text, at: { from: 1, to: 0, removed: 0 }, note: '' };
    },
  };
}

function refuseEdit(reason: string): EditOutcome {
  return { ok: false, reason };
}

interface EditedText {
  readonly path: string;
  readonly text: string;
  /** The same without secrets. Old text that is not found here is reported as absent. */
  readonly shown: string;
}

function placeWithoutSecrets({ text, shown }: EditedText, edit: Edit): Placement {
  const seen = placeEdit(shown, edit);
  if (seen.kind !== 'placed' || shown === text) return seen;
  const placed = placeEdit(text, edit);
  if (placed.kind === 'placed') return placed;
  const reason = `the old text contains ${REDACTED}, which hides a secret: leave its lines out of the replacement`;
  return { kind: 'refused', reason };
}

async function applyEdit(file: EditedText, edit: Edit): Promise<EditOutcome> {
  const { path, text, shown } = file;
  const placed = placeWithoutSecrets(file, edit);
  switch (placed.kind) {
    case 'refused':
      return refuseEdit(placed.reason);
    case 'ambiguous':
      return refuseEdit(
        `the old text occurs in ${path} at lines ${placed.lines.slice(0, 20).join(', ')}: add lines around it, or give "line" with one of these`,
      );
    case 'absent':
      return refuseEdit(
        `the old text is not in ${path}. ${placed.nearest === '' ? 'Nothing there is similar.' : `The nearest text:\n${placed.nearest}`}`,
      );
    case 'placed': {
      const reason = explainBadContent(placed.text);
      if (reason !== '') return refuseEdit(reason);
      const syntax = await checkSyntax(path, text, placed.text);
      if (syntax.ok) return { ok: true, text: placed.text, at: placed.at, note: placed.note };
      return refuseEdit(
        `${path} would no longer parse: line ${syntax.line}${shown === text ? `, ${syntax.what}` : ''}. Replace a whole construct at once`,
      );
    }
  }
}

function explainBadContent(text: string): string {
  if (!isText(text)) return 'the new text is not text: it contains NUL or half a character';
  return Buffer.byteLength(text) > MAX_BYTES ? 'the file would be larger than 1 MiB' : '';
}

/**
 * The changes in path order, no path in two of them: where `b` is deleted and `a` renamed to `b`, `b` is modified and
 * `a` deleted.
 */
function listChanges(
  base: ReadonlyMap<string, BaseFile>,
  edited: ReadonlyMap<string, EditedFile | null>,
): readonly FileChange[] {
  /** By the path of now, the path in the commit from which the file was renamed. */
  const moved = new Map<string, string>();
  for (const [path, file] of edited) {
    const origin = file?.origin ?? path;
    if (!base.has(path) && base.has(origin) && edited.get(origin) === null) moved.set(path, origin);
  }
  const gone = new Set(moved.values());
  const changes = [...edited].flatMap(([path, file]): FileChange[] => {
    const before = base.get(path);
    if (file !== null) {
      const previousPath = before ? path : moved.get(path);
      return listChange(path, file, { previousPath, before: base.get(previousPath ?? '') });
    }
    return before && !gone.has(path) ? [{ kind: 'deleted', path, before: before.text }] : [];
  });
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The change of a file that is there; none where it is as it was. */
function listChange(
  path: string,
  { text, mode }: EditedFile,
  { previousPath = path, before }: { readonly previousPath: string | undefined; readonly before: BaseFile | undefined },
): FileChange[] {
  if (before === undefined) return [{ kind: 'added', path, mode, after: text }];
  const texts = { before: before.text, after: text, ...(mode === before.mode ? {} : { mode }) };
  if (previousPath !== path) return [{ kind: 'renamed', previousPath, path, ...texts }];
  return text === before.text && mode === before.mode ? [] : [{ kind: 'modified', path, ...texts }];
}

async function openBase(tree: SourceTree, path: string, signal: AbortSignal): Promise<BaseFile | string> {
  const read = await tree.read(path, {}, signal);
  if (read.kind !== 'text' || read.cut !== '') return explainUnchangeable(path, read);
  const entry = (await tree.files(signal)).entries.find((each) => each.path === path);
  if (entry === undefined) return `there is no ${path}: write the path as the listing has it`;
  const mode = entry.kind === 'executable' ? '100755' : '100644';
  return { text: read.text, mode };
}

function explainUnchangeable(path: string, read: FileRead): string {
  switch (read.kind) {
    case 'text':
      return `${path} is too large or has too long lines to be changed`;
    case 'binary':
      return `${path} is binary; only text can be changed`;
    case 'too_large':
      return `${path} is too large to be changed (${read.size} bytes; the limit is 1 MiB)`;
    case 'symlink':
      return `${path} is a symbolic link to ${JSON.stringify(read.target)}; change the file it points to`;
    case 'submodule':
      return `${path} is a submodule, another repository`;
    case 'folder':
      return `${path} is a folder`;
    case 'absent':
      return `there is no ${path}${read.nearest.length > 0 ? `; perhaps ${read.nearest.join(' or ')}` : ''}`;
  }
}

/** No name that a person can tell from another needs these. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Why no file may be created at `path`, given everything in the tree now; "" where it may. */
function explainNotFree(path: string, entries: readonly TreeEntry[]): string {
  if (!isSafePath(path)) {
    return `${JSON.stringify(path)} is not a safe path: it must be relative, with "/" between plain names, without ".." or ".git"`;
  }
  if (INVISIBLE.test(path)) return `${JSON.stringify(path)} contains an invisible character`;
  const folders = listFolders(path);
  const own = new Map([...folders, path].map((name) => [toComparableName(name), name]));
  for (const { path: other, kind } of entries) {
    if (other === path) return `there is already a ${describeKind(kind)} at ${path}`;
    if (other.startsWith(`${path}/`)) return `${path} is a folder`;
    if (folders.includes(other)) return `${other} is a ${describeKind(kind)}, not a folder`;
    const reason = explainSameName(other, own);
    if (reason !== '') return reason;
  }
  return '';
}

/** `own`: the new path and its folders, by comparable name. */
function explainSameName(other: string, own: ReadonlyMap<string, string>): string {
  for (const name of [...listFolders(other), other]) {
    const same = own.get(toComparableName(name));
    // Where a folder differs, so does everything below it.
    if (same === undefined) break;
    if (same !== name) return `${name} exists, and on some systems ${same} would be the same name; use its spelling`;
  }
  return '';
}

function describeKind(kind: TreeEntry['kind']): string {
  return kind === 'symlink' ? 'symbolic link' : kind === 'submodule' ? 'submodule' : 'file';
}

/** macOS and Windows take names that differ in case or in composition of accents for one. */
function toComparableName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}
