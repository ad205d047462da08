// What every step of a proof of somebody else's pull request works with.
import type { GithubProject } from '../../core/project/index.ts';
import type { ForeignProof } from '../../core/proof/index.ts';
import type { PublishDeps } from '../publish/index.ts';

export interface ProveWork {
  readonly deps: PublishDeps;
  readonly project: GithubProject;
  readonly proof: ForeignProof;
  readonly signal: AbortSignal;
}
