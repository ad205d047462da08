// The door to checks over the GitHub double: real clients, real roles, real configuration, and a shop with people.

import { condenseLog, readArtifactResults } from 'causeway-ci-log';
import { type AppPermissions, type GithubDouble, startGithubDouble } from 'causeway-github-double';
import type { Checks, ReadBuildLog } from '../../../src/core/check/check.ts';
import type { PastReader } from '../../../src/core/past.ts';
import type { GithubProject } from '../../../src/core/project/project.ts';
import { createChecks } from '../../../src/github/checks/create-checks.ts';
import { createGithubClients } from '../../../src/github/clients/create-github-clients.ts';
import { createConfigurationReader } from '../../../src/github/configuration/read-configuration.ts';
import type { Mode } from '../../../src/github/configuration/repository-config.ts';
import { createPermissions } from '../../../src/github/projects/roles.ts';
import { createLog } from '../../../src/log.ts';
import { sqlite } from '../../contract/sqlite-place.ts';
import { CAUSEWAY_APP } from '../../support/causeway-app.ts';

export const SHOP = 'octo/shop';
export const SIGNAL = new AbortController().signal;

export interface ChecksHouse extends AsyncDisposable {
  readonly double: GithubDouble;
  readonly people: GithubDouble['people'];
  readonly checks: Checks & PastReader;
  readonly project: GithubProject;
  now(): Date;
  /** Calls to the API since the last time that this was asked, but for tokens; and whatever `act` gives. */
  counting<T>(act: () => Promise<T>): Promise<{ readonly calls: readonly string[]; readonly got: T }>;
  /** A branch with one commit on it; gives its sha. */
  branch(name: string, by?: string): Promise<string>;
}

interface Setting {
  readonly files?: Record<string, string>;
  readonly permissions?: AppPermissions;
  readonly ceiling?: Mode;
  readonly readBuildLog?: ReadBuildLog;
}

/** `wren` and `ada` may write, `reader` may read. */
export async function checksHouse(setting: Setting = {}): Promise<ChecksHouse> {
  await using opening = new AsyncDisposableStack();
  const double = opening.use(await startGithubDouble({ app: CAUSEWAY_APP }));
  const place = opening.use(await sqlite.place());
  const { store } = opening.use(await place.open());
  const { people } = double;
  const now = () => double.state.clock.now();
  const repository = await people.openRepository(SHOP, { files: setting.files ?? { 'cart.js': 'one\n' } });
  const { permissions } = setting;
  const installation = people.install('octo', permissions === undefined ? {} : { permissions });
  people.grant(SHOP, 'wren', 'write');
  people.grant(SHOP, 'ada', 'admin');
  people.grant(SHOP, 'reader', 'read');
  const owner = { id: repository.ownerId, login: 'octo', kind: 'organization' } as const;
  await store.syncInstallation(
    { id: installation.id, owner, permissions: installation.permissions, isSuspended: false },
    [
      {
        ...{ id: repository.id, fullName: SHOP, cloneUrl: `${double.webUrl}/${SHOP}.git`, isArchived: false },
        ...{ isPrivate: false, defaultBranch: 'main' },
      },
    ],
    now().toISOString(),
  );
  const at = { apiUrl: double.apiUrl, webUrl: double.webUrl, userAgent: 'Causeway/test', now };
  const key = { appId: double.app.id, privateKey: double.app.privateKey };
  const clients = opening.use(createGithubClients({ ...at, ...key, installations: store }));
  const log = createLog({ level: 'silent' });
  const checks = createChecks({
    ...{ clients, store, ...at, ceiling: setting.ceiling ?? 'fix', operatorModel: 'big' },
    shortenLog: condenseLog,
    readBuildLog: setting.readBuildLog ?? (async () => null),
    readArtifact: async ({ archive, budget }) => readArtifactResults(archive, budget),
    permissions: createPermissions({ clients, now }),
    configuration: createConfigurationReader({ clients, store, now, log }),
  });
  const project = (await store.findProjectOfRepository(repository.id))!;
  await clients.identity(SIGNAL);
  const opened = opening.move();
  return {
    ...{ double, people, checks, project, now },
    async counting(act) {
      const from = double.requests.length;
      const got = await act();
      const seen = double.requests.slice(from).filter(({ path }) => !path.includes('/access_tokens'));
      return { got, calls: seen.map(({ path }) => path.replace(`/repos/${SHOP}`, '')) };
    },
    branch: (name, by = 'wren') => people.push(SHOP, { by, branch: name, files: { [`${name}.js`]: 'x\n' } }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
