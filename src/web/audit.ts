// The audit log: what a person did, and everything done in the projects they maintain.

import { sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import { isAtLeast } from '../core/project/index.ts';
import { type AuditEntry, readGithubActor } from '../db/index.ts';
import { isId, listKnownProjects } from '../services/index.ts';
import {
  cutPage,
  DASH,
  type ProjectNames,
  renderEmpty,
  renderMissing,
  renderMoment,
  renderPager,
  renderTable,
} from './components.ts';
import { type Html, renderPage } from './layout.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

const PAGE = 100;

/** What was done, after who did it. */
const SENTENCES: Readonly<Record<string, string>> = {
  'account.made': 'account created',
  'account.erased_by_operator': 'account deleted by the operator, in the terminal',
  'project.erased_by_operator': 'project deleted by the operator, in the terminal',
  'token.created': 'created an auth token',
  'token.revoked': 'revoked an auth token',
  'token.created_by_operator': 'auth token created by the operator, in the terminal',
  'token.revoked_by_operator': 'auth token revoked by the operator, in the terminal',
  'secret.rotated_by_operator': 'webhook signing secret rotated by the operator, in the terminal',
  'secret.shown_by_operator': 'webhook signing secret shown to the operator, in the terminal',
  'secret.rotated': 'rotated the webhook signing secret',
  'secret.shown': 'viewed the webhook signing secret',
  'session.started': 'signed in',
  'session.ended': 'ended a session, or signed out',
  'access.revoked': "revoked the App's authorization on GitHub",
  'webhook.resent': 'resent a webhook',
  'subscription.created': 'added a subscription',
  'subscription.deleted': 'deleted a subscription',
  'subscription.disabled': 'subscription turned off: its receiver answered 410',
  'subscription.rotated': 'rotated the secret of a subscription',
  'report.accepted': 'submitted a report',
  'investigation.cancelled': 'stopped an investigation',
  'issue.erased': 'deleted an issue',
  'thread.opened': 'posted an analysis on GitHub',
  'fix.requested': 'requested a pull request',
  'installation.made': 'installed the App',
  'installation.removed': 'removed the App',
};

const PLACES: Readonly<Record<string, string>> = { iss: 'issues', inv: 'investigations', prj: 'projects' };

/** GET /audit; `?before=`: the number of an entry. */
export async function getAudit(c: PageContext, deps: WebDeps): Promise<Response> {
  const asking = c.get('asking');
  const { projects, roles, isWhole } = await listKnownProjects(deps, asking);
  // Anything but a number is the first page.
  const before = /^\d{1,15}$/.exec(c.req.query('before') ?? '')?.[0];
  const found = await deps.store.listAuditEntries({
    accountId: asking.account.id,
    // What others did there is shown only to people who maintain the project.
    projectIds: projects.map(({ id }) => id).filter((id) => isAtLeast(roles.get(id) ?? 'none', 'maintain')),
    limit: PAGE + 1,
    ...(before === undefined ? {} : { before: Number(before) }),
  });
  const { entries, last } = cutPage(found, PAGE);
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  const none =
    before === undefined
      ? 'Nothing yet. Sign-ins, tokens, reports and their results will be listed here.'
      : 'No older entries.';
  const body = html`<h1>Audit log</h1>${renderMissing(isWhole)}
<p>What you did, and what anybody did in projects that you maintain. Read-only.</p>
${entries.length === 0 ? renderEmpty(none) : renderEntries(entries, names)}
${renderPager({
  label: 'Pages of the log',
  first: before === undefined ? null : '/audit',
  next: last === undefined ? null : `/audit?before=${last.number}`,
})}`;
  return renderPage(c, deps, { title: 'Audit log', section: 'audit', body });
}

function renderEntries(entries: readonly AuditEntry[], names: ProjectNames): Html {
  return renderTable({
    caption: 'Entries, newest first',
    columns: ['When', 'Who', 'What', 'Subject', 'Project'],
    rows: entries.map((entry) => [
      renderMoment(entry.at),
      describePerson(entry),
      Object.hasOwn(SENTENCES, entry.verb)
        ? (SENTENCES[entry.verb] ?? '')
        : html`<code>${sanitiseLine(entry.verb, 60)}</code>`,
      renderSubject(entry, names),
      renderProject(entry, names),
    ]),
  });
}

/** `github 7`: a person without an account here, of whom only GitHub's user number is known. */
function describePerson({ who }: AuditEntry): string {
  const number = readGithubActor(who);
  return number === null ? sanitiseLine(who, 60) : `GitHub user ${number}`;
}

/** A link only to what may still exist and be visible. */
function renderSubject({ subject: id, verb, projectId }: AuditEntry, names: ProjectNames): Html {
  const text = sanitiseLine(id, 60);
  const place = PLACES[id.slice(0, 3)];
  const isThere = verb !== 'issue.erased' && (projectId === null || names.has(projectId));
  if (place === undefined || !isId(id) || !isThere) return html`<span class="mono">${text}</span>`;
  return html`<a class="mono" href="/${place}/${id}">${text}</a>`;
}

function renderProject({ projectId }: AuditEntry, names: ProjectNames): Html {
  if (projectId === null) return DASH;
  const name = names.get(projectId);
  if (name === undefined) return html`<span class="soft">not visible to you</span>`;
  return html`<a href="/projects/${projectId}">${sanitiseLine(name, 150)}</a>`;
}
