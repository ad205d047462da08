// Comments and reactions on GitHub.
import type { Post } from './github-outbox.ts';
import type { Outbox, OwnComment } from './outbox.ts';

type Comments = Pick<Outbox, 'react' | 'ownComments' | 'createComment' | 'updateComment' | 'deleteComment'>;

const PAGE = 100;
/** A conversation of 5,000 comments since we came is none that we look through. */
const MOST_PAGES = 50;

export function githubComments(post: Post): Comments {
  const { place } = post;
  return {
    react: async ({ number, commentId }, signal) => {
      await post.caller('talk').call(({ rest }, request) => {
        const what = { ...place, content: 'eyes', request } as const;
        return commentId === null
          ? rest.reactions.createForIssue({ ...what, issue_number: number })
          : rest.reactions.createForIssueComment({ ...what, comment_id: commentId });
      }, signal);
    },
    ownComments: (number, since, signal) => ownComments(post, { number, since }, signal),
    createComment: async (number, text, signal) => {
      const body = await post.clean(text);
      const { data } = await post
        .caller('talk')
        .call(
          ({ rest }, request) => rest.issues.createComment({ ...place, issue_number: number, body, request }),
          signal,
        );
      return { id: data.id, nodeId: data.node_id, url: data.html_url, body: data.body ?? '' };
    },
    updateComment: async (id, text, signal) => {
      const body = await post.clean(text);
      await post
        .caller('talk')
        .call(({ rest }, request) => rest.issues.updateComment({ ...place, comment_id: id, body, request }), signal);
    },
    deleteComment: async (id, signal) => {
      await post
        .caller('talk')
        .call(({ rest }, request) => rest.issues.deleteComment({ ...place, comment_id: id, request }), signal);
    },
  };
}

/** By the number of their author: a person may quote all that we write. */
async function ownComments(
  post: Post,
  { number, since }: { readonly number: number; readonly since: string },
  signal: AbortSignal,
): Promise<readonly OwnComment[]> {
  const botId = await post.botId(signal);
  const own: OwnComment[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data } = await post
      .caller('talk')
      .call(
        ({ rest }, request) =>
          rest.issues.listComments({ ...post.place, issue_number: number, since, per_page: PAGE, page, request }),
        signal,
      );
    for (const { id, node_id, html_url, body, user } of data) {
      if (user?.id === botId) own.push({ id, nodeId: node_id, url: html_url, body: body ?? '' });
    }
    if (data.length < PAGE) break;
  }
  return own;
}
