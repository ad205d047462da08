// The red half on GitHub: a commit with the tests alone, its branch and its draft. Each is looked for before it is made; all are taken away again.
import {
  type ForeignProof,
  nameProofBranch,
  type PostedRedHalf,
  type ProveRefusal,
  type RedPlan,
} from '../../core/proof/index.ts';
import { GithubFailure, ignoreRefused, ignoreUnknown, openRepository, recoverFrom } from '../clients/index.ts';
import { type BranchHead, createGithubWriter } from '../publish/index.ts';
import { renderProofDraft } from '../render/index.ts';
import { readRunsAt } from './foreign-acts.ts';
import type { ProveWork } from './prove-work.ts';
import type { RedHalfFile } from './read-plan.ts';
import { toRefusedCall } from './refusals.ts';

const TRAILER = /^Causeway-Proof: (prf_[0-9A-Za-z]{1,40})\s*$/m;

/** Id of the proof that a commit of ours was made for; null: of none. Anybody may write our name and that line into a commit. */
export function readProofOf({
  message,
  isOurs,
  isByOthers,
}: Pick<BranchHead, 'message' | 'isOurs' | 'isByOthers'>): string | null {
  return isOurs && !isByOthers ? (TRAILER.exec(message)?.[1] ?? null) : null;
}

interface RedHalfToOpen {
  readonly plan: RedPlan;
  readonly files: readonly RedHalfFile[];
  readonly removed: readonly string[];
}

type OpenedRedHalf =
  | { readonly kind: 'opened'; readonly posted: PostedRedHalf }
  | { readonly kind: 'refused'; readonly because: ProveRefusal };

/** Pushes the commit and opens its draft, or finds what an earlier try has made. */
export async function openRedHalf(work: ProveWork, half: RedHalfToOpen): Promise<OpenedRedHalf> {
  const { deps, project, proof, signal } = work;
  const github = createGithubWriter(deps, project, signal);
  const branch = nameProofBranch(proof);
  const head = await github.readBranch(branch);
  const of = head === null ? null : readProofOf(head);
  if (head !== null && of === null) return { kind: 'refused', because: { code: 'branch_taken' } };
  if (head !== null && of !== proof.id) await github.deleteBranch(branch);
  try {
    const tree = await makeTestTree(work, half);
    const isFound = head !== null && of === proof.id;
    // Our name is no proof of what is in it.
    if (isFound && !isTestCommit(head, { proof, plan: half.plan, tree }))
      return { kind: 'refused', because: { code: 'branch_taken' } };
    const testCommit = isFound ? head.sha : await pushTests(work, { plan: half.plan, tree }, branch);
    const draft = await openDraft(work, branch, half.plan);
    if (draft === null) return { kind: 'refused', because: { code: 'no_drafts' } };
    await lockDraft(work, draft.number);
    return { kind: 'opened', posted: { branch, testCommit, ...draft } };
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.kind !== 'refused') throw error;
    deps.log.warn({ proof: proof.id, err: error }, 'GitHub refused the red half of a proof');
    const refused = await toRefusedCall(error, deps.redactor);
    return { kind: 'refused', because: { code: 'not_permitted', refused } };
  }
}

/** Of the commit. A number sign would link it from the pull request. */
export function renderTestMessage({ id, pullRequest }: Pick<ForeignProof, 'id' | 'pullRequest'>): string {
  return [
    `Tests of pull request ${pullRequest} alone`,
    '',
    'Without its change they should fail. Made for a proof; not to be merged.',
    '',
    `Causeway-Proof: ${id}`,
  ].join('\n');
}

interface TestCommit {
  readonly plan: RedPlan;
  readonly tree: string;
}

function isTestCommit(
  head: Pick<BranchHead, 'tree' | 'parents' | 'message'>,
  { proof, plan, tree }: TestCommit & Pick<ProveWork, 'proof'>,
): boolean {
  const isOnBase = head.parents.length === 1 && head.parents[0] === plan.base;
  return isOnBase && head.tree === tree && head.message.trim() === renderTestMessage(proof);
}

/** From blobs that the head has: nothing of a test passes through us. The same tree has the same name each time. */
async function makeTestTree(
  { deps, project, signal }: ProveWork,
  { plan, files, removed }: RedHalfToOpen,
): Promise<string> {
  const push = openRepository(deps, project, 'push', signal);
  const parent = await push(({ rest }, place) => rest.git.getCommit({ ...place, commit_sha: plan.base }));
  const tree = [
    ...files.map(({ path, mode, blob }) => ({ path, mode, type: 'blob' as const, sha: blob })),
    ...removed.map((path) => ({ path, mode: '100644' as const, type: 'blob' as const, sha: null })),
  ];
  return (await push(({ rest }, place) => rest.git.createTree({ ...place, base_tree: parent.tree.sha, tree }))).sha;
}

/** The branch comes last, and as one push. */
async function pushTests(
  { deps, project, proof, signal }: ProveWork,
  { plan, tree }: TestCommit,
  branch: string,
): Promise<string> {
  const push = openRepository(deps, project, 'push', signal);
  const commit = { message: renderTestMessage(proof), tree, parents: [plan.base] };
  const { sha } = await push(({ rest }, place) => rest.git.createCommit({ ...place, ...commit }));
  await push(({ rest }, place) => rest.git.createRef({ ...place, ref: `refs/heads/${branch}`, sha }));
  return sha;
}

/** Null: GitHub offers no drafts here, and a pull request that looks ready is not opened. */
async function openDraft(
  { deps, project, proof, signal }: ProveWork,
  branch: string,
  plan: RedPlan,
): Promise<Pick<PostedRedHalf, 'number' | 'url'> | null> {
  const [found] = await listOpenDrafts({ deps, project, signal }, branch);
  if (found !== undefined) return { number: found.number, url: found.html_url };
  const push = openRepository(deps, project, 'push', signal);
  const text = renderProofDraft(proof);
  const request = { ...text, head: branch, base: plan.baseBranch, draft: true };
  return await recoverFrom<Pick<PostedRedHalf, 'number' | 'url'> | null>(
    ['refused'],
    async () => {
      const { number, html_url: url } = await push(({ rest }, place) => rest.pulls.create({ ...place, ...request }));
      return { number, url };
    },
    (error) => {
      if (error.status === 422 && /\bdraft\b/i.test(error.said)) return null;
      throw error;
    },
  );
}

/** Else anybody could have an App act on it by a comment, and so stop the proofs of the repository. Repeating it changes nothing. */
async function lockDraft({ deps, project, signal }: ProveWork, issue_number: number): Promise<void> {
  const push = openRepository(deps, project, 'push', signal);
  await ignoreRefused(push(({ rest }, place) => rest.issues.lock({ ...place, issue_number })));
}

/** What became of the red half while its checks ran: whatever else it is by then, it is no proof of ours. */
export async function isStillOurs(
  { deps, project, proof, signal }: ProveWork,
  plan: Pick<RedPlan, 'baseBranch'>,
  { branch, testCommit, number }: PostedRedHalf,
): Promise<boolean> {
  const head = await createGithubWriter(deps, project, signal).readBranch(branch);
  if (head === null || head.sha !== testCommit || readProofOf(head) !== proof.id) return false;
  const read = openRepository(deps, project, 'read', signal);
  const draft = await read(({ rest }, place) => rest.pulls.get({ ...place, pull_number: number }));
  const isHidden = draft.state === 'open' && draft.draft === true && draft.auto_merge === null;
  return isHidden && draft.base.ref === plan.baseBranch && draft.title === renderProofDraft(proof).title;
}

/** What still runs for a red half that is given up. Returns how many runs GitHub does not let us cancel. */
export async function cancelRuns(work: ProveWork, posted: PostedRedHalf | null): Promise<number> {
  const { deps, project, proof, signal } = work;
  const branch = nameProofBranch(proof);
  const head = posted === null ? await createGithubWriter(deps, project, signal).readBranch(branch) : null;
  const sha = posted?.testCommit ?? (head !== null && readProofOf(head) === proof.id ? head.sha : null);
  if (sha === null) return 0;
  const runs = await readRunsAt(work, sha, { number: posted?.number ?? 0, headBranch: branch }, null);
  const write = openRepository(deps, project, 'rerun', signal);
  let left = 0;
  for (const { id } of runs.filter(({ status }) => status !== 'completed')) {
    const isLeft = await recoverFrom(
      ['gone', 'refused'],
      async () => {
        await write(({ rest }, place) => rest.actions.cancelWorkflowRun({ ...place, run_id: id }));
        return false;
      },
      // It has ended meanwhile.
      ({ status }) => status !== 409,
    );
    if (isLeft) left += 1;
  }
  if (left > 0) deps.log.warn({ proof: proof.id, left }, 'GitHub did not let runs of a proof be cancelled');
  return left;
}

/** Closes our drafts of this branch and deletes it, whatever a killed process left of them; what others have made stays. */
export async function tidyRedHalf({ deps, project, proof, signal }: ProveWork): Promise<void> {
  const branch = nameProofBranch(proof);
  const head = await createGithubWriter(deps, project, signal).readBranch(branch);
  const of = head === null ? null : readProofOf(head);
  // Another proof's.
  if (of !== null && of !== proof.id) return;
  await closeProofDrafts({ deps, project, signal }, branch);
  if (of !== null) await deleteProofBranch({ deps, project, signal }, branch);
}

type Place = Omit<ProveWork, 'proof'>;

/** Those that our bot has opened from that branch, whoever pushed to it since. */
async function listOpenDrafts({ deps, project, signal }: Place, branch: string) {
  const { botId } = await deps.clients.identity(signal);
  const push = openRepository(deps, project, 'push', signal);
  const open = await push(({ rest }, place) =>
    rest.pulls.list({ ...place, head: `${place.owner}:${branch}`, state: 'open', per_page: 10 }),
  );
  return open.filter(
    ({ head, base, user }) => head.ref === branch && head.repo?.id === base.repo.id && user?.id === botId,
  );
}

export async function closeProofDrafts({ deps, project, signal }: Place, branch: string): Promise<void> {
  const github = createGithubWriter(deps, project, signal);
  for (const { number } of await listOpenDrafts({ deps, project, signal }, branch)) {
    await github.closePullRequest(number);
  }
}

/** Its head must be ours. */
export async function deleteProofBranch({ deps, project, signal }: Place, branch: string): Promise<void> {
  await ignoreUnknown(createGithubWriter(deps, project, signal).deleteBranch(branch));
}
