// Reading the configuration of a repository, and its owner's where it has none.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GithubProject } from '../../../src/core/project/project.ts';
import { createConfigurationReader } from '../../../src/github/configuration/read-configuration.ts';
import { DEFAULT_CONFIG } from '../../../src/github/configuration/repository-config.ts';
import { createLog } from '../../../src/log.ts';
import { type ContentsServer, contentsServer } from './contents-server.ts';

const SIGNAL = new AbortController().signal;
let clock = Date.parse('2026-01-01T00:00:00.000Z');
const now = () => new Date(clock);
let github: ContentsServer;
beforeEach(async () => {
  github = await contentsServer(now);
});
afterEach(() => github[Symbol.asyncDispose]());

function project(name: string, repositoryId: number, installationId = 1): GithubProject {
  return {
    id: `prj_${repositoryId}`,
    name,
    source: {
      kind: 'github',
      repositoryId,
      installationId,
      url: '',
      isPrivate: true,
      isArchived: false,
      defaultBranch: 'main',
    },
    createdAt: now().toISOString(),
  };
}

const SHOP = project('octo/shop', 11);
const OWNERS = project('octo/.github', 12);

function reader(known: readonly GithubProject[] = [SHOP, OWNERS]) {
  const store = { findProject: async (name: string) => known.find((each) => each.name === name) ?? null };
  return createConfigurationReader({ clients: github, store, now, log: createLog({ level: 'silent' }) });
}

describe('the configuration of a repository', () => {
  it('is its own file, read with a token of that repository', async () => {
    github.files.set('octo/shop', 'mode: comment\n');
    github.files.set('octo/.github', 'mode: observe\n');
    const { config, problem } = await reader().of(SHOP, SIGNAL);
    expect([config.mode, problem]).toEqual(['comment', null]);
    expect(github.requests).toEqual(['octo/shop 200 token 11']);
  });

  it("is its owner's where it has none, read with a token of the owner's repository", async () => {
    github.files.set('octo/.github', 'mode: observe\nlabel: x\n');
    const { config, problem, heldBy } = await reader().of(SHOP, SIGNAL);
    expect(config.mode).toBe('observe');
    expect(heldBy).toEqual({ projectId: 'prj_12', isPrivate: true });
    expect(problem).toMatchObject({ file: 'octo/.github: .github/causeway.yml', line: 2 });
    expect(github.requests).toEqual(['octo/shop 404 token 11', 'octo/.github 200 token 12']);
  });

  it('is an empty file as well: the owner is not asked', async () => {
    github.files.set('octo/shop', '');
    github.files.set('octo/.github', 'mode: observe\n');
    expect(await reader().of(SHOP, SIGNAL)).toEqual({ config: DEFAULT_CONFIG, problem: null, given: new Set() });
  });

  it('is the default where there is no file, no such repository of the owner, or one of another installation', async () => {
    github.files.set('octo/.github', 'mode: observe\n');
    const nothing = { config: DEFAULT_CONFIG, problem: null };
    expect(await reader([SHOP]).of(SHOP, SIGNAL)).toEqual(nothing);
    expect(await reader([SHOP, project('octo/.github', 12, 2)]).of(SHOP, SIGNAL)).toEqual(nothing);
    github.files.delete('octo/.github');
    expect(await reader().of(OWNERS, SIGNAL)).toEqual(nothing);
  });

  it('is kept for a minute, then asked for by its ETag', async () => {
    github.files.set('octo/shop', 'mode: comment\n');
    const read = reader();
    await read.of(SHOP, SIGNAL);
    clock += 59_000;
    await read.of(SHOP, SIGNAL);
    clock += 2_000;
    expect((await read.of(SHOP, SIGNAL)).config.mode).toBe('comment');
    expect(github.requests).toEqual(['octo/shop 200 token 11', 'octo/shop 304 token 11']);
    github.files.set('octo/shop', 'mode: observe\n');
    clock += 61_000;
    expect((await read.of(SHOP, SIGNAL)).config.mode).toBe('observe');
  });

  it('is read anew at once when it was forgotten, also while GitHub was answering', async () => {
    github.files.set('octo/shop', 'mode: comment\n');
    const read = reader();
    github.meanwhile = () => {
      github.files.set('octo/shop', 'mode: observe\n');
      read.forget(SHOP.id);
      github.meanwhile = () => undefined;
    };
    await read.of(SHOP, SIGNAL);
    expect((await read.of(SHOP, SIGNAL)).config.mode).toBe('observe');
    github.files.set('octo/shop', 'mode: fix\n');
    read.forget(SHOP.id);
    expect((await read.of(SHOP, SIGNAL)).config.mode).toBe('fix');
  });

  it.each([500, 502, 403])('is not guessed where GitHub answers %i', async (status) => {
    github.files.set('octo/shop', 'mode: observe\n');
    github.fault = status;
    const read = reader();
    await expect(read.of(SHOP, SIGNAL)).rejects.toMatchObject({ code: 'github_failed', status });
    expect((await read.of(SHOP, SIGNAL)).config.mode).toBe('observe');
  });

  it('is not guessed where no token can be had: that is another 404', async () => {
    github.noToken = 11;
    await expect(reader().of(SHOP, SIGNAL)).rejects.toMatchObject({ kind: 'gone', status: 404 });
    github.noToken = 12;
    await expect(reader().of(SHOP, SIGNAL)).rejects.toMatchObject({ kind: 'gone', status: 404 });
  });

  it.each([
    [Buffer.from([0x6d, 0xff, 0xfe]), 'The file is not UTF-8. Save it as UTF-8.'],
    [' '.repeat(70_000), 'The file is larger than 16 KiB. Keep what Causeway needs.'],
  ])('that is no text of a sensible size is complained about: %#', async (content, message) => {
    github.files.set('octo/shop', content);
    const { config, problem } = await reader().of(SHOP, SIGNAL);
    expect(problem).toMatchObject({ file: '.github/causeway.yml', line: 0, message });
    expect(config.mode).toBe('comment');
  });
});
