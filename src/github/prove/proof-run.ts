// Our check run `Causeway / proof` on the head of somebody else's pull request: made once, written again where its text changes, and a newer one
// where the pull request has moved on.
import { type ForeignProof, type PostedProofRun, type ProveRefusal, toCertificate } from '../../core/proof/index.ts';
import { openRepository, readPages, recoverFrom } from '../clients/index.ts';
import { digestOf, isObserved, listChangedFiles } from '../publish/index.ts';
import { type ProofRunText, renderProofRun, renderStaleProof } from '../render/index.ts';
import type { ProveWork } from './prove-work.ts';
import { readProvedPull, type StandingPull } from './read-plan.ts';

const PROOF_CHECK = 'Causeway / proof';
const MOST_PAGES = 5;

/** Found before the head is compared with the pull request's, or because it is another. */
const BEFORE_HEAD = new Set<ProveRefusal['code']>(['absent', 'closed', 'fork', 'dependabot', 'moved']);

/** Whether its head is known to be one of the pull request's: a program may name that of another one, where our check run says something else. */
function isOfPull({ commentId, checkRun, progress }: ForeignProof): boolean {
  if (commentId !== null || checkRun !== null) return true;
  if (progress.phase !== 'ended') return progress.phase !== 'asked';
  return progress.result.kind !== 'refused' || !BEFORE_HEAD.has(progress.result.because.code);
}

/** What is on the head now; null: GitHub takes none of ours, or it may be another's. Looks for one that was made and not recorded first. */
export async function showProofRun(work: ProveWork): Promise<PostedProofRun | null> {
  const { proof, project, deps } = work;
  if (!isOfPull(proof)) return null;
  const certificate = toCertificate(proof, project.name);
  const wanted = renderProofRun({ proof, repository: project.name, webUrl: deps.webUrl, certificate });
  // Such as at a head that a call made up: the proof itself goes on, to its end and the removal of what it made.
  return await recoverFrom<PostedProofRun | null>(
    ['refused', 'gone'],
    () => writeProofRun(work, proof.head, wanted, proof.checkRun),
    (error) => {
      deps.log.warn({ proof: proof.id, err: error }, 'GitHub refused the check run of a proof');
      return proof.checkRun;
    },
  );
}

async function writeProofRun(
  work: ProveWork,
  head_sha: string,
  wanted: ProofRunText,
  known: PostedProofRun | null,
): Promise<PostedProofRun | null> {
  const { deps, project, proof, signal } = work;
  const digest = digestOf(JSON.stringify(wanted));
  if (known?.digest === digest) return known;
  const posted = known ?? (await findProofRun(work, head_sha));
  // What was begun before is still brought to its end.
  if (posted === null && isObserved(deps, (await deps.configuration.of(project, signal)).config)) return null;
  const redact = (text: string) => deps.redactor.redact(text);
  const output = { title: await redact(wanted.title), summary: await redact(wanted.summary) };
  const state =
    wanted.status === 'completed'
      ? ({ status: 'completed', conclusion: wanted.conclusion } as const)
      : ({ status: 'in_progress' } as const);
  const write = openRepository(deps, project, 'check', signal);
  if (posted !== null) {
    await write(({ rest }, place) => rest.checks.update({ ...place, check_run_id: posted.id, ...state, output }));
    return { ...posted, digest };
  }
  const run = { name: PROOF_CHECK, head_sha, external_id: proof.id, ...state, output };
  const { id, html_url: url } = await write(({ rest }, place) => rest.checks.create({ ...place, ...run }));
  return { id, url: url ?? '', digest };
}

/** The first one of ours there that names this proof. */
async function findProofRun(
  { deps, project, proof, signal }: ProveWork,
  ref: string,
): Promise<Pick<PostedProofRun, 'id' | 'url'> | null> {
  const { appId } = await deps.clients.identity(signal);
  const read = openRepository(deps, project, 'read', signal);
  const { items } = await readPages(MOST_PAGES, async (page) => {
    const of = { ref, app_id: appId, check_name: PROOF_CHECK, filter: 'all' as const };
    return (await read(({ rest }, place) => rest.checks.listForRef({ ...place, ...of, ...page }))).check_runs;
  });
  const [first] = items
    .filter((run) => run.app?.id === appId && run.name === PROOF_CHECK && run.external_id === proof.id)
    .toSorted((one, other) => one.id - other.id);
  return first === undefined ? null : { id: first.id, url: first.html_url ?? '' };
}

/**
 * After it has ended: says on the pull request's head that what was examined is not what is there, if its tests or its change differ,
 * or its base branch. On the examined head it stands in place of the result, which comes back with that branch.
 */
export async function noteStale(work: ProveWork): Promise<void> {
  const { deps, project, proof, signal } = work;
  const { progress } = proof;
  if (progress.phase !== 'ended' || progress.result.kind !== 'judged' || progress.plan === null) return;
  const { plan } = progress;
  const newest = await deps.store.findExaminedProof(proof.projectId, proof.pullRequest);
  const pull = await readProvedPull(work);
  if (newest?.id !== proof.id || pull === null || pull.state === 'closed') return;
  if (isObserved(deps, (await deps.configuration.of(project, signal)).config)) return;
  const isOnto = pull.baseBranch === plan.baseBranch;
  const isSameHead = pull.head === proof.head;
  if (isOnto && !isSameHead && !(await isOtherChange(work, pull))) return;
  const stale = renderStaleProof(proof, plan, isOnto ? 'head' : 'base');
  if (!isSameHead) {
    await writeProofRun(work, pull.head, stale, null);
    return;
  }
  const checkRun = isOnto ? await showProofRun(work) : await writeProofRun(work, pull.head, stale, proof.checkRun);
  if (checkRun?.digest !== proof.checkRun?.digest)
    await deps.store.saveForeignProof(proof.id, { progress, checkRun }, deps.now().toISOString());
}

/** Whether the tests or the change of the newer head differ from those that were examined. */
async function isOtherChange(
  work: ProveWork,
  { baseBranch, head }: Pick<StandingPull, 'baseBranch' | 'head'>,
): Promise<boolean> {
  const toKey = ({ path, status, blob }: { readonly path: string; readonly status: string; readonly blob: string }) =>
    JSON.stringify([path, status, blob]);
  const before = new Set((await listChangedFiles(work, baseBranch, work.proof.head)).map(toKey));
  const after = await listChangedFiles(work, baseBranch, head);
  return after.length !== before.size || after.some((file) => !before.has(toKey(file)));
}
