// Pull requests on GitHub.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { GithubFailure } from '../clients/github-clients.ts';
import type { Post } from './github-outbox.ts';
import type { LivePullRequest, NewPullRequest, Outbox } from './outbox.ts';

type Requests = Pick<
  Outbox,
  'pullRequestOf' | 'openPullRequest' | 'pullRequest' | 'updatePullRequest' | 'markReady' | 'requestReviewers'
>;
type Answer =
  | RestEndpointMethodTypes['pulls']['list']['response']['data'][number]
  | RestEndpointMethodTypes['pulls']['get']['response']['data'];

const READY =
  'mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } } }';

export function githubRequests(post: Post): Requests {
  const { place } = post;
  const push = post.caller('push');
  return {
    pullRequestOf: (branch, signal) => pullRequestOf(post, branch, signal),
    openPullRequest: (request, signal) => openPullRequest(post, request, signal),
    pullRequest: async (number, signal) => {
      const { data } = await push.call(
        ({ rest }, request) => rest.pulls.get({ ...place, pull_number: number, request }),
        signal,
      );
      return live(data);
    },
    updatePullRequest: async (number, text, signal) => {
      const body = await post.clean(text);
      await push.call(
        ({ rest }, request) => rest.pulls.update({ ...place, pull_number: number, body, request }),
        signal,
      );
    },
    markReady: async (id, signal) => {
      await push.call((octokit, request) => octokit.graphql(READY, { id, request }), signal);
    },
    requestReviewers: async (number, { people, teams }, signal) => {
      const wanted = { pull_number: number, reviewers: [...people], team_reviewers: [...teams] };
      await push.call(({ rest }, request) => rest.pulls.requestReviewers({ ...place, ...wanted, request }), signal);
    },
  };
}

async function pullRequestOf(post: Post, branch: string, signal: AbortSignal): Promise<LivePullRequest | null> {
  const head = `${post.place.owner}:${branch}`;
  const { data } = await post
    .caller('push')
    .call(({ rest }, request) => rest.pulls.list({ ...post.place, head, state: 'all', per_page: 10, request }), signal);
  const found = data.map(live).filter((request) => request.branch === branch);
  return found.find(({ state }) => state === 'open') ?? found[0] ?? null;
}

/** As a draft where that is wanted and the owner's plan has drafts. */
async function openPullRequest(post: Post, wanted: NewPullRequest, signal: AbortSignal): Promise<LivePullRequest> {
  const { branch: head, base } = wanted;
  const texts = { title: await post.clean(wanted.title), body: await post.clean(wanted.body) };
  const create = async (draft: boolean) => {
    const { data } = await post
      .caller('push')
      .call(({ rest }, request) => rest.pulls.create({ ...post.place, ...texts, head, base, draft, request }), signal);
    return live(data);
  };
  try {
    return await create(wanted.isDraft);
  } catch (error) {
    const isRefused = error instanceof GithubFailure && error.status === 422;
    if (!isRefused || !wanted.isDraft) throw error;
    // The same answer is given where one is open already.
    const standing = await pullRequestOf(post, head, signal);
    return standing?.state === 'open' ? standing : await create(false);
  }
}

function live(data: Answer): LivePullRequest {
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
