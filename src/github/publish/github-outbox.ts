// The outbox that really sends: each write with the least token for it, and every text through the redactor once more.
import { repositoryOf } from '../../domain/project.ts';
import type { GithubCaller, TokenUse } from '../clients/github-clients.ts';
import type { PublishDeps, View } from './deps.ts';
import { githubBranches } from './github-branches.ts';
import { githubComments } from './github-comments.ts';
import { githubRequests } from './github-requests.ts';
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
    ...githubBranches(post),
    ...githubRequests(post),
    keep: (record) => (record.held === null ? record : { ...record, held: null }),
  };
}

/** Our texts are made to fit; this holds where one was not. Its last lines are the ones by which we find it again. */
function fitting(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  const end = text.slice(-400);
  return `${text.slice(0, MOST_CHARACTERS - end.length - 40)}\n\n[more was left out]\n\n${end.slice(end.indexOf('\n') + 1)}`;
}
