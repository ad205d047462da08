// The other repositories that an investigation may read: those that the configuration names, and the project's own
// submodules, each only where everybody who can read the project can read it too.

import type { Repository, SourceTree } from 'causeway-git-objects';
import type { Redactor } from 'causeway-redact';
import { CausewayError } from '../core/errors.ts';
import {
  type Issue,
  listRead,
  MAX_CONTEXT,
  parseSubmodules,
  resolveSubmodule,
  withholdIssue,
} from '../core/issue/index.ts';
import { getRepository, type InvestigationSettings, type Project } from '../core/project/index.ts';
import type { ContextRefusal, ContextRepository } from '../core/source/index.ts';
import { createPathIndex, findDependencyTag, readOwnPackages } from '../triage/index.ts';
import { cleanRepository } from './run-redaction.ts';
import type { CoreServices } from './services.ts';

/** What a mode of the service knows of other repositories. */
export interface ContextAccess {
  /** `owner/name` of those that the project's configuration names. */
  listNames(settings: InvestigationSettings, tree: SourceTree, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Whether everybody who can read the project can read the other one now. Throws `github_failed` where GitHub does
   * not say.
   */
  isReadableByAll(project: Project, other: Project, signal: AbortSignal): Promise<boolean>;
  /** Whether the steps of such a run are seen before its Issue is, which is shown only after another check. */
  readonly showsSteps: boolean;
  /** What an earlier run read, which is read again at the same commits; absent: what is wanted now. */
  readonly recorded?: readonly ContextRepository[];
}

/** Whether the steps of the run are seen only with its result. */
export function isVeiled({ context }: { readonly context: ContextAccess | null }, { opened }: RunContext): boolean {
  return opened.length > 0 && context?.showsSteps !== true;
}

/** One that may be read, cleaned of secrets, at its commit. */
interface OpenedContext {
  readonly record: ContextRepository;
  readonly repository: Repository;
  readonly tree: SourceTree;
}

interface ContextInput {
  readonly project: Project;
  readonly settings: InvestigationSettings;
  /** The commit that is investigated, cleaned. */
  readonly tree: SourceTree;
  readonly redactor: Redactor;
}

type ContextServices = Pick<CoreServices, 'store' | 'source' | 'log'> & { readonly context: ContextAccess };

type WantedContext = Pick<ContextRepository, 'repository' | 'via' | 'path'> & {
  /** Of a submodule; "": the dependency's version, or the default branch. */
  readonly pinned: string;
};

/** Which repositories the run is to read; empty for most projects. */
export async function listWantedContext(
  { context }: ContextServices,
  { project, settings, tree }: Omit<ContextInput, 'redactor'>,
  signal: AbortSignal,
): Promise<readonly WantedContext[]> {
  const named = await context.listNames(settings, tree, signal);
  const wanted: WantedContext[] = [
    ...(await listSubmodules(project, tree, signal)),
    ...named.map((repository) => ({ repository, via: 'configuration' as const, path: '', pinned: '' })),
  ];
  const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
  return wanted.filter(
    ({ repository }, index) =>
      !isSame(repository, project.name) && wanted.findIndex((other) => isSame(other.repository, repository)) === index,
  );
}

/** Of the same owner on the same host; others are not even named. */
async function listSubmodules(
  project: Project,
  tree: SourceTree,
  signal: AbortSignal,
): Promise<readonly WantedContext[]> {
  const pinned = new Map(
    (await tree.files(signal)).entries.flatMap(({ path, kind, blob }) => (kind === 'submodule' ? [[path, blob]] : [])),
  );
  if (pinned.size === 0) return [];
  const read = await tree.read('.gitmodules', {}, signal);
  if (read.kind !== 'text') return [];
  const origin = project.source.kind === 'path' ? '' : (URL.parse(project.source.url)?.origin ?? '');
  return parseSubmodules(read.text).flatMap(({ path, url }) => {
    const repository = resolveSubmodule(url, { name: project.name, origin });
    const sha = pinned.get(path);
    if (repository === null || sha === undefined || !hasSameOwner(project.name, repository)) return [];
    return [{ repository, via: 'submodule' as const, path, pinned: sha }];
  });
}

function hasSameOwner(one: string, other: string): boolean {
  return getRepository({ name: one }).owner.toLowerCase() === getRepository({ name: other }).owner.toLowerCase();
}

export interface RunContext {
  readonly records: readonly ContextRepository[];
  readonly opened: readonly OpenedContext[];
}

/** Opens those that may be read; of the others it is recorded why not. */
export async function openContext(
  services: ContextServices,
  input: ContextInput,
  wanted: readonly WantedContext[],
  signal: AbortSignal,
): Promise<RunContext> {
  const records: ContextRepository[] = [];
  const opened: OpenedContext[] = [];
  for (const [index, each] of wanted.entries()) {
    const result = index < MAX_CONTEXT ? await openOne(services, input, each, signal) : 'too_many';
    const { pinned: _, ...named } = each;
    if (typeof result === 'string') {
      records.push({ ...named, revision: '', ref: '', refused: result, projectId: '' });
    } else {
      records.push(result.record);
      opened.push(result);
    }
  }
  return { records, opened };
}

async function openOne(
  services: ContextServices,
  { project, tree, redactor }: ContextInput,
  { pinned, ...named }: WantedContext,
  signal: AbortSignal,
): Promise<OpenedContext | ContextRefusal> {
  if (!hasSameOwner(project.name, named.repository)) return 'other_owner';
  try {
    const other = await findReadable(services, project, named.repository, signal);
    if (other === null) return 'unreadable';
    const repository = cleanRepository(await services.source.open(other, signal), redactor);
    const found = await chooseCommit(repository, tree, pinned, signal);
    if (found === null) return 'commit_missing';
    const { sha: revision, ref } = found;
    const record = { ...named, repository: other.name, revision, ref, refused: null, projectId: other.id };
    return { record, repository, tree: repository.tree(revision) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CausewayError) || !PASSING.has(error.code)) throw error;
    services.log.warn(
      { project: project.id, context: named.repository, err: error },
      'a context repository was not read',
    );
    return error.code === 'access_lost' ? 'unreadable' : 'unreachable';
  }
}

const PASSING: ReadonlySet<string> = new Set([
  'github_failed',
  'repository_unreachable',
  'repository_empty',
  'access_lost',
]);

async function findReadable(
  { store, context }: Pick<ContextServices, 'store' | 'context'>,
  project: Project,
  idOrName: string,
  signal: AbortSignal,
): Promise<Project | null> {
  const other = await store.findProject(idOrName);
  return other !== null && (await context.isReadableByAll(project, other, signal)) ? other : null;
}

/**
 * A submodule at its pinned commit, if a branch or tag of the repository leads to it: by its sha alone one could reach
 * every fork. Another repository at the version that the project depends on, else its default branch as it is now.
 */
async function chooseCommit(
  repository: Repository,
  tree: SourceTree,
  pinned: string,
  signal: AbortSignal,
): Promise<{ readonly sha: string; readonly ref: string } | null> {
  const sha = await repository.resolve(pinned, signal);
  if (pinned !== '' || sha === null) return sha === null ? null : { sha, ref: '' };
  const head = repository.tree(sha);
  const packages = await readOwnPackages(head, createPathIndex(await head.files(signal)), signal);
  const tagged = await findDependencyTag(tree, packages, repository, signal);
  return tagged === null ? { sha, ref: repository.defaultBranch } : { sha: tagged.sha, ref: tagged.tag };
}

/**
 * The repositories of a run that continues, at the commits that it has recorded. Throws `access_lost` where one may no
 * longer be read: what was found there is in the run already.
 */
export async function reopenContext(
  services: ContextServices,
  { project, redactor }: Pick<ContextInput, 'project' | 'redactor'>,
  records: readonly ContextRepository[],
  signal: AbortSignal,
): Promise<RunContext> {
  const opened: OpenedContext[] = [];
  for (const record of listRead(records)) {
    const other = await findReadable(services, project, record.projectId, signal);
    const repository = other && cleanRepository(await services.source.open(other, signal), redactor);
    if (repository === null || (await repository.resolve(record.revision, signal)) === null) throw lostContext();
    opened.push({ record, repository, tree: repository.tree(record.revision) });
  }
  return { records, opened };
}

function lostContext(): CausewayError {
  return new CausewayError(
    'access_lost',
    'Another repository that the investigation has read may no longer be read by everybody who can read the project.',
  );
}

/** Whether everybody who can read the project can still read all that was read for it. */
export async function isContextReadable(
  services: Pick<ContextServices, 'store' | 'context'>,
  project: Project,
  records: readonly ContextRepository[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const { projectId } of listRead(records)) {
    if ((await findReadable(services, project, projectId, signal)) === null) return false;
  }
  return true;
}

/** The store with Issues as everybody who can read their project may see them, for what is published there. */
export function guardIssues(services: Pick<ContextServices, 'store' | 'context'>): ContextServices['store'] {
  const { store } = services;
  const isReadable = async ({ projectId, analysis }: Issue): Promise<boolean> => {
    if (listRead(analysis.context).length === 0) return true;
    const project = await store.findProject(projectId);
    return (
      project !== null && (await isContextReadable(services, project, analysis.context, AbortSignal.timeout(CHECK_MS)))
    );
  };
  const findIssue = async (id: string): Promise<Issue | null> => {
    const issue = await store.findIssue(id);
    return issue === null || (await isReadable(issue)) ? issue : withholdIssue(issue);
  };
  return {
    ...store,
    findIssue,
    findChangeSet: async (id) => {
      const changeSet = await store.findChangeSet(id);
      const files = changeSet === null ? 0 : changeSet.files.length;
      if (changeSet === null || files === 0 || (await findIssue(id))?.diff.files.length !== 0) return changeSet;
      return { ...changeSet, files: [] };
    },
  };
}

const CHECK_MS = 60_000;
