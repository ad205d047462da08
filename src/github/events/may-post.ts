// Whether anything may be written in a repository just now.
import type { RepositoryConfig } from '../configuration/repository-config.ts';
import type { CausewayAppDeps } from './app-deps.ts';

/** Neither where it is only observed, by its own word or the operator's, nor while the house is paused. */
export function mayPost(
  { ceiling, paused }: Pick<CausewayAppDeps, 'ceiling' | 'paused'>,
  config: RepositoryConfig,
): boolean {
  return config.mode !== 'observe' && ceiling !== 'observe' && !paused();
}
