// Routes of git's own objects: blobs, trees, commits and annotated tags.
import { objectType, readCommit, readTree } from '../git/read-objects.ts';
import { git } from '../git/run-git.ts';
import { type TreeChange, writeBlob, writeCommit, writeTree } from '../git/write-objects.ts';
import { fullName, timestamp } from '../lookup.ts';
import { GITHUB_COMMITTER, verification } from '../resources/repository.ts';
import { nodeId } from '../resources/user.ts';
import {
  type Answer,
  actorId,
  asText,
  forbidden,
  notFound,
  ofRepository,
  ok,
  type RepositoryCall,
  type Route,
  refused,
  unprocessable,
} from '../route.ts';
import { mayWriteWorkflows, touchesWorkflows } from '../workflows.ts';

const READ = [{ contents: 'read' }] as const;
const WRITE = [{ contents: 'write' }] as const;

export const gitDataRoutes: readonly Route[] = [
  ofRepository('POST /git/trees', WRITE, makeTree),
  ofRepository('GET /git/commits/{commit_sha}', READ, async (call) => {
    const sha = call.params['commit_sha'] ?? '';
    return (await objectType(call.repository.gitDir, sha)) === 'commit' ? ok(await gitCommit(call, sha)) : notFound();
  }),
  ofRepository('POST /git/commits', WRITE, makeCommit),
];

function url(call: RepositoryCall, rest: string): string {
  return `${call.state.urls.api}/repos/${fullName(call.state, call.repository)}/git/${rest}`;
}

async function treeAnswer(call: RepositoryCall, treeish: string): Promise<Answer> {
  const { gitDir } = call.repository;
  const sha = (await git(gitDir, ['rev-parse', `${treeish}^{tree}`])).toString().trim();
  const entries = (await readTree(gitDir, sha, false)) ?? [];
  const tree = entries.map(({ path, mode, type, sha: of, size }) => ({
    path,
    mode,
    type,
    sha: of,
    ...(size === null ? {} : { size }),
    ...(type === 'commit' ? {} : { url: url(call, `${type}s/${of}`) }),
  }));
  return ok({ sha, url: url(call, `trees/${sha}`), tree, truncated: false }, 201);
}

interface GivenEntry {
  readonly path?: string;
  readonly mode?: string;
  readonly type?: string;
  readonly sha?: string | null;
  readonly content?: string;
}

async function makeTree(call: RepositoryCall): Promise<Answer> {
  const { gitDir } = call.repository;
  const given = (Array.isArray(call.body['tree']) ? call.body['tree'] : []) as readonly GivenEntry[];
  if (touchesWorkflows(given.map((one) => one.path ?? '')) && !mayWriteWorkflows(call.caller)) return forbidden();
  const base = asText(call.body['base_tree']) ?? null;
  const changes: TreeChange[] = [];
  for (const { path = '', mode = '100644', sha, content } of given) {
    if (content !== undefined) changes.push({ path, mode, sha: await writeBlob(gitDir, content) });
    else if (sha === null) changes.push({ path, mode, sha: null });
    else if (sha !== undefined && (mode === '160000' || (await objectType(gitDir, sha)) !== null))
      changes.push({ path, mode, sha });
    else return refused(422, 'tree.sha is not a valid object');
  }
  try {
    return await treeAnswer(call, await writeTree(gitDir, base, changes));
  } catch {
    return refused(422, 'tree.path contains a malformed path component');
  }
}

async function gitCommit(call: RepositoryCall, sha: string) {
  const commit = await readCommit(call.repository.gitDir, sha);
  const html = `${call.state.urls.web}/${fullName(call.state, call.repository)}/commit`;
  return {
    sha,
    node_id: nodeId('C', call.repository.id, sha),
    url: url(call, `commits/${sha}`),
    html_url: `${html}/${sha}`,
    author: commit.author,
    committer: commit.committer,
    tree: { sha: commit.tree, url: url(call, `trees/${commit.tree}`) },
    message: commit.message,
    parents: commit.parents.map((parent) => ({
      sha: parent,
      url: url(call, `commits/${parent}`),
      html_url: `${html}/${parent}`,
    })),
    verification: verification(call.state, commit),
  };
}

/** Without an author and a committer it is the bot's, and GitHub signs it. */
async function makeCommit(call: RepositoryCall): Promise<Answer> {
  const { body, repository, state } = call;
  const tree = asText(body['tree']) ?? '';
  if ((await objectType(repository.gitDir, tree)) !== 'tree') return refused(422, 'Tree SHA does not exist');
  const parents = (Array.isArray(body['parents']) ? body['parents'] : []).map(String);
  for (const parent of parents) {
    if ((await objectType(repository.gitDir, parent)) !== 'commit')
      return refused(422, 'Parent SHA does not exist or is not a commit object');
  }
  const message = asText(body['message']);
  if (message === undefined || message === '')
    return unprocessable({ resource: 'Commit', field: 'message', code: 'missing_field' });
  const date = timestamp(state);
  const given = body['author'] as { name: string; email: string; date?: string } | undefined;
  const author = given === undefined ? { ...noreply(call), date } : { ...given, date: given.date ?? date };
  const named = body['committer'] as { name: string; email: string; date?: string } | undefined;
  const own = given === undefined ? { ...GITHUB_COMMITTER, date } : author;
  const committer = named === undefined ? own : { ...named, date: named.date ?? date };
  const sha = await writeCommit(repository.gitDir, { tree, parents, message, author, committer });
  if (given === undefined && named === undefined && call.caller.kind === 'installation') state.signed.add(sha);
  return ok(await gitCommit(call, sha), 201);
}

/** How GitHub names the acting account in a commit. */
export function noreply({ state, caller }: Pick<RepositoryCall, 'state' | 'caller'>): { name: string; email: string } {
  const account = state.accounts.get(actorId(caller));
  const login = account?.login ?? 'ghost';
  return { name: login, email: `${account?.id ?? 0}+${login}@users.noreply.github.com` };
}
