// How GitHub is asked about the checks of a project, and what its failures mean to whoever asked.
import type { Octokit } from '@octokit/rest';
import { ChecksBusy, ChecksClosed, type ShortenLog } from '../../core/check.ts';
import { type GithubProject, repositoryOf } from '../../core/project.ts';
import type { InstallationStore } from '../../db/store.ts';
import { type GithubClients, GithubFailure } from '../clients/github-clients.ts';
import type { ConfigurationReader } from '../configuration/read-configuration.ts';
import type { Mode } from '../configuration/repository-config.ts';
import type { GithubPermissions } from '../projects/roles.ts';
import type { RunMemory } from './workflow-runs.ts';

export interface ChecksDeps {
  readonly clients: Pick<GithubClients, 'identity' | 'repository'>;
  readonly permissions: Pick<GithubPermissions, 'roleOfPerson'>;
  readonly configuration: Pick<ConfigurationReader, 'of'>;
  readonly store: Pick<InstallationStore, 'installation'>;
  /** The operator's: a repository's own mode counts below it alone. */
  readonly ceiling: Mode;
  /** Name of the model that the operator offers; null: none. */
  readonly operatorModel: string | null;
  /** Those that a repository may choose instead. */
  readonly otherModels?: readonly string[];
  /** Base address of the API, without a slash at its end. */
  readonly apiUrl: string;
  readonly userAgent: string;
  /** Instead of node's own, such as one through a proxy. */
  readonly fetch?: typeof fetch;
  readonly now: () => Date;
  readonly shortenLog: ShortenLog;
}

/** One question of the house, which may take several calls. */
export interface Asking {
  readonly deps: ChecksDeps;
  readonly project: GithubProject;
  readonly signal: AbortSignal;
  readonly runs: RunMemory;
}

interface Place {
  readonly owner: string;
  readonly repo: string;
  readonly request: { readonly signal: AbortSignal };
}

/** One call with the project's own token that only reads. Throws GithubFailure. */
export async function ask<T>(
  { deps, project, signal }: Asking,
  request: (octokit: Octokit, place: Place) => Promise<{ readonly data: T }>,
): Promise<T> {
  const { data } = await deps.clients
    .repository(project.source, 'read')
    .call((octokit, options) => request(octokit, { ...repositoryOf(project), request: options }), signal);
  return data;
}

/** Pages until one is not full; `isCut`: the last one that may be read was. */
export async function askPages<T>(
  { most, size }: { readonly most: number; readonly size: number },
  read: (page: number) => Promise<readonly T[]>,
): Promise<{ readonly items: readonly T[]; readonly isCut: boolean }> {
  const items: T[] = [];
  for (let page = 1; page <= most; page += 1) {
    const found = await read(page);
    items.push(...found);
    if (found.length < size) return { items, isCut: false };
  }
  return { items, isCut: true };
}

/** What GitHub says where it knows no such commit, branch or pull request. */
const UNKNOWN = new Set([404, 422]);

/** Null where GitHub knows nothing by that name. */
export async function unlessUnknown<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof GithubFailure && UNKNOWN.has(error.status ?? 0)) return null;
    throw error;
  }
}

/** Null too where we may not ask. */
export async function unlessClosed<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof GithubFailure && (error.kind === 'gone' || error.kind === 'refused')) return null;
    throw error;
  }
}

/** The commit at a branch's tip; null: there is no such branch. */
export async function tipOf(asking: Asking, branch: string): Promise<string | null> {
  const found = await unlessUnknown(
    ask(asking, ({ rest }, place) => rest.git.getRef({ ...place, ref: `heads/${branch}` })),
  );
  return found?.object.sha ?? null;
}

const BUSY_MS = 60_000;
const UNSURE_MS = 15_000;

/** What is thrown by the door for what GitHub did; whatever it is not about is handed on as it is. */
export async function inWordsOfThePort<T>({ now }: Pick<ChecksDeps, 'now'>, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof GithubFailure)) throw error;
    const { kind, message, retryAt } = error;
    if (kind === 'gone' || kind === 'refused') throw new ChecksClosed(message, { cause: error });
    const wait = kind === 'busy' ? BUSY_MS : UNSURE_MS;
    throw new ChecksBusy(message, retryAt ?? new Date(now().getTime() + wait), { cause: error });
  }
}
