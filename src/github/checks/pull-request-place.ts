// A pull request of GitHub as the place of a head: where it comes from, and whether its author may write.
import type { HeadPlace } from '../../core/head.ts';
import { isAtLeast } from '../../core/role.ts';
import { type GithubUser, isBot, personOf } from '../events/payloads.ts';
import type { Asking } from './ask.ts';

/** What lists and single answers of GitHub share. */
export interface PullRequest {
  readonly number: number;
  readonly state: string;
  readonly draft?: boolean | undefined;
  readonly user: GithubUser;
  readonly head: {
    readonly ref: string;
    readonly sha: string;
    /** Null: the fork is gone. */
    readonly repo: { readonly id: number } | null;
  };
  readonly base: { readonly ref: string; readonly sha: string };
}

type PullRequestPlace = Extract<HeadPlace, { readonly kind: 'pull_request' }>;

export async function pullRequestPlace(asking: Asking, pull: PullRequest): Promise<PullRequestPlace> {
  const place = placeOf(asking, pull);
  // Nothing starts unasked for a fork, whoever it belongs to: that call is saved.
  return { ...place, isTrusted: !place.isFork && (await mayWrite(asking, pull.user)) };
}

/** Nothing begins there any more, whoever asks. */
export function closedPlace(asking: Asking, pull: PullRequest): PullRequestPlace {
  return { ...placeOf(asking, pull), isTrusted: false, isClosed: true };
}

function placeOf({ project }: Asking, pull: PullRequest): Omit<PullRequestPlace, 'isTrusted'> {
  return {
    kind: 'pull_request',
    number: pull.number,
    branch: pull.head.ref,
    base: { branch: pull.base.ref, sha: pull.base.sha },
    sha: pull.head.sha,
    isQueue: false,
    isFork: pull.head.repo?.id !== project.source.repositoryId,
    isDraft: pull.draft === true,
    author: personOf(pull.user),
  };
}

/** Never a bot: a person stands behind every analysis. */
export async function mayWrite({ deps, project, signal }: Asking, user: GithubUser): Promise<boolean> {
  const person = personOf(user);
  if (person === null || isBot(user)) return false;
  return isAtLeast(await deps.permissions.roleOfPerson(person, project, signal), 'write');
}
