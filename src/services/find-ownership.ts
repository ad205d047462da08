// Who owns a file, such as the one that a conclusion is about: by the scope that has it, or else by CODEOWNERS.

import type { Repository } from 'causeway-git-objects';
import { type Conclusion, findContextFile, isReliable, type Ownership } from '../core/issue/index.ts';
import { findScopeOf, type Scope } from '../core/project/index.ts';
import { readOwnersOf } from '../core/source/index.ts';
import type { SourceReader } from './read-source.ts';

/**
 * Of the first changed file, or else of the first suspect where that is reliable: the wrong people must not be named.
 * Both files are those of the default branch. Null: no such file, or it belongs to no scope and has no owner.
 */
export async function findOwnership(
  { changeSet, analysis }: Pick<Conclusion, 'changeSet' | 'analysis'>,
  scopes: readonly Scope[],
  repository: Repository,
  signal: AbortSignal,
): Promise<Ownership | null> {
  const [first] = analysis.suspects;
  const isOwned =
    first !== undefined && isReliable(first) && findContextFile(first.file, analysis.context ?? []) === null;
  const file = changeSet.files[0]?.path ?? (isOwned ? first.file : null);
  return file === null ? null : await readOwnership(file, scopes, repository, signal);
}

/** Null: the file belongs to no scope and has no owner. */
export async function readOwnership(
  file: string,
  scopes: readonly Scope[],
  repository: Repository,
  signal: AbortSignal,
): Promise<Ownership | null> {
  const scope = findScopeOf(scopes, file);
  const hasOwners = scope !== null && scope.owners.length > 0;
  const owners = hasOwners ? scope.owners : await readOwnersOf(file, repository, signal);
  return scope === null && owners.length === 0 ? null : { file, owners, scope: scope?.paths ?? [] };
}

/** Reads who owns a path of the default branch; the source is read for a path that no scope with owners has. */
export function createOwnersReader(
  readSource: SourceReader,
  scopes: readonly Scope[],
): (path: string) => Promise<readonly string[]> {
  return async (path) => {
    const scope = findScopeOf(scopes, path);
    if (scope !== null && scope.owners.length > 0) return scope.owners;
    return await readSource((repository, signal) => readOwnersOf(path, repository, signal), []);
  };
}
