// Deleting an issue: first what goes and what stays, then the button.
import type { Handler } from 'hono';
import { html } from 'hono/html';
import { mayErase } from '../../services/access.ts';
import { eraseIssue } from '../../services/end-early.ts';
import { formTokenField } from '../form-token.ts';
import { readForm } from '../read-form.ts';
import { refuseAbsentPage, WebRefusal } from '../refusal.ts';
import { type Html, show } from '../show.ts';
import type { SignedIn, WebDeps, WebEnv } from '../web-deps.ts';
import { namedLink } from './own-links.ts';
import { issueCrumbs, issueTitle, type SeenIssue, seenIssue } from './seen-issue.ts';

/** GET /issues/{issueId}/delete */
export function getDeleteIssue(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const seen = await seenIssue(c, deps);
    if (!(await mayErase(deps, c.get('asking'), seen))) refuse();
    const crumbs = issueCrumbs(seen, { text: 'Delete', href: `/issues/${seen.issue.id}/delete` });
    const body = confirmation(seen, c.get('signedIn'));
    return show(c, deps, { title: 'Delete the issue', body, section: 'projects', crumbs });
  };
}

/** POST /issues/{issueId}/delete */
export function postDeleteIssue(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    await readForm(c);
    const seen = await seenIssue(c, deps);
    if (!(await mayErase(deps, c.get('asking'), seen))) refuse();
    if (!(await eraseIssue(deps, seen.issue.id, c.get('asking').account.id))) refuseAbsentPage();
    return c.redirect(`/projects/${seen.project.id}?done=deleted`, 303);
  };
}

function refuse(): never {
  throw new WebRefusal(
    403,
    'An issue is deleted by whoever handed its report in, or by somebody with the maintain role.',
  );
}

function confirmation({ issue, project }: SeenIssue, signedIn: SignedIn): Html {
  return html`<h1>Delete this issue?</h1>
<p class="lead">${issueTitle(issue, 200)}</p>
<h2>What goes</h2>
<ul><li>the issue, with its report, cause and change</li>
<li>its investigation, with every step that no equal report shares</li>
<li>webhooks about it that were not delivered yet</li></ul>
<h2>What stays</h2>
${stays({ issue, project })}
<p>It cannot be brought back.</p>
<form method="post" action="/issues/${issue.id}/delete" class="actions">${formTokenField(signedIn)}
<button class="danger">Delete the issue</button><a class="button" href="/issues/${issue.id}">Keep it</a></form>`;
}

/** Comments, check runs and pull requests belong to the repository: they are deleted there. */
function stays({ issue, project }: Pick<SeenIssue, 'issue' | 'project'>): Html {
  const { pullRequest, comment, checkRun } = issue.analysis.links;
  const links = [
    namedLink(project, pullRequest, 'pull request'),
    namedLink(project, comment, 'comment'),
    namedLink(project, checkRun, 'check run'),
  ].filter((link) => link !== null);
  return html`<ul>${links.map((link) => html`<li>on GitHub: its ${link}, to be closed or deleted there</li>`)}
<li>what it has cost, in the sums of the usage page, without a word of it</li>
<li>a line in the audit log that says who deleted it</li></ul>`;
}
