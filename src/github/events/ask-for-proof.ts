// `/analyse prove` on a pull request: its head is pinned, and a proof begins.
import { createId } from '../../core/ids.ts';
import { isAtLeast } from '../../core/project/index.ts';
import { nameProofBranch } from '../prove/index.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import { replyToCommand } from './replies.ts';
import { readStandingPull } from './standing.ts';
import type { AnalysisRequest } from './start-analysis.ts';

export async function askForProof(deps: CausewayAppDeps, request: AnalysisRequest, signal: AbortSignal): Promise<void> {
  const { project, subject, trigger } = request;
  if (deps.memory === 'github') return await replyToCommand(deps, request, { code: 'checks_not_kept' }, signal);
  if (subject.kind !== 'pull_request') return await replyToCommand(deps, request, { code: 'prove_needs_pull' }, signal);
  if (!isAtLeast(trigger.role, 'write'))
    return await replyToCommand(deps, request, { code: 'prove_needs_write' }, signal);
  const { head } = await readStandingPull(deps, request, subject.number, signal);
  const { kind, proof } = await deps.store.askProof(
    {
      id: createId('prf'),
      projectId: project.id,
      pullRequest: subject.number,
      head: head.sha,
      commentId: trigger.commentId,
      askedBy: trigger.by,
      askedAt: trigger.at,
    },
    deps.now().toISOString(),
  );
  const isSame = kind === 'running' && proof.commentId === trigger.commentId;
  if (isSame && proof.progress.phase !== 'asked') return;
  const code = kind === 'asked' || isSame ? 'prove_begun' : 'prove_runs';
  await replyToCommand(deps, request, { code, branch: nameProofBranch(proof) }, signal);
}
