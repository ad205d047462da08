// Routes of issues: listed, read, changed, labelled.
import { addLabels, editIssue, openIssue, removeLabel } from '../deeds/issues.ts';
import { issueBody, labelsOf } from '../resources/issue.ts';
import {
  type Answer,
  actorId,
  ofRepository,
  ok,
  paged,
  type RepositoryCall,
  type Route,
  refused,
  text,
  unprocessable,
  viaAppId,
  withFound,
} from '../route.ts';
import type { Issue } from '../state.ts';

export const ISSUES_READ = [{ issues: 'read' }, { pull_requests: 'read' }] as const;
export const ISSUES_WRITE = [{ issues: 'write' }, { pull_requests: 'write' }] as const;
/** GitHub's limit for the text of issues, pull requests and comments. */
const LONGEST_TEXT = 65_536;

export const issueRoutes: readonly Route[] = [
  ofRepository('GET /issues', ISSUES_READ, listed),
  ofRepository('POST /issues', [{ issues: 'write' }], (call) => {
    const title = text(call.body['title']) ?? '';
    if (title === '') return unprocessable({ resource: 'Issue', code: 'missing_field', field: 'title' });
    const body = text(call.body['body']) ?? null;
    if (tooLong(body)) return tooLongAnswer('Issue');
    const labels = names(call.body['labels']);
    const made = { title, body, labels, authorId: actorId(call.caller), viaAppId: viaAppId(call.caller) };
    return ok(issueBody(call.state, call.repository, openIssue(call.state, call.repository, made)), 201);
  }),
  ofRepository(
    'GET /issues/{issue_number}',
    ISSUES_READ,
    withIssue((call, issue) => ok(issueBody(call.state, call.repository, issue))),
  ),
  ofRepository('PATCH /issues/{issue_number}', ISSUES_WRITE, withIssue(update)),
  ofRepository(
    'GET /issues/{issue_number}/labels',
    ISSUES_READ,
    withIssue((call, issue) => paged(call, labelsOf(call.state, call.repository, issue))),
  ),
  ofRepository(
    'POST /issues/{issue_number}/labels',
    ISSUES_WRITE,
    withIssue((call, issue) => {
      addLabels(call.state, call.repository, issue, {
        names: names(call.body['labels']),
        senderId: actorId(call.caller),
      });
      return ok(labelsOf(call.state, call.repository, issue));
    }),
  ),
  ofRepository(
    'DELETE /issues/{issue_number}/labels/{name}',
    ISSUES_WRITE,
    withIssue((call, issue) => {
      const by = { name: call.params['name'] ?? '', senderId: actorId(call.caller) };
      const was = removeLabel(call.state, call.repository, issue, by);
      return was ? ok(labelsOf(call.state, call.repository, issue)) : refused(404, 'Label does not exist');
    }),
  ),
];

/** Hands on the issue of the call, or answers 404. */
export function withIssue(answer: (call: RepositoryCall, issue: Issue) => Answer | Promise<Answer>) {
  return withFound((call) => call.repository.issues.get(Number(call.params['issue_number'])), answer);
}

function names(given: unknown): readonly string[] {
  const list = Array.isArray(given) ? given : [];
  return list.map((one: unknown) => (typeof one === 'string' ? one : String((one as { name: string }).name)));
}

export function tooLong(body: string | null | undefined): boolean {
  return (body?.length ?? 0) > LONGEST_TEXT;
}

export function tooLongAnswer(resource: string): Answer {
  const message = `body is too long (maximum is ${LONGEST_TEXT} characters)`;
  return unprocessable({ resource, code: 'custom', field: 'body', message });
}

function listed(call: RepositoryCall): Answer {
  const { searchParams } = call.url;
  const state = searchParams.get('state') ?? 'open';
  const wanted = (searchParams.get('labels') ?? '').split(',').filter((one) => one !== '');
  const since = searchParams.get('since') ?? '';
  const creator = searchParams.get('creator');
  const all = [...call.repository.issues.values()].filter(
    (one) =>
      (state === 'all' || one.state === state) &&
      wanted.every((label) => one.labels.some((has) => has.toLowerCase() === label.toLowerCase())) &&
      one.updatedAt >= since &&
      (creator === null || call.state.accounts.get(one.authorId ?? 0)?.login === creator),
  );
  const newestFirst = searchParams.get('direction') === 'asc' ? all : all.reverse();
  return paged(call, newestFirst, (page) => page.map((one) => issueBody(call.state, call.repository, one)));
}

function update(call: RepositoryCall, issue: Issue): Answer {
  const { body, state, repository } = call;
  if (tooLong(text(body['body']))) return tooLongAnswer('Issue');
  if (body['labels'] !== undefined) {
    const wanted = names(body['labels']);
    const senderId = actorId(call.caller);
    const gone = issue.labels.filter((one) => !wanted.some((name) => name.toLowerCase() === one.toLowerCase()));
    for (const name of gone) removeLabel(state, repository, issue, { name, senderId });
    addLabels(state, repository, issue, { names: wanted, senderId });
  }
  const edit = {
    title: text(body['title']),
    body: body['body'] === null ? null : text(body['body']),
    state: text(body['state']) as 'open' | 'closed' | undefined,
    stateReason: text(body['state_reason']) as 'completed' | 'not_planned' | undefined,
  };
  editIssue(state, repository, issue, edit, actorId(call.caller));
  return ok(issueBody(state, repository, issue));
}
