// The audit log: what a person did, and what anybody did in the projects that they look after.
import type { Handler } from 'hono';
import { html } from 'hono/html';
import { inertLine } from '../../core/inert-text.ts';
import { isAtLeast } from '../../core/role.ts';
import type { AuditEntry } from '../../db/store.ts';
import { isId, knownProjects } from '../../services/access.ts';
import { missingNotice } from '../missing-projects.ts';
import { type Html, show } from '../show.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { moment } from '../words.ts';
import { sentenceOf } from './audit-words.ts';

const PAGE = 100;

/** GET /audit; `?before=`: the number of an entry. */
export function getAudit(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const asking = c.get('asking');
    const { projects, roles, isWhole } = await knownProjects(deps, asking);
    const before = numberFrom(c.req.query('before') ?? '');
    const found = await deps.store.auditEntries({
      accountId: asking.account.id,
      // Who did what there is for those alone who look after a project.
      projectIds: projects.map(({ id }) => id).filter((id) => isAtLeast(roles.get(id) ?? 'none', 'maintain')),
      limit: PAGE + 1,
      ...(before === null ? {} : { before }),
    });
    const entries = found.slice(0, PAGE);
    const names = new Map(projects.map(({ id, name }) => [id, name]));
    const body = html`<h1>Audit log</h1>${missingNotice(isWhole)}
<p>What you did, and what anybody did in projects where you are a maintainer. Nothing in it can be changed.</p>
${entries.length === 0 ? nothing(before !== null) : table(entries, names)}
${pages(entries, { isFirst: before === null, isLast: found.length <= PAGE })}`;
    return show(c, deps, { title: 'Audit log', section: 'audit', body, isWide: true });
  };
}

/** Anything but a number is none: the address is nobody's to get wrong. */
function numberFrom(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function nothing(isPaged: boolean): Html {
  return html`<div class="empty"><p>${isPaged ? 'Nothing was done before that.' : 'Nothing was done yet. Sign-ins, tokens, reports and what became of them will be listed here.'}</p></div>`;
}

type Names = ReadonlyMap<string, string>;

function table(entries: readonly AuditEntry[], names: Names): Html {
  return html`<table class="cards log"><caption class="hidden">Entries, the newest first</caption>
<thead><tr><th scope="col">When</th><th scope="col">Who</th><th scope="col">What</th><th scope="col">On what</th><th scope="col">Project</th></tr></thead>
<tbody>${entries.map((entry) => row(entry, names))}</tbody></table>`;
}

function row(entry: AuditEntry, names: Names): Html {
  return html`<tr><td data-label="When">${moment(entry.at)}</td><td data-label="Who">${whoWords(entry)}</td>
<td data-label="What">${sentenceOf(entry.verb) ?? html`<code>${inertLine(entry.verb, 60)}</code>`}</td>
<td data-label="On what">${subject(entry, names)}</td><td data-label="Project">${projectOf(entry, names)}</td></tr>`;
}

/** `github 7`: somebody who has no account here. */
function whoWords({ who }: AuditEntry): string {
  const [, number] = /^github (\d+)$/.exec(who) ?? [];
  return number === undefined ? inertLine(who, 60) : `number ${number} on GitHub`;
}

const PLACES: Readonly<Record<string, string>> = { iss: 'issues', inv: 'investigations', prj: 'projects' };

/** A link only to what may still be there and be seen. */
function subject({ subject: id, verb, projectId }: AuditEntry, names: Names): Html {
  const words = inertLine(id, 60);
  const place = PLACES[id.slice(0, 3)];
  const isThere = verb !== 'issue.erased' && (projectId === null || names.has(projectId));
  if (place === undefined || !isId(id) || !isThere) return html`<span class="mono">${words}</span>`;
  return html`<a class="mono" href="/${place}/${id}">${words}</a>`;
}

function projectOf({ projectId }: AuditEntry, names: Names): Html {
  if (projectId === null) return html`<span class="soft">–</span>`;
  const name = names.get(projectId);
  if (name === undefined) return html`<span class="soft">one that you do not see now</span>`;
  return html`<a href="/projects/${projectId}">${inertLine(name, 150)}</a>`;
}

function pages(
  entries: readonly AuditEntry[],
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): Html {
  const last = entries.at(-1);
  if (isFirst && isLast) return html``;
  return html`<nav class="actions" aria-label="Pages of the log">
${isFirst ? '' : html`<a class="button" href="/audit">Newest</a>`}
${isLast || last === undefined ? '' : html`<a class="button" href="/audit?before=${last.number}">Older</a>`}</nav>`;
}
