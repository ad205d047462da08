// Which workflows of a repository an event starts, by their files: the branch whose file counts, types, filters, and what a commit's message asks for.
import { parse } from 'yaml';
import { readDiff } from './git/read-diff.ts';
import { branchSha, mergeBase, readBlob, readCommit, readTree } from './git/read-objects.ts';
import { gitText } from './git/run-git.ts';
import { writeCommit } from './git/write-objects.ts';
import type { GithubRepository } from './state.ts';
import { type FileJob, toFileJobs } from './workflow-jobs.ts';

/** What an event says of itself, as far as a workflow asks for it. */
export interface StartingPayload {
  readonly action?: string;
  readonly ref?: string;
  readonly ref_type?: string;
  readonly before?: string;
  readonly after?: string;
  readonly deleted?: boolean;
  readonly commits?: readonly { readonly id: string }[];
  readonly pull_request?: {
    readonly number: number;
    readonly head: { readonly sha: string; readonly ref: string };
    readonly base: { readonly ref: string };
  };
  readonly workflow_run?: { readonly id: number; readonly name: string; readonly head_branch: string | null };
}

export interface StartedWorkflow {
  readonly name: string;
  readonly path: string;
  readonly event: string;
  /** What the run is said to be of. */
  readonly sha: string;
  readonly branch: string;
  /** What its jobs have checked out: of a pull request its merge into the base. */
  readonly checkout: string;
  readonly jobs: readonly FileJob[];
}

type Mapping = Readonly<Record<string, unknown>>;

interface Occasion {
  /** Where its files lie. */
  readonly from: string;
  readonly sha: string;
  readonly branch: string;
  /** That the filters of branches are about; null: they are not asked. */
  readonly filtered: string | null;
  /** Null: filters of paths are not asked. */
  readonly paths: readonly string[] | null;
  readonly isSkipping: boolean;
  /** Of `workflow_run`. */
  readonly follows?: string;
}

/** Null: the repository has no workflow files, at that commit or on its default branch. */
export async function listStarted(
  repository: GithubRepository,
  event: string,
  payload: StartingPayload,
): Promise<readonly StartedWorkflow[] | null> {
  const { gitDir, defaultBranch } = repository;
  const occasion = await describeOccasion(repository, event, payload);
  const standing = await branchSha(gitDir, defaultBranch);
  const places = [occasion?.from, standing].filter((sha) => sha !== undefined && sha !== null);
  const hasFiles = await Promise.all(places.map(async (sha) => (await readWorkflows(gitDir, sha)).length > 0));
  if (!hasFiles.includes(true)) return null;
  if (occasion === null) return [];
  const files = await readWorkflows(gitDir, occasion.from);
  return files.flatMap(({ path, file }) => {
    const filter = toEvents(file['on'])[event];
    const isDisabled = repository.disabledWorkflows.has(path);
    if (isDisabled || filter === undefined || !isStarting(event, filter, occasion, payload.action)) return [];
    const name = typeof file['name'] === 'string' ? file['name'] : path;
    const { sha, branch, from } = occasion;
    return [{ name, path, event, sha, branch, checkout: from, jobs: toFileJobs(file) }];
  });
}

async function describeOccasion(
  { gitDir, defaultBranch }: GithubRepository,
  event: string,
  payload: StartingPayload,
): Promise<Occasion | null> {
  const standing = await branchSha(gitDir, defaultBranch);
  const { ref = '', after = '', pull_request: pull, workflow_run: run } = payload;
  const none = { filtered: null, paths: null, isSkipping: false };
  if (event === 'push' && ref.startsWith('refs/heads/') && payload.deleted !== true) {
    const branch = ref.slice('refs/heads/'.length);
    const paths = await listPushedPaths(gitDir, payload);
    return { from: after, sha: after, branch, filtered: branch, paths, isSkipping: await asksForNone(gitDir, after) };
  }
  if (event === 'create' && payload.ref_type === 'branch') {
    const sha = await branchSha(gitDir, ref);
    return sha === null ? null : { ...none, from: sha, sha, branch: ref };
  }
  if (standing === null) return null;
  const ofDefault = { ...none, from: standing, sha: standing, branch: defaultBranch };
  if (event === 'pull_request' && pull !== undefined) {
    const base = await branchSha(gitDir, pull.base.ref);
    const merge = base === null ? null : await writeMergeRef(gitDir, pull, base);
    // A conflict starts nothing.
    if (base === null || merge === null) return null;
    const paths = await listPullPaths(gitDir, base, pull.head.sha);
    const isSkipping = await asksForNone(gitDir, pull.head.sha);
    return { from: merge, sha: pull.head.sha, branch: pull.head.ref, filtered: pull.base.ref, paths, isSkipping };
  }
  if (event === 'pull_request_target' && pull !== undefined) {
    const base = (await branchSha(gitDir, pull.base.ref)) ?? standing;
    return { ...ofDefault, filtered: pull.base.ref, paths: await listPullPaths(gitDir, base, pull.head.sha) };
  }
  if (event === 'workflow_run' && run !== undefined)
    return { ...ofDefault, filtered: run.head_branch, follows: run.name };
  return event === 'delete' ? ofDefault : null;
}

async function listPushedPaths(gitDir: string, { before = '', after = '', commits }: StartingPayload) {
  const [first] = commits ?? [];
  const isNew = /^0*$/.test(before);
  if (isNew && first === undefined) return [];
  const from = isNew ? ((await readCommit(gitDir, first?.id ?? after)).parents[0] ?? null) : before;
  return listChangedPaths(gitDir, from, after);
}

async function listPullPaths(gitDir: string, base: string, head: string): Promise<readonly string[]> {
  return listChangedPaths(gitDir, (await mergeBase(gitDir, base, head)) ?? base, head);
}

async function listChangedPaths(gitDir: string, from: string | null, to: string): Promise<readonly string[]> {
  return (await readDiff(gitDir, from, to)).flatMap(({ path, previousPath }) => [path, previousPath ?? path]);
}

/** `refs/pull/N/merge`, as GitHub makes it again for each event; null: a conflict. */
async function writeMergeRef(
  gitDir: string,
  { number, head }: NonNullable<StartingPayload['pull_request']>,
  base: string,
): Promise<string | null> {
  const tree = await gitText(gitDir, ['merge-tree', '--write-tree', base, head.sha]).catch(() => null);
  if (tree === null) return null;
  const { committer } = await readCommit(gitDir, head.sha);
  const message = `Merge ${head.sha} into ${base}`;
  const sha = await writeCommit(gitDir, { tree, parents: [base, head.sha], message, author: committer, committer });
  await gitText(gitDir, ['update-ref', `refs/pull/${number}/merge`, sha]);
  return sha;
}

async function asksForNone(gitDir: string, sha: string): Promise<boolean> {
  const { message } = await readCommit(gitDir, sha);
  return /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]|\n\n+skip-checks: ?true\s*$/.test(message);
}

interface ReadFile {
  readonly path: string;
  readonly file: Mapping;
}

/** Workflows of the default branch, as a list of them has them. */
export async function listWorkflowFiles({
  gitDir,
  defaultBranch,
}: GithubRepository): Promise<readonly { readonly path: string; readonly name: string }[]> {
  const tip = await branchSha(gitDir, defaultBranch);
  const files = tip === null ? [] : await readWorkflows(gitDir, tip);
  return files.map(({ path, file }) => ({ path, name: typeof file['name'] === 'string' ? file['name'] : path }));
}

/** By commit: every run asks for those of the default branch twice. */
const READ = new Map<string, Promise<readonly ReadFile[]>>();
const MOST_READ = 100;

function readWorkflows(gitDir: string, commit: string): Promise<readonly ReadFile[]> {
  const key = `${gitDir} ${commit}`;
  const known = READ.get(key);
  if (known !== undefined) return known;
  const [oldest] = READ.keys();
  if (READ.size >= MOST_READ && oldest !== undefined) READ.delete(oldest);
  const reading = readFiles(gitDir, commit);
  READ.set(key, reading);
  return reading;
}

async function readFiles(gitDir: string, commit: string): Promise<readonly ReadFile[]> {
  const entries = (await readTree(gitDir, `${commit}:.github/workflows`, false)) ?? [];
  const files: ReadFile[] = [];
  for (const { type, path, sha } of entries) {
    const text = type === 'blob' && /\.ya?ml$/.test(path) ? (await readBlob(gitDir, sha)).toString('utf8') : '';
    const file = parseFile(text);
    if (file !== null) files.push({ path: `.github/workflows/${path}`, file });
  }
  return files;
}

/** Null: not one that GitHub would start. */
function parseFile(text: string): Mapping | null {
  try {
    const file = toMapping(parse(text));
    return file['on'] === undefined || Object.keys(toMapping(file['jobs'])).length === 0 ? null : file;
  } catch {
    return null;
  }
}

function toMapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Mapping) : {};
}

function toEvents(on: unknown): Readonly<Record<string, Mapping>> {
  const names = typeof on === 'string' ? [on] : Array.isArray(on) ? on.map(String) : null;
  if (names !== null) return Object.fromEntries(names.map((name) => [name, {}]));
  return Object.fromEntries(Object.entries(toMapping(on)).map(([name, filter]) => [name, toMapping(filter)]));
}

function toList(value: unknown): readonly string[] | null {
  return value === undefined || value === null ? null : [value].flat().map(String);
}

const DEFAULT_TYPES = ['opened', 'synchronize', 'reopened'];

function isStarting(event: string, filter: Mapping, occasion: Occasion, action: string | undefined): boolean {
  const isOfPull = event === 'pull_request' || event === 'pull_request_target';
  const types = toList(filter['types']) ?? (isOfPull ? DEFAULT_TYPES : null);
  if (types !== null && action !== undefined && !types.includes(action)) return false;
  const { paths, follows, isSkipping } = occasion;
  const isOther = follows !== undefined && !(toList(filter['workflows']) ?? []).includes(follows);
  if (isSkipping || isOther || !isOnBranch(event, filter, occasion)) return false;
  if (paths === null) return true;
  const [wanted, unwanted] = [toList(filter['paths']), toList(filter['paths-ignore'])];
  if (wanted !== null && !paths.some((path) => selects(wanted, path))) return false;
  return unwanted === null || paths.some((path) => !selects(unwanted, path));
}

function isOnBranch(event: string, filter: Mapping, { filtered }: Occasion): boolean {
  const [wanted, unwanted] = [toList(filter['branches']), toList(filter['branches-ignore'])];
  const isOfTags = filter['tags'] !== undefined || filter['tags-ignore'] !== undefined;
  if (event === 'push' && isOfTags && wanted === null && unwanted === null) return false;
  if (filtered === null) return true;
  return (wanted === null || selects(wanted, filtered)) && (unwanted === null || !selects(unwanted, filtered));
}

/** The last pattern that matches wins. */
function selects(patterns: readonly string[], name: string): boolean {
  const last = patterns.findLast((pattern) => toRegExp(pattern.replace(/^!/, '')).test(name));
  return last !== undefined && !last.startsWith('!');
}

/** In tests' own patterns nothing takes long. */
function toRegExp(pattern: string): RegExp {
  const source = pattern.replaceAll(/(?<=^|\/)\*\*\/|\*\*|\*|\\.|[.^$(){}|]/g, (found) => {
    if (found === '**/') return '(?:.+/)?';
    if (found === '**') return '.*';
    if (found === '*') return '[^/]*';
    return found.startsWith('\\') ? found : `\\${found}`;
  });
  return new RegExp(`^(?:${source})$`);
}
