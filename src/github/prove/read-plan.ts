// What the proof of somebody else's pull request would take: its tests apart from its fix, and why it is refused before anything is pushed.

import type { FileChange, FileMode } from 'causeway-diff';
import type { Repository, SourceTree, TreeEntry } from 'causeway-git-objects';
import type { Person } from '../../core/project/index.ts';
import type { ForeignProof, ProveRefusal, RedPlan } from '../../core/proof/index.ts';
import {
  isProvable,
  isTestAlone,
  labelTests,
  listOwnTests,
  type OwnTest,
  type OwnTests,
} from '../../core/proof/index.ts';
import { listDecidingPaths, readWholeText } from '../../services/index.ts';
import { ignoreUnknown, isBot, openRepository } from '../clients/index.ts';
import type { ProveWork } from './prove-work.ts';

/** A pull request as GitHub has it now. */
export interface StandingPull {
  readonly url: string;
  readonly state: 'open' | 'closed';
  readonly head: string;
  readonly headBranch: string;
  readonly isFork: boolean;
  /** Null: a deleted user. */
  readonly author: Person | null;
  readonly isByBot: boolean;
  readonly baseBranch: string;
}

export interface RedHalfFile {
  readonly path: string;
  readonly mode: FileMode;
  /** Git's name of its content, which the repository has already. */
  readonly blob: string;
}

/** The red half, ready to be made. */
export interface PlannedRedHalf {
  readonly kind: 'planned';
  readonly plan: RedPlan;
  readonly files: readonly RedHalfFile[];
  /** Paths that the pull request's tests leave: renamed. */
  readonly removed: readonly string[];
  readonly own: OwnTests;
  /** The tests that it adds; where it adds none, those that it changes. */
  readonly wanted: readonly OwnTest[];
  /** How people know each of them. */
  readonly titles: readonly string[];
}

interface RefusedPlan {
  readonly kind: 'refused';
  readonly because: ProveRefusal;
}

export async function readProvedPull({ deps, project, proof, signal }: ProveWork): Promise<StandingPull | null> {
  const read = openRepository(deps, project, 'read', signal);
  const pull = await ignoreUnknown(
    read(({ rest }, place) => rest.pulls.get({ ...place, pull_number: proof.pullRequest })),
  );
  if (pull === null) return null;
  const { head, base, user } = pull;
  return {
    url: pull.html_url,
    state: pull.state === 'open' ? 'open' : 'closed',
    head: head.sha,
    headBranch: head.ref,
    isFork: head.repo?.id !== base.repo.id,
    author: user === null ? null : { id: user.id, login: user.login },
    isByBot: isBot(user),
    baseBranch: base.ref,
  };
}

/** Their tokens read only, and see other secrets: what runs for them must not run for us. */
const RESTRICTED_BOTS = new Set(['dependabot[bot]', 'dependabot-preview[bot]']);
/** A person may have opened the pull request from it. */
const RESTRICTED_BRANCH = /^dependabot\//i;

export function isRestrictedBot(login: string | undefined): boolean {
  return RESTRICTED_BOTS.has(login?.toLowerCase() ?? '');
}

/** What about the pull request itself rules out a proof; null: nothing. `plan`: null before there is one. */
export function refusePull(
  pull: StandingPull | null,
  { head }: Pick<ForeignProof, 'head'>,
  plan: Pick<RedPlan, 'baseBranch'> | null = null,
): ProveRefusal | null {
  if (pull === null) return { code: 'absent' };
  if (pull.state === 'closed') return { code: 'closed' };
  if (pull.isFork) return { code: 'fork' };
  if (isRestrictedBot(pull.author?.login) || RESTRICTED_BRANCH.test(pull.headBranch)) return { code: 'dependabot' };
  if (pull.head !== head) return { code: 'moved', head: pull.head };
  return plan === null || plan.baseBranch === pull.baseBranch ? null : { code: 'retargeted' };
}

/** GitHub compares no more files at once. */
const MOST_FILES = 300;

/** `from`: the base branch, or where the pull request left it. */
export async function planRedHalf(
  work: ProveWork,
  pull: Pick<StandingPull, 'baseBranch' | 'author' | 'isByBot' | 'url'>,
  from: string,
): Promise<PlannedRedHalf | RefusedPlan> {
  const { deps, project, proof, signal } = work;
  const read = openRepository(deps, project, 'read', signal);
  const basehead = `${from}...${proof.head}`;
  const compared = await ignoreUnknown(
    read(({ rest }, place) => rest.repos.compareCommitsWithBasehead({ ...place, basehead, per_page: 1 })),
  );
  if (compared === null) return refusePlan({ code: 'closed' });
  const { files = [], merge_base_commit: mergeBase } = compared;
  if (files.length >= MOST_FILES) return refusePlan({ code: 'too_large' });
  const changed = files.map(({ filename, status, previous_filename: before }) => ({
    path: filename,
    isGone: status === 'removed',
    previousPath: status === 'renamed' ? (before ?? '') : '',
  }));
  const repository = await deps.source.open(project, signal);
  for (const sha of [mergeBase.sha, proof.head]) {
    if (!(await repository.ensureCommit(sha, signal))) return refusePlan({ code: 'closed' });
  }
  const trees = { before: repository.tree(mergeBase.sha), after: repository.tree(proof.head) };
  const paths = [...new Set(changed.flatMap(({ path, previousPath }) => [path, previousPath]).filter(Boolean))];
  const guarded = await listDecidingPaths(trees, paths, signal);
  if (guarded.length > 0) return refusePlan({ code: 'guarded', paths: guarded });
  // A test that is deleted, or moved between tests and code, shows no fault.
  const tests = changed.filter(
    ({ path, isGone, previousPath }) =>
      !isGone && isTestAlone(path) && (previousPath === '' || isTestAlone(previousPath)),
  );
  const fix = changed.filter((file) => !tests.includes(file));
  const found = await readTestFiles(repository, { base: mergeBase.sha, head: proof.head }, tests, signal);
  if (found === null) return refusePlan({ code: 'guarded', paths: tests.map(({ path }) => path) });
  if (found.changes.some(readsRun)) return refusePlan({ code: 'reads_run' });
  const changeSet = { base: mergeBase.sha, files: found.changes };
  const own = listOwnTests(changeSet);
  const added = own.tests.filter(({ isAdded }) => isAdded);
  const wanted = added.length > 0 ? added : own.tests.filter(({ isTouched }) => isTouched);
  if (wanted.length > MOST_TITLES) return refusePlan({ code: 'many_tests' });
  if (tests.length === 0) return refusePlan({ code: 'no_tests' });
  if (fix.length === 0) return refusePlan({ code: 'tests_alone' });
  if (!own.tests.some(isProvable)) return refusePlan({ code: 'unnamed_tests' });
  const titles = labelTests(wanted);
  return {
    kind: 'planned',
    plan: {
      baseBranch: pull.baseBranch,
      base: mergeBase.sha,
      url: pull.url,
      author: pull.author,
      isByBot: pull.isByBot,
      tests: tests.map(({ path }) => path),
      fix: fix.map(({ path }) => path),
      titled: wanted.map(({ file }, at) => ({ path: file, title: titles[at] ?? '' })),
      adds: added.length > 0,
    },
    files: found.files,
    removed: listLeftPaths(tests),
    own,
    wanted,
    titles,
  };
}

/** What a run of Actions is told of itself, or our branch: a test that isn't hidden on purpose shows it. */
const OF_RUN =
  /\bGITHUB_(?:HEAD_REF|REF|REF_NAME|ACTOR|ACTOR_ID|TRIGGERING_ACTOR|EVENT_NAME|EVENT_PATH)\b|causeway\/prove/;

/** Whether a new line of a test asks for it. */
function readsRun(change: FileChange): boolean {
  if (change.kind === 'deleted') return false;
  const before = new Set(change.kind === 'added' ? [] : change.before.split('\n'));
  return change.after.split('\n').some((line) => OF_RUN.test(line) && !before.has(line));
}

/** Of more nobody sees whether all fail: a log is read for no more. */
const MOST_TITLES = 50;

/** Where another test came to such a path, that stays. */
function listLeftPaths(tests: readonly ChangedTest[]): readonly string[] {
  const taken = new Set(tests.map(({ path }) => path));
  return tests.map(({ previousPath }) => previousPath).filter((path) => path !== '' && !taken.has(path));
}

function refusePlan(because: ProveRefusal): RefusedPlan {
  return { kind: 'refused', because };
}

interface ChangedTest {
  readonly path: string;
  readonly previousPath: string;
}

/** Null where one is no plain file, such as a link, which could lead elsewhere. */
async function readTestFiles(
  repository: Repository,
  { base, head }: { readonly base: string; readonly head: string },
  tests: readonly ChangedTest[],
  signal: AbortSignal,
): Promise<{ readonly files: readonly RedHalfFile[]; readonly changes: readonly FileChange[] } | null> {
  const after = repository.tree(head);
  const entries = new Map((await after.files(signal)).entries.map((entry) => [entry.path, entry]));
  const files: RedHalfFile[] = [];
  const changes: FileChange[] = [];
  for (const { path, previousPath } of tests) {
    const entry = entries.get(path);
    const mode = entry === undefined ? null : toMode(entry);
    if (entry === undefined || mode === null) return null;
    files.push({ path, mode, blob: entry.blob });
    changes.push(await readTestChange({ before: repository.tree(base), after }, { path, previousPath, mode }, signal));
  }
  return { files, changes };
}

function toMode({ kind }: Pick<TreeEntry, 'kind'>): FileMode | null {
  if (kind === 'file') return '100644';
  return kind === 'executable' ? '100755' : null;
}

/** What is no text names no tests. */
async function readTestChange(
  { before, after }: { readonly before: SourceTree; readonly after: SourceTree },
  { path, previousPath, mode }: ChangedTest & { readonly mode: FileMode },
  signal: AbortSignal,
): Promise<FileChange> {
  const now = (await readWholeText(after, path, signal)) ?? '';
  const old = await readWholeText(before, previousPath || path, signal);
  return old === null ? { kind: 'added', path, mode, after: now } : { kind: 'modified', path, before: old, after: now };
}
