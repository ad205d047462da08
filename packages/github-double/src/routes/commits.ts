// Routes of commits: the history, one commit, two compared, and the pull requests of one.
import { readDiff } from '../git/read-diff.ts';
import { isReachable, listRevisions, mergeBase, resolveCommit } from '../git/read-objects.ts';
import { fullName, owner } from '../lookup.ts';
import { simplePull } from '../resources/issue.ts';
import { commitBody, commitWithFiles, fileBody } from '../resources/repository.ts';
import { type Answer, notFound, ofRepository, ok, paged, type RepositoryCall, type Route, refused } from '../route.ts';

const READ = [{ contents: 'read' }] as const;

export const commitRoutes: readonly Route[] = [
  ofRepository('GET /commits/{commit_sha}/pulls', [{ pull_requests: 'read' }], async (call) => {
    const sha = await resolveCommit(call.repository.gitDir, call.params['commit_sha'] ?? '');
    if (sha === null) return noCommit(call.params['commit_sha']);
    return pullsOfCommit(call, sha);
  }),
  ofRepository('GET /commits/{ref}', READ, async (call) => {
    const sha = await resolveCommit(call.repository.gitDir, call.params['ref'] ?? '');
    return sha === null ? noCommit(call.params['ref']) : ok(await commitWithFiles(call.state, call.repository, sha));
  }),
  ofRepository('GET /compare/{basehead}', READ, answerComparison),
];

/** 422, not 404: GitHub's answer to a name that means no commit. */
export function noCommit(name: string | undefined): Answer {
  return refused(422, `No commit found for SHA: ${name}`);
}

/**
 * Of a commit in the default branch the merged pull request that brought it, of any other the open ones that have it. Heads that
 * live in a fork are not seen from the base repository: `GET /pulls?head=owner:branch` finds their pull requests.
 */
async function pullsOfCommit(call: RepositoryCall, sha: string): Promise<Answer> {
  const { repository, state } = call;
  const { defaultBranch, gitDir } = repository;
  const tip = await resolveCommit(gitDir, `refs/heads/${defaultBranch}`);
  const isThere = tip !== null && (await isReachable(gitDir, sha, tip));
  const parent = state.repositories.get(repository.parentId ?? 0);
  const own = [...repository.issues.values()].map((issue) => ({ base: repository, issue }));
  const upstream = [...(parent?.issues.values() ?? [])].map((issue) => ({ base: parent ?? repository, issue }));
  const found = [];
  for (const { base, issue } of [...own, ...upstream]) {
    const { pull } = issue;
    if (pull === null || (pull.mergedAt !== null) !== isThere || (!isThere && issue.state === 'closed')) continue;
    if (!isThere && pull.headRepositoryId !== repository.id) continue;
    const has = (await isReachable(gitDir, sha, pull.headSha)) && !(await isReachable(gitDir, sha, pull.baseSha));
    if (has || pull.mergeSha === sha || pull.landed?.includes(sha)) found.push(simplePull(state, base, issue, pull));
  }
  return paged(call, found);
}

async function answerComparison(call: RepositoryCall): Promise<Answer> {
  const { state, repository } = call;
  const [baseName = '', headName = ''] = (call.params['basehead'] ?? '').split('...');
  const short = (name: string) => name.replace(`${owner(state, repository).login}:`, '');
  const base = await resolveCommit(repository.gitDir, short(baseName));
  const head = await resolveCommit(repository.gitDir, short(headName));
  const shared = base === null || head === null ? null : await mergeBase(repository.gitDir, base, head);
  if (base === null || head === null || shared === null) return notFound();
  const ahead = await listRevisions(repository.gitDir, head, ['--reverse', `^${base}`]);
  const behind = await listRevisions(repository.gitDir, base, [`^${head}`]);
  const files = await readDiff(repository.gitDir, shared, head);
  const isFirst = (call.url.searchParams.get('page') ?? '1') === '1';
  const name = fullName(state, repository);
  const html = `${state.urls.web}/${name}/compare/${baseName}...${headName}`;
  return ok({
    url: `${state.urls.api}/repos/${name}/compare/${baseName}...${headName}`,
    html_url: html,
    permalink_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    base_commit: await commitBody(state, repository, base),
    merge_base_commit: await commitBody(state, repository, shared),
    status: comparison(ahead.length, behind.length),
    ahead_by: ahead.length,
    behind_by: behind.length,
    total_commits: ahead.length,
    commits: await Promise.all(pageOf(call, ahead).map((sha) => commitBody(state, repository, sha))),
    // Files stand on the first page alone.
    files: isFirst ? files.slice(0, 300).map((file) => fileBody(state, repository, head, file)) : [],
  });
}

/** The first 250 commits, oldest first; with `page` or `per_page` that page of them. */
function pageOf(call: RepositoryCall, shas: readonly string[]): readonly string[] {
  const { searchParams } = call.url;
  if (!searchParams.has('page') && !searchParams.has('per_page')) return shas.slice(0, 250);
  return paged(call, shas).body as readonly string[];
}

function comparison(ahead: number, behind: number): string {
  if (ahead === 0) return behind === 0 ? 'identical' : 'behind';
  return behind === 0 ? 'ahead' : 'diverged';
}
