// A change set as a patch that `git apply` takes, byte for byte.

import { type ChangeSet, type FileChange, type FileMode, hasChanges, requireSoundChange } from './diff.ts';
import { diffLines, type Hunk } from './line-diff.ts';

const CONTEXT = 3;
/** What redaction leaves in place of a secret. */
const REDACTED = '[redacted]';
const NO_NEWLINE = '\n\\ No newline at end of file\n';

/**
 * The patch of all files, in their order; "" where nothing changes. Throws DiffRefused for an unsafe path or what is
 * not text.
 */
export function toUnifiedPatch(changeSet: ChangeSet): string {
  return changeSet.files.filter(hasChanges).map(renderFilePatch).join('');
}

function renderFilePatch(change: FileChange): string {
  requireSoundChange(change);
  const from = `a/${change.kind === 'renamed' ? change.previousPath : change.path}`;
  const to = `b/${change.path}`;
  const head = [`diff --git ${quotePath(from)} ${quotePath(to)}`, ...renderPatchHeader(change)];
  const body = renderHunks(change.kind === 'added' ? '' : change.before, change.kind === 'deleted' ? '' : change.after);
  if (body.length > 0) {
    head.push(`--- ${change.kind === 'added' ? '/dev/null' : formatLabel(from)}`);
    head.push(`+++ ${change.kind === 'deleted' ? '/dev/null' : formatLabel(to)}`);
  }
  return `${head.join('\n')}\n${body.join('')}`;
}

function renderPatchHeader(change: FileChange): string[] {
  switch (change.kind) {
    case 'added':
      return [`new file mode ${change.mode}`];
    case 'deleted':
      // A change set does not know the old mode. Where the file is executable, git says so and deletes it all the same.
      return ['deleted file mode 100644'];
    case 'modified':
      return renderModes(change.mode);
    case 'renamed':
      return [
        ...renderModes(change.mode),
        ...(change.before === change.after ? ['similarity index 100%'] : []),
        `rename from ${quotePath(change.previousPath)}`,
        `rename to ${quotePath(change.path)}`,
      ];
  }
}

/** A mode that changed: there are only two, so the old one is the other. */
function renderModes(mode: FileMode | undefined): string[] {
  if (mode === undefined) return [];
  return [`old mode ${mode === '100755' ? '100644' : '100755'}`, `new mode ${mode}`];
}

/** Lines with their LF, so that a last line with and without one are different lines, as a patch has it. */
function splitWithEnds(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}

function renderHunks(before: string, after: string): string[] {
  const old = splitWithEnds(before);
  const fresh = splitWithEnds(after);
  return groupHunks(diffLines(old, fresh), old).map((group) => renderHunk(group, old, fresh));
}

/** Hunks with touching or overlapping context become one, unless a line between them is unknown. */
function groupHunks(hunks: readonly Hunk[], old: readonly string[]): Hunk[][] {
  const groups: Hunk[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const hunk of hunks) {
    if (hunk.before - end <= 2 * CONTEXT && old.slice(Math.max(0, end), hunk.before).every(isKnown))
      groups.at(-1)?.push(hunk);
    else groups.push([hunk]);
    end = hunk.before + hunk.removed;
  }
  return groups;
}

function renderHunk(group: readonly Hunk[], old: readonly string[], fresh: readonly string[]): string {
  const out: string[] = [];
  const [first] = group;
  const begin = first?.before ?? 0;
  const start = begin - countKnownLines(old.slice(Math.max(0, begin - CONTEXT), begin).toReversed());
  const freshStart = (first?.after ?? 0) - ((first?.before ?? 0) - start);
  let at = start;
  let added = 0;
  for (const hunk of group) {
    pushAll(out, ' ', old.slice(at, hunk.before));
    at = hunk.before + hunk.removed;
    added += hunk.inserted - hunk.removed;
    pushAll(out, '-', old.slice(hunk.before, at));
    pushAll(out, '+', fresh.slice(hunk.after, hunk.after + hunk.inserted));
  }
  const end = at + countKnownLines(old.slice(at, at + CONTEXT));
  pushAll(out, ' ', old.slice(at, end));
  const count = end - start;
  return `@@ -${formatHunkRange(start, count)} +${formatHunkRange(freshStart, count + added)} @@\n${out.join('')}`;
}

/** A redacted line next to the change cannot be context, since git would not find it. */
function isKnown(line: string): boolean {
  return !line.includes(REDACTED);
}

function countKnownLines(lines: readonly string[]): number {
  const unknown = lines.findIndex((line) => !isKnown(line));
  return unknown === -1 ? lines.length : unknown;
}

function pushAll(out: string[], sign: string, lines: readonly string[]): void {
  for (const line of lines) out.push(line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}${NO_NEWLINE}`);
}

/** An empty range is named by the line before it. */
function formatHunkRange(start: number, count: number): string {
  if (count === 1) return `${start + 1}`;
  return `${count === 0 ? start : start + 1},${count}`;
}

/** As in git, a tab ends a name that contains a space, so that the rest is not read as a date. */
function formatLabel(path: string): string {
  const name = quotePath(path);
  return name === path && path.includes(' ') ? `${name}\t` : name;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
};

/** A path as git writes it: in C quotes where it has a quote, a control character or anything but ASCII. */
function quotePath(path: string): string {
  if (/^[ !#-[\]-~]*$/.test(path)) return path;
  const bytes = [...Buffer.from(path)].map((byte) => {
    const char = String.fromCharCode(byte);
    const plain = byte < 0x20 || byte > 0x7e ? `\\${byte.toString(8).padStart(3, '0')}` : char;
    return ESCAPES[char] ?? plain;
  });
  return `"${bytes.join('')}"`;
}
