// What several pages show in one way: moments, money, counts, badges, notices, filters, pagers, steps, links to GitHub.
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Verdict } from '../core/check.ts';
import type { InvestigationStep } from '../core/evidence.ts';
import { removeInvisible, sanitiseLine, sanitiseText, truncate } from '../core/inert-text.ts';
import type { Outcome } from '../core/issue.ts';
import { isGithubProject, type Project } from '../core/project.ts';
import type { Origin } from '../core/report.ts';
import { isAtLeast } from '../core/role.ts';
import { isId, type Seen, visibleProject } from '../services/access.ts';
import { type Crumb, type Html, refuseAbsentPage } from './layout.ts';
import { renderText, type TextLinks } from './text.ts';
import type { WebDeps, WebEnv } from './web-deps.ts';

export type Tone = 'good' | 'bad' | 'busy' | 'quiet';

/** A moment to the minute in UTC; with scripts, `page.js` shows how long ago that is instead. "" becomes a dash. */
export function renderMoment(iso: string | null): Html {
  if (iso === null || iso === '') return html`<span class="soft">–</span>`;
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

/** US dollars, as precise as their size needs. */
export function formatDollars(usd: number): string {
  if (usd === 0) return '$0';
  return usd < 0.01 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

/** Such as 12,480. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** "1 issue", "3 issues". */
export function formatPlural(value: number, one: string, several = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : several}`;
}

/** Such as `82 %`. */
export function formatPercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A highlighted word, such as a state; its tone never carries the meaning on its own. */
export function renderBadge(text: string, tone: Tone = 'quiet'): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
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

/** The result of a form on the page after it: fixed sentences, chosen by a word of the address, which is not shown itself. */
export function renderDone(c: Context<WebEnv>, sentences: Readonly<Record<string, string>>): Html {
  const done = c.req.query('done') ?? '';
  const sentence = Object.hasOwn(sentences, done) ? sentences[done] : undefined;
  return sentence === undefined ? html`` : html`<p class="notice good" role="status">${sentence}</p>`;
}

/** Without a number, which would count projects that the person may not see. */
export function renderMissing(isWhole: boolean): Html {
  if (isWhole) return html``;
  return html`<p class="notice" role="status">GitHub did not answer for every project, so some may be missing here. Try again in a minute.</p>`;
}

interface Filter {
  readonly href: string;
  readonly text: string;
  readonly isCurrent: boolean;
}

export function renderFilters(label: string, filters: readonly Filter[]): Html {
  return html`<nav class="filters" aria-label="${label}"><ul>${filters.map(
    ({ href, text, isCurrent }) =>
      html`<li><a href="${href}"${isCurrent ? html` aria-current="true"` : ''}>${text}</a></li>`,
  )}</ul></nav>`;
}

interface Pager {
  /** Such as "Pages of issues". */
  readonly label: string;
  /** Null: this is the first page. */
  readonly first: { readonly href: string; readonly text: string } | null;
  /** Null: this is the last page. */
  readonly next: { readonly href: string; readonly text: string } | null;
}

export function renderPager({ label, first, next }: Pager): Html {
  if (first === null && next === null) return html``;
  return html`<nav aria-label="${label}" class="actions">
${first === null ? '' : html`<a class="button" href="${first.href}">${first.text}</a>`}
${next === null ? '' : html`<a class="button" href="${next.href}" rel="next">${next.text}</a>`}</nav>`;
}

/** A block to be copied, with its button where scripts run. `id` is the element's on the page. */
export function renderCopyable(id: string, text: string, what: string): Html {
  return html`<div class="copyable"><pre><code id="${id}">${text}</code></pre>
<button type="button" data-copy="${id}" hidden>Copy ${what}</button></div>`;
}

const OUTCOMES: Readonly<Record<Outcome, readonly [text: string, tone: Tone]>> = {
  code_fix: ['Cause and fix', 'good'],
  action_recommended: ['Cause and advice', 'good'],
  already_fixed: ['Already fixed', 'good'],
  not_a_bug: ['Not a bug', 'quiet'],
  needs_information: ['Needs information', 'busy'],
  inconclusive: ['Cause not found', 'quiet'],
  facts_only: ['Facts only', 'quiet'],
};

export function renderOutcome({ outcome, partial }: { readonly outcome: Outcome; readonly partial: boolean }): Html {
  return html`${renderBadge(...OUTCOMES[outcome])}${partial ? html` ${renderBadge('cut short', 'busy')}` : ''}`;
}

const ORIGINS: Readonly<Record<Origin, string>> = {
  api: 'report',
  'github-issue': 'GitHub issue',
  'check-run': 'failed check',
  cli: 'terminal',
};

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

export type SeenProject = Seen<{ readonly project: Project }>;

/** The project of the address, by id only: in a path, a name's slash would make another path. */
export async function findProject(c: Context<WebEnv>, deps: WebDeps): Promise<SeenProject> {
  const id = c.req.param('projectId') ?? '';
  return (isId(id) ? await visibleProject(deps, c.get('asking'), id) : null) ?? refuseAbsentPage();
}

/** The path to a page of the project; `crumbs` lead on from its first page. */
export function createCrumbs({ id, name }: Project, ...crumbs: readonly Crumb[]): readonly Crumb[] {
  return [{ text: 'Projects', href: '/projects' }, { text: name, href: `/projects/${id}` }, ...crumbs];
}

/** Name, kind, and the button for a report where the person may submit one. */
export function renderProjectHead({ project, role }: SeenProject): Html {
  const mayReport = isAtLeast(role, 'triage');
  return html`<div class="title-line"><h1>${sanitiseLine(project.name, 300)}</h1><p class="kinds">${renderKind(project)}</p>
${mayReport ? html`<p><a class="button primary" href="/projects/${project.id}/reports/new">New report</a></p>` : ''}</div>`;
}

export function renderKind({ source }: Project): Html {
  if (source.kind !== 'github') return renderBadge('local');
  return html`${renderBadge(source.isPrivate ? 'private' : 'public')}${source.isArchived ? html` ${renderBadge('archived')}` : ''}`;
}

type ProjectTab = 'issues' | 'failures' | 'observed' | 'settings';

/** `isWithin`: the page is below the current tab, not the tab's own. */
export function renderProjectTabs(project: Project, current: ProjectTab, { isWithin = false } = {}): Html {
  const tabs: readonly (readonly [ProjectTab, path: string, text: string])[] = [
    ['issues', '', 'Issues'],
    ['failures', '/failures', 'Failures'],
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

export interface TextLimits {
  readonly lines: number;
  readonly characters: number;
}

interface CutText {
  readonly text: string;
  /** Lines of the whole. */
  readonly lines: number;
  /** Says what is not shown; "" where all is. */
  readonly cut: string;
}

/** Whole lines up to the limits, unless the first one is too long by itself. Invisible characters are removed. */
export function cutText(whole: string, limits: TextLimits): CutText {
  const all = removeInvisible(whole).trimEnd();
  if (all === '') return { text: '', lines: 0, cut: '' };
  const lines = all.split('\n');
  let kept = Math.min(lines.length, limits.lines);
  let length = lines.slice(0, kept).join('\n').length;
  while (kept > 1 && length > limits.characters) {
    kept -= 1;
    length -= (lines[kept] ?? '').length + 1;
  }
  const shown = lines.slice(0, kept).join('\n');
  const text = shown.length > limits.characters ? truncate(shown, limits.characters) : shown;
  const missing = [
    ...(shown.length > text.length ? [`${formatCount(shown.length - text.length)} characters of this line`] : []),
    ...(lines.length > kept ? [formatPlural(lines.length - kept, 'more line')] : []),
  ];
  return { text, lines: lines.length, cut: missing.length === 0 ? '' : `Not shown here: ${missing.join(' and ')}.` };
}

/** One row a step, which opens to its meaning and result. Step N has the anchor `step-N`: the text cites steps by their place in the list. */
export function renderSteps(steps: readonly InvestigationStep[], links: TextLinks, limits: TextLimits): Html {
  return html`<ol class="steps">${steps.map((step, index) => renderStep(step, index + 1, links, limits))}</ol>`;
}

function renderStep(
  { action, analysis, result }: InvestigationStep,
  number: number,
  links: TextLinks,
  limits: TextLimits,
): Html {
  const { text, lines, cut } = cutText(result, limits);
  return html`<li id="step-${number}" tabindex="-1"><details id="result-${number}"><summary><span class="number"><span class="hidden">Step </span>${number}</span>
<code class="query">${sanitiseText(action, 2_000) || '–'}</code> <span class="soft count">${text === '' ? 'no result' : formatPlural(lines, 'line')}</span></summary>
${analysis.trim() === '' ? '' : html`<div class="meaning">${renderText(analysis, links)}</div>`}
${text === '' ? '' : html`<pre><code>${text}</code></pre>`}${cut === '' ? '' : html`<p class="hint">${cut}</p>`}</details></li>`;
}
