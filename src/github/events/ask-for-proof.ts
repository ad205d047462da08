// `/analyse prove` on a pull request: its head is pinned, and a proof begins. Before anything is pushed the answer says what will be, and what it costs.
import { createId } from '../../core/ids.ts';
import { isAtLeast } from '../../core/project/index.ts';
import { describeForeignResult, findForeignState, isForeignProofOpen } from '../../core/proof/index.ts';
import type { CommandReply } from '../../core/thread/index.ts';
import type { AskedProof } from '../../db/index.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import { replyToCommand } from './replies.ts';
import { readStandingPull } from './standing.ts';
import type { AnalysisRequest } from './start-analysis.ts';

export async function askForProof(deps: CausewayAppDeps, request: AnalysisRequest, signal: AbortSignal): Promise<void> {
  const { project, subject, trigger, configuration } = request;
  const { mode, limits } = configuration.config;
  const reply = (why: CommandReply['why']) => replyToCommand(deps, request, why, signal);
  if (deps.memory === 'github') return await reply({ code: 'checks_not_kept' });
  if (subject.kind !== 'pull_request') return await reply({ code: 'prove_needs_pull' });
  if (!isAtLeast(trigger.role, 'write')) return await reply({ code: 'prove_needs_write' });
  if (mode !== 'fix' || deps.ceiling !== 'fix') return await reply({ code: 'prove_off' });
  const { head, base, state } = await readStandingPull(deps, request, subject.number, signal);
  const newest = await deps.store.findExaminedProof(project.id, subject.number);
  const isProven = newest?.head === head.sha && findForeignState(newest) === 'proven';
  if (state === 'closed' && !isProven) return await reply({ code: 'prove_closed' });
  const asked = await deps.store.askProof(
    {
      id: createId('prf'),
      projectId: project.id,
      pullRequest: subject.number,
      head: head.sha,
      commentId: trigger.commentId,
      askedBy: trigger.by,
      askedAt: trigger.at,
    },
    { now: deps.now().toISOString(), limit: limits.ciRunsDay, baseBranch: base.ref },
  );
  const why = await toReply(deps, asked, trigger.commentId);
  if (why !== null) await reply(why);
}

/** Null: GitHub sent the comment again, and its proof goes on. */
async function toReply(
  { redactor }: Pick<CausewayAppDeps, 'redactor'>,
  asked: AskedProof,
  commentId: number | null,
): Promise<CommandReply['why'] | null> {
  if (asked.kind === 'full') return { code: 'prove_limit', limit: asked.limit, freeAt: asked.freeAt };
  const { proof, ahead } = asked;
  const isSame = proof.commentId !== null && proof.commentId === commentId;
  if (asked.kind === 'running' && !isSame) {
    const { id: proofId, head } = proof;
    const url = proof.checkRun?.url ?? '';
    if (isForeignProofOpen(proof)) return { code: 'prove_runs', url };
    return { code: 'prove_ended', proofId, head, said: await redactor.redact(describeForeignResult(proof)), url };
  }
  if (proof.progress.phase !== 'asked') return null;
  return {
    code: 'prove_begun',
    proofId: proof.id,
    pullRequest: proof.pullRequest,
    run: proof.progress.run ?? null,
    ahead: ahead && { pullRequest: ahead.pullRequest, url: ahead.checkRun?.url ?? '' },
  };
}
