// What GitHub says against a pull request just now: who asked, the repository, the subject, and others who are at work on it.
import { repositoryOf } from '../../core/project.ts';
import { isAtLeast } from '../../core/role.ts';
import type { Person, Subject } from '../../core/thread.ts';
import { type GithubCaller, GithubFailure } from '../clients/github-clients.ts';
import { branchPrefix, isOurBranch } from './branch-name.ts';
import { issueCarriedBy } from './commit-trailers.ts';
import type { Work } from './deps.ts';

/** The branch that a pull request is to be merged into, and where it stands. */
export type Ground =
  /** `analysed`: the default branch, where the base is another one that the configuration names; null otherwise. */
  | { readonly kind: 'base'; readonly base: string; readonly sha: string; readonly analysed: string | null }
  | { readonly kind: 'withheld'; readonly reason: string };

type Place = ReturnType<typeof repositoryOf>;

interface Asking {
  readonly caller: GithubCaller;
  readonly place: Place;
  readonly signal: AbortSignal;
}

const RIVALS = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    issue(number: $number) {
      closedByPullRequestsReferences(first: 20) { nodes { number state headRefName author { __typename } } }
    }
  }
}`;

interface Rivals {
  readonly repository: {
    readonly issue: {
      readonly closedByPullRequestsReferences: { readonly nodes: readonly (Rival | null)[] | null } | null;
    } | null;
  } | null;
}

interface Rival {
  readonly number: number;
  readonly state: string;
  readonly headRefName: string;
  readonly author: { readonly __typename: string } | null;
}

export async function mayOpen(work: Work): Promise<Ground> {
  const { deps, view, signal } = work;
  const { subject } = view.thread;
  const place = repositoryOf(view.project);
  const asking: Asking = { caller: deps.clients.repository(view.project.source, 'read'), place, signal };
  const { data } = await asking.caller.call(({ rest }, request) => rest.repos.get({ ...place, request }), signal);
  if (data.archived) return withheld('the repository is archived.');
  if (!(await mayStillWrite(work, view.thread.fixRequest)))
    return withheld('whoever asked for it has no write access (any more).');
  const own = await ownOpen(work);
  if (own !== null) return withheld(`#${own} of an earlier analysis is still open. Close it, then \`/analyse retry\`.`);
  const against = await againstSubject(work, asking, subject);
  if (against !== null) return withheld(against);
  const base = subject.kind === 'failure' ? data.default_branch : view.config.pullRequest.base || data.default_branch;
  const ground = await baseOf(asking, subject, base);
  const isOther = ground.kind === 'base' && subject.kind !== 'pull_request' && base !== data.default_branch;
  return isOther ? { ...ground, analysed: data.default_branch } : ground;
}

/** Asked anew before everything that runs the repository's CI with its secrets. */
export async function mayStillWrite({ deps, view, signal }: Work, person: Person | null): Promise<boolean> {
  return person !== null && isAtLeast(await deps.permissions.roleNow(person, view.project, signal), 'write');
}

/** Number of a pull request of ours for the same subject, be it recorded or not. That of this very result has been looked for before. */
async function ownOpen({ outbox, view, signal }: Work): Promise<number | null> {
  const { thread, record } = view;
  const known = record.pullRequest;
  if (known?.state === 'open') return known.number;
  // People may have opened it again.
  if (known && (await outbox.pullRequest(known.number, signal))?.state === 'open') return known.number;
  const prefix = branchPrefix(thread.subject);
  for (const name of prefix === null ? [] : await outbox.branchesNamed(prefix, signal)) {
    const head = await outbox.branch(name, signal);
    if (head === null || issueCarriedBy(head, thread.id) === null) continue;
    const found = await outbox.pullRequestOf(name, signal);
    if (found?.state === 'open') return found.number;
  }
  return null;
}

function withheld(reason: string): Ground {
  return { kind: 'withheld', reason };
}

async function againstSubject({ deps }: Work, asking: Asking, subject: Subject): Promise<string | null> {
  if (subject.kind === 'issue') return await againstIssue(asking, subject.number);
  if (subject.kind !== 'failure') return null;
  // As it is by now: it may have turned green while GitHub was asked.
  const failure = await deps.store.failure(subject.failureId);
  return failure?.state === 'open' ? null : 'the checks are green again: nothing is left to mend.';
}

async function againstIssue({ caller, place, signal }: Asking, number: number): Promise<string | null> {
  const { data } = await caller.call(
    ({ rest }, request) => rest.issues.get({ ...place, issue_number: number, request }),
    signal,
  );
  if (data.state !== 'open') return 'the issue was closed meanwhile.';
  const found = await caller.call(
    (octokit, request) => octokit.graphql<Rivals>(RIVALS, { ...place, number, request }),
    signal,
  );
  const nodes = found.repository?.issue?.closedByPullRequestsReferences?.nodes ?? [];
  const rival = nodes.find((one) => one?.state === 'OPEN' && !isOwn(one));
  return rival ? `#${rival.number} is already open for this issue.` : null;
}

/** Ours is found again by its branch, and then taken over. */
function isOwn({ headRefName, author }: Rival): boolean {
  return isOurBranch(headRefName) && author?.__typename === 'Bot';
}

/** On a pull request the change goes on top of its branch, if that is in this repository. */
async function baseOf(asking: Asking, subject: Subject, base: string): Promise<Ground> {
  if (subject.kind !== 'pull_request') return await headOf(asking, base);
  const { caller, place, signal } = asking;
  const { data } = await caller.call(
    ({ rest }, request) => rest.pulls.get({ ...place, pull_number: subject.number, request }),
    signal,
  );
  if (data.state !== 'open') return withheld('the pull request was closed meanwhile.');
  if (data.head.repo?.id !== data.base.repo.id) return withheld('its branch is in a fork, to which nothing is pushed.');
  return await headOf(asking, data.head.ref);
}

async function headOf({ caller, place, signal }: Asking, base: string): Promise<Ground> {
  try {
    const { data } = await caller.call(
      ({ rest }, request) => rest.git.getRef({ ...place, ref: `heads/${base}`, request }),
      signal,
    );
    return { kind: 'base', base, sha: data.object.sha, analysed: null };
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.status !== 404) throw error;
    return withheld(`there is no branch \`${base.replaceAll('`', '')}\`.`);
  }
}
