// Check runs and commit statuses of one commit, and the page of one check run with its annotations.
import { entryAt, readBlob } from '../git/read-objects.ts';
import { latestRuns, latestStatuses } from '../resources/check.ts';
import type { Issue, Repository } from '../state.ts';
import type { Annotation, CheckRun } from '../state-checks.ts';
import { jobLog } from './actions.ts';
import { checkForms } from './forms.ts';
import { framed } from './frame.ts';
import { type Html, html } from './html.ts';
import { kindOf, sign } from './signs.ts';
import { threadHead } from './thread-head.ts';
import { inAddress, rendered, type View } from './view.ts';

interface Line {
  readonly outcome: string;
  readonly app: string;
  readonly name: string;
  readonly detail: string;
  readonly href: string | null;
}

/** The newest run of each name in each suite, as GitHub counts them. */
export function newestRuns(repository: Repository, sha: string): readonly CheckRun[] {
  return latestRuns([...repository.checkRuns.values()].filter((run) => run.headSha === sha));
}

function linesOf(view: View, sha: string): readonly Line[] {
  const runs = newestRuns(view.repository, sha).map((run) => ({
    outcome: run.conclusion ?? run.status,
    app: view.double.state.apps.get(run.appId)?.name ?? '',
    name: run.name,
    detail: run.output.title ?? (run.conclusion ?? run.status).replaceAll('_', ' '),
    href: `/${view.name}/runs/${run.id}`,
  }));
  const statuses = latestStatuses(view.repository, sha).map((status) => ({
    outcome: status.state,
    app: '',
    name: status.context,
    detail: status.description ?? status.state,
    href: status.targetUrl,
  }));
  return [...runs, ...statuses];
}

/** The box below a conversation; `issue` null: of a commit. */
export function checkSummary(view: View, sha: string, issue: Issue | null): Html {
  const lines = linesOf(view, sha);
  if (lines.length === 0) return html``;
  const outcomes = lines.map(({ outcome }) => kindOf(outcome));
  const said = outcomes.includes('failure')
    ? 'Some checks were not successful'
    : outcomes.includes('waiting')
      ? 'Some checks haven’t completed yet'
      : 'All checks have passed';
  return html`<section class="box" aria-label="Checks"><header><strong class="${outcomes.includes('failure') ? 'failure' : ''}">${said}</strong></header>
<ul class="rows" style="border:0">${lines.map(lineRow)}</ul>${
    issue?.pull?.isDraft &&
    issue.state === 'open' &&
    html`<footer>This pull request is still a work in progress: draft pull requests cannot be merged.</footer>`
  }</section>`;
}

function lineRow({ outcome, app, name, detail, href }: Line): Html {
  const label = html`<strong>${app && `${app} / `}${name}</strong>`;
  return html`<li class="check">${sign(outcome)}
${href === null ? label : html`<a href="${href}" rel="nofollow">${label}</a>`}<span class="muted">${detail}</span></li>`;
}

export async function checksPage(view: View, issue: Issue, sha: string): Promise<Html> {
  const runs = await Promise.all(newestRuns(view.repository, sha).map((run) => runDetail(view, run)));
  const none = html`<p class="muted">No checks on <span class="mono">${sha.slice(0, 7)}</span>.</p>`;
  const body = html`<div id="live">${threadHead(view, issue, 'checks')}${runs.length === 0 ? none : runs}</div>`;
  return framed({ title: `Checks · #${issue.number}`, view, tab: 'pulls', body });
}

export async function runPage(view: View, run: CheckRun): Promise<Html> {
  const body = html`<p class="muted"><a href="/${view.name}/commit/${run.headSha}" class="mono">${run.headSha.slice(0, 7)}</a></p>
<div id="live">${await runDetail(view, run)}${jobLog(view, run)}</div>${!view.isReading && checkForms(view, run)}`;
  return framed({ title: run.name, view, tab: 'code', body });
}

async function runDetail(view: View, run: CheckRun): Promise<Html> {
  const { title, summary, text } = run.output;
  const annotations = await Promise.all(run.annotations.map((one) => annotationBox(view, run, one)));
  return html`<section class="box" style="margin-bottom:16px"><header>${sign(run.conclusion ?? run.status)}
<strong>${view.double.state.apps.get(run.appId)?.name} / <a href="/${view.name}/runs/${run.id}">${run.name}</a></strong>
<span>${(run.conclusion ?? run.status).replaceAll('_', ' ')}</span><span class="end">${run.actions.map(({ label }) => html`<span class="action">${label}</span> `)}</span></header>
<div style="padding:16px">${title && html`<h2 style="margin-top:0">${title}</h2>`}
${summary && html`<div class="markdown">${rendered(view, summary)}</div>`}${text && html`<hr><div class="markdown">${rendered(view, text)}</div>`}
${annotations.length > 0 && html`<h3>Annotations</h3>${annotations}`}</div></section>`;
}

/** The message of an annotation is plain text on GitHub: no Markdown. */
async function annotationBox(view: View, run: CheckRun, one: Annotation): Promise<Html> {
  const lines = one.startLine === one.endLine ? `${one.startLine}` : `${one.startLine}-${one.endLine}`;
  return html`<div class="annotation ${one.level}"><a class="mono" href="/${view.name}/blob/${run.headSha}/${inAddress(one.path)}#L${one.startLine}">${one.path}:${lines}</a>
${one.title && html`<div><strong>${one.title}</strong></div>`}<pre>${one.message}</pre>${one.rawDetails && html`<details><summary>Raw output</summary><pre>${one.rawDetails}</pre></details>`}
<pre class="mono muted">${await excerpt(view, run.headSha, one)}</pre></div>`;
}

/** An annotation under the line that it is about, among the files of a pull request. */
export function annotationBelow(view: View, run: CheckRun, one: Annotation): Html {
  const where = one.startLine === one.endLine ? `line ${one.endLine}` : `lines ${one.startLine}-${one.endLine}`;
  const app = view.double.state.apps.get(run.appId)?.name;
  return html`<div class="annotation ${one.level} below-line"><div class="muted">Check ${one.level} on ${where} in ${one.path}</div>
<div><strong>${app} / <a href="/${view.name}/runs/${run.id}">${run.name}</a></strong></div>${one.title && html`<div><strong>${one.title}</strong></div>`}<pre>${one.message}</pre></div>`;
}

async function excerpt(view: View, sha: string, { path, startLine, endLine }: Annotation): Promise<string> {
  const { gitDir } = view.repository;
  const entry = await entryAt(gitDir, sha, path);
  if (entry?.type !== 'blob') return '';
  const lines = (await readBlob(gitDir, entry.sha)).toString('utf8').split('\n');
  return lines.slice(startLine - 1, Math.min(endLine, startLine + 9)).join('\n');
}
