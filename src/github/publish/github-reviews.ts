// Reviews of pull requests on GitHub, and what is folded away there.
import type { Post } from './github-outbox.ts';
import type { NewReview, Outbox, OwnReview } from './outbox.ts';

type Reviews = Pick<Outbox, 'minimize' | 'unminimize' | 'ownReviews' | 'createReview'>;

const PAGE = 100;
/** A pull request with 1,000 reviews is none that we look through. */
const MOST_PAGES = 10;

const MINIMIZE =
  'mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: RESOLVED }) { minimizedComment { isMinimized } } }';
const UNMINIMIZE =
  'mutation ($id: ID!) { unminimizeComment(input: { subjectId: $id }) { unminimizedComment { isMinimized } } }';

export function githubReviews(post: Post): Reviews {
  const talk = post.caller('talk');
  const mutate = async (query: string, id: string, signal: AbortSignal) => {
    await talk.call((octokit, request) => octokit.graphql(query, { id, request }), signal);
  };
  return {
    minimize: (id, signal) => mutate(MINIMIZE, id, signal),
    unminimize: (id, signal) => mutate(UNMINIMIZE, id, signal),
    ownReviews: (number, signal) => ownReviews(post, number, signal),
    createReview: (number, review, signal) => createReview(post, { number, review }, signal),
  };
}

/** By the number of their author, as of comments. */
async function ownReviews(post: Post, number: number, signal: AbortSignal): Promise<readonly OwnReview[]> {
  const botId = await post.botId(signal);
  const own: OwnReview[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data } = await post
      .caller('talk')
      .call(
        ({ rest }, request) =>
          rest.pulls.listReviews({ ...post.place, pull_number: number, per_page: PAGE, page, request }),
        signal,
      );
    for (const { id, node_id, body, user } of data) {
      if (user?.id === botId) own.push({ id, nodeId: node_id, body });
    }
    if (data.length < PAGE) break;
  }
  return own;
}

/** The comments are code to the letter: whoever made them has seen to it that nothing in them must be cleaned. */
async function createReview(
  post: Post,
  { number, review }: { readonly number: number; readonly review: NewReview },
  signal: AbortSignal,
): Promise<OwnReview> {
  const body = await post.clean(review.body);
  const comments = review.comments.map(({ path, from, to, body: text }) => ({
    ...{ path, body: text, line: to, side: 'RIGHT' },
    ...(from < to && { start_line: from, start_side: 'RIGHT' }),
  }));
  const { data } = await post.caller('talk').call(
    ({ rest }, request) =>
      rest.pulls.createReview({
        ...post.place,
        ...{ pull_number: number, commit_id: review.commitId, event: 'COMMENT', body, comments, request },
      }),
    signal,
  );
  return { id: data.id, nodeId: data.node_id, body: data.body };
}
