// The audit log: what a person did, and everything done in the projects they maintain.

import { sanitiseLine } from 'causeway-visible-text';
import { html } from 'hono/html';
import { isAtLeast, type Project } from '../core/project/index.ts';
import { type AuditEntry, readGithubActor } from '../db/index.ts';
import { isId, listKnownProjects } from '../services/index.ts';
import {
  cutPage,
  DASH,
  renderEmpty,
  renderMissing,
  renderMoment,
  renderNumber,
  renderPager,
  renderTable,
} from './components.ts';
import { type Html, renderPage } from './layout.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

const PAGE = 100;

interface Deed {
  readonly group: 'analysis' | 'credentials' | 'sessions' | 'set-up' | 'deletion';
  /** After the person's name. */
  readonly words: string;
}

const DEEDS: Readonly<Record<string, Deed>> = {
  'report.accepted': { group: 'analysis', words: 'submitted a report' },
  'investigation.cancelled': { group: 'analysis', words: 'stopped an investigation' },
  'thread.opened': { group: 'analysis', words: 'requested an analysis' },
  'proof.asked': { group: 'analysis', words: 'asked for the proof of a pull request' },
  'fix.requested': { group: 'analysis', words: 'requested a pull request' },
  'known.tied': { group: 'analysis', words: 'tied a known failure to an issue' },
  'known.ended': { group: 'analysis', words: 'untied a known failure' },
  'failure.called_mine': { group: 'analysis', words: 'said that a failure is from their change' },
  'failure.called_not_mine': { group: 'analysis', words: 'said that a failure isn’t from the change' },
  'checks.rerun': { group: 'analysis', words: 'had failed jobs run again' },
  'token.created': { group: 'credentials', words: 'created an auth token' },
  'token.revoked': { group: 'credentials', words: 'revoked an auth token' },
  'token.created_by_operator': { group: 'credentials', words: 'got an auth token from the operator, in the terminal' },
  'token.revoked_by_operator': { group: 'credentials', words: 'lost an auth token: revoked by the operator' },
  'secret.rotated': { group: 'credentials', words: 'rotated the webhook signing secret' },
  'secret.shown': { group: 'credentials', words: 'viewed the webhook signing secret' },
  'secret.rotated_by_operator': { group: 'credentials', words: 'webhook signing secret rotated by the operator' },
  'secret.shown_by_operator': { group: 'credentials', words: 'webhook signing secret shown to the operator' },
  'session.started': { group: 'sessions', words: 'signed in' },
  'session.ended': { group: 'sessions', words: 'signed out, or ended a session' },
  'access.revoked': { group: 'sessions', words: "revoked the App's authorization on GitHub" },
  'account.made': { group: 'set-up', words: 'account created' },
  'installation.made': { group: 'set-up', words: 'installed the App' },
  'installation.removed': { group: 'set-up', words: 'removed the App' },
  'subscription.created': { group: 'set-up', words: 'added a subscription' },
  'subscription.deleted': { group: 'set-up', words: 'deleted a subscription' },
  'subscription.disabled': { group: 'set-up', words: 'subscription turned off: its receiver answered 410' },
  'subscription.rotated': { group: 'set-up', words: 'rotated the secret of a subscription' },
  'webhook.resent': { group: 'set-up', words: 'resent a webhook' },
  'issue.erased': { group: 'deletion', words: 'deleted an issue' },
  'account.erased_by_operator': { group: 'deletion', words: 'account deleted by the operator' },
  'project.erased_by_operator': { group: 'deletion', words: 'project deleted by the operator' },
};

const GROUPS: readonly (readonly [Deed['group'], text: string])[] = [
  ['analysis', 'Analyses and pull requests'],
  ['credentials', 'Tokens and secrets'],
  ['sessions', 'Sign-ins'],
  ['set-up', 'Set-up'],
  ['deletion', 'Deletions'],
];

interface AuditQuery {
  /** A login, or `github 7`; "": everyone. */
  readonly who: string;
  /** Id; "": any. */
  readonly project: string;
  readonly kind: Deed['group'] | '';
}

/** GET /audit; `?before=`: the number of an entry. */
export async function getAudit(c: PageContext, deps: WebDeps): Promise<Response> {
  const asking = c.get('asking');
  const { projects, roles, isWhole } = await listKnownProjects(deps, asking);
  const query = readQuery(c, projects);
  const isFiltered = Object.values(query).some((value) => value !== '');
  // Anything but a number is the first page.
  const before = /^\d{1,15}$/.exec(c.req.query('before') ?? '')?.[0];
  const found = await deps.store.listAuditEntries({
    accountId: asking.account.id,
    // What others did there is shown only to people who maintain the project.
    projectIds: projects.map(({ id }) => id).filter((id) => isAtLeast(roles.get(id) ?? 'none', 'maintain')),
    limit: PAGE + 1,
    ...(query.who === '' ? {} : { actors: await findActors(deps, query.who) }),
    ...(query.project === '' ? {} : { projectId: query.project }),
    ...(query.kind === '' ? {} : { verbs: listVerbs(query.kind) }),
    ...(before === undefined ? {} : { before: Number(before) }),
  });
  const { entries, last } = cutPage(found, PAGE);
  const byId = new Map(projects.map((project) => [project.id, project]));
  const toAddress = (more: Readonly<Record<string, string>>) => {
    const set = Object.entries({ ...query, ...more }).filter(([, value]) => value !== '');
    return set.length === 0 ? '/audit' : `/audit?${new URLSearchParams(set)}`;
  };
  const body = html`<h1>Audit log</h1>${renderMissing(isWhole)}
<p>What you did, and what anybody did in projects that you maintain. Read-only.</p>
${renderAuditFilter(query, projects)}
${entries.length === 0 ? renderNone(isFiltered, before !== undefined) : renderEntries(entries, byId)}
${renderPager({
  label: 'Pages of the log',
  first: before === undefined ? null : toAddress({}),
  next: last === undefined ? null : toAddress({ before: String(last.number) }),
})}`;
  return renderPage(c, deps, { title: 'Audit log', section: 'audit', body });
}

function readQuery(c: PageContext, projects: readonly Project[]): AuditQuery {
  const [kind] = GROUPS.find(([group]) => group === c.req.query('kind')) ?? [''];
  return {
    who: sanitiseLine(c.req.query('who') ?? '', 60).trim(),
    project: projects.find(({ id }) => id === c.req.query('project'))?.id ?? '',
    kind,
  };
}

async function findActors({ store }: WebDeps, who: string): Promise<readonly string[]> {
  return readGithubActor(who) === null ? store.findActors(who.replace(/^@/, '')) : [who];
}

function listVerbs(kind: Deed['group']): readonly string[] {
  return Object.entries(DEEDS).flatMap(([verb, { group }]) => (group === kind ? [verb] : []));
}

function renderAuditFilter({ who, project, kind }: AuditQuery, projects: readonly Project[]): Html {
  const renderOptions = (all: readonly (readonly [value: string, text: string])[], current: string) =>
    all.map(
      ([value, text]) => html`<option value="${value}"${value === current ? html` selected` : ''}>${text}</option>`,
    );
  const names = projects.map(({ id, name }) => [id, sanitiseLine(name, 150)] as const);
  return html`<form method="get" class="filter"><label for="who">Person</label>
<input type="text" id="who" name="who" value="${who}" size="12" autocomplete="off" spellcheck="false">
<label for="project">Project</label><select id="project" name="project"><option value="">any</option>${renderOptions(names, project)}</select>
<label for="kind">Kind</label><select id="kind" name="kind"><option value="">any</option>${renderOptions(GROUPS, kind)}</select>
<button>Filter</button></form>`;
}

function renderNone(isFiltered: boolean, isPaged: boolean): Html {
  if (isPaged) return renderEmpty('No older entries.');
  if (!isFiltered) return renderEmpty('Nothing yet. Sign-ins, tokens, reports and their results will be listed here.');
  return renderEmpty('No entry matches.', html`<p><a class="button" href="/audit">All entries</a></p>`);
}

type ProjectsById = ReadonlyMap<string, Project>;

function renderEntries(entries: readonly AuditEntry[], byId: ProjectsById): Html {
  return renderTable({
    caption: 'Entries, newest first',
    style: 'ledger audit',
    columns: ['When', 'Who', 'What', 'Project'],
    rows: entries.map((entry) => [
      renderMoment(entry.at),
      renderPerson(entry),
      html`<span title="${sanitiseLine(entry.subject, 60)}">${renderDeed(entry, byId)}</span>${renderConsequence(entry, byId)}`,
      renderProject(entry, byId),
    ]),
  });
}

/** `github 7`: a person without an account here, of whom only GitHub's user number is known. */
function renderPerson({ who }: AuditEntry): Html {
  const number = readGithubActor(who);
  const name = number === null ? sanitiseLine(who, 60) : `GitHub user ${number}`;
  return html`<a class="plain-link" href="/audit?${new URLSearchParams({ who })}">${name}</a>`;
}

function renderDeed(entry: AuditEntry, byId: ProjectsById): Html {
  const { verb, about, subject } = entry;
  const words = Object.hasOwn(DEEDS, verb) ? DEEDS[verb]?.words : undefined;
  if (words === undefined) return html`<code>${sanitiseLine(verb, 60)}</code> ${renderId(subject)}`;
  if (about?.kind === 'thread' && verb === 'thread.opened') {
    const place = renderPlace(entry, byId);
    switch (about.trigger) {
      case 'label':
        return html`labelled ${place}`;
      case 'comment':
        return html`commented on ${place}`;
      case 'button':
        return html`pressed a button on ${place}`;
      case 'checks':
        return about.of.kind === 'failure' ? html`checks failed for ${place}` : html`checks failed on ${place}`;
      case 'api':
        return html`asked about ${place}`;
      case null:
        return html`requested an analysis of ${place}`;
    }
  }
  if (about?.kind === 'thread') return html`${words} for ${renderPlace(entry, byId)}`;
  if (about?.kind === 'issue') return html`${words}: ${renderIssueOf(entry, about.number, byId)}`;
  if (about === null || about.text === '') return html`${words}`;
  return html`${words}: ${sanitiseLine(about.text, 120)}`;
}

function renderIssueOf({ projectId }: AuditEntry, number: number, byId: ProjectsById): Html {
  const project = byId.get(projectId ?? '');
  return project === undefined ? html`#${number}` : renderNumber(project, 'issues', number);
}

/** What a thread is about, linked to GitHub where the person sees its project. */
function renderPlace({ about, projectId }: AuditEntry, byId: ProjectsById): Html {
  const project = byId.get(projectId ?? '');
  if (about?.kind !== 'thread') return html`something that was deleted since`;
  const { of } = about;
  switch (of.kind) {
    case 'issue':
      return project === undefined ? html`issue #${of.number}` : renderNumber(project, 'issues', of.number);
    case 'pull_request':
      return html`pull request ${project === undefined ? html`#${of.number}` : renderNumber(project, 'pull', of.number)}`;
    case 'failure':
      return project === undefined
        ? html`a failure of the default branch`
        : html`<a href="/projects/${project.id}/failures/${of.failureId}">a failure of the default branch</a>`;
    case 'report':
      return project === undefined ? html`an issue` : html`<a href="/issues/${of.issueId}">an issue</a>`;
  }
}

/** What followed, behind an arrow, with a link to what may still exist and be visible. */
function renderConsequence({ verb, subject, about, projectId }: AuditEntry, byId: ProjectsById): Html | '' {
  const isThere = projectId === null || byId.has(projectId);
  if (verb === 'report.accepted' && about?.kind === 'named' && isThere && isId(subject)) {
    return about.issueId === ''
      ? html` → <a href="/investigations/${subject}">investigation</a>`
      : html` → <a href="/issues/${about.issueId}">issue</a>`;
  }
  if (verb === 'thread.opened' && about?.kind === 'thread') return about.isPosted ? html` → analysis posted` : '';
  if (verb === 'investigation.cancelled' && isThere && isId(subject)) {
    return html` → <a href="/investigations/${subject}">investigation</a>`;
  }
  return '';
}

function renderId(id: string): Html {
  return html`<span class="mono soft">${sanitiseLine(id, 60)}</span>`;
}

function renderProject({ projectId }: AuditEntry, byId: ProjectsById): Html {
  if (projectId === null) return DASH;
  const project = byId.get(projectId);
  if (project === undefined) return html`<span class="soft">not visible to you</span>`;
  return html`<a href="/projects/${projectId}">${sanitiseLine(project.name, 150)}</a>`;
}
