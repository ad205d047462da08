// What proofs have left behind on GitHub: branches and drafts of ours without a proof that is under way, such as after records were lost.
import { isGithubProject } from '../../core/project/index.ts';
import { type ForeignProof, nameProofBranch, PROOF_BRANCHES } from '../../core/proof/index.ts';
import { GithubFailure } from '../clients/index.ts';
import { createGithubWriter, type PublishDeps } from '../publish/index.ts';
import type { ProveWork } from './prove-work.ts';
import { closeProofDrafts, deleteProofBranch, readProofOf } from './red-half.ts';

/** In the repositories where proofs were asked for; what others have made under such names stays. */
export async function tidyProofs(deps: PublishDeps, signal: AbortSignal): Promise<void> {
  if (deps.paused()) return;
  const open = await deps.store.listOpenProofs();
  for (const id of await deps.store.listProvedProjects()) {
    const project = await deps.store.findProject(id);
    if (project === null || !isGithubProject(project)) continue;
    // A proof that got stuck goes on: it tidies up by itself.
    await deps.store.scheduleProofs(id, null, deps.now().toISOString());
    const live = open.filter(({ projectId }) => projectId === id);
    try {
      await tidyBranches({ deps, project, signal }, live);
    } catch (error) {
      if (!(error instanceof GithubFailure) || error.kind === 'busy') throw error;
      deps.log.warn({ project: id, err: error }, 'what proofs left behind cannot be looked at');
    }
  }
}

async function tidyBranches(place: Omit<ProveWork, 'proof'>, live: readonly ForeignProof[]): Promise<void> {
  const { deps, project, signal } = place;
  const github = createGithubWriter(deps, project, signal);
  for (const branch of await github.listBranches(PROOF_BRANCHES)) {
    const head = await github.readBranch(branch);
    const proof = head && readProofOf(head);
    if (live.some((one) => one.id === proof || nameProofBranch(one) === branch)) continue;
    await closeProofDrafts(place, branch);
    if (proof === null) continue;
    deps.log.info({ project: project.id, proof, branch }, 'a branch that a proof left behind is deleted');
    await deleteProofBranch(place, branch);
  }
}
