// From a stored change to the files of a commit: applied to what is really at the branch, or withheld; never guessed.

import { createHash } from 'node:crypto';
import { applyFileDiff, type ChangeSet, DiffRefused, type FileDiff, type FileMode, toDiff } from 'causeway-diff';
import type { Repository, SourceTree, TreeEntry } from 'causeway-git-objects';
import { createGlobMatcher } from 'causeway-paths';
import { REDACTED } from 'causeway-redact';
import type { InvestigationSettings } from '../../core/project/index.ts';
import type { OtherBase, WithheldReason } from '../../core/thread/index.ts';
import type { CommitFiles } from './github-writer.ts';

export interface ChangeToPublish {
  readonly repository: Repository;
  /** As stored, with secrets redacted: its texts aren't what is committed. */
  readonly changeSet: ChangeSet;
  /** Full sha of the commit that the change is applied to. */
  readonly head: string;
  /** If that is on another branch than the analysed one. */
  readonly otherBase: OtherBase | null;
  readonly paths: InvestigationSettings['paths'];
  readonly redact: (text: string) => Promise<string>;
}

export type PublishableChange =
  | { readonly kind: 'files'; readonly files: CommitFiles }
  | { readonly kind: 'withheld'; readonly reason: WithheldReason };

class WithheldError extends Error {
  readonly reason: WithheldReason;

  constructor(reason: WithheldReason) {
    super(reason.code);
    this.reason = reason;
  }
}

type Entries = ReadonlyMap<string, TreeEntry>;

/** The repository must have `changeSet.base` and `head`. Throws what the source throws. */
export async function proveChange(change: ChangeToPublish, signal: AbortSignal): Promise<PublishableChange> {
  try {
    return { kind: 'files', files: await collectFiles(change, signal) };
  } catch (error) {
    if (error instanceof WithheldError) return { kind: 'withheld', reason: error.reason };
    if (!(error instanceof DiffRefused)) throw error;
    return { kind: 'withheld', reason: { code: 'diff_refused', otherBase: change.otherBase } };
  }
}

async function collectFiles(change: ChangeToPublish, signal: AbortSignal): Promise<CommitFiles> {
  const { repository, changeSet, head } = change;
  const tree = repository.tree(head);
  const before = await mapEntries(repository.tree(changeSet.base), signal);
  const now = await mapEntries(tree, signal);
  const { files } = toDiff(changeSet);
  const moved = new Set(files.map(({ previousFileName }) => previousFileName));
  const existing: Entries = new Map([...now].filter(([path]) => !moved.has(path)));
  const made: MadeFile[] = [];
  for (const file of files) {
    requireAllowed(file, change.paths);
    await requireNoSecret(file, change.redact);
    if (file.status === 'added' || file.status === 'renamed') requireFree(file.fileName, existing, change);
    const from = file.status === 'added' ? null : requireUnchanged(file, before, now, change);
    made.push(makeFile(file, from, from === null ? '' : await readWholeEntry(tree, from, signal)));
  }
  const written = made.flatMap((file) => file.written);
  // A path that one file leaves while another arrives there is written, not removed.
  const arrived = new Set(written.map(({ path }) => path));
  const removed = made.flatMap(({ from }) => (from === null || arrived.has(from.path) ? [] : [from.path]));
  const wasExecutable = made.some(({ from }) => from?.kind === 'executable');
  return { written, removed, hasExecutables: wasExecutable || written.some(({ mode }) => mode === '100755') };
}

interface MadeFile {
  /** Null: it is new. */
  readonly from: TreeEntry | null;
  /** Empty: it is deleted. */
  readonly written: CommitFiles['written'];
}

function makeFile(file: FileDiff, from: TreeEntry | null, base: string): MadeFile {
  const text = applyChange(file, base);
  const mode: FileMode = file.mode ?? (from?.kind === 'executable' ? '100755' : '100644');
  return { from, written: text === null ? [] : [{ path: file.fileName, text, mode }] };
}

async function requireNoSecret({ fileName, changes }: FileDiff, redact: ChangeToPublish['redact']): Promise<void> {
  const added = changes.flatMap(({ lines }) => lines.map(({ newCode }) => newCode)).join('\n');
  if ((await redact(added)) !== added) {
    throw new WithheldError({ code: 'holds_secret', path: fileName });
  }
}

async function mapEntries(tree: SourceTree, signal: AbortSignal): Promise<Entries> {
  const { entries } = await tree.files(signal);
  return new Map(entries.map((entry) => [entry.path, entry]));
}

/** The file to change, if it is the same as when it was analysed. */
function requireUnchanged(file: FileDiff, before: Entries, now: Entries, change: ChangeToPublish): TreeEntry {
  const path = file.previousFileName ?? file.fileName;
  const entry = now.get(path);
  const earlier = before.get(path);
  if (entry === undefined || earlier?.blob !== entry.blob || earlier.kind !== entry.kind) {
    throw new WithheldError({ code: 'file_changed', path, otherBase: change.otherBase });
  }
  if (entry.kind === 'file' || entry.kind === 'executable') return entry;
  throw new WithheldError({ code: 'not_a_file', path });
}

/** Git would let a new file replace what is at its path, or at one of its folders. */
function requireFree(path: string, existing: Entries, change: ChangeToPublish): void {
  const parts = path.split('/');
  const taken = parts.map((_, index) => parts.slice(0, index + 1).join('/')).find((one) => existing.has(one));
  if (taken !== undefined || [...existing.keys()].some((one) => one.startsWith(`${path}/`))) {
    throw new WithheldError({ code: 'file_exists', path: taken ?? path, otherBase: change.otherBase });
  }
}

function requireAllowed(
  { fileName, previousFileName = fileName }: FileDiff,
  { allow, block }: ChangeToPublish['paths'],
) {
  for (const path of [fileName, previousFileName]) {
    const matches = (glob: string) => createGlobMatcher(glob)(path);
    if (block.some(matches) || (allow.length > 0 && !allow.some(matches))) {
      throw new WithheldError({ code: 'path_not_allowed', path });
    }
  }
}

/** Compared with git's own name of the content: a truncated or redacted text is never taken for the file. */
async function readWholeEntry(tree: SourceTree, { path, blob }: TreeEntry, signal: AbortSignal): Promise<string> {
  const read = await tree.read(path, {}, signal);
  if (read.kind === 'text' && read.cut === '' && nameBlob(read.text, blob.length) === blob) return read.text;
  throw new WithheldError({ code: 'not_text', path });
}

function nameBlob(text: string, length: number): string {
  const bytes = Buffer.from(text);
  return createHash(length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex');
}

/** Null: the file is deleted. */
function applyChange(file: FileDiff, base: string): string | null {
  const text = applyFileDiff(base, file);
  if (text !== null && text.split(REDACTED).length > base.split(REDACTED).length) {
    throw new WithheldError({ code: 'holds_redacted', path: file.fileName });
  }
  return text;
}
