// What every test starts with: a source over a folder of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MirroredProject } from '../src/fetch.ts';
import { createGitSource, type GitSource, type GitSourceOptions } from '../src/mirror.ts';
import type { Repository, SourceTree } from '../src/source.ts';

export const SIGNAL = new AbortController().signal;

/** A folder that is removed at the end. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'causeway-git-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

export interface TestSource extends AsyncDisposable {
  readonly source: GitSource<MirroredProject>;
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

export function pathProject(path: string, id = 'prj_test'): MirroredProject {
  return { id, name: 'local/project', source: { path } };
}

export function urlProject(url: string, id = 'prj_test'): MirroredProject {
  return { id, name: 'acme/project', source: { url } };
}

/** The tree of the default branch. */
export async function treeOf(repository: Repository, revision = ''): Promise<SourceTree> {
  const sha = await repository.resolve(revision, SIGNAL);
  if (sha === null) throw new Error(`no commit for ${revision}`);
  return repository.tree(sha);
}
