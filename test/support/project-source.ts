// What tests over real repositories start with: the App's source over a folder of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Repository, SourceTree } from 'causeway-git-objects';
import { openSource, type SourceOptions } from '../../src/app/git-source.ts';
import type { Project } from '../../src/core/project/project.ts';
import type { Source } from '../../src/core/source/source.ts';

export const SIGNAL = new AbortController().signal;

interface TestSource extends AsyncDisposable {
  readonly source: Source;
}

export function testSource(options: Partial<SourceOptions> = {}): TestSource {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-git-'));
  const source = openSource({ environment: process.env, ...options, folder });
  return {
    source,
    async [Symbol.asyncDispose]() {
      await source[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export function pathProject(path: string, id = 'prj_test'): Project {
  return { id, name: 'local/project', source: { kind: 'path', path }, createdAt: '2024-01-01T00:00:00.000Z' };
}

/** The tree of the default branch. */
export async function treeOf(repository: Repository, revision = ''): Promise<SourceTree> {
  const sha = await repository.resolve(revision, SIGNAL);
  if (sha === null) throw new Error(`no commit for ${revision}`);
  return repository.tree(sha);
}
