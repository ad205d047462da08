// What a proof came to, said in the answer to its command: who reads the conversation finds it there. The edit notifies nobody.
import { describeForeignResult, type ForeignProof } from '../../core/proof/index.ts';
import type { CommandReply } from '../../core/thread/index.ts';
import { isFinal } from '../clients/index.ts';
import { createGithubWriter, isObserved } from '../publish/index.ts';
import { isProofReply, renderReply } from '../render/index.ts';
import type { ProveWork } from './prove-work.ts';

/** Once it ends, and as long as that answer stands: what was said since, or deleted by people, stays so. */
export async function tellResult(
  { deps, project, proof, signal }: ProveWork,
  { progress, checkRun }: Pick<ForeignProof, 'progress' | 'checkRun'>,
): Promise<void> {
  const { id, pullRequest, head, commentId, askedBy, askedAt } = proof;
  if (progress.phase !== 'ended' || isToldAlready(proof) || commentId === null) return;
  if (isObserved(deps, (await deps.configuration.of(project, signal)).config)) return;
  const said = await deps.redactor.redact(describeForeignResult({ progress }));
  const now = deps.now().toISOString();
  const why = { code: 'prove_ended', proofId: id, head, said, url: checkRun?.url ?? '' } as const;
  const reply: CommandReply = { why, at: now, ...(askedBy && { to: askedBy }) };
  const thread = await deps.store.findThreadOfSubject(project.id, { kind: 'pull_request', number: pullRequest });
  const standing = thread?.record.reply?.why;
  if (thread !== null && standing?.code === 'prove_begun' && standing.proofId === id)
    await deps.store.saveCommandReply(thread.id, reply, now);
  try {
    const github = createGithubWriter(deps, project, signal);
    const own = (await github.listOwnComments(pullRequest, askedAt)).find(({ body }) => isProofReply(body, id));
    if (own !== undefined) await github.updateComment(own.id, renderReply(reply));
  } catch (error) {
    if (!isFinal(error)) throw error;
    deps.log.info({ proof: id, err: error }, 'the answer to a request for a proof was not edited');
  }
}

/** What ended because its job failed time and again is told by the job that tidies up. */
function isToldAlready({ progress }: Pick<ForeignProof, 'progress'>): boolean {
  if (progress.phase !== 'ended') return false;
  const { result, isTidy } = progress;
  return isTidy || result.kind !== 'refused' || result.because.code !== 'failed';
}
