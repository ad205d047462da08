// The outbox that really sends: each write with the least token for it, and every text through the redactor once more.
import { repositoryOf } from '../../core/project.ts';
import type { GithubCaller, TokenUse } from '../clients/github-clients.ts';
import type { PublishDeps, View } from './deps.ts';
import { githubBranches } from './github-branches.ts';
import { githubComments } from './github-comments.ts';
import { githubRequests } from './github-requests.ts';
import { githubReviews } from './github-reviews.ts';
import type { Outbox } from './outbox.ts';

/** One repository, and ourselves, as the calls need them. */
export interface Post {
  readonly place: { readonly owner: string; readonly repo: string };
  readonly caller: (use: TokenUse) => GithubCaller;
  /** GitHub's number of our own bot. */
  readonly botId: (signal: AbortSignal) => Promise<number>;
  /** The text as it may leave. */
  readonly clean: (text: string) => Promise<string>;
}

/** Our texts are made to fit 60,000 characters, and a seal or a line may follow. GitHub takes 65,536. */
const MOST_CHARACTERS = 61_500;

/** Throws GithubFailure. */
export function createGithubOutbox(deps: PublishDeps, { project }: Pick<View, 'project'>): Outbox {
  const post: Post = {
    place: repositoryOf(project),
    caller: (use) => deps.clients.repository(project.source, use),
    botId: async (signal) => (await deps.clients.identity(signal)).botId,
    clean: async (text) => fitting(await deps.redactor.redact(text)),
  };
  return {
    ...githubComments(post),
    ...githubReviews(post),
    ...githubBranches(post),
    ...githubRequests(post),
    keep: (record) => (record.held === null ? record : { ...record, held: null }),
  };
}

/**
 * Our texts are made to fit; this holds where one has grown since. A cut within code or a fold would set free what stands behind it, so
 * that all folds go. The last lines are the ones by which we find it again.
 */
function fitting(text: string): string {
  const fold = text.indexOf('<details>');
  if (text.length <= MOST_CHARACTERS || fold === -1) return text;
  return `${text.slice(0, fold)}[The details were too long to be shown here]${text.slice(text.lastIndexOf('</details>') + '</details>'.length)}`;
}
