// Routes of issues and their labels.
import { addLabels, editIssue, openIssue } from '../deeds/issues.ts';
import { grantOf, mayAtLeast } from '../lookup.ts';
import { issueBody, labelsOf, timelineOf } from '../resources/issue.ts';
import {
  type Answer,
  actorId,
  asText,
  noContent,
  notFound,
  ofRepository,
  ok,
  paged,
  type RepositoryCall,
  type Route,
  refused,
  unprocessable,
  viaAppId,
  withFound,
} from '../route.ts';
import type { GithubIssue } from '../state.ts';

export const ISSUES_READ = [{ issues: 'read' }, { pull_requests: 'read' }] as const;
export const ISSUES_WRITE = [{ issues: 'write' }, { pull_requests: 'write' }] as const;
const ISSUES_ALONE_WRITE = [{ issues: 'write' }] as const;
/** GitHub's limit for the text of issues, pull requests and comments. */
const LONGEST_TEXT = 65_536;

export const issueRoutes: readonly Route[] = [
  // The newest first, pull requests among them.
  ofRepository('GET /issues', ISSUES_READ, (call) => {
    const wanted = call.url.searchParams.get('state') ?? 'open';
    const all = [...call.repository.issues.values()].filter(({ state }) => wanted === 'all' || state === wanted);
    const sorted = all.toSorted((one, other) => other.number - one.number);
    return paged(call, sorted, (page) => page.map((one) => issueBody(call.state, call.repository, one)));
  }),
  ofRepository('GET /issues/{issue_number}', ISSUES_READ, (call) => {
    const issue = call.repository.issues.get(Number(call.params['issue_number']));
    return issue === undefined ? answerGone(call) : ok(issueBody(call.state, call.repository, issue));
  }),
  // Comments, labels and reviews alone.
  ofRepository(
    'GET /issues/{issue_number}/timeline',
    ISSUES_READ,
    withIssue((call, issue) => paged(call, timelineOf(call.state, call.repository, issue))),
  ),
  ofRepository(
    'PUT /issues/{issue_number}/lock',
    ISSUES_WRITE,
    withIssue((_call, issue) => {
      issue.locked = true;
      return noContent();
    }),
  ),
  ofRepository('POST /issues', ISSUES_ALONE_WRITE, (call) => {
    const title = asText(call.body['title']) ?? '';
    if (title === '') return unprocessable({ resource: 'Issue', code: 'missing_field', field: 'title' });
    const body = asText(call.body['body']) ?? null;
    if (tooLong(body)) return tooLongAnswer('Issue');
    const made = { title, body, labels: texts(call.body['labels']) };
    const by = { authorId: actorId(call.caller), viaAppId: viaAppId(call.caller) };
    return ok(issueBody(call.state, call.repository, openIssue(call.state, call.repository, { ...made, ...by })), 201);
  }),
  ofRepository(
    'PATCH /issues/{issue_number}',
    ISSUES_WRITE,
    withIssue((call, issue) => {
      const body = asText(call.body['body']);
      if (tooLong(body)) return tooLongAnswer('Issue');
      const state = asText(call.body['state']) as 'open' | 'closed' | undefined;
      const edit = { title: asText(call.body['title']), body, state };
      editIssue(call.state, call.repository, issue, { ...edit, byId: actorId(call.caller) });
      return ok(issueBody(call.state, call.repository, issue));
    }),
  ),
  ofRepository(
    'POST /issues/{issue_number}/labels',
    ISSUES_WRITE,
    withIssue((call, issue) => {
      const { state, repository, caller } = call;
      if (caller.kind === 'user' && !mayAtLeast(grantOf(state, repository, caller.account), 'triage')) {
        return refused(403, 'Must have triage access to the repository.');
      }
      addLabels(state, repository, issue, { names: texts(call.body['labels']), senderId: actorId(caller) });
      return ok(labelsOf(state, repository, issue));
    }),
  ),
];

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Hands on the issue of the call, or answers 404. */
export function withIssue(answer: (call: RepositoryCall, issue: GithubIssue) => Answer | Promise<Answer>) {
  return withFound((call) => call.repository.issues.get(Number(call.params['issue_number'])), answer);
}

function answerGone({ repository, state, params }: RepositoryCall): Answer {
  const gone = repository.goneIssues.get(Number(params['issue_number']));
  if (gone === undefined) return notFound();
  if (gone.kind === 'deleted') return refused(410, 'This issue was deleted');
  const url = `${state.urls.api}/repositories/${gone.repositoryId}/issues/${gone.number}`;
  return { status: 301, headers: { location: url }, body: { message: 'Moved Permanently', url } };
}

export function tooLong(body: string | null | undefined): boolean {
  return (body?.length ?? 0) > LONGEST_TEXT;
}

export function tooLongAnswer(resource: string): Answer {
  const message = `body is too long (maximum is ${LONGEST_TEXT} characters)`;
  return unprocessable({ resource, code: 'custom', field: 'body', message });
}
