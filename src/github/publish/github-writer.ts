// Our writes on GitHub, and how we find again what we have written: each call with the least token for it, every text redacted once more.
import type { Octokit, RestEndpointMethodTypes } from '@octokit/rest';
import type { FileMode } from '../../core/diff/diff.ts';
import { type GithubProject, getRepository } from '../../core/project.ts';
import type { Redactor } from '../../redact/redactor.ts';
import { type GithubClients, GithubFailure } from '../clients/github-clients.ts';
import { readPages, recoverFrom } from './github-calls.ts';

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
  /** Whether our bot is its author. */
  readonly isOurs: boolean;
}

export interface CommitMessage {
  readonly headline: string;
  readonly body: string;
}

export interface NewCommit {
  readonly branch: string;
  readonly expectedHead: string;
  readonly message: CommitMessage;
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
  readonly body: string;
  readonly createdAt: string;
  /** Null: it is open. */
  readonly closedAt: string | null;
}

/** Throws GithubFailure. */
export type GithubWriter = ReturnType<typeof createGithubWriter>;

type Send<T> = (octokit: Octokit, request: { readonly signal: AbortSignal }) => Promise<T>;

/** GitHub's limit is 65,536. Our texts fit 60,000, and a seal or a reply may follow. */
const MAX_TEXT = 61_500;
const COMMENT_PAGES = 50;
const REVIEW_PAGES = 10;

const MINIMIZE =
  'mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: RESOLVED }) { minimizedComment { isMinimized } } }';
const UNMINIMIZE =
  'mutation ($id: ID!) { unminimizeComment(input: { subjectId: $id }) { unminimizedComment { isMinimized } } }';
const COMMIT =
  'mutation ($input: CreateCommitOnBranchInput!) { createCommitOnBranch(input: $input) { commit { oid } } }';
const READY =
  'mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } } }';

/** For one repository, as long as the signal isn't aborted. */
export function createGithubWriter(
  { clients, redactor }: { readonly clients: GithubClients; readonly redactor: Pick<Redactor, 'redact'> },
  project: GithubProject,
  signal: AbortSignal,
) {
  const place = getRepository(project);
  /** With a token for comments and reviews. */
  const talk = <T>(send: Send<T>) => clients.repository(project.source, 'talk').call(send, signal);
  /** With a token for branches and pull requests. */
  const push = <T>(send: Send<T>) => clients.repository(project.source, 'push').call(send, signal);
  const redact = async (text: string) => fitText(await redactor.redact(text));
  const isOurs = async (user: { readonly id: number } | null | undefined) =>
    user?.id === (await clients.identity(signal)).botId;

  /** By their author: people may quote all that we write. */
  async function keepOurs<T extends { readonly user: { readonly id: number } | null }>(all: readonly T[]) {
    const { botId } = await clients.identity(signal);
    return all.filter(({ user }) => user?.id === botId);
  }

  async function readBranch(name: string): Promise<BranchHead | null> {
    const ref = await recoverFrom(
      ['gone', 'refused'],
      () => push(({ rest }, request) => rest.git.getRef({ ...place, ref: `heads/${name}`, request })),
      (error) => {
        if (error.status === 404) return null;
        throw error;
      },
    );
    if (ref === null) return null;
    const { sha } = ref.data.object;
    const { data } = await push(({ rest }, request) => rest.repos.getCommit({ ...place, ref: sha, request }));
    const parents = data.parents.map((parent) => parent.sha);
    const author = data.author as { readonly id: number } | null;
    return { sha, message: data.commit.message, parents, isOurs: await isOurs(author) };
  }

  /** Only forward. */
  async function moveBranch(name: string, sha: string): Promise<void> {
    const to = { ...place, ref: `heads/${name}`, sha, force: false };
    await push(({ rest }, request) => rest.git.updateRef({ ...to, request }));
  }

  /**
   * One atomic mutation. It knows contents only, and GitHub doesn't document what becomes of the mode of an executable: so it isn't used for
   * those.
   */
  async function commitFiles({ branch, expectedHead, message, files }: NewCommit): Promise<string> {
    const additions = files.written.map(({ path, text }) => ({ path, contents: Buffer.from(text).toString('base64') }));
    const input = {
      branch: { repositoryNameWithOwner: `${place.owner}/${place.repo}`, branchName: branch },
      expectedHeadOid: expectedHead,
      message,
      fileChanges: { additions, deletions: files.removed.map((path) => ({ path })) },
    };
    const answer = await push((octokit, request) =>
      octokit.graphql<{ createCommitOnBranch: { commit: { oid: string } } }>(COMMIT, { input, request }),
    );
    return answer.createCommitOnBranch.commit.oid;
  }

  /** Tree, commit, and last the branch: if it has moved by then, GitHub refuses. */
  async function commitObjects({ branch, expectedHead, message, files }: NewCommit): Promise<string> {
    const parent = await push(({ rest }, request) =>
      rest.git.getCommit({ ...place, commit_sha: expectedHead, request }),
    );
    const entries = [
      ...files.written.map(({ path, text, mode }) => ({ path, mode, type: 'blob' as const, content: text })),
      ...files.removed.map((path) => ({ path, mode: '100644' as const, type: 'blob' as const, sha: null })),
    ];
    const newTree = { ...place, base_tree: parent.data.tree.sha, tree: entries };
    const tree = await push(({ rest }, request) => rest.git.createTree({ ...newTree, request }));
    const text = `${message.headline}\n\n${message.body}`;
    const newCommit = { ...place, message: text, tree: tree.data.sha, parents: [expectedHead] };
    const { data } = await push(({ rest }, request) => rest.git.createCommit({ ...newCommit, request }));
    await moveBranch(branch, data.sha);
    return data.sha;
  }

  /** The pull request of a branch of ours: the open one, else the newest; null: none. */
  async function findPullRequest(branch: string): Promise<LivePullRequest | null> {
    const of = { ...place, head: `${place.owner}:${branch}`, state: 'all' as const, per_page: 10 };
    const { data } = await push(({ rest }, request) => rest.pulls.list({ ...of, request }));
    const found = data.map(toLive).filter((one) => one.branch === branch);
    return found.find(({ state }) => state === 'open') ?? found[0] ?? null;
  }

  return {
    /** 👀 on a comment, or on the issue itself. Repeating it changes nothing. */
    async react(number: number, commentId: number | null): Promise<void> {
      const eyes = { ...place, content: 'eyes' as const };
      await talk(async ({ rest: { reactions } }, request) => {
        if (commentId === null) await reactions.createForIssue({ ...eyes, issue_number: number, request });
        else await reactions.createForIssueComment({ ...eyes, comment_id: commentId, request });
      });
    },
    /** Our comments there since then (ISO 8601), oldest first. */
    async listOwnComments(number: number, since: string): Promise<readonly OwnText[]> {
      const of = { ...place, issue_number: number, since };
      const all = await readPages(COMMENT_PAGES, (page) =>
        talk(({ rest }, request) => rest.issues.listComments({ ...of, ...page, request })),
      );
      return (await keepOurs(all.map((one) => ({ ...one, user: one.user ?? null })))).map(toOwnText);
    },
    async createComment(number: number, text: string): Promise<OwnText> {
      const of = { ...place, issue_number: number, body: await redact(text) };
      return toOwnText((await talk(({ rest }, request) => rest.issues.createComment({ ...of, request }))).data);
    },
    async updateComment(id: number, text: string): Promise<void> {
      const of = { ...place, comment_id: id, body: await redact(text) };
      await talk(({ rest }, request) => rest.issues.updateComment({ ...of, request }));
    },
    async deleteComment(id: number): Promise<void> {
      await talk(({ rest }, request) => rest.issues.deleteComment({ ...place, comment_id: id, request }));
    },
    /** Collapses a comment or a review as resolved. Repeating it changes nothing. */
    async minimize(id: string): Promise<void> {
      await talk((octokit, request) => octokit.graphql(MINIMIZE, { id, request }));
    },
    async unminimize(id: string): Promise<void> {
      await talk((octokit, request) => octokit.graphql(UNMINIMIZE, { id, request }));
    },
    /** Oldest first. */
    async listOwnReviews(number: number): Promise<readonly OwnText[]> {
      const of = { ...place, pull_number: number };
      const all = await readPages(REVIEW_PAGES, (page) =>
        talk(({ rest }, request) => rest.pulls.listReviews({ ...of, ...page, request })),
      );
      return (await keepOurs(all)).map(toOwnText);
    },
    /**
     * A review that only comments. Refused (422) where a comment isn't within the commit's part of the diff. The comments are code and aren't
     * redacted here: the caller has checked them.
     */
    async createReview(
      number: number,
      sha: string,
      text: string,
      comments: readonly ReviewComment[],
    ): Promise<OwnText> {
      const review = {
        ...place,
        pull_number: number,
        commit_id: sha,
        event: 'COMMENT' as const,
        body: await redact(text),
        comments: comments.map(({ path, from, to, body }) => ({
          ...{ path, body, line: to, side: 'RIGHT' },
          ...(from < to && { start_line: from, start_side: 'RIGHT' }),
        })),
      };
      return toOwnText((await talk(({ rest }, request) => rest.pulls.createReview({ ...review, request }))).data);
    },
    readBranch,
    async listBranches(prefix: string): Promise<readonly string[]> {
      const of = { ...place, ref: `heads/${prefix}` };
      const { data } = await push(({ rest }, request) => rest.git.listMatchingRefs({ ...of, request }));
      return data.map(({ ref }) => ref.replace(/^refs\/heads\//, ''));
    },
    async createBranch(name: string, sha: string): Promise<void> {
      await push(({ rest }, request) => rest.git.createRef({ ...place, ref: `refs/heads/${name}`, sha, request }));
    },
    moveBranch,
    /** Whether the base has all commits of the branch. */
    async isPartOf(branch: string, base: string): Promise<boolean> {
      const of = { ...place, basehead: `${base}...${branch}`, per_page: 1 };
      const { data } = await push(({ rest }, request) => rest.repos.compareCommitsWithBasehead({ ...of, request }));
      return data.ahead_by === 0;
    },
    /** Full sha of a commit on top of `expectedHead`; refused where the branch has moved. */
    async commit(commit: NewCommit): Promise<string> {
      const { headline, body } = commit.message;
      const redacted = { ...commit, message: { headline: await redact(headline), body: await redact(body) } };
      return commit.files.hasExecutables ? await commitObjects(redacted) : await commitFiles(redacted);
    },
    findPullRequest,
    async openPullRequest({ branch, base, title, body, isDraft }: NewPullRequest): Promise<LivePullRequest> {
      const of = { ...place, head: branch, base, title: await redact(title), body: await redact(body) };
      const open = async (draft: boolean) =>
        toLive((await push(({ rest }, request) => rest.pulls.create({ ...of, draft, request }))).data);
      try {
        return await open(isDraft);
      } catch (error) {
        if (!(error instanceof GithubFailure) || error.status !== 422 || !isDraft) throw error;
        // Either one is open already, or the owner's plan has no drafts.
        const found = await findPullRequest(branch);
        return found?.state === 'open' ? found : await open(false);
      }
    },
    async readPullRequest(number: number): Promise<LivePullRequest> {
      const { data } = await push(({ rest }, request) => rest.pulls.get({ ...place, pull_number: number, request }));
      return toLive(data);
    },
    async updatePullRequest(number: number, text: string): Promise<void> {
      const of = { ...place, pull_number: number, body: await redact(text) };
      await push(({ rest }, request) => rest.pulls.update({ ...of, request }));
    },
    async markReady(id: string): Promise<void> {
      await push((octokit, request) => octokit.graphql(READY, { id, request }));
    },
    /** `people`: logins; `teams`: slugs of teams of the repository's own organisation. */
    async requestReviewers(number: number, people: readonly string[], teams: readonly string[]): Promise<void> {
      const of = { ...place, pull_number: number, reviewers: [...people], team_reviewers: [...teams] };
      await push(({ rest }, request) => rest.pulls.requestReviewers({ ...of, request }));
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

function toOwnText(data: {
  readonly id: number;
  readonly node_id: string;
  readonly html_url: string;
  readonly body?: string | null | undefined;
}): OwnText {
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
    body: data.body ?? '',
    createdAt: data.created_at,
    closedAt: data.closed_at,
  };
}
