// Routes of pull requests and reviews.
import { editIssue } from '../deeds/issues.ts';
import { openPull, requestReview, retargetPull } from '../deeds/pulls.ts';
import { addReview, type NewRemark } from '../deeds/reviews.ts';
import { readDiff } from '../git/read-diff.ts';
import { mergeBase, resolveCommit } from '../git/read-objects.ts';
import { accountByLogin, grantOf, mayAtLeast, owner } from '../lookup.ts';
import { fullPull, headRepository, reviewBody, simplePull } from '../resources/issue.ts';
import { fileBody } from '../resources/repository.ts';
import {
  type Answer,
  actorId,
  asText,
  notFound,
  ofRepository,
  ok,
  paged,
  type RepositoryCall,
  type Route,
  refused,
  unprocessable,
  viaAppId,
} from '../route.ts';
import type { GithubIssue, GithubRepository, Pull, Side } from '../state.ts';
import { tooLong, tooLongAnswer } from './issues.ts';

const PULLS_READ = [{ pull_requests: 'read' }] as const;

const PULLS_WRITE = [{ pull_requests: 'write' }] as const;

export const pullRoutes: readonly Route[] = [
  ofRepository('GET /pulls', PULLS_READ, answerPulls),
  ofRepository('POST /pulls', PULLS_WRITE, open),
  ofRepository(
    'GET /pulls/{pull_number}',
    PULLS_READ,
    withPull((call, issue, pull) => ok(fullPull(call.state, call.repository, issue, pull))),
  ),
  ofRepository(
    'PATCH /pulls/{pull_number}',
    PULLS_WRITE,
    withPull(async (call, issue, pull) => {
      const { body } = call;
      if (tooLong(asText(body['body']))) return tooLongAnswer('PullRequest');
      const edit = {
        title: asText(body['title']),
        body: asText(body['body']),
        state: asText(body['state']) as 'open' | 'closed' | undefined,
      };
      editIssue(call.state, call.repository, issue, { ...edit, byId: actorId(call.caller) });
      const base = asText(body['base']);
      const byId = actorId(call.caller);
      if (base !== undefined && !(await retargetPull(call.state, call.repository, issue, { base, byId })))
        return refused(422, 'Validation Failed');
      return ok(fullPull(call.state, call.repository, issue, pull));
    }),
  ),
  ofRepository(
    'GET /pulls/{pull_number}/files',
    PULLS_READ,
    withPull(async (call, _issue, pull) => {
      const base = (await mergeBase(call.repository.gitDir, pull.baseSha, pull.headSha)) ?? pull.baseSha;
      const files = await readDiff(call.repository.gitDir, base, pull.headSha);
      return paged(call, files, (page) => page.map((one) => fileBody(call.state, call.repository, pull.headSha, one)));
    }),
  ),
  ofRepository('POST /pulls/{pull_number}/requested_reviewers', PULLS_WRITE, withPull(askReviewers)),
];

type OfPull = (call: RepositoryCall, issue: GithubIssue, pull: Pull) => Answer | Promise<Answer>;

function withPull(answer: OfPull) {
  return (call: RepositoryCall): Answer | Promise<Answer> => {
    const issue = call.repository.issues.get(Number(call.params['pull_number']));
    return issue === undefined || issue.pull === null ? notFound() : answer(call, issue, issue.pull);
  };
}

/** `head` is `owner:branch`; in any other form it is not a filter, as on GitHub. */
function answerPulls(call: RepositoryCall): Answer {
  const { searchParams } = call.url;
  const state = searchParams.get('state') ?? 'open';
  const [login, branch] = (searchParams.get('head') ?? '').split(/:(.*)/);
  const base = searchParams.get('base');
  const all = [...call.repository.issues.values()].flatMap((issue) => {
    const { pull } = issue;
    if (pull === null || (state !== 'all' && issue.state !== state)) return [];
    if (branch !== undefined && `${headOwner(call, pull)}:${pull.headRef}` !== `${login}:${branch}`) return [];
    return base === null || pull.baseRef === base ? [{ issue, pull }] : [];
  });
  const sorted = searchParams.get('direction') === 'asc' ? all : all.reverse();
  return paged(call, sorted, (page) => page.map((one) => simplePull(call.state, call.repository, one.issue, one.pull)));
}

function headOwner(call: RepositoryCall, pull: Pull): string {
  const ownerId = headRepository(call.state, pull)?.ownerId ?? pull.headOwnerId;
  return call.state.accounts.get(ownerId)?.login ?? 'unknown';
}

async function open(call: RepositoryCall): Promise<Answer> {
  const { body, state, repository } = call;
  const [title, base] = [asText(body['title']) ?? '', asText(body['base']) ?? ''];
  const written = asText(body['body']) ?? null;
  if (title === '') return unprocessable({ resource: 'PullRequest', code: 'missing_field', field: 'title' });
  if (tooLong(written)) return tooLongAnswer('PullRequest');
  if (
    call.caller.kind === 'installation' &&
    call.caller.app.slug === 'github-actions' &&
    !repository.actionsMayOpenPulls
  ) {
    return refused(403, 'GitHub Actions is not permitted to create or approve pull requests.');
  }
  const isDraft = body['draft'] === true;
  if (isDraft && repository.isPrivate && owner(state, repository).plan === 'free') {
    return refused(422, 'Draft pull requests are not supported in this repository.');
  }
  const { head, headRef } = findNamedHead(call, asText(body['head']) ?? '');
  const authorId = actorId(call.caller);
  const maintainerCanModify = body['maintainer_can_modify'] !== false && head.id !== repository.id;
  const made = {
    title,
    body: written,
    authorId,
    viaAppId: viaAppId(call.caller),
    head,
    headRef,
    baseRef: base,
    isDraft,
    maintainerCanModify,
  };
  const opened = await openPull(state, repository, made);
  if ('message' in opened) return unprocessable({ resource: 'PullRequest', code: 'custom', message: opened.message });
  if ('field' in opened) return unprocessable({ resource: 'PullRequest', ...opened });
  return opened.pull === null ? notFound() : ok(fullPull(state, repository, opened, opened.pull), 201);
}

/** `branch`, or `owner:branch` of a fork. */
function findNamedHead(
  { state, repository }: RepositoryCall,
  given: string,
): { head: GithubRepository; headRef: string } {
  const [login, branch] = given.split(/:(.*)/);
  if (branch === undefined) return { head: repository, headRef: given };
  const account = accountByLogin(state, login ?? '');
  const family = [...state.repositories.values()].filter(
    (one) => one.id === repository.id || one.parentId === repository.id,
  );
  return { head: family.find((one) => one.ownerId === account?.id) ?? repository, headRef: branch };
}

/** Only collaborators can be asked, and never the author. */
function askReviewers(call: RepositoryCall, issue: GithubIssue, pull: Pull): Answer {
  const { state, repository } = call;
  const logins = (Array.isArray(call.body['reviewers']) ? call.body['reviewers'] : []).map(String);
  const accounts = logins.map((login) => accountByLogin(state, login));
  if (accounts.some((one) => one?.id === issue.authorId)) {
    return refused(422, 'Review cannot be requested from pull request author.');
  }
  const stranger = accounts.some((one) => one === undefined || !isCollaborator(repository, call, one.id));
  if (stranger)
    return refused(
      422,
      'Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of this repository.',
    );
  for (const one of accounts) {
    if (one !== undefined)
      requestReview(state, repository, issue, { reviewerId: one.id, senderId: actorId(call.caller) });
  }
  return ok(simplePull(state, repository, issue, pull), 201);
}

function isCollaborator(repository: GithubRepository, { state }: RepositoryCall, id: number): boolean {
  const account = state.accounts.get(id);
  const holder = owner(state, repository);
  const isNear = repository.collaborators.has(id) || holder.members.has(id) || holder.id === id;
  return account !== undefined && isNear && mayAtLeast(grantOf(state, repository, account), 'pull');
}

const STATES = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;

export const reviewRoutes: readonly Route[] = [
  ofRepository('POST /pulls/{pull_number}/reviews', PULLS_WRITE, withPull(submitReview)),
  ofRepository(
    'GET /pulls/{pull_number}/reviews',
    PULLS_READ,
    withPull((call, issue, pull) =>
      paged(call, pull.reviews, (page) => page.map((one) => reviewBody(call.state, call.repository, issue, one))),
    ),
  ),
];

async function submitReview(call: RepositoryCall, issue: GithubIssue, pull: Pull): Promise<Answer> {
  const { body, caller, repository, state } = call;
  const event = asText(body['event']) as keyof typeof STATES | undefined;
  const given = remarksOf(body['comments']);
  const written = asText(body['body']) ?? '';
  if (event !== undefined && STATES[event] === undefined)
    return refuseReview('Variable $event of type PullRequestReviewEvent was provided invalid value');
  if (event === 'REQUEST_CHANGES' && written === '') return refuseReview('Body cannot be blank');
  if (event === 'COMMENT' && written === '' && given.length === 0) return refuseReview('Body cannot be blank');
  const isOwn = issue.authorId === actorId(caller);
  if (isOwn && event === 'APPROVE') return refuseReview('Can not approve your own pull request');
  if (isOwn && event === 'REQUEST_CHANGES') return refuseReview('Can not request changes on your own pull request');
  const commitSha = asText(body['commit_id']) ?? pull.headSha;
  if ((await resolveCommit(repository.gitDir, commitSha)) !== commitSha)
    return refuseReview('Commit could not be found');
  const made = await addReview(state, repository, issue, {
    authorId: actorId(caller),
    viaAppId: viaAppId(caller),
    body: written,
    state: event === undefined ? 'PENDING' : STATES[event],
    commitSha,
    remarks: given,
  });
  return 'id' in made ? ok(reviewBody(state, repository, issue, made)) : refuseReview(...made);
}

function refuseReview(...errors: readonly string[]): Answer {
  return refused(422, 'Unprocessable Entity', { errors });
}

function remarksOf(given: unknown): readonly NewRemark[] {
  return (Array.isArray(given) ? given : []).map((one: Record<string, unknown>) => ({
    path: asText(one['path']) ?? '',
    body: asText(one['body']) ?? '',
    line: Number(one['line']),
    side: (asText(one['side']) ?? 'RIGHT') as Side,
    startLine: typeof one['start_line'] === 'number' ? one['start_line'] : null,
    startSide:
      typeof one['start_line'] === 'number'
        ? ((asText(one['start_side']) ?? asText(one['side']) ?? 'RIGHT') as Side)
        : null,
  }));
}
