// What several pages show in one way: moments, money, badges, notices, tables, pagers, steps, projects, links to
// GitHub.

import { removeInvisible, sanitiseLine, sanitiseText, truncate } from 'causeway-visible-text';
import { html, raw } from 'hono/html';
import type { Verdict } from '../core/check/index.ts';
import { describeOutcome } from '../core/issue/index.ts';
import type { Outcome } from '../core/outcome/index.ts';
import { isAtLeast, isGithubProject, type Project } from '../core/project/index.ts';
import type { InvestigationStep, Origin } from '../core/report/index.ts';
import type { ChecksState } from '../core/thread/index.ts';
import { findVisibleProject, isId, type SeenProject } from '../services/index.ts';
import { type Crumb, type Html, refuseAbsentPage } from './layout.ts';
import { renderText, type TextLinks } from './text.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

export type Tone = 'good' | 'bad' | 'busy' | 'quiet';

export const NOTHING: Html = html``;
export const DASH: Html = html`<span class="soft">–</span>`;

/** A moment to the minute in UTC; with scripts, `page.js` shows how long ago that is instead. "" becomes a dash. */
export function renderMoment(iso: string | null): Html {
  if (iso === null || iso === '') return DASH;
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

/** Such as 12,480. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** "1 issue", "3 issues". */
export function formatPlural(value: number, one: string, several = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : several}`;
}

/** A highlighted word, such as a state; its tone never carries the meaning by itself. */
export function renderBadge(text: string, tone: Tone = 'quiet'): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

const CHECKS: Readonly<Record<ChecksState, readonly [words: string, tone: Tone]>> = {
  waiting: ['pending', 'busy'],
  green: ['passing', 'good'],
  red: ['failing', 'bad'],
  none: ['none', 'quiet'],
  moved: ['taken over', 'quiet'],
};

/** Of a pull request of ours, such as "passing". */
export function describeChecks(state: ChecksState): readonly [words: string, tone: Tone] {
  return CHECKS[state];
}

/** Share of a budget from which on a warning is shown. */
export const NEARLY_USED = 0.8;

/** A scale of what is used of a budget in US dollars; nothing without a budget, since an empty scale cannot be drawn. */
export function renderBudgetMeter(name: string, used: number, limit: number): Html {
  if (limit <= 0) return NOTHING;
  return html`<meter min="0" max="${limit}" low="${NEARLY_USED * limit}" high="${0.999 * limit}" optimum="0" value="${Math.min(used, limit)}" aria-label="Share of the budget: ${name}"></meter>`;
}

/** Untrusted text on one line; only what is between backticks is marked up, as code. */
export function renderPlainLine(text: string, max = 300): Html {
  const parts = sanitiseLine(text, max).split(/(`[^`\n]{1,400}`)/);
  return html`${parts.map((part, index) => (index % 2 === 0 ? part : html`<code>${part.slice(1, -1)}</code>`))}`;
}

/** Parts with a separator between them. */
export function renderJoined(parts: readonly (Html | string)[], separator = ', '): Html {
  return html`${parts.map((part, index) => html`${index === 0 ? '' : separator}${part}`)}`;
}

/**
 * The result of a form on the page after it: fixed sentences, chosen by a word of the address, which is not shown
 * itself.
 */
export function renderDone(c: PageContext, sentences: Readonly<Record<string, string>>): Html {
  const done = c.req.query('done') ?? '';
  return Object.hasOwn(sentences, done) ? html`<p class="notice good" role="status">${sentences[done]}</p>` : NOTHING;
}

/** Without a number, which would count projects that the person may not see. */
export function renderMissing(isWhole: boolean): Html {
  if (isWhole) return NOTHING;
  return html`<p class="notice" role="status">GitHub did not answer for every project, so some may be missing here. Try again in a minute.</p>`;
}

/** What a list shows where it is empty. */
export function renderEmpty(text: Html | string, more: Html = NOTHING): Html {
  return html`<div class="empty"><p>${text}</p>${more}</div>`;
}

export function renderSection(id: string, title: string, body: Html): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${body}</section>`;
}

type Cell = Html | string;
/** A title; or one with the class of its cells. "": a column of buttons. */
type Column = string | readonly [title: string, className: 'number' | 'bar' | 'soft'];

interface HtmlTable {
  /** For screen readers. */
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** Cells of a last row. */
  readonly foot?: readonly Cell[];
  /** Classes that set the widths of its columns. */
  readonly style?: string;
  /** Index of the cell that names its row; default: the first. */
  readonly named?: number;
}

/** A table that becomes cards on a narrow screen, where each cell shows the title of its column. */
export function renderTable({ caption, columns, rows, foot, style = 'log', named = 0 }: HtmlTable): Html {
  const titles = columns.map((column) => (typeof column === 'string' ? column : column[0]));
  const classes = columns.map((column) => raw(typeof column === 'string' ? '' : ` class="${column[1]}"`));
  const renderRow = (cells: readonly Cell[]) =>
    html`<tr>${cells.map((cell, at) =>
      at === named
        ? html`<th scope="row">${cell}</th>`
        : html`<td${classes[at]}${titles[at] === '' ? '' : html` data-label="${titles[at]}"`}>${cell}</td>`,
    )}</tr>`;
  return html`<table class="cards ${style}"><caption class="hidden">${caption}</caption>
<thead><tr>${titles.map((title, at) => html`<th scope="col"${classes[at]}>${title === '' ? html`<span class="hidden">Action</span>` : title}</th>`)}</tr></thead>
<tbody>${rows.map(renderRow)}</tbody>${foot === undefined ? '' : html`<tfoot>${renderRow(foot)}</tfoot>`}</table>`;
}

interface FilterLink {
  readonly href: string;
  readonly text: string;
  readonly isCurrent: boolean;
}

export function renderFilters(label: string, filters: readonly FilterLink[]): Html {
  return html`<nav class="filters" aria-label="${label}"><ul>${filters.map(
    ({ href, text, isCurrent }) =>
      html`<li><a href="${href}"${isCurrent ? html` aria-current="true"` : ''}>${text}</a></li>`,
  )}</ul></nav>`;
}

/** The entries of a page, out of one more than it has; `last` is where the next page begins, undefined on the last. */
export function cutPage<T>(found: readonly T[], size: number): { readonly entries: readonly T[]; readonly last?: T } {
  const entries = found.slice(0, size);
  const last = found.length > size ? entries.at(-1) : undefined;
  return last === undefined ? { entries } : { entries, last };
}

interface Pager {
  /** Such as "Pages of issues". */
  readonly label: string;
  /** Null: this is the first page. */
  readonly first: string | null;
  /** Null: this is the last page. */
  readonly next: string | null;
  /** Texts of the two; default: Newest and Older. */
  readonly texts?: readonly [first: string, next: string];
}

/** `first` and `next` are addresses. */
export function renderPager({ label, first, next, texts: [toFirst, toNext] = ['Newest', 'Older'] }: Pager): Html {
  if (first === null && next === null) return NOTHING;
  return html`<nav aria-label="${label}" class="actions">
${first === null ? '' : html`<a class="button" href="${first}">${toFirst}</a>`}
${next === null ? '' : html`<a class="button" href="${next}" rel="next">${toNext}</a>`}</nav>`;
}

/** A block to be copied, with its button where scripts run. `id` is the element's on the page. */
export function renderCopyable(id: string, text: string, what: string): Html {
  return html`<div class="copyable"><pre><code id="${id}">${text}</code></pre>
<button type="button" data-copy="${id}" hidden>Copy ${what}</button></div>`;
}

const OUTCOME_TONES: Readonly<Record<Outcome, Tone>> = {
  code_fix: 'good',
  action_recommended: 'good',
  already_fixed: 'good',
  not_a_bug: 'quiet',
  needs_information: 'busy',
  inconclusive: 'quiet',
  facts_only: 'quiet',
};

export function renderOutcome({ outcome, partial }: { readonly outcome: Outcome; readonly partial: boolean }): Html {
  const badge = renderBadge(describeOutcome(outcome), OUTCOME_TONES[outcome]);
  return partial ? html`${badge} ${renderBadge('stopped early', 'busy')}` : badge;
}

const ORIGINS: Readonly<Record<Origin, string>> = {
  api: 'report',
  'github-issue': 'GitHub issue',
  'check-run': 'failed check',
  cli: 'terminal',
};

export const ALL_ORIGINS = Object.keys(ORIGINS) as readonly Origin[];

export function describeOrigin(origin: Origin): string {
  return ORIGINS[origin];
}

const VERDICTS: Readonly<Record<Verdict, string>> = {
  code: 'broken by the change',
  base_broken: 'broken before the change',
  flaky: 'flaky',
  infrastructure: 'CI machine',
  inconclusive: 'unclear',
};

export function describeVerdict(verdict: Verdict): string {
  return VERDICTS[verdict];
}

/** Names of the projects that the person sees, by id. */
export type ProjectNames = ReadonlyMap<string, string>;

/** The project of the address, by id only: in a path, a name's slash would make another path. */
export async function findSeenProject(c: PageContext, deps: WebDeps): Promise<SeenProject> {
  const id = c.req.param('projectId') ?? '';
  return (isId(id) ? await findVisibleProject(deps, c.get('asking'), id) : null) ?? refuseAbsentPage();
}

/** The path to a page of the project; `crumbs` lead on from its first page. */
export function createCrumbs({ id, name }: Project, ...crumbs: readonly Crumb[]): readonly Crumb[] {
  return [{ text: 'Projects', href: '/projects' }, { text: name, href: `/projects/${id}` }, ...crumbs];
}

type ProjectTab = 'issues' | 'failures' | 'calibration' | 'observed' | 'settings';

/** Name, kind, the button for a report where the person may submit one, and the tabs. */
export function renderProjectHead({ project, role }: SeenProject, tab: ProjectTab): Html {
  return html`<div class="title-line"><h1>${sanitiseLine(project.name, 300)}</h1><p class="kinds">${renderKind(project)}</p>
${isAtLeast(role, 'triage') ? html`<p>${renderNewReport(project, 'primary')}</p>` : ''}</div>
${renderProjectTabs(project, tab)}`;
}

export function renderNewReport({ id }: Project, className = ''): Html {
  return html`<a class="button ${className}" href="/projects/${id}/reports/new">New report</a>`;
}

export function renderKind({ source }: Project): Html {
  if (source.kind !== 'github') return renderBadge('local');
  return html`${renderBadge(source.isPrivate ? 'private' : 'public')}${source.isArchived ? html` ${renderBadge('archived')}` : ''}`;
}

/** `isWithin`: the page is below the current tab, not the tab's own. */
export function renderProjectTabs(project: Project, current: ProjectTab, { isWithin = false } = {}): Html {
  const tabs: readonly (readonly [ProjectTab, path: string, text: string])[] = [
    ['issues', '', 'Issues'],
    ['failures', '/failures', 'Failures'],
    // What becomes of an answer is seen on GitHub.
    ...(isGithubProject(project) ? [['calibration', '/calibration', 'Calibration'] as const] : []),
    // A local project posts nothing that could be held back.
    ...(isGithubProject(project) ? [['observed', '/observed', 'Observed'] as const] : []),
    ['settings', '/settings', 'Settings'],
  ];
  const state = isWithin ? 'true' : 'page';
  return html`<nav class="tabs" aria-label="Project"><ul>${tabs.map(
    ([tab, path, text]) =>
      html`<li><a href="/projects/${project.id}${path}"${tab === current ? html` aria-current="${state}"` : ''}>${text}</a></li>`,
  )}</ul></nav>`;
}

const SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** Address of the repository's page, without a slash at its end; "" where it has none. */
export function getRepositoryPage({ source }: Project): string {
  if (source.kind !== 'github' || !/^https?:\/\//.test(source.url) || !URL.canParse(source.url)) return '';
  return source.url.replace(/(?<!\/)\/{1,9}$/, '').replace(/\.git$/, '');
}

export function renderCommit(project: Project, sha: string): Html {
  return renderGithubLink(
    project,
    SHA.test(sha) ? `commit/${sha}` : '',
    html`<code>${sanitiseLine(sha, 64).slice(0, 7)}</code>`,
  );
}

/** The commits after `from`, up to and with `to`. */
export function renderComparison(project: Project, { from, to }: { readonly from: string; readonly to: string }): Html {
  const text = html`<code>${sanitiseLine(from, 64).slice(0, 7)}..${sanitiseLine(to, 64).slice(0, 7)}</code>`;
  return renderGithubLink(project, SHA.test(from) && SHA.test(to) ? `compare/${from}...${to}` : '', text);
}

/** A numbered page of the repository on GitHub, as `#31`. */
export function renderNumber(project: Project, kind: 'pull' | 'issues', number: number): Html {
  return renderGithubLink(project, `${kind}/${number}`, html`#${number}`);
}

function renderGithubLink(project: Project, path: string, text: Html): Html {
  const page = getRepositoryPage(project);
  return page === '' || path === '' ? text : html`<a href="${page}/${path}">${text}</a>`;
}

/** A stored address, if it is on the host of the project's repository; else "". */
export function checkOwnAddress(project: Project, address: string | null): string {
  const page = getRepositoryPage(project);
  if (address === null || page === '' || !URL.canParse(address)) return '';
  const { origin, username, password } = new URL(address);
  return origin === new URL(page).origin && username === '' && password === '' ? address : '';
}

/** A link to a stored address where it is the project's own; else the text without one. */
export function renderOwnLink(project: Project, address: string | null, text: string): Html {
  const own = checkOwnAddress(project, address);
  return own === '' ? html`${text}` : html`<a href="${own}">${text}</a>`;
}

/** `#31` of an address that ends in a number, as those of pull requests do. */
export function getNumberText(address: string): string {
  const number = /\/(\d{1,10})$/.exec(address)?.[1];
  return number === undefined ? 'on GitHub' : `#${number}`;
}

interface CutText {
  readonly text: string;
  /** Lines of the whole. */
  readonly lines: number;
  /** Says what is not shown; "" where all is. */
  readonly cut: string;
}

/** Whole lines up to the limits, or the beginning of the first one. Invisible characters are removed. */
export function cutToWholeLines(whole: string, maxLines: number, maxCharacters: number): CutText {
  const all = removeInvisible(whole).trimEnd();
  const lines = all === '' ? [] : all.split('\n');
  let text = lines.slice(0, maxLines).join('\n');
  if (text.length > maxCharacters) {
    const lineEnd = text.lastIndexOf('\n', maxCharacters);
    text = lineEnd > 0 ? text.slice(0, lineEnd) : truncate(text, maxCharacters);
  }
  const missing = all.length - text.length;
  return {
    text,
    lines: lines.length,
    cut: missing > 0 ? `The last ${formatCount(missing)} characters are not shown.` : '',
  };
}

/**
 * One row a step, which opens to its meaning and result. Step N has the anchor `step-N`: the text cites steps by their
 * number.
 */
export function renderStepRows(
  steps: readonly (InvestigationStep & { readonly number: number })[],
  links: TextLinks,
  { lines: maxLines, characters }: { readonly lines: number; readonly characters: number },
): Html {
  const items = steps.map(({ number, action, analysis, result }) => {
    const { text, lines, cut } = cutToWholeLines(result, maxLines, characters);
    return html`<li id="step-${number}" tabindex="-1"><details id="result-${number}"><summary><span class="number"><span class="hidden">Step </span>${number}</span>
<code class="query">${sanitiseText(action, 2_000) || '–'}</code> <span class="soft count">${text === '' ? 'no result' : formatPlural(lines, 'line')}</span></summary>
${analysis.trim() === '' ? '' : html`<div class="meaning">${renderText(analysis, links)}</div>`}
${text === '' ? '' : html`<pre><code>${text}</code></pre>`}${cut === '' ? '' : html`<p class="hint">${cut}</p>`}</details></li>`;
  });
  return html`<ol class="steps">${items}</ol>`;
}
