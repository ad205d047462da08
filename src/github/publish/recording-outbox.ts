// The outbox of a repository that is only observed: nothing leaves, and what would have is noted in the thread's record.
import type { ThreadRecord } from '../../core/thread.ts';
import type { LivePullRequest, NewPullRequest, Outbox } from './outbox.ts';

/** `held` is what was noted before. Its ids and addresses are 0 and "": they name nothing. */
export function createRecordingOutbox(before: ThreadRecord): Outbox {
  const held = { comment: before.held?.comment ?? '', pullRequest: before.held?.pullRequest ?? '' };
  const note = (comment: string) => {
    held.comment = comment;
  };
  return {
    react: async () => {},
    ownComments: async () => [],
    createComment: async (_number, body) => {
      note(body);
      return { id: 0, nodeId: '', url: '', body };
    },
    updateComment: async (_id, body) => note(body),
    deleteComment: async () => {},
    minimize: async () => {},
    unminimize: async () => {},
    ownReviews: async () => [],
    createReview: async (_number, { body }) => ({ id: 0, nodeId: '', body }),
    branch: async () => null,
    branchesNamed: async () => [],
    createBranch: async () => {},
    moveBranch: async () => {},
    isPartOf: async () => false,
    commit: async () => '',
    pullRequestOf: async () => null,
    openPullRequest: async (request) => {
      held.pullRequest = `${request.title}\n\n${request.body}`;
      return nowhere(request);
    },
    pullRequest: async () => null,
    updatePullRequest: async () => {},
    markReady: async () => {},
    requestReviewers: async () => {},
    keep: () => ({
      ...before,
      held: held.comment === '' && held.pullRequest === '' ? before.held : { ...held },
    }),
  };
}

function nowhere({ branch, base, isDraft, body }: NewPullRequest): LivePullRequest {
  return {
    ...{ number: 0, nodeId: '', url: '', branch, base, baseSha: '', headSha: '', state: 'open' },
    ...{ isDraft, body, createdAt: '', closedAt: null },
  };
}
