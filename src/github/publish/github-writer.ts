// Our writes on GitHub, and how we find again what we have written: each call with the least token for it, every text redacted once more.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import type { FileMode } from 'causeway-diff';
import type { Redactor } from 'causeway-redact';
import { type GithubProject, getRepository } from '../../core/project/index.ts';
import {
  type GithubClients,
  GithubFailure,
  ignoreUnknown,
  openRepository,
  type RepositoryCaller,
  readPages,
  recoverFrom,
} from '../clients/index.ts';

/** A comment or review of our own. */
export interface OwnText {
  readonly id: number;
  readonly nodeId: string;
  readonly url: string;
  readonly body: string;
}

/** On lines `from` to `to` of a file at the reviewed commit. */
export interface ReviewComment {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly body: string;
}

export interface BranchHead {
  readonly sha: string;
  readonly message: string;
  readonly parents: readonly string[];
  /** Git's name of its content. */
  readonly tree: string;
  /** Whether our bot is its author. */
  readonly isOurs: boolean;
  /** Whether somebody else committed it: an amended commit keeps its author. */
  readonly isByOthers: boolean;
}

/** Commits that GitHub makes itself are those of this account. */
const WEB_FLOW = 'web-flow';

export interface NewCommitMessage {
  readonly headline: string;
  readonly body: string;
}

export interface NewCommit {
  readonly branch: string;
  readonly expectedHead: string;
  readonly message: NewCommitMessage;
  readonly files: CommitFiles;
}

export interface CommitFiles {
  readonly written: readonly { readonly path: string; readonly text: string; readonly mode: FileMode }[];
  readonly removed: readonly string[];
  /** Whether one of the files is executable, before or after. */
  readonly hasExecutables: boolean;
}

export interface NewPullRequest {
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly isDraft: boolean;
}

/** One of our own pull requests as GitHub has it now. */
export interface LivePullRequest {
  readonly number: number;
  readonly nodeId: string;
  readonly url: string;
  readonly branch: string;
  readonly base: string;
  readonly baseSha: string;
  readonly headSha: string;
  readonly state: 'open' | 'merged' | 'closed';
  readonly isDraft: boolean;
  readonly title: string;
  readonly body: string;
  readonly createdAt: string;
  /** Null: it is open. */
  readonly closedAt: string | null;
}

export interface ListedPullRequest extends LivePullRequest {
  readonly isOurs: boolean;
  readonly isOfFork: boolean;
}

type NewRevert = Pick<NewPullRequest, 'title' | 'body' | 'isDraft'>;

/** GitHub's reference allows both to be null. */
interface RevertAnswer {
  readonly revertPullRequest: { readonly revertPullRequest: { readonly number: number } | null } | null;
}

const NO_REVERT =
  'GitHub answered a revert without its pull request, which may be there. It is looked for, and asked for again.';

/** The owner's plan has none. */
const NO_DRAFTS = /draft pull requests are not supported/i;

/** Throws GithubFailure. */
export type GithubWriter = ReturnType<typeof createGithubWriter>;

/** GitHub's limit is 65,536. Our texts fit 60,000, and a seal or a reply may follow. */
const MAX_TEXT = 61_500;
const COMMENT_PAGES = 50;
const REVIEW_PAGES = 10;

/** Mutations by node id. */
const MINIMIZE = `mutation ($id: ID!) {
  minimizeComment(input: { subjectId: $id, classifier: RESOLVED }) { minimizedComment { isMinimized } }
}`;
const UNMINIMIZE = `mutation ($id: ID!) {
  unminimizeComment(input: { subjectId: $id }) { unminimizedComment { isMinimized } }
}`;
const READY = `mutation ($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;
const REVERT = `mutation ($input: RevertPullRequestInput!) {
  revertPullRequest(input: $input) { revertPullRequest { number } }
}`;
const COMMIT = `mutation ($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid } }
}`;

/** For one repository, as long as the signal isn't aborted. */
export function createGithubWriter(
  deps: { readonly clients: GithubClients; readonly redactor: Pick<Redactor, 'redact'> },
  project: GithubProject,
  signal: AbortSignal,
) {
  /** With a token for comments and reviews. */
  const talk = openRepository(deps, project, 'talk', signal);
  /** With a token for branches and pull requests. */
  const push = openRepository(deps, project, 'push', signal);
  const redact = async (text: string) => fitText(await deps.redactor.redact(text));

  const mutate = (caller: RepositoryCaller, mutation: string, id: string): Promise<unknown> =>
    caller(async (octokit, { request }) => ({ data: await octokit.graphql(mutation, { id, request }) }));

  /** By their author: people may quote all that we write. */
  async function keepOurs<T extends ApiText & { readonly user?: { readonly id: number } | null }>(all: readonly T[]) {
    const { botId } = await deps.clients.identity(signal);
    return all.filter(({ user }) => user?.id === botId).map(toOwnText);
  }

  async function readBranch(name: string): Promise<BranchHead | null> {
    const ref = await ignoreUnknown(push(({ rest }, place) => rest.git.getRef({ ...place, ref: `heads/${name}` })));
    if (ref === null) return null;
    const { sha } = ref.object;
    const found = await push(({ rest }, place) => rest.repos.getCommit({ ...place, ref: sha }));
    const { commit, author, committer, parents } = found;
    const { botId } = await deps.clients.identity(signal);
    const isOurs = author !== null && 'id' in author && author.id === botId;
    const signer = committer !== null && 'id' in committer ? committer : null;
    return {
      ...{ sha, message: commit.message, tree: commit.tree.sha, parents: parents.map((parent) => parent.sha), isOurs },
      isByOthers: signer?.id !== botId && signer?.login !== WEB_FLOW,
    };
  }

  /** Only forward. */
  async function moveBranch(name: string, sha: string): Promise<void> {
    await push(({ rest }, place) => rest.git.updateRef({ ...place, ref: `heads/${name}`, sha, force: false }));
  }

  /**
   * One atomic mutation. It knows contents only, and GitHub doesn't document what becomes of the mode of an executable:
   * so it isn't used for those.
   */
  async function commitFiles({ branch, expectedHead, message, files }: NewCommit): Promise<string> {
    const { owner, repo } = getRepository(project);
    const additions = files.written.map(({ path, text }) => ({ path, contents: Buffer.from(text).toString('base64') }));
    const input = {
      branch: { repositoryNameWithOwner: `${owner}/${repo}`, branchName: branch },
      expectedHeadOid: expectedHead,
      message,
      fileChanges: { additions, deletions: files.removed.map((path) => ({ path })) },
    };
    const answer = await push(async (octokit, { request }) => ({
      data: await octokit.graphql<{ createCommitOnBranch: { commit: { oid: string } } }>(COMMIT, { input, request }),
    }));
    return answer.createCommitOnBranch.commit.oid;
  }

  /** Tree, commit, and last the branch: if it has moved by then, GitHub refuses. */
  async function commitObjects({ branch, expectedHead, message, files }: NewCommit): Promise<string> {
    const parent = await push(({ rest }, place) => rest.git.getCommit({ ...place, commit_sha: expectedHead }));
    const tree = [
      ...files.written.map(({ path, text, mode }) => ({ path, mode, type: 'blob' as const, content: text })),
      ...files.removed.map((path) => ({ path, mode: '100644' as const, type: 'blob' as const, sha: null })),
    ];
    const made = await push(({ rest }, place) => rest.git.createTree({ ...place, base_tree: parent.tree.sha, tree }));
    const commit = {
      message: `${message.headline}\n\n${message.body}`,
      tree: made.sha,
      parents: [expectedHead],
    };
    const { sha } = await push(({ rest }, place) => rest.git.createCommit({ ...place, ...commit }));
    await moveBranch(branch, sha);
    return sha;
  }

  /** The pull request of a branch of ours: the open one, else the newest; null: none. */
  async function findPullRequest(branch: string): Promise<LivePullRequest | null> {
    const found = await push(({ rest }, place) =>
      rest.pulls.list({ ...place, head: `${place.owner}:${branch}`, state: 'all', per_page: 10 }),
    );
    const own = found.map(toLive).filter((one) => one.branch === branch);
    return own.find(({ state }) => state === 'open') ?? own[0] ?? null;
  }

  async function readPullRequest(pull_number: number): Promise<LivePullRequest> {
    return toLive(await push(({ rest }, place) => rest.pulls.get({ ...place, pull_number })));
  }

  return {
    /** 👀 on a comment, or on the issue itself. Repeating it changes nothing. */
    async react(number: number, comment_id: number | null): Promise<void> {
      const content = 'eyes';
      await talk(({ rest: { reactions } }, place) =>
        comment_id === null
          ? reactions.createForIssue({ ...place, content, issue_number: number })
          : reactions.createForIssueComment({ ...place, content, comment_id }),
      );
    },
    /** Our comments there since then (ISO 8601), oldest first. */
    async listOwnComments(issue_number: number, since: string): Promise<readonly OwnText[]> {
      const { items } = await readPages(COMMENT_PAGES, (page) =>
        talk(({ rest }, place) => rest.issues.listComments({ ...place, issue_number, since, ...page })),
      );
      return await keepOurs(items);
    },
    async createComment(issue_number: number, text: string): Promise<OwnText> {
      const body = await redact(text);
      return toOwnText(await talk(({ rest }, place) => rest.issues.createComment({ ...place, issue_number, body })));
    },
    async updateComment(comment_id: number, text: string): Promise<void> {
      const body = await redact(text);
      await talk(({ rest }, place) => rest.issues.updateComment({ ...place, comment_id, body }));
    },
    async deleteComment(comment_id: number): Promise<void> {
      await talk(({ rest }, place) => rest.issues.deleteComment({ ...place, comment_id }));
    },
    /** Collapses a comment or a review as resolved. Repeating it changes nothing. */
    async minimize(id: string): Promise<void> {
      await mutate(talk, MINIMIZE, id);
    },
    async unminimize(id: string): Promise<void> {
      await mutate(talk, UNMINIMIZE, id);
    },
    /** Oldest first. */
    async listOwnReviews(pull_number: number): Promise<readonly OwnText[]> {
      const { items } = await readPages(REVIEW_PAGES, (page) =>
        talk(({ rest }, place) => rest.pulls.listReviews({ ...place, pull_number, ...page })),
      );
      return await keepOurs(items);
    },
    /**
     * A review that only comments. Refused (422) where a comment isn't within the commit's part of the diff. The
     * comments are code and aren't redacted here: the caller has checked them.
     */
    async createReview(
      pull_number: number,
      sha: string,
      text: string,
      comments: readonly ReviewComment[],
    ): Promise<OwnText> {
      const review = {
        pull_number,
        commit_id: sha,
        event: 'COMMENT' as const,
        body: await redact(text),
        comments: comments.map(({ path, from, to, body }) => ({
          path,
          body,
          line: to,
          side: 'RIGHT',
          ...(from < to && { start_line: from, start_side: 'RIGHT' }),
        })),
      };
      return toOwnText(await talk(({ rest }, place) => rest.pulls.createReview({ ...place, ...review })));
    },
    readBranch,
    async listBranches(prefix: string): Promise<readonly string[]> {
      const refs = await push(({ rest }, place) => rest.git.listMatchingRefs({ ...place, ref: `heads/${prefix}` }));
      return refs.map(({ ref }) => ref.replace(/^refs\/heads\//, ''));
    },
    async createBranch(name: string, sha: string): Promise<void> {
      await push(({ rest }, place) => rest.git.createRef({ ...place, ref: `refs/heads/${name}`, sha }));
    },
    moveBranch,
    async deleteBranch(name: string): Promise<void> {
      await push(({ rest }, place) => rest.git.deleteRef({ ...place, ref: `heads/${name}` }));
    },
    /** Whether the base has all commits of the branch. */
    async isPartOf(branch: string, base: string): Promise<boolean> {
      const of = { basehead: `${base}...${branch}`, per_page: 1 };
      const { ahead_by } = await push(({ rest }, place) => rest.repos.compareCommitsWithBasehead({ ...place, ...of }));
      return ahead_by === 0;
    },
    /** Full sha of a commit on top of `expectedHead`; refused where the branch has moved. */
    async commit(commit: NewCommit): Promise<string> {
      const { headline, body } = commit.message;
      const redacted = { ...commit, message: { headline: await redact(headline), body: await redact(body) } };
      return commit.files.hasExecutables ? await commitObjects(redacted) : await commitFiles(redacted);
    },
    findPullRequest,
    async openPullRequest({ branch, base, title, body, isDraft }: NewPullRequest): Promise<LivePullRequest> {
      const request = { head: branch, base, title: await redact(title), body: await redact(body) };
      const open = async (draft: boolean) =>
        toLive(await push(({ rest }, place) => rest.pulls.create({ ...place, ...request, draft })));
      return await recoverFrom(
        ['refused'],
        () => open(isDraft),
        async (error) => {
          if (error.status !== 422 || !isDraft) throw error;
          // Either one is open already, or the owner's plan has no drafts.
          const found = await findPullRequest(branch);
          return found?.state === 'open' ? found : await open(false);
        },
      );
    },
    readPullRequest,
    /** The newest 100, whoever opened them. */
    async listNewestPullRequests(): Promise<readonly ListedPullRequest[]> {
      const of = { state: 'all', sort: 'created', direction: 'desc', per_page: 100 } as const;
      const found = await push(({ rest }, place) => rest.pulls.list({ ...place, ...of }));
      const { botId } = await deps.clients.identity(signal);
      return found.map((data) => ({
        ...toLive(data),
        isOurs: data.user?.id === botId,
        isOfFork: data.head.repo?.id !== data.base.repo.id,
      }));
    },
    /** GitHub makes commit and branch, and names that. Refused where git finds a conflict. */
    async revertPullRequest(pullRequestId: string, { title, body, isDraft }: NewRevert): Promise<LivePullRequest> {
      const words = { title: await redact(title), body: await redact(body) };
      const open = async (draft: boolean) => {
        const input = { pullRequestId, ...words, draft };
        const answer = await push(async (octokit, { request }) => ({
          data: await octokit.graphql<RevertAnswer>(REVERT, { input, request }),
        }));
        const made = answer.revertPullRequest?.revertPullRequest ?? null;
        if (made === null) throw new GithubFailure({ kind: 'unsure', status: 200, retryAt: null }, NO_REVERT);
        return await readPullRequest(made.number);
      };
      return await recoverFrom(
        ['refused'],
        () => open(isDraft),
        async (error) => {
          if (!isDraft || !NO_DRAFTS.test(error.said)) throw error;
          return await open(false);
        },
      );
    },
    async closePullRequest(pull_number: number): Promise<void> {
      await push(({ rest }, place) => rest.pulls.update({ ...place, pull_number, state: 'closed' }));
    },
    /** `title`: absent: it stays. */
    async updatePullRequest(pull_number: number, text: string, title?: string): Promise<void> {
      const changed = { body: await redact(text), ...(title !== undefined && { title: await redact(title) }) };
      await push(({ rest }, place) => rest.pulls.update({ ...place, pull_number, ...changed }));
    },
    async markReady(id: string): Promise<void> {
      await mutate(push, READY, id);
    },
    /** `people`: logins; `teams`: slugs of teams of the repository's own organisation. */
    async requestReviewers(pull_number: number, people: readonly string[], teams: readonly string[]): Promise<void> {
      const request = { pull_number, reviewers: [...people], team_reviewers: [...teams] };
      await push(({ rest }, place) => rest.pulls.requestReviewers({ ...place, ...request }));
    },
  };
}

/** Redaction can make a text longer. A cut within code or a fold would expose what follows it, so all folds are dropped. */
function fitText(text: string): string {
  const fold = text.indexOf('<details>');
  if (text.length <= MAX_TEXT || fold === -1) return text;
  const rest = text.slice(text.lastIndexOf('</details>') + '</details>'.length);
  return `${text.slice(0, fold)}[The details were too long to be shown here.]${rest}`;
}

interface ApiText {
  readonly id: number;
  readonly node_id: string;
  readonly html_url: string;
  readonly body?: string | null | undefined;
}

function toOwnText(data: ApiText): OwnText {
  return { id: data.id, nodeId: data.node_id, url: data.html_url, body: data.body ?? '' };
}

function toLive(
  data:
    | RestEndpointMethodTypes['pulls']['list']['response']['data'][number]
    | RestEndpointMethodTypes['pulls']['get']['response']['data'],
): LivePullRequest {
  const { head, base } = data;
  return {
    number: data.number,
    nodeId: data.node_id,
    url: data.html_url,
    branch: head.ref,
    base: base.ref,
    baseSha: base.sha,
    headSha: head.sha,
    state: data.merged_at !== null ? 'merged' : data.state === 'open' ? 'open' : 'closed',
    isDraft: data.draft ?? false,
    title: data.title,
    body: data.body ?? '',
    createdAt: data.created_at,
    closedAt: data.closed_at,
  };
}
