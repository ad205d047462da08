// What proofs have left behind on GitHub: branches and drafts of ours without a proof that is under way, such as after records were lost.
import { isGithubProject } from '../../core/project/index.ts';
import { GithubFailure } from '../clients/index.ts';
import { createGithubWriter, type PublishDeps } from '../publish/index.ts';
import { PROOF_BRANCHES, readProofOf, removeProofBranch } from './red-half.ts';

/** In the repositories where proofs were asked for; what others have made under such names stays. */
export async function tidyProofs(deps: PublishDeps, signal: AbortSignal): Promise<void> {
  if (deps.paused()) return;
  const open = new Set((await deps.store.listOpenProofs()).map(({ id }) => id));
  for (const id of await deps.store.listProvedProjects()) {
    const project = await deps.store.findProject(id);
    if (project === null || !isGithubProject(project)) continue;
    // A proof that got stuck goes on: it tidies up by itself.
    await deps.store.scheduleProofs(id, null, deps.now().toISOString());
    const github = createGithubWriter(deps, project, signal);
    try {
      for (const branch of await github.listBranches(PROOF_BRANCHES)) {
        const head = await github.readBranch(branch);
        const proof = head && readProofOf(head);
        if (proof === null || open.has(proof)) continue;
        deps.log.info({ project: id, proof, branch }, 'a branch that a proof left behind is deleted');
        await removeProofBranch({ deps, project, signal }, branch);
      }
    } catch (error) {
      if (!(error instanceof GithubFailure) || error.kind === 'busy') throw error;
      deps.log.warn({ project: id, err: error }, 'what proofs left behind cannot be looked at');
    }
  }
}
