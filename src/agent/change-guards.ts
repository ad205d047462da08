// The guards on the change: what is never let through, and what waits for a person who has seen it.
import type { ChangeSet, FileChange } from '../core/change-set.ts';
import { changesSomething } from '../core/diff/diff.ts';
import { isText } from '../core/diff/text-lines.ts';
import type { TreeEntry } from '../core/source.ts';
import { guardOfPath } from './guarded-paths.ts';
import { loosenings } from './loosened-tests.ts';
import { type Guard, guardOf, isNever, pathGuard, pathsOf, standingNames } from './path-guard.ts';
import { changedLines, lineCount, withoutSecretHunks } from './secret-hunks.ts';

export interface GuardGround {
  /** Every entry of the commit that the change is made for. */
  readonly entries: readonly Pick<TreeEntry, 'path' | 'kind'>[];
  /** False only where the file parsed before, or is new, and does not parse now. */
  readonly stillParses: (path: string, before: string | null, after: string) => Promise<boolean>;
  /** False for paths that the repository's own configuration leaves out. */
  readonly mayTouch: (path: string) => boolean;
  /** The text with every secret in it replaced by `[redacted]`. */
  readonly redact: (text: string) => Promise<string>;
}

export interface GuardedChange {
  /** What may be shown as a diff and, where the verdict allows, be published. */
  readonly allowed: ChangeSet;
  /** What was left out: explained in words instead. Withheld for a secret: without its content. */
  readonly blocked: readonly { readonly change: FileChange; readonly guard: Guard }[];
  readonly guards: readonly Guard[];
  /** `blocked`: something was left out, so that the rest alone is not the fix. */
  readonly verdict: 'clean' | 'needs_person' | 'blocked';
}

/** From these a person must look at it; no single fix that was ever trusted unread is larger. */
const MANY_FILES = 20;
const MANY_LINES = 2_000;
/** Beyond these it is no fix, and comparing it would cost more than the run. */
const MOST_FILES = 300;
const MOST_CHARACTERS = 20_000_000;

/** What makes code read otherwise than it runs (CVE-2021-42574). Joiners and variation selectors stay: emoji and scripts need them. */
const HIDDEN =
  /[\0-\x08\x0b\x0e-\x1f\x7f-\x9f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\u3164\uffa0\u{e0000}-\u{e007f}]|(?<!^)\ufeff/u;

/** Section by section: each file by its path, then its content, then the whole by its size. Throws what the ground throws. */
export async function guardChange(changeSet: ChangeSet, ground: GuardGround): Promise<GuardedChange> {
  const changes = changeSet.files.filter(changesSomething);
  const { base } = changeSet;
  if (changes.length > MOST_FILES || characters(changes) > MOST_CHARACTERS) {
    const guard = guardOf(
      'never/size',
      '',
      `the change has ${changes.length} files, ${characters(changes)} characters`,
    );
    return {
      allowed: { base, files: [] },
      blocked: changes.slice(0, 1).map((change) => ({ change, guard })),
      guards: [guard],
      verdict: 'blocked',
    };
  }
  const standing = standingNames(ground.entries, changes);
  const seen = new Set<string>();
  const files: FileChange[] = [];
  const blocked: { change: FileChange; guard: Guard }[] = [];
  const guards: Guard[] = [];
  for (const change of changes) {
    const path = pathGuard(change, standing, seen) ?? leftOut(change, ground);
    const judged = path === null ? await judgeContent(change, ground) : { change: null, guards: [path] };
    guards.push(...judged.guards);
    if (judged.change !== null) files.push(judged.change);
    const never = judged.guards.find(({ rule }) => isNever(rule));
    if (never) blocked.push({ change, guard: never });
  }
  guards.push(...sizeGuards(files));
  return { allowed: { base, files }, blocked, guards, verdict: verdictOf(guards) };
}

/** Both names of a renamed file are touched. */
function leftOut(change: FileChange, { mayTouch }: GuardGround): Guard | null {
  const path = pathsOf(change).find((each) => !mayTouch(each));
  return path === undefined
    ? null
    : guardOf('never/left-out', path, 'the configuration of the repository keeps changes away from it (paths)');
}

function verdictOf(guards: readonly Guard[]): GuardedChange['verdict'] {
  if (guards.some(({ rule }) => isNever(rule))) return 'blocked';
  return guards.length > 0 ? 'needs_person' : 'clean';
}

function characters(changes: readonly FileChange[]): number {
  return changes.reduce((sum, change) => sum + (beforeOf(change) ?? '').length + (afterOf(change) ?? '').length, 0);
}

function beforeOf(change: FileChange): string | null {
  return change.kind === 'added' ? null : change.before;
}

function afterOf(change: FileChange): string | null {
  return change.kind === 'deleted' ? null : change.after;
}

interface Judged {
  /** Null: left out. */
  readonly change: FileChange | null;
  readonly guards: readonly Guard[];
}

async function judgeContent(change: FileChange, ground: GuardGround): Promise<Judged> {
  const { path } = change;
  if (!isText(beforeOf(change) ?? '') || !isText(afterOf(change) ?? '')) {
    return { change: null, guards: [guardOf('never/content', path, 'it is not text')] };
  }
  const open = await withoutSecretHunks(change, ground.redact);
  const guards =
    open.withheld === 0 ? [] : [guardOf('never/secret', path, 'a part of the change touches a secret and is withheld')];
  if (open.change === null || !changesSomething(open.change)) return { change: null, guards };
  return { change: open.change, guards: [...guards, ...(await personGuards(open.change, ground))] };
}

async function personGuards(change: FileChange, { stillParses }: GuardGround): Promise<readonly Guard[]> {
  const { path } = change;
  const guards: Guard[] = [];
  for (const named of pathsOf(change)) {
    const guard = guardOfPath(named);
    if (guard !== null) guards.push(guardOf(guard.rule, named, `${guard.reason}: a person must ask for it`));
  }
  const lines = changedLines(change);
  for (const { rule, reason } of loosenings(change, lines)) guards.push(guardOf(rule, path, reason));
  if (lines.inserted.some((line) => HIDDEN.test(line))) {
    guards.push(
      guardOf('person/hidden-text', path, 'it puts in characters that cannot be seen or turn the text around'),
    );
  }
  const after = afterOf(change);
  if (after !== null && !(await stillParses(path, beforeOf(change), after))) {
    guards.push(guardOf('person/does-not-parse', path, 'it no longer parses'));
  }
  return guards;
}

function sizeGuards(files: readonly FileChange[]): Guard[] {
  const lines = files.reduce((sum, change) => sum + lineCount(change), 0);
  if (files.length <= MANY_FILES && lines <= MANY_LINES) return [];
  return [
    guardOf(
      'person/large',
      '',
      `${files.length} files and ${lines} lines change; more than ${MANY_FILES} or ${MANY_LINES} are read by a person first`,
    ),
  ];
}
