// The bare repositories of the cases, found by name and opened as the product opens a repository on this disk.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Repository } from 'causeway-git-objects';
import { openSource } from '../../src/app/git-source.ts';
import type { Lexicon } from '../../src/core/source/lexicon.ts';
import { createLog } from '../../src/log.ts';
import { createLexicons } from '../../src/search/lexicons.ts';
import { EvalFault } from './part.ts';

export interface Repositories extends AsyncDisposable {
  /** Null where the folder has no such repository. */
  open(name: string, signal: AbortSignal): Promise<OpenedRepository | null>;
}

export interface OpenedRepository {
  readonly lexicon: Lexicon;
  /** With all that is known of it today. */
  readonly repository: Repository;
  /**
   * The repository as it was known at a commit: whatever does not lead to that commit resolves to nothing, as the fix and
   * all that came after it were not there when the report was written. Null where the commit is not there.
   */
  asOf(commit: string, signal: AbortSignal): Promise<Repository | null>;
}

/** Nothing is written into `folder`; mirrors go to `keep`. Throws EvalFault where `folder` is none. */
export function openRepositories(folder: string, keep: string): Repositories {
  if (folder === '' || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new EvalFault(
      `This part reads repositories: give --repositories DIR, a folder of bare ones named owner+name, owner+name.git or owner+name/repo${
        folder === '' ? '' : ` (${folder} is no folder)`
      }.`,
    );
  }
  const source = openSource({ folder: path.join(keep, 'mirrors'), environment: process.env });
  const lexicons = createLexicons({ folder: path.join(keep, 'lexicon'), log: createLog({ level: 'warn' }) });
  return {
    async open(name, signal) {
      const found = locate(folder, name);
      if (found === null) return null;
      const id = `eval_${createHash('sha256').update(found).digest('hex').slice(0, 20)}`;
      const project = {
        id,
        name,
        source: { kind: 'path' as const, path: found },
        createdAt: '2024-01-01T00:00:00.000Z',
      };
      const repository = await source.open(project, signal);
      return {
        lexicon: lexicons.of(project),
        repository,
        asOf: (commit, until) => asOf(repository, { gitDir: found, commit }, until),
      };
    },
    async [Symbol.asyncDispose]() {
      await lexicons[Symbol.asyncDispose]();
      await source[Symbol.asyncDispose]();
    },
  };
}

function locate(folder: string, name: string): string | null {
  if (!/^[\w.-]+\/[\w.-]+$/.test(name)) return null;
  const stem = path.join(folder, name.replace('/', '+'));
  // SWE-bench keeps copies of some repositories that are not to be had by their own name.
  const copy = path.join(folder, `swe-bench+${name.replace('/', '__')}`);
  return (
    [stem, `${stem}.git`, path.join(stem, 'repo'), path.join(copy, 'repo')].find((each) =>
      existsSync(path.join(each, 'HEAD')),
    ) ?? null
  );
}

async function asOf(
  repository: Repository,
  { gitDir, commit }: { readonly gitDir: string; readonly commit: string },
  signal: AbortSignal,
): Promise<Repository | null> {
  if ((await repository.resolve(commit, signal)) === null) return null;
  return {
    ...repository,
    ensureCommit: async (sha) => sha === commit,
    async resolve(revision, until) {
      // It was the newest commit then.
      if (revision === '') return commit;
      const sha = await repository.resolve(revision, until);
      return sha === null || sha === commit || (await leadsTo(gitDir, { from: sha, to: commit })) ? sha : null;
    },
  };
}

/** Whether `to` has `from` in its history. */
async function leadsTo(gitDir: string, { from, to }: { readonly from: string; readonly to: string }): Promise<boolean> {
  try {
    await promisify(execFile)('git', ['--git-dir', gitDir, 'merge-base', '--is-ancestor', from, to]);
    return true;
  } catch {
    return false;
  }
}
