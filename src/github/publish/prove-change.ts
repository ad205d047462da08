// From a stored change to the files of a commit: applied to what really stands at the branch, or withheld in words; never guessed.
import { createHash } from 'node:crypto';
import { applyFileDiff } from '../../core/diff/apply-diff.ts';
import { type ChangeSet, type FileMode, toDiff } from '../../core/diff/diff.ts';

import { CausewayError } from '../../core/errors.ts';
import type { FileDiff } from '../../core/issue.ts';
import { createGlobMatcher } from '../../core/paths.ts';
import { REDACTED } from '../../core/report.ts';
import type { InvestigationSettings } from '../../core/settings.ts';
import type { Repository, SourceTree, TreeEntry } from '../../core/source.ts';
import type { CommitFiles } from './outbox.ts';

export interface ChangeGround {
  readonly repository: Repository;
  /** As it is stored: free of secrets, so that its texts are not what is committed. */
  readonly changeSet: ChangeSet;
  /** Full sha of the commit that the change is to stand on. */
  readonly head: string;
  /** Where that is on another branch than the one that was analysed; null: it is on the same. */
  readonly elsewhere: { readonly base: string; readonly analysed: string } | null;
  readonly paths: InvestigationSettings['paths'];
  readonly redact: (text: string) => Promise<string>;
}

export type PublishableChange =
  | { readonly kind: 'files'; readonly files: CommitFiles }
  | { readonly kind: 'withheld'; readonly reason: string };

/** Why a change is not published, in words that continue "No pull request:". */
class Withheld extends Error {}

/** `changeSet.base` and `head` must be known to the repository. Throws what the source throws. */
export async function proveChange(ground: ChangeGround, signal: AbortSignal): Promise<PublishableChange> {
  try {
    return { kind: 'files', files: await collectFiles(ground, signal) };
  } catch (error) {
    if (error instanceof Withheld) return { kind: 'withheld', reason: error.message };
    if (!(error instanceof CausewayError) || error.code !== 'diff_refused') throw error;
    const { elsewhere } = ground;
    const stale = 'the change no longer fits the files that it is about. `/analyse retry` makes a new one.';
    const reason = elsewhere === null ? stale : `the change does not fit there: ${describeOtherBase(elsewhere)}`;
    return { kind: 'withheld', reason };
  }
}

async function collectFiles(ground: ChangeGround, signal: AbortSignal): Promise<CommitFiles> {
  const { repository, changeSet, head } = ground;
  const tree = repository.tree(head);
  const before = await listEntries(repository.tree(changeSet.base), signal);
  const now = await listEntries(tree, signal);
  const { files } = toDiff(changeSet);
  const moved = new Set(files.map(({ previousFileName }) => previousFileName));
  const standing = new Map([...now].filter(([path]) => !moved.has(path)));
  const made: MadeFile[] = [];
  for (const file of files) {
    const from = requireUnchanged(file, { before, now }, ground.elsewhere);
    requireFree(file, standing, ground.elsewhere);
    requireAllowed(file, ground.paths);
    await requireClean(file, ground.redact);
    made.push(makeFile(file, from, from === null ? '' : await readWhole(tree, from, signal)));
  }
  const written = made.flatMap((file) => (file.written === null ? [] : [file.written]));
  // A path from which one file is renamed away while another arrives there is written, not removed.
  const arrived = new Set(written.map(({ path }) => path));
  const removed = made.flatMap(({ from }) => (from === null || arrived.has(from.path) ? [] : [from.path]));
  const hasExecutables = made.some(({ from, written: to }) => from?.kind === 'executable' || to?.mode === '100755');
  return { written, removed, hasExecutables };
}

interface MadeFile {
  readonly from: TreeEntry | null;
  /** Null: deleted. */
  readonly written: CommitFiles['written'][number] | null;
}

function makeFile(file: FileDiff, from: TreeEntry | null, base: string): MadeFile {
  const text = applyChange(file, base);
  const mode: FileMode = file.mode ?? (from?.kind === 'executable' ? '100755' : '100644');
  return { from, written: text === null ? null : { path: file.fileName, text, mode } };
}

type Entries = ReadonlyMap<string, TreeEntry>;

async function listEntries(tree: SourceTree, signal: AbortSignal): Promise<Entries> {
  const { entries } = await tree.files(signal);
  return new Map(entries.map((entry) => [entry.path, entry]));
}

/** The file that is changed, the same now as it was when it was analysed; null for a new one. */
function requireUnchanged(
  file: FileDiff,
  { before, now }: { readonly before: Entries; readonly now: Entries },
  elsewhere: ChangeGround['elsewhere'],
): TreeEntry | null {
  if (file.status === 'added') return null;
  const path = file.previousFileName ?? file.fileName;
  const entry = now.get(path);
  const earlier = before.get(path);
  if (entry === undefined || earlier?.blob !== entry.blob || earlier.kind !== entry.kind) {
    if (elsewhere !== null) throw new Withheld(`${quotePath(path)} is another there: ${describeOtherBase(elsewhere)}`);
    throw new Withheld(
      `${quotePath(path)} has changed since it was analysed. \`/analyse retry\` looks at it as it is now.`,
    );
  }
  if (entry.kind === 'file' || entry.kind === 'executable') return entry;
  throw new Withheld(`${quotePath(path)} is no ordinary file.`);
}

/** Nothing may stand where a file arrives, nor in place of one of its folders; git would let the new one win. */
function requireFree(file: FileDiff, standing: Entries, elsewhere: ChangeGround['elsewhere']): void {
  if (file.status !== 'added' && file.status !== 'renamed') return;
  const path = file.fileName;
  const parts = path.split('/');
  const folders = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
  const taken = [path, ...folders].find((one) => standing.has(one));
  if (taken !== undefined || [...standing.keys()].some((one) => one.startsWith(`${path}/`))) {
    const where = quotePath(taken ?? path);
    if (elsewhere !== null) throw new Withheld(`there is something at ${where}: ${describeOtherBase(elsewhere)}`);
    throw new Withheld(`there is something at ${where} by now. \`/analyse retry\` looks again.`);
  }
}

function requireAllowed(file: FileDiff, { allow, block }: ChangeGround['paths']): void {
  for (const path of [file.fileName, file.previousFileName ?? file.fileName]) {
    const fits = (glob: string) => createGlobMatcher(glob)(path);
    if (block.some(fits) || (allow.length > 0 && !allow.some(fits))) {
      throw new Withheld(`${quotePath(path)} is closed to changes by \`paths\` in the configuration of Causeway.`);
    }
  }
}

/** Bytes and name are compared with git's own name of the content: what was cut or cleaned is never taken for the file. */
async function readWhole(tree: SourceTree, entry: TreeEntry, signal: AbortSignal): Promise<string> {
  const read = await tree.read(entry.path, {}, signal);
  if (read.kind === 'text' && read.cut === '' && nameBlob(read.text, entry.blob.length) === entry.blob)
    return read.text;
  throw new Withheld(`${quotePath(entry.path)} is too large, or no text, so that it cannot be changed here.`);
}

function nameBlob(text: string, length: number): string {
  const bytes = Buffer.from(text);
  return createHash(length === 64 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex');
}

function applyChange(file: FileDiff, base: string): string | null {
  const text = applyFileDiff(base, file);
  if (text !== null && countRedacted(text) > countRedacted(base)) {
    throw new Withheld(`the change of ${quotePath(file.fileName)} runs through a secret, which is left out of it.`);
  }
  return text;
}

function countRedacted(text: string): number {
  return text.split(REDACTED).length;
}

async function requireClean(file: FileDiff, redact: ChangeGround['redact']): Promise<void> {
  const added = file.changes.flatMap(({ lines }) => lines.map(({ newCode }) => newCode)).join('\n');
  if ((await redact(added)) === added) return;
  throw new Withheld(`the change of ${quotePath(file.fileName)} holds what looks like a secret.`);
}

/** Another analysis would look at the same branch again: it is for people to carry the change over. */
function describeOtherBase({ base, analysed }: NonNullable<ChangeGround['elsewhere']>): string {
  return `pull requests go to ${quotePath(base)} here (\`pull_request.base\`), and it was analysed on ${quotePath(analysed)}. Someone has to carry the change over.`;
}

function quotePath(path: string): string {
  return `\`${path.replaceAll('`', '').slice(0, 200)}\``;
}
