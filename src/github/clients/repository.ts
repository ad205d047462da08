// Calls about one repository, lists of several pages, and failures of GitHub that are an answer to the caller.
import type { Octokit } from '@octokit/rest';
import { type GithubProject, getRepository } from '../../core/project/index.ts';
import { type GithubClients, GithubFailure, ReadsSpent, type TokenUse } from './github-clients.ts';

/** Spread into the parameters of a call: the repository, and what the request itself needs. */
interface RepositoryParameters {
  readonly owner: string;
  readonly repo: string;
  readonly request: { readonly signal: AbortSignal };
}

/** Makes one call and returns GitHub's data. Throws GithubFailure, and the signal's reason. */
export type RepositoryCaller = <T>(
  send: (octokit: Octokit, place: RepositoryParameters) => Promise<{ readonly data: T }>,
) => Promise<T>;

/** Calls with a token that only allows `use`, as long as the signal isn't aborted. */
export function openRepository(
  { clients }: { readonly clients: Pick<GithubClients, 'repository'> },
  project: Pick<GithubProject, 'name' | 'source'>,
  use: TokenUse,
  signal: AbortSignal,
): RepositoryCaller {
  const place = getRepository(project);
  return async (send) => {
    const caller = clients.repository(project.source, use);
    const { data } = await caller.call((octokit, request) => send(octokit, { ...place, request }), signal);
    return data;
  };
}

const PAGE = 100;

export interface Pages<T> {
  readonly items: readonly T[];
  /** Whether the last page that may be read was full. */
  readonly isCut: boolean;
}

/** Reads at most `most` pages of `size` items. */
export async function readPages<T>(
  most: number,
  read: (page: { readonly per_page: number; readonly page: number }) => Promise<readonly T[]>,
  size = PAGE,
): Promise<Pages<T>> {
  const items: T[] = [];
  for (let page = 1; page <= most; page += 1) {
    const found = await read({ per_page: size, page });
    items.push(...found);
    if (found.length < size) return { items, isCut: false };
  }
  return { items, isCut: true };
}

/** GitHub's answer, or what `recover` makes of a failure of one of these kinds. Others are thrown. */
export async function recoverFrom<T>(
  kinds: readonly GithubFailure['kind'][],
  call: () => Promise<T>,
  recover: (error: GithubFailure) => T | Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof GithubFailure) || !kinds.includes(error.kind)) throw error;
    return await recover(error);
  }
}

/** Null where GitHub knows no such commit, branch or pull request. */
export async function ignoreUnknown<T>(answer: Promise<T>): Promise<T | null> {
  return await recoverFrom<T | null>(
    ['gone', 'refused'],
    () => answer,
    (error) => {
      if (error.status === 404 || error.status === 422) return null;
      throw error;
    },
  );
}

/** Null where GitHub knows nothing by that name, or we may not read it. */
export async function ignoreRefused<T>(answer: Promise<T>): Promise<T | null> {
  return await recoverFrom<T | null>(
    ['gone', 'refused'],
    () => answer,
    () => null,
  );
}

/** GitHub's answer, or this where the job may read no more. */
export async function unlessSpent<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ReadsSpent) return otherwise;
    throw error;
  }
}
