// What a project's own configuration means to the API: pull requests only where the repository and the operator both let them.
import { describe, expect, it } from 'vitest';
import { projectSettings } from '../../src/app/project-settings.ts';
import type { Project } from '../../src/core/project.ts';
import { DEFAULT_CONFIG, type Mode } from '../../src/github/configuration/repository-config.ts';

const project: Project = {
  ...{ id: 'prj_1', name: 'octo/shop', createdAt: '2026-11-20T10:00:00.000Z' },
  source: {
    ...{ kind: 'github', repositoryId: 1, installationId: 2, url: 'https://github.com/octo/shop.git' },
    ...{ isPrivate: true, isArchived: false, defaultBranch: 'main' },
  },
};

async function refusal(mode: Mode, ceiling: Mode): Promise<string> {
  const configuration = { of: async () => ({ config: { ...DEFAULT_CONFIG, mode }, problem: null }) };
  const settings = await projectSettings({ configuration, ceiling, operatorModel: 'm' })(
    project,
    AbortSignal.timeout(1_000),
  );
  return settings.noPullRequests;
}

describe('pull requests through the API', () => {
  it('are opened where repository and operator say fix', async () => {
    expect(await refusal('fix', 'fix')).toBe('');
  });

  it.each([
    ['fix', 'comment', 'operator'],
    ['comment', 'observe', 'operator'],
    ['comment', 'fix', 'mode: comment'],
    ['observe', 'fix', 'mode: observe'],
  ] as const)('are not where the repository says %s and the operator %s', async (mode, ceiling, words) => {
    expect(await refusal(mode, ceiling)).toContain(words);
  });

  it('of a local project are judged elsewhere', async () => {
    const configuration = { of: () => Promise.reject(new Error('asked for nothing')) };
    const settingsOf = projectSettings({ configuration, ceiling: 'observe', operatorModel: null });
    const local: Project = { ...project, source: { kind: 'path', path: '/srv/shop' } };
    expect((await settingsOf(local, AbortSignal.timeout(1_000))).noPullRequests).toBe('');
  });
});
