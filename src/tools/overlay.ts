// Edits against one commit, kept aside of it: reads see them, and the change set is computed from them, never written by a model.
import type { ChangeSet, FileChange, FileMode } from '../core/change-set.ts';
import { isText } from '../core/diff/text-lines.ts';
import { isSafePath } from '../core/paths.ts';
import { REDACTED } from '../core/redacted.ts';
import type { FileRead, SourceTree, TreeEntry } from '../core/source.ts';
import { type Edit, type PlacedAt, type Placement, placeEdit } from './place-edit.ts';
import { checkSyntax } from './syntax.ts';

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
    changeSet: () => ({ base: tree.revision, files: listChanges(working) }),
    touched: () => listTouched(working),
    entries,
    replace: (path, edit, signal) =>
      inTurn(async () => {
        const file = await open(path, signal);
        if (typeof file === 'string') return refuse(file);
        const outcome = await applyEdit({ path, text: file.text, shown: await clean(file.text) }, edit);
        if (outcome.ok) present.set(path, { ...file, text: outcome.text });
        return outcome;
      }),
    create: (path, text, signal) =>
      inTurn(async () => {
        const reason = explainBadContent(text) || explainNotFree(path, await entries(signal));
        if (reason !== '') return refuse(reason);
        present.set(path, { origin: null, text, mode: deleted.get(path)?.mode ?? '100644' });
        return { ok: true, text, at: { from: 1, to: text.split('\n').length }, note: await describeSyntax(path, text) };
      }),
    remove: (path, signal) =>
      inTurn(async () => {
        const file = await open(path, signal);
        if (typeof file === 'string') return refuse(file);
        present.delete(path);
        if (file.origin !== null) deleted.set(file.origin.path, file.origin);
        return { ok: true, text: '', at: { from: 1, to: 0 }, note: '' };
      }),
    rename: (from, to, signal) =>
      inTurn(async () => {
        const file = await open(from, signal);
        if (typeof file === 'string') return refuse(file);
        const others = (await entries(signal)).filter(({ path }) => path !== from || path === to);
        const reason = explainNotFree(to, others);
        if (reason !== '') return refuse(reason);
        present.delete(from);
        present.set(to, file);
        return { ok: true, text: file.text, at: { from: 1, to: 0 }, note: '' };
      }),
  };
}

function refuse(reason: string): EditOutcome {
  return { ok: false, reason };
}

interface EditedText {
  readonly path: string;
  readonly text: string;
  /** The same without secrets. What does not stand here does not stand there, for all that an asker learns. */
  readonly shown: string;
}

function placeWithoutSecrets({ text, shown }: EditedText, edit: Edit): Placement {
  const seen = placeEdit(shown, edit);
  if (seen.kind !== 'placed' || shown === text) return seen;
  const placed = placeEdit(text, edit);
  if (placed.kind === 'placed') return placed;
  const reason = `the old text holds ${REDACTED}, which stands for a secret: leave its lines out of the replacement`;
  return { kind: 'refused', reason };
}

async function applyEdit(file: EditedText, edit: Edit): Promise<EditOutcome> {
  const { path, text, shown } = file;
  const placed = placeWithoutSecrets(file, edit);
  switch (placed.kind) {
    case 'refused':
      return refuse(placed.reason);
    case 'ambiguous':
      return refuse(
        `the old text stands in ${path} at lines ${placed.lines.slice(0, 20).join(', ')}: give more lines around it, or "line" with one of these`,
      );
    case 'absent':
      return refuse(
        `the old text does not stand in ${path}. ${placed.nearest === '' ? 'Nothing there is like it.' : `Nearest to it:\n${placed.nearest}`}`,
      );
    case 'placed': {
      const reason = explainBadContent(placed.text);
      if (reason !== '') return refuse(reason);
      const syntax = await checkSyntax(path, text, placed.text);
      if (syntax.ok) return { ok: true, text: placed.text, at: placed.at, note: placed.note };
      return refuse(
        `${path} would no longer parse: line ${syntax.line}${shown === text ? `, ${syntax.what}` : ''}. Replace a whole construct at once`,
      );
    }
  }
}

async function describeSyntax(path: string, text: string): Promise<string> {
  const syntax = await checkSyntax(path, null, text);
  return syntax.ok ? '' : `it seems not to parse: line ${syntax.line}, ${syntax.what}`;
}

function explainBadContent(text: string): string {
  if (!isText(text)) return 'the new text is no text: it holds NUL or half a character';
  return Buffer.byteLength(text) > MAX_BYTES ? 'the file would be larger than 1 MiB' : '';
}

/** A file of the commit as it was. */
interface BaseFile {
  readonly path: string;
  readonly text: string;
  readonly mode: FileMode;
}

/** A file as it is now. `origin`: the file of the commit that it was; null for a new one. */
interface EditedFile {
  readonly origin: BaseFile | null;
  readonly text: string;
  readonly mode: FileMode;
}

/** The touched files: those that are, by their path of now, and those of the commit that are nowhere any more. */
interface TouchedFiles {
  readonly present: ReadonlyMap<string, EditedFile>;
  readonly deleted: ReadonlyMap<string, BaseFile>;
}

/**
 * The changes in path order. A file that comes to stand where one was deleted is that one modified, so that no path is named
 * twice: where `b` is deleted and `a` renamed to `b`, `b` is modified and `a` deleted.
 */
function listChanges(touched: TouchedFiles): readonly FileChange[] {
  const present = new Map(touched.present);
  const deleted = new Map(touched.deleted);
  for (let path = findTakenOver(present, deleted); path !== undefined; path = findTakenOver(present, deleted)) {
    const file = present.get(path);
    const origin = deleted.get(path);
    if (file === undefined || origin === undefined) break;
    deleted.delete(path);
    if (file.origin !== null) deleted.set(file.origin.path, file.origin);
    present.set(path, { ...file, origin });
  }
  const changes = [
    ...[...present].flatMap(([path, file]) => toChanges(path, file)),
    ...[...deleted.values()].map((file): FileChange => ({ kind: 'deleted', path: file.path, before: file.text })),
  ];
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The paths at which something else stands than in the commit, and the text there; null where nothing does. */
function listTouched({ present, deleted }: TouchedFiles): ReadonlyMap<string, string | null> {
  const origins = [...present.values()].flatMap(({ origin }) => (origin === null ? [] : [origin.path]));
  const gone = [...deleted.keys(), ...origins].map((path) => [path, null] as const);
  return new Map<string, string | null>([...gone, ...[...present].map(([path, { text }]) => [path, text] as const)]);
}

/** A path where a file stands now and another one was deleted. */
function findTakenOver(
  present: ReadonlyMap<string, EditedFile>,
  deleted: ReadonlyMap<string, BaseFile>,
): string | undefined {
  return [...deleted.keys()].find((path) => present.has(path));
}

function toChanges(path: string, { origin, text, mode }: EditedFile): FileChange[] {
  if (origin === null) return [{ kind: 'added', path, mode, after: text }];
  const change = { path, before: origin.text, after: text, ...(mode === origin.mode ? {} : { mode }) };
  if (origin.path !== path) return [{ kind: 'renamed', previousPath: origin.path, ...change }];
  return text === origin.text && mode === origin.mode ? [] : [{ kind: 'modified', ...change }];
}

interface WorkingTree extends TouchedFiles {
  readonly present: Map<string, EditedFile>;
  readonly deleted: Map<string, BaseFile>;
  /** Everything that stands in the tree now, in path order. */
  entries(signal: AbortSignal): Promise<readonly TreeEntry[]>;
  /** The file as it is now, or the reason why it cannot be changed. */
  open(path: string, signal: AbortSignal): Promise<EditedFile | string>;
}

function createWorkingTree(tree: SourceTree): WorkingTree {
  const present = new Map<string, EditedFile>();
  const deleted = new Map<string, BaseFile>();
  function isVacated(path: string): boolean {
    return deleted.has(path) || [...present.values()].some(({ origin }) => origin?.path === path);
  }

  async function entries(signal: AbortSignal): Promise<readonly TreeEntry[]> {
    const listed = (await tree.files(signal)).entries;
    if (present.size + deleted.size === 0) return listed;
    const own = [...present].map(([path, file]): TreeEntry => {
      const kind = file.mode === '100755' ? 'executable' : 'file';
      return { path, size: Buffer.byteLength(file.text), kind, blob: '' };
    });
    const kept = listed.filter(({ path }) => !present.has(path) && !isVacated(path));
    return [...kept, ...own].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async function open(path: string, signal: AbortSignal): Promise<EditedFile | string> {
    const edited = present.get(path);
    if (edited !== undefined) return edited;
    if (isVacated(path)) return `${path} is not there any more: you deleted or renamed it`;
    return explainUnsafe(path) || (await openBase(tree, path, signal));
  }

  return { present, deleted, entries, open };
}

async function openBase(tree: SourceTree, path: string, signal: AbortSignal): Promise<EditedFile | string> {
  const read = await tree.read(path, {}, signal);
  if (read.kind !== 'text' || read.cut !== '') return explainUnchangeable(path, read);
  const entry = (await tree.files(signal)).entries.find((each) => each.path === path);
  if (entry === undefined) return `there is no ${path}: write the path as the listing has it`;
  const mode = entry.kind === 'executable' ? '100755' : '100644';
  return { origin: { path, text: read.text, mode }, text: read.text, mode };
}

function explainUnsafe(path: string): string {
  return isSafePath(path) ? '' : `${JSON.stringify(path)} is no path that can be changed safely on every system`;
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
      return `${path} is a symbolic link to ${JSON.stringify(read.target)}; change the file that it leads to`;
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

/** What stands somewhere now. */
interface ExistingEntry {
  readonly path: string;
  readonly kind: 'file' | 'executable' | 'symlink' | 'submodule';
}

/** Why no file may come to stand at `path`, given everything that stands in the tree now; "" where it may. */
function explainNotFree(path: string, standing: readonly ExistingEntry[]): string {
  if (!isSafePath(path)) {
    return `${JSON.stringify(path)} is no safe path: it must be relative, with "/" between plain names, and nothing like ".." or ".git"`;
  }
  if (INVISIBLE.test(path)) return `${JSON.stringify(path)} holds an invisible character`;
  const folders = listFolders(path);
  const key = toComparableName(path);
  const keys = new Map(folders.map((folder) => [toComparableName(folder), folder]));
  for (const { path: other, kind } of standing) {
    const reason =
      explainTaken(path, folders, { path: other, kind }) || explainSameName({ path, key, folders: keys }, other);
    if (reason !== '') return reason;
  }
  return '';
}

function explainTaken(path: string, folders: readonly string[], { path: other, kind }: ExistingEntry): string {
  if (other === path) return `there is already a ${describeKind(kind)} at ${path}`;
  if (other.startsWith(`${path}/`)) return `${path} is a folder`;
  if (folders.includes(other)) return `${other} is a ${describeKind(kind)}, not a folder`;
  return '';
}

interface Wanted {
  readonly path: string;
  readonly key: string;
  /** Its folders by the key under which they are the same name elsewhere. */
  readonly folders: ReadonlyMap<string, string>;
}

/** macOS and Windows take names that differ in case or in composition of accents for one. */
function explainSameName(wanted: Wanted, other: string): string {
  for (const name of [...listFolders(other), other]) {
    const key = toComparableName(name);
    const own = wanted.folders.get(key) ?? (key === wanted.key ? wanted.path : undefined);
    if (own === undefined) {
      if (!wanted.folders.has(key)) break;
    } else if (own !== name) {
      return `${name} exists, and on some systems ${own} would be the same name; use its spelling`;
    }
  }
  return '';
}

function describeKind(kind: ExistingEntry['kind']): string {
  return kind === 'symlink' ? 'symbolic link' : kind === 'submodule' ? 'submodule' : 'file';
}

/** `a` and `a/b` for `a/b/c`. */
function listFolders(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

function toComparableName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}
