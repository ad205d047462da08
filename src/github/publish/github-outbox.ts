// The outbox that really sends: each write with the least token for it, and every text through the redactor once more.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { type GithubProject, getRepository } from '../../core/project.ts';
import type { Redactor } from '../../redact/redactor.ts';
import { type GithubCaller, type GithubClients, GithubFailure } from '../clients/github-clients.ts';
import { readPages } from './github-calls.ts';
import type {
  BranchHead,
  LivePullRequest,
  NewCommit,
  NewPullRequest,
  NewReview,
  Outbox,
  OwnComment,
  OwnReview,
} from './outbox.ts';

/** One repository, and ourselves, as the calls need them. */
interface Sender {
  readonly place: { readonly owner: string; readonly repo: string };
  /** With a token for comments and reviews. */
  readonly talk: GithubCaller;
  /** With a token for branches and pull requests. */
  readonly push: GithubCaller;
  /** GitHub's number of our own bot. */
  readonly botId: (signal: AbortSignal) => Promise<number>;
  /** The text as it may leave. */
  readonly clean: (text: string) => Promise<string>;
}

interface SenderDeps {
  readonly clients: Pick<GithubClients, 'repository' | 'identity'>;
  readonly redactor: Pick<Redactor, 'redact'>;
}

/** Our texts are made to fit 60,000 characters, and a seal or a line may follow. GitHub takes 65,536. */
const MOST_CHARACTERS = 61_500;
/** A conversation of 5,000 comments since we came is none that we look through. */
const COMMENT_PAGES = 50;
/** Nor is a pull request with 1,000 reviews. */
const REVIEW_PAGES = 10;

const MINIMIZE =
  'mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: RESOLVED }) { minimizedComment { isMinimized } } }';
const UNMINIMIZE =
  'mutation ($id: ID!) { unminimizeComment(input: { subjectId: $id }) { unminimizedComment { isMinimized } } }';
const COMMIT =
  'mutation ($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }';
const READY =
  'mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } } }';

/** Throws GithubFailure. */
export function createGithubOutbox(deps: SenderDeps, project: GithubProject): Outbox {
  const sender = createSender(deps, project);
  return {
    ...commentCalls(sender),
    ...reviewCalls(sender),
    ...branchCalls(sender),
    ...pullRequestCalls(sender),
    keep: (record) => (record.held === null ? record : { ...record, held: null }),
  };
}

/** The calls for comments, for what has no thread. */
export function createGithubComments(deps: SenderDeps, project: GithubProject): ReturnType<typeof commentCalls> {
  return commentCalls(createSender(deps, project));
}

function createSender({ clients, redactor }: SenderDeps, project: GithubProject): Sender {
  return {
    place: getRepository(project),
    talk: clients.repository(project.source, 'talk'),
    push: clients.repository(project.source, 'push'),
    botId: async (signal) => (await clients.identity(signal)).botId,
    clean: async (text) => fitText(await redactor.redact(text)),
  };
}

/**
 * Our texts are made to fit; this holds where redaction has made one longer. A cut within code or a fold would set free what follows it, so
 * that all folds go. The last lines are the ones by which we find it again.
 */
function fitText(text: string): string {
  const fold = text.indexOf('<details>');
  if (text.length <= MOST_CHARACTERS || fold === -1) return text;
  return `${text.slice(0, fold)}[The details were too long to be shown here]${text.slice(text.lastIndexOf('</details>') + '</details>'.length)}`;
}

function commentCalls({ place, talk, botId, clean }: Sender) {
  return {
    react: async ({ number, commentId }, signal) => {
      await talk.call(({ rest }, request) => {
        const what = { ...place, content: 'eyes', request } as const;
        return commentId === null
          ? rest.reactions.createForIssue({ ...what, issue_number: number })
          : rest.reactions.createForIssueComment({ ...what, comment_id: commentId });
      }, signal);
    },
    /** By the number of their author: a person may quote all that we write. */
    ownComments: async (number, since, signal) => {
      const id = await botId(signal);
      const of = { ...place, issue_number: number, since };
      const all = await readPages(COMMENT_PAGES, async (page) => {
        const { data } = await talk.call(
          ({ rest }, request) => rest.issues.listComments({ ...of, ...page, request }),
          signal,
        );
        return data;
      });
      return all.filter(({ user }) => user?.id === id).map(toOwnComment);
    },
    createComment: async (number, text, signal) => {
      const of = { ...place, issue_number: number, body: await clean(text) };
      const { data } = await talk.call(({ rest }, request) => rest.issues.createComment({ ...of, request }), signal);
      return toOwnComment(data);
    },
    updateComment: async (id, text, signal) => {
      const of = { ...place, comment_id: id, body: await clean(text) };
      await talk.call(({ rest }, request) => rest.issues.updateComment({ ...of, request }), signal);
    },
    deleteComment: async (id, signal) => {
      await talk.call(({ rest }, request) => rest.issues.deleteComment({ ...place, comment_id: id, request }), signal);
    },
  } satisfies Partial<Outbox>;
}

function toOwnComment(data: {
  readonly id: number;
  readonly node_id: string;
  readonly html_url: string;
  readonly body?: string | null | undefined;
}): OwnComment {
  return { id: data.id, nodeId: data.node_id, url: data.html_url, body: data.body ?? '' };
}

function reviewCalls({ place, talk, botId, clean }: Sender) {
  const mutate = async (query: string, id: string, signal: AbortSignal) => {
    await talk.call((octokit, request) => octokit.graphql(query, { id, request }), signal);
  };
  return {
    minimize: (id, signal) => mutate(MINIMIZE, id, signal),
    unminimize: (id, signal) => mutate(UNMINIMIZE, id, signal),
    ownReviews: async (number, signal) => {
      const id = await botId(signal);
      const of = { ...place, pull_number: number };
      const all = await readPages(REVIEW_PAGES, async (page) => {
        const { data } = await talk.call(
          ({ rest }, request) => rest.pulls.listReviews({ ...of, ...page, request }),
          signal,
        );
        return data;
      });
      return all.filter(({ user }) => user?.id === id).map(toOwnReview);
    },
    /** The comments are code to the letter: they were refused before this where a secret was in them. */
    createReview: async (number, review: NewReview, signal) => {
      const body = await clean(review.body);
      const comments = review.comments.map(({ path, from, to, body: text }) => ({
        ...{ path, body: text, line: to, side: 'RIGHT' },
        ...(from < to && { start_line: from, start_side: 'RIGHT' }),
      }));
      const of = {
        ...place,
        pull_number: number,
        commit_id: review.commitId,
        event: 'COMMENT' as const,
        body,
        comments,
      };
      const { data } = await talk.call(({ rest }, request) => rest.pulls.createReview({ ...of, request }), signal);
      return toOwnReview(data);
    },
  } satisfies Partial<Outbox>;
}

function toOwnReview({ id, node_id, body }: { id: number; node_id: string; body: string }): OwnReview {
  return { id, nodeId: node_id, body };
}

function branchCalls(sender: Sender) {
  const { place, push, clean } = sender;
  return {
    branch: async (name, signal) => {
      try {
        return await readBranch(sender, name, signal);
      } catch (error) {
        if (error instanceof GithubFailure && error.status === 404) return null;
        throw error;
      }
    },
    branchesNamed: async (prefix, signal) => {
      const of = { ...place, ref: `heads/${prefix}` };
      const { data } = await push.call(({ rest }, request) => rest.git.listMatchingRefs({ ...of, request }), signal);
      return data.map((found) => found.ref.replace(/^refs\/heads\//, ''));
    },
    createBranch: async (name, sha, signal) => {
      const of = { ...place, ref: `refs/heads/${name}`, sha };
      await push.call(({ rest }, request) => rest.git.createRef({ ...of, request }), signal);
    },
    moveBranch: (name, sha, signal) => moveBranch(sender, { name, sha }, signal),
    isPartOf: async (branch, base, signal) => {
      const of = { ...place, basehead: `${base}...${branch}`, per_page: 1 };
      const { data } = await push.call(
        ({ rest }, request) => rest.repos.compareCommitsWithBasehead({ ...of, request }),
        signal,
      );
      return data.ahead_by === 0;
    },
    commit: async (commit: NewCommit, signal) => {
      const { headline, body } = commit.message;
      const cleaned = { ...commit, message: { headline: await clean(headline), body: await clean(body) } };
      return commit.files.hasExecutables
        ? commitObjects(sender, cleaned, signal)
        : commitFiles(sender, cleaned, signal);
    },
  } satisfies Partial<Outbox>;
}

async function readBranch({ place, push, botId }: Sender, name: string, signal: AbortSignal): Promise<BranchHead> {
  const of = { ...place, ref: `heads/${name}` };
  const ref = await push.call(({ rest }, request) => rest.git.getRef({ ...of, request }), signal);
  const { sha } = ref.data.object;
  const { data } = await push.call(
    ({ rest }, request) => rest.repos.getCommit({ ...place, ref: sha, request }),
    signal,
  );
  return {
    sha,
    message: data.commit.message,
    parents: data.parents.map((parent) => parent.sha),
    isOurs: data.author?.id === (await botId(signal)),
  };
}

async function moveBranch(
  { place, push }: Sender,
  { name, sha }: { readonly name: string; readonly sha: string },
  signal: AbortSignal,
): Promise<void> {
  const of = { ...place, ref: `heads/${name}`, sha, force: false };
  await push.call(({ rest }, request) => rest.git.updateRef({ ...of, request }), signal);
}

/**
 * One mutation, atomic. It knows contents only: what is new becomes an ordinary file, and no documentation says what becomes of an
 * executable that is written again. So it is used only where no file of the commit is executable, before or after.
 */
async function commitFiles({ place, push }: Sender, commit: NewCommit, signal: AbortSignal): Promise<string> {
  const input = {
    branch: { repositoryNameWithOwner: `${place.owner}/${place.repo}`, branchName: commit.branch },
    expectedHeadOid: commit.expectedHead,
    message: commit.message,
    fileChanges: {
      additions: commit.files.written.map(({ path, text }) => ({
        path,
        contents: Buffer.from(text).toString('base64'),
      })),
      deletions: commit.files.removed.map((path) => ({ path })),
    },
  };
  const answer = await push.call(
    (octokit, request) =>
      octokit.graphql<{ createCommitOnBranch: { commit: { oid: string } } }>(COMMIT, { input, request }),
    signal,
  );
  return answer.createCommitOnBranch.commit.oid;
}

/** Tree, commit, and last the branch, which only ever moves forward: a branch that is elsewhere by then is refused. */
async function commitObjects(sender: Sender, commit: NewCommit, signal: AbortSignal): Promise<string> {
  const { place, push } = sender;
  const parent = { ...place, commit_sha: commit.expectedHead };
  const before = await push.call(({ rest }, request) => rest.git.getCommit({ ...parent, request }), signal);
  const { written, removed } = commit.files;
  const entries = [
    ...written.map(({ path, text, mode }) => ({ path, mode, type: 'blob' as const, content: text })),
    ...removed.map((path) => ({ path, mode: '100644' as const, type: 'blob' as const, sha: null })),
  ];
  const newTree = { ...place, base_tree: before.data.tree.sha, tree: entries };
  const tree = await push.call(({ rest }, request) => rest.git.createTree({ ...newTree, request }), signal);
  const message = `${commit.message.headline}\n\n${commit.message.body}`;
  const newCommit = { ...place, message, tree: tree.data.sha, parents: [commit.expectedHead] };
  const { data } = await push.call(({ rest }, request) => rest.git.createCommit({ ...newCommit, request }), signal);
  await moveBranch(sender, { name: commit.branch, sha: data.sha }, signal);
  return data.sha;
}

function pullRequestCalls(sender: Sender) {
  const { place, push, clean } = sender;
  return {
    pullRequestOf: (branch, signal) => findPullRequest(sender, branch, signal),
    openPullRequest: (wanted, signal) => openPullRequest(sender, wanted, signal),
    pullRequest: async (number, signal) => {
      const of = { ...place, pull_number: number };
      const { data } = await push.call(({ rest }, request) => rest.pulls.get({ ...of, request }), signal);
      return toLive(data);
    },
    updatePullRequest: async (number, text, signal) => {
      const of = { ...place, pull_number: number, body: await clean(text) };
      await push.call(({ rest }, request) => rest.pulls.update({ ...of, request }), signal);
    },
    markReady: async (id, signal) => {
      await push.call((octokit, request) => octokit.graphql(READY, { id, request }), signal);
    },
    requestReviewers: async (number, { people, teams }, signal) => {
      const of = { ...place, pull_number: number, reviewers: [...people], team_reviewers: [...teams] };
      await push.call(({ rest }, request) => rest.pulls.requestReviewers({ ...of, request }), signal);
    },
  } satisfies Partial<Outbox>;
}

async function findPullRequest(
  { place, push }: Sender,
  branch: string,
  signal: AbortSignal,
): Promise<LivePullRequest | null> {
  const of = { ...place, head: `${place.owner}:${branch}`, state: 'all' as const, per_page: 10 };
  const { data } = await push.call(({ rest }, request) => rest.pulls.list({ ...of, request }), signal);
  const found = data.map(toLive).filter((request) => request.branch === branch);
  return found.find(({ state }) => state === 'open') ?? found[0] ?? null;
}

/** As a draft where that is wanted and the owner's plan has drafts. */
async function openPullRequest(
  sender: Sender,
  { branch, base, title, body, isDraft }: NewPullRequest,
  signal: AbortSignal,
): Promise<LivePullRequest> {
  const { place, push, clean } = sender;
  const of = { ...place, head: branch, base, title: await clean(title), body: await clean(body) };
  const create = async (draft: boolean) => {
    const { data } = await push.call(({ rest }, request) => rest.pulls.create({ ...of, draft, request }), signal);
    return toLive(data);
  };
  try {
    return await create(isDraft);
  } catch (error) {
    const isRefused = error instanceof GithubFailure && error.status === 422;
    if (!isRefused || !isDraft) throw error;
    // The same answer is given where one is open already.
    const found = await findPullRequest(sender, branch, signal);
    return found?.state === 'open' ? found : await create(false);
  }
}

function toLive(
  data:
    | RestEndpointMethodTypes['pulls']['list']['response']['data'][number]
    | RestEndpointMethodTypes['pulls']['get']['response']['data'],
): LivePullRequest {
  const { head, base } = data;
  const isMerged = data.merged_at !== null;
  return {
    number: data.number,
    nodeId: data.node_id,
    url: data.html_url,
    branch: head.ref,
    base: base.ref,
    baseSha: base.sha,
    headSha: head.sha,
    state: isMerged ? 'merged' : data.state === 'open' ? 'open' : 'closed',
    isDraft: data.draft ?? false,
    body: data.body ?? '',
    createdAt: data.created_at,
    closedAt: data.closed_at,
  };
}
