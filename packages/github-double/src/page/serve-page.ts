// The page for people: which address shows what, and the forms behind it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GithubDouble } from '../double.ts';
import { resolveCommit } from '../git/read-objects.ts';
import { repositoryByName } from '../lookup.ts';
import { act, Refused } from './acts.ts';
import { commitPage, filePage, runPage, workflowRunPage } from './code.ts';
import { LIVE, type PageHtml, type PageView, refusal, STYLE, viewOf } from './frame.ts';
import { checksPage, filesPage } from './pulls.ts';
import { conversationPage, issuesPage, repositoriesPage, repositoryPage } from './threads.ts';

const LONGEST_FORM = 1024 * 1024;
const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // Comments may name pictures anywhere: none is fetched, so that the page works without a network and tells nobody.
  'content-security-policy':
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
};

interface PageRoute {
  readonly pattern: RegExp;
  readonly show: (view: PageView, id: string) => Promise<PageHtml | null> | PageHtml | null;
}

/** Below `/OWNER/NAME`. */
const pages: readonly PageRoute[] = [
  { pattern: /^$/, show: repositoryPage },
  { pattern: /^\/issues$/, show: (view) => issuesPage(view, 'issues') },
  { pattern: /^\/pulls$/, show: (view) => issuesPage(view, 'pulls') },
  {
    pattern: /^\/(?:issues|pull)\/(\d+)$/,
    show: (view, id) => ofThread(view, id, (issue) => conversationPage(view, issue)),
  },
  {
    pattern: /^\/pull\/(\d+)\/checks$/,
    show: (view, id) => ofThread(view, id, (issue) => issue.pull && checksPage(view, issue, issue.pull.headSha)),
  },
  {
    pattern: /^\/pull\/(\d+)\/files$/,
    show: (view, id) => ofThread(view, id, (issue) => issue.pull && filesPage(view, issue, issue.pull)),
  },
  { pattern: /^\/(?:actions\/runs\/\d+\/job|runs)\/(\d+)$/, show: checkRun },
  { pattern: /^\/actions\/runs\/(\d+)$/, show: workflowRunPage },
  { pattern: /^\/commit\/([0-9a-f]{7,40})$/, show: commit },
  { pattern: /^\/blob\/(.+)$/, show: filePage },
];

/** True: it answered. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** Adds `?view=reader` to every address: the same page without forms. */
export function servePage(double: GithubDouble): PageHandler {
  return async (request, response) => {
    const url = new URL(request.url ?? '/', double.webUrl);
    // At the root of an address the API is served as well: programs ask for JSON, browsers do not.
    if (request.headers.accept?.includes('json')) return false;
    if (request.method === 'GET' && (await asset(url.pathname, response))) return true;
    const [, owner, name, rest = ''] = /^\/([^/]+)\/([^/]+)(\/.*)?$/.exec(decoded(url.pathname)) ?? [];
    if (url.pathname === '/') return answer(response, 200, repositoriesPage(double));
    const repository = repositoryByName(double.state, `${owner}/${name}`);
    if (repository === undefined) {
      const isBrowser = request.method === 'GET' && request.headers.accept?.includes('text/html') === true;
      return isBrowser && answer(response, 404, refusal('Not found', 'The double has no page here.', null));
    }
    const view = viewOf(double, repository, url.searchParams.get('view') === 'reader');
    if (request.method === 'POST' && rest.startsWith('/-/')) return submitForm(view, rest.slice(3), request, response);
    if (request.method !== 'GET') return false;
    return showPage(view, rest.replace(/\/$/, ''), response);
  };
}

async function showPage(view: PageView, rest: string, response: ServerResponse): Promise<boolean> {
  for (const { pattern, show } of pages) {
    const match = pattern.exec(rest);
    const page = match === null ? null : await show(view, match[1] ?? '');
    if (page !== null) return answer(response, 200, page);
  }
  return answer(response, 404, refusal('Not found', `There is no ${rest} in ${view.name}.`, view));
}

async function submitForm(
  view: PageView,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  // A page elsewhere that is open in the same browser has no business here.
  const from = request.headers['sec-fetch-site'] ?? 'same-origin';
  if ((from !== 'same-origin' && from !== 'none') || !isLoopbackHost(request.headers.host))
    return answer(response, 403, refusal('Refused', 'Not from elsewhere.', view));
  try {
    const to = await act(view, name, new URLSearchParams(await bodyOf(request)));
    if (to === null) return answer(response, 404, refusal('Not found', 'There is no such form.', view));
    response.writeHead(303, { ...HEADERS, location: to }).end();
    return true;
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return answer(response, error instanceof Refused ? 403 : 422, refusal('GitHub would say no', detail, view));
  }
}

/** A name elsewhere may be made to lead to this machine, and what is pushed here is run by CI. */
function isLoopbackHost(host = ''): boolean {
  return /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > LONGEST_FORM) throw new Refused('That form is too long.');
  }
  return text;
}

function ofThread(
  { repository }: PageView,
  number: string,
  then: (issue: NonNullable<ReturnType<PageView['repository']['issues']['get']>>) => Promise<PageHtml> | null,
): Promise<PageHtml> | null {
  const issue = repository.issues.get(Number(number));
  return issue === undefined ? null : then(issue);
}

async function checkRun(view: PageView, id: string): Promise<PageHtml | null> {
  const run = view.repository.checkRuns.get(Number(id));
  return run === undefined ? null : runPage(view, run);
}

async function commit(view: PageView, name: string): Promise<PageHtml | null> {
  const sha = await resolveCommit(view.repository.gitDir, name);
  return sha === null ? null : commitPage(view, sha);
}

async function asset(path: string, response: ServerResponse): Promise<boolean> {
  const found = { '/-/style.css': ['text/css', STYLE], '/-/live.js': ['text/javascript', LIVE] }[path];
  if (found === undefined) return false;
  response.writeHead(200, { ...HEADERS, 'content-type': `${found[0]}; charset=utf-8` }).end(found[1]);
  return true;
}

function answer(response: ServerResponse, status: number, page: PageHtml): true {
  response.writeHead(status, { ...HEADERS, 'content-type': 'text/html; charset=utf-8' }).end(page.source);
  return true;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
