// Two GitHub projects, one private and one public, beside the API's ground, and a person with a role in them.
import { DEFAULT_SCOPES } from '../../src/core/account/account.ts';
import type { Role } from '../../src/core/project/person.ts';
import type { Project } from '../../src/core/project/project.ts';
import { conclusion } from '../support/store-samples.ts';
import type { ApiGround } from './api-ground.ts';

export interface GithubGround {
  readonly hidden: Project;
  readonly shown: Project;
  /** Of the account `octocat`, with the scopes of a new token. */
  readonly token: string;
  readonly accountId: string;
  setRole(role: Role): void;
  /** A report of somebody about the project, concluded. */
  conclude(
    project: Project,
    how?: { readonly withChange?: boolean },
  ): Promise<{ readonly issueId: string; readonly investigationId: string }>;
}

export async function githubGround(ground: ApiGround): Promise<GithubGround> {
  const { store } = ground;
  const now = ground.clock.now.toISOString();
  const owner = { id: 1, login: 'octo', kind: 'organization' } as const;
  const repository = (id: number, name: string, isPrivate: boolean) => ({
    ...{ id, fullName: `octo/${name}`, cloneUrl: `https://github.com/octo/${name}.git` },
    ...{ isPrivate, isArchived: false, defaultBranch: 'main' },
  });
  await store.syncInstallation(
    { id: 11, owner, permissions: {}, isSuspended: false },
    [repository(21, 'hidden', true), repository(22, 'shown', false)],
    now,
  );
  const [hidden, shown] = [await store.findProjectOfRepository(21), await store.findProjectOfRepository(22)];
  if (hidden === null || shown === null) throw new Error('the projects were not made');
  const account = await store.ensureAccount({ login: 'octocat', githubId: 583231, signingSecret: 'whsec_o', now });
  return {
    ...{ hidden, shown, accountId: account.id },
    token: await ground.newToken({ accountId: account.id, scopes: DEFAULT_SCOPES }),
    setRole: (role) => void ground.roles.set(account.id, role),
    conclude: async (project, { withChange = true } = {}) => {
      const investigationId = await ground.report('boom', { projectId: project.id, fresh: true });
      const change = { kind: 'modified', path: 'a.txt', before: 'old\n', after: 'new\n' } as const;
      const { changeSet } = conclusion();
      const found = conclusion({ changeSet: { ...changeSet, files: withChange ? [change] : [] } });
      const [issueId = ''] = await store.conclude(await ground.start(investigationId), found, now);
      return { issueId, investigationId };
    },
  };
}
