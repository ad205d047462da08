import { issueBody } from '../resources/issue.ts';
import {
  type Answer,
  ofRepository,
  ok,
  paged,
  type RepositoryCall,
  type Route,
  unprocessable,
  withFound,
} from '../route.ts';
import type { Issue } from '../state.ts';

export const ISSUES_READ = [{ issues: 'read' }, { pull_requests: 'read' }] as const;
export const ISSUES_WRITE = [{ issues: 'write' }, { pull_requests: 'write' }] as const;
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
  ofRepository(
    'GET /issues/{issue_number}',
    ISSUES_READ,
    withIssue((call, issue) => ok(issueBody(call.state, call.repository, issue))),
  ),
];

/** Hands on the issue of the call, or answers 404. */
export function withIssue(answer: (call: RepositoryCall, issue: Issue) => Answer | Promise<Answer>) {
  return withFound((call) => call.repository.issues.get(Number(call.params['issue_number'])), answer);
}

export function tooLong(body: string | null | undefined): boolean {
  return (body?.length ?? 0) > LONGEST_TEXT;
}

export function tooLongAnswer(resource: string): Answer {
  const message = `body is too long (maximum is ${LONGEST_TEXT} characters)`;
  return unprocessable({ resource, code: 'custom', field: 'body', message });
}
