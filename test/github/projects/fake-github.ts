// GitHub's side of installations and their repositories, as far as projects need it: state that a test changes as people would.

import type { InstallationStore } from '../../../src/db/projects.ts';
import { createGithubClients } from '../../../src/github/clients/create-github-clients.ts';
import type { GithubClients } from '../../../src/github/clients/github-clients.ts';
import { type Asked, type GithubApi, type Said, startGithubApi } from '../clients/github-api.ts';
import { APP_ID, GRANTED, PRIVATE_KEY } from '../clients/ground.ts';

interface FakeInstallation {
  readonly id: number;
  readonly account: { readonly id: number; readonly login: string; readonly type: string };
  permissions: Readonly<Record<string, string>>;
  suspended_at: string | null;
}

interface FakeRepository {
  readonly id: number;
  readonly installation: number;
  full_name: string;
  private: boolean;
  archived: boolean;
}

interface ListFault {
  readonly list: 'installations' | 'repositories';
  readonly page: number;
  /** The page is left out without a word instead of failing. */
  readonly isSilent?: boolean;
}

export interface FakeGithub extends AsyncDisposable {
  readonly api: GithubApi;
  readonly clients: GithubClients;
  listFault: ListFault | null;
  /** Installations that the list leaves out. */
  readonly unlisted: Set<number>;
  install(id: number, login: string): void;
  uninstall(id: number): void;
  installation(id: number): FakeInstallation;
  /** From now on its repositories cannot be listed. */
  breakInstallation(id: number): void;
  addRepository(installation: number, id: number, name: string): void;
  removeRepository(id: number): void;
  repository(id: number): FakeRepository;
  ownApp(owner: number): void;
  /** The next list of repositories is made at once and sent at `release`. */
  holdNextRepositoryList(): { readonly arrived: Promise<void>; release(): void };
}

interface TokenScope {
  readonly installation: number;
  readonly repositoryIds: readonly number[] | null;
}

const NOT_FOUND: Said = { status: 404, body: { message: 'Not Found' } };

/** `store` is what the clients read of installations. */
export async function openFakeGithub(store: Pick<InstallationStore, 'findInstallation'>): Promise<FakeGithub> {
  const installations = new Map<number, FakeInstallation>();
  const repositories = new Map<number, FakeRepository>();
  const broken = new Set<number>();
  const tokens = new Map<string, TokenScope>();
  let owner = 907;
  let hold: { readonly arrived: () => void; readonly released: Promise<void> } | null = null;

  function makeToken({ path, body }: Asked): Said {
    const installation = installations.get(Number(path.split('/')[3]));
    if (installation === undefined) return NOT_FOUND;
    if (installation.suspended_at !== null) {
      return { status: 403, body: { message: 'This installation has been suspended' } };
    }
    const { repository_ids: ids = null } = body as { repository_ids?: readonly number[] };
    if (ids?.some((id) => repositories.get(id)?.installation !== installation.id)) {
      return {
        status: 422,
        body: { message: 'There is at least one repository that does not exist or is not accessible.' },
      };
    }
    const token = `ghs_${String(tokens.size).padStart(12, '0')}`;
    tokens.set(token, { installation: installation.id, repositoryIds: ids });
    return { status: 201, body: { token, expires_at: new Date(Date.now() + 3_600_000).toISOString() } };
  }

  function pageOf<T>(all: readonly T[], path: string, list: ListFault['list']) {
    const page = Number(new URL(path, api.url).searchParams.get('page') ?? 1);
    const isFaulty = github.listFault?.list === list && github.listFault.page === page;
    const next = `<${api.url}/next?page=${page + 1}>; rel="next"`;
    return {
      items: isFaulty ? [] : all.slice((page - 1) * 100, page * 100),
      headers: page * 100 < all.length ? { link: next } : {},
      isBroken: isFaulty && github.listFault?.isSilent !== true,
    };
  }

  async function listRepositories({ path, authorization }: Asked): Promise<Said> {
    const scope = tokens.get(authorization.replace('token ', ''));
    if (scope === undefined || !installations.has(scope.installation)) return { status: 401, body: { message: 'Bad' } };
    if (broken.has(scope.installation)) return { status: 502, body: { message: 'Server Error' } };
    const mine = [...repositories.values()].filter(
      ({ id, installation }) =>
        installation === scope.installation && (scope.repositoryIds === null || scope.repositoryIds.includes(id)),
    );
    const { items, headers, isBroken } = pageOf(mine, path, 'repositories');
    const shown = items.map(({ installation: _, ...repository }) => ({
      ...repository,
      clone_url: `https://github.test/${repository.full_name}.git`,
      default_branch: 'main',
    }));
    if (hold !== null) {
      const { arrived, released } = hold;
      hold = null;
      arrived();
      await released;
    }
    return isBroken
      ? { status: 502, body: { message: 'Server Error' } }
      : { body: { total_count: mine.length, repositories: shown }, headers };
  }

  const api = await startGithubApi({
    'POST /app/installations/*/access_tokens': makeToken,
    'GET /app': () => ({ body: { id: APP_ID, slug: 'causeway', owner: { id: owner, login: 'octo' } } }),
    'GET /users/*': () => ({ body: { id: 12_345, login: 'causeway[bot]' } }),
    'GET /app/installations': ({ path }) => {
      const all = [...installations.values()].filter(({ id }) => !github.unlisted.has(id));
      const { items, headers, isBroken } = pageOf(all, path, 'installations');
      return isBroken ? { status: 502, body: { message: 'Server Error' } } : { body: items, headers };
    },
    'GET /app/installations/*': ({ path }) => {
      const found = installations.get(Number(path.split('/')[3]));
      return found === undefined ? NOT_FOUND : { body: found };
    },
    'GET /installation/repositories': listRepositories,
  });
  const clients = createGithubClients({
    appId: APP_ID,
    privateKey: PRIVATE_KEY,
    apiUrl: api.url,
    webUrl: 'https://github.test',
    userAgent: 'Causeway/test',
    installations: store,
    now: () => new Date(),
  });
  const github: FakeGithub = {
    api,
    clients,
    listFault: null,
    unlisted: new Set(),
    install: (id, login) =>
      void installations.set(id, {
        id,
        account: { id: 900 + id, login, type: 'Organization' },
        permissions: GRANTED,
        suspended_at: null,
      }),
    uninstall(id) {
      installations.delete(id);
      for (const repository of repositories.values()) {
        if (repository.installation === id) repositories.delete(repository.id);
      }
    },
    installation: (id) => installations.get(id)!,
    breakInstallation: (id) => void broken.add(id),
    addRepository: (installation, id, name) =>
      void repositories.set(id, { id, installation, full_name: name, private: true, archived: false }),
    removeRepository: (id) => void repositories.delete(id),
    repository: (id) => repositories.get(id)!,
    ownApp: (id) => {
      owner = id;
    },
    holdNextRepositoryList() {
      const arrived = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      hold = { arrived: arrived.resolve, released: released.promise };
      return { arrived: arrived.promise, release: released.resolve };
    },
    async [Symbol.asyncDispose]() {
      clients[Symbol.dispose]();
      await api[Symbol.asyncDispose]();
    },
  };
  return github;
}
