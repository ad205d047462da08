// Installations and their repositories as GitHub lists them, page by page, and whether a list is complete.
import type { Installation, InstalledRepository, PermissionLevel } from '../../core/project/index.ts';
import { type GithubCaller, unsureFailure } from '../clients/index.ts';

const PAGE = 100;
const LEVELS: readonly PermissionLevel[] = ['read', 'write', 'admin'];

/** As GitHub gives it, for an App of any owner. */
interface ListedInstallation {
  readonly id: number;
  readonly account: object | null;
  readonly permissions: object;
  readonly suspended_at: string | null;
}

interface RepositoryData {
  readonly id: number;
  readonly full_name: string;
  readonly clone_url: string;
  readonly private: boolean;
  readonly archived: boolean;
  readonly default_branch: string;
}

/** The numbers of all installations of the App. Throws GithubFailure where one page could not be read. */
export async function listInstallations(app: GithubCaller, signal: AbortSignal): Promise<readonly number[]> {
  const found = new Set<number>();
  for (let page = 1; ; page++) {
    const { data, headers } = await app.call(
      (octokit, request) => octokit.rest.apps.listInstallations({ per_page: PAGE, page, request }),
      signal,
    );
    for (const { id } of data) found.add(checkId(id));
    if (!hasNext(headers.link)) return [...found];
  }
}

export async function readInstallation(app: GithubCaller, id: number, signal: AbortSignal): Promise<Installation> {
  const { data } = await app.call(
    (octokit, request) => octokit.rest.apps.getInstallation({ installation_id: id, request }),
    signal,
  );
  return toInstallation(data);
}

export interface RepositoryList {
  readonly repositories: readonly InstalledRepository[];
  /** False where GitHub counts other repositories than it lists: then none may be hidden for being absent. */
  readonly isWhole: boolean;
}

/** All that the caller's token reaches. Throws GithubFailure where one page could not be read. */
export async function listRepositories(caller: GithubCaller, signal: AbortSignal): Promise<RepositoryList> {
  const found = new Map<number, InstalledRepository>();
  const counts = new Set<number>();
  for (let page = 1; ; page++) {
    const { data, headers } = await caller.call(
      (octokit, request) => octokit.rest.apps.listReposAccessibleToInstallation({ per_page: PAGE, page, request }),
      signal,
    );
    counts.add(data.total_count);
    for (const listed of data.repositories) found.set(listed.id, toInstalledRepository(listed));
    // A repository that is removed while we read moves another one from the next page to this one, where we do not see
    // it.
    if (!hasNext(headers.link)) {
      return { repositories: [...found.values()], isWhole: counts.size === 1 && counts.has(found.size) };
    }
  }
}

/** Whether the Link header names another page. */
export function hasNext(link: string | undefined): boolean {
  return /;\s*rel="next"/.test(link ?? '');
}

function toInstallation({ id, account, permissions, suspended_at }: ListedInstallation): Installation {
  const granted = Object.entries(permissions).flatMap(([name, level]) => {
    const known = LEVELS.find((each) => each === level);
    return known === undefined ? [] : [[name, known] as const];
  });
  return {
    id: checkId(id),
    owner: toOwner(account),
    permissions: Object.fromEntries(granted),
    isSuspended: suspended_at !== null && suspended_at !== undefined,
  };
}

/** An enterprise has a slug instead of a login. */
function toOwner(account: object | null): Installation['owner'] {
  const given: Readonly<Record<string, unknown>> = { ...account };
  const login = given['login'] ?? given['slug'];
  if (typeof login !== 'string') throw describeIncomplete();
  return { id: checkId(given['id']), login, kind: given['type'] === 'User' ? 'user' : 'organization' };
}

/** Throws GithubFailure where a number or name is missing. */
export function toInstalledRepository(listed: RepositoryData): InstalledRepository {
  if (!/^[^/\s]+\/[^/\s]+$/.test(listed.full_name) || !URL.canParse(listed.clone_url)) throw describeIncomplete();
  return {
    id: checkId(listed.id),
    fullName: listed.full_name,
    cloneUrl: listed.clone_url,
    // Private unless GitHub says that it is public.
    isPrivate: listed.private !== false,
    isArchived: listed.archived === true,
    defaultBranch: listed.default_branch ?? '',
  };
}

function checkId(id: unknown): number {
  if (typeof id === 'number' && Number.isSafeInteger(id)) return id;
  throw describeIncomplete();
}

function describeIncomplete() {
  return unsureFailure(
    200,
    'GitHub listed something without its number or name; nothing was changed. Causeway tries again.',
  );
}
