// What a project's own configuration means to the API: pull requests only where the repository and the operator both allow them.
import { expect, it } from 'vitest';
import { createSettingsReader } from '../../src/app/github.ts';
import type { Project } from '../../src/core/project.ts';
import { DEFAULT_CONFIG, type Mode } from '../../src/github/configuration/repository-config.ts';

const PROJECT: Project = {
  ...{ id: 'prj_1', name: 'octo/shop', createdAt: '2026-11-20T10:00:00.000Z' },
  source: {
    ...{ kind: 'github', repositoryId: 1, installationId: 2, url: 'https://github.com/octo/shop.git' },
    ...{ isPrivate: true, isArchived: false, defaultBranch: 'main' },
  },
};

async function readRefusal(mode: Mode, maxMode: Mode, project = PROJECT): Promise<string> {
  const configuration = { of: async () => ({ config: { ...DEFAULT_CONFIG, mode }, problem: null }) };
  const settingsOf = createSettingsReader(configuration, { maxMode }, { operatorModel: 'm', otherModels: [] });
  return (await settingsOf(project, AbortSignal.timeout(1_000))).noPullRequests;
}

it.each([
  ['fix', 'fix', /^$/],
  ['fix', 'comment', /operator/],
  ['comment', 'observe', /operator/],
  ['comment', 'fix', /mode: comment/],
  ['observe', 'fix', /mode: observe/],
] as const)('with %s in the repository and %s at most, the API says %s', async (mode, maxMode, words) => {
  expect(await readRefusal(mode, maxMode)).toMatch(words);
});

it('a local project is judged elsewhere', async () => {
  const local: Project = { ...PROJECT, source: { kind: 'path', path: '/srv/shop' } };
  expect(await readRefusal('observe', 'observe', local)).toBe('');
});
