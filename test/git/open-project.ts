// What every test of the git room starts with: a source over a folder of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Project } from '../../src/core/project.ts';
import type { Repository, Source, SourceTree } from '../../src/core/source.ts';
import { createGitSource, type GitSourceOptions } from '../../src/git/mirror.ts';

export const SIGNAL = new AbortController().signal;

/** A folder that is removed at the end. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'causeway-git-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

export interface TestSource extends AsyncDisposable {
  readonly source: Source;
  readonly folder: string;
}

export function testSource(options: Partial<GitSourceOptions> = {}): TestSource {
  const folder = temporaryFolder();
  const source = createGitSource({ environment: process.env, ...options, folder: folder.path });
  return {
    source,
    folder: folder.path,
    async [Symbol.asyncDispose]() {
      await source[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

export function pathProject(path: string, id = 'prj_test'): Project {
  return { id, name: 'local/project', source: { kind: 'path', path }, createdAt: '2024-01-01T00:00:00.000Z' };
}

export function urlProject(url: string, id = 'prj_test'): Project {
  return { id, name: 'acme/project', source: { kind: 'url', url }, createdAt: '2024-01-01T00:00:00.000Z' };
}

/** The tree of the default branch. */
export async function treeOf(repository: Repository, revision = ''): Promise<SourceTree> {
  const sha = await repository.resolve(revision, SIGNAL);
  if (sha === null) throw new Error(`no commit for ${revision}`);
  return repository.tree(sha);
}
