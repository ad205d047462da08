// The pages of code: files, changes, checks and runs of Actions.

import { type DiffedFile, readDiff } from '../git/read-diff.ts';
import { entryAt, listRevisions, readBlob, readCommit, resolveCommit } from '../git/read-objects.ts';
import { latestRuns, latestStatuses } from '../resources/check.ts';
import type {
  ActionsRun,
  CheckAnnotation,
  CheckRun,
  GithubIssue,
  GithubRepository,
  Pull,
  WorkflowJob,
} from '../state.ts';
import { checkForms, commitCheckForm, editFileForm } from './forms.ts';
import {
  accountOf,
  ago,
  author,
  framed,
  html,
  inAddress,
  kindOf,
  type PageHtml,
  type PageView,
  rendered,
  sign,
} from './frame.ts';

/** `below`: what stands under the line of that number in the file after the change. */
export function diffTable(patch: string, below: (line: number) => readonly PageHtml[] = () => []): PageHtml {
  let [before, after] = [0, 0];
  const rows = patch.split('\n').map((line) => {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk !== null) [before, after] = [Number(hunk[1]), Number(hunk[2])];
    if (hunk !== null || line.startsWith('\\'))
      return html`<tr class="hunk"><td class="no"></td><td class="no"></td><td>${line}</td></tr>`;
    const kind = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '';
    const left = kind === 'added' ? '' : before++;
    const right = kind === 'removed' ? '' : after++;
    const more = right === '' ? [] : below(right);
    return html`<tr class="${kind}"><td class="no">${left}</td><td class="no">${right}</td><td>${line}</td></tr>
${more.map((one) => html`<tr class="below"><td colspan="3">${one}</td></tr>`)}`;
  });
  return html`<table class="code"><tbody>${rows}</tbody></table>`;
}

/** Null where there is no such file; `rest` is `REVISION/PATH`, and a branch may have slashes. */
export async function filePage(view: PageView, rest: string): Promise<PageHtml | null> {
  const { gitDir } = view.repository;
  const parts = rest.split('/');
  for (let at = 1; at < parts.length; at++) {
    const revision = parts.slice(0, at).join('/');
    const path = parts.slice(at).join('/');
    const commit = await resolveCommit(gitDir, revision);
    const entry = commit === null ? null : await entryAt(gitDir, commit, path);
    if (entry?.type !== 'blob') continue;
    const text = (await readBlob(gitDir, entry.sha)).toString('utf8');
    const lines = text.replace(/\n$/, '').split('\n');
    const isEdited = !view.isReading && revision === view.repository.defaultBranch;
    const rows = lines.map(
      (line, index) => html`<tr id="L${index + 1}"><td class="no">${index + 1}</td><td>${line}</td></tr>`,
    );
    const body = html`<p><span class="pill">${revision.slice(0, 12)}</span> <strong class="mono">${path}</strong></p>
<div class="box file"><table class="code"><tbody>${rows}</tbody></table></div>
${isEdited && (await editFileForm(view, path, text))}`;
    return framed({ title: path, view, tab: 'code', body });
  }
  return null;
}

const SHOWN = 400;

export async function workflowRunPage(view: PageView, id: string): Promise<PageHtml | null> {
  const run = view.repository.workflowRuns.get(Number(id));
  if (run === undefined) return null;
  const attempts = run.attempts.map((jobs, at) => attemptBox(view, run, { jobs, number: at + 1 })).reverse();
  const body = html`<h1 class="title">${run.name} <span class="number">#${run.number}</span></h1>
<p class="muted">${run.event} · <span class="mono">${run.headBranch}</span> · <a class="mono" href="/${view.name}/commit/${run.headSha}">${run.headSha.slice(0, 7)}</a>
· ${author(accountOf(view, run.actorId))} · ${ago(view, run.createdAt)}</p><div id="live">${attempts}</div>`;
  return framed({ title: `${run.name} #${run.number}`, view, tab: 'code', body });
}

function attemptBox(
  view: PageView,
  run: ActionsRun,
  { jobs, number }: { readonly jobs: readonly WorkflowJob[]; readonly number: number },
): PageHtml {
  const rows = jobs.map(
    (job) => html`<li class="check">${sign(job.conclusion ?? 'in_progress')}
<a href="/${view.name}/actions/runs/${run.id}/job/${job.id}"><strong>${job.name}</strong></a><span class="muted">${job.conclusion ?? 'in progress'}</span></li>`,
  );
  return html`<section class="box" style="margin-bottom:16px"><header><strong>Attempt ${number}</strong></header><ul class="rows" style="border:0">${rows}</ul></section>`;
}

/** The end of a job's log, below its check run; nothing for other checks. */
function jobLog(view: PageView, check: CheckRun): PageHtml {
  const runs = [...view.repository.workflowRuns.values()];
  const job = runs.flatMap((run) => run.attempts.flat()).find(({ id }) => id === check.id);
  if (job === undefined || job.conclusion === null) return html``;
  if (job.log === null)
    return html`<p class="muted">The logs for this run have expired and are no longer available.</p>`;
  const lines = job.log
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\n')
    .slice(-SHOWN);
  return html`<section class="box file"><header>Log</header><pre class="mono" style="padding:8px 16px;margin:0;white-space:pre-wrap">${lines.join('\n')}</pre></section>`;
}

interface CheckLine {
  readonly outcome: string;
  readonly app: string;
  readonly name: string;
  readonly detail: string;
  readonly href: string | null;
}

/** The newest run of each name in each suite, as GitHub counts them. */
export function newestRuns(repository: GithubRepository, sha: string): readonly CheckRun[] {
  return latestRuns([...repository.checkRuns.values()].filter((run) => run.headSha === sha));
}

function linesOf(view: PageView, sha: string): readonly CheckLine[] {
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
export function checkSummary(view: PageView, sha: string, issue: GithubIssue | null): PageHtml {
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

const COMMITS_SHOWN = 50;

/** The commits of a pull request, the oldest first, each with how its own checks ended. */
export async function commitList(view: PageView, { baseSha, headSha }: Pull): Promise<PageHtml> {
  const { gitDir } = view.repository;
  const shas = (await listRevisions(gitDir, headSha, [`^${baseSha}`])).slice(0, COMMITS_SHOWN).reverse();
  const rows = await Promise.all(
    shas.map(async (sha) => {
      const { message } = await readCommit(gitDir, sha);
      const outcomes = linesOf(view, sha).map(({ outcome }) => outcome);
      const worst = ['failure', 'waiting'].flatMap((kind) => outcomes.find((one) => kindOf(one) === kind) ?? [])[0];
      const mark = worst ?? outcomes[0];
      return html`<li class="check">${mark === undefined ? html`<span class="muted">–</span>` : sign(mark)}
<a href="/${view.name}/commit/${sha}"><strong>${message.split('\n')[0]}</strong></a><span class="muted mono">${sha.slice(0, 7)}</span></li>`;
    }),
  );
  return html`<section class="box" aria-label="Commits" style="margin-bottom:16px"><header><strong>Commits</strong></header><ul class="rows" style="border:0">${rows}</ul></section>`;
}

function lineRow({ outcome, app, name, detail, href }: CheckLine): PageHtml {
  const label = html`<strong>${app && `${app} / `}${name}</strong>`;
  return html`<li class="check">${sign(outcome)}
${href === null ? label : html`<a href="${href}" rel="nofollow">${label}</a>`}<span class="muted">${detail}</span></li>`;
}

export async function runPage(view: PageView, run: CheckRun): Promise<PageHtml> {
  const body = html`<p class="muted"><a href="/${view.name}/commit/${run.headSha}" class="mono">${run.headSha.slice(0, 7)}</a></p>
<div id="live">${await runDetail(view, run)}${jobLog(view, run)}${!view.isReading && checkForms(view, run)}</div>`;
  return framed({ title: run.name, view, tab: 'code', body });
}

export async function runDetail(view: PageView, run: CheckRun): Promise<PageHtml> {
  const { title, summary, text } = run.output;
  const annotations = await Promise.all(run.annotations.map((one) => annotationBox(view, run, one)));
  return html`<section class="box" style="margin-bottom:16px"><header>${sign(run.conclusion ?? run.status)}
<strong>${view.double.state.apps.get(run.appId)?.name} / <a href="/${view.name}/runs/${run.id}">${run.name}</a></strong>
<span>${(run.conclusion ?? run.status).replaceAll('_', ' ')}</span><span class="end">${run.actions.map(({ label }) => html`<a class="action" href="/${view.name}/runs/${run.id}">${label}</a> `)}</span></header>
<div style="padding:16px">${title && html`<h2 style="margin-top:0">${title}</h2>`}
${summary && html`<div class="markdown">${rendered(view, summary)}</div>`}${text && html`<hr><div class="markdown">${rendered(view, text)}</div>`}
${annotations.length > 0 && html`<h3>Annotations</h3>${annotations}`}</div></section>`;
}

/** The message of an annotation is plain text on GitHub: no Markdown. */
async function annotationBox(view: PageView, run: CheckRun, one: CheckAnnotation): Promise<PageHtml> {
  const lines = one.startLine === one.endLine ? `${one.startLine}` : `${one.startLine}-${one.endLine}`;
  return html`<div class="annotation ${one.level}"><a class="mono" href="/${view.name}/blob/${run.headSha}/${inAddress(one.path)}#L${one.startLine}">${one.path}:${lines}</a>
${one.title && html`<div><strong>${one.title}</strong></div>`}<pre>${one.message}</pre>${one.rawDetails && html`<details><summary>Raw output</summary><pre>${one.rawDetails}</pre></details>`}
<pre class="mono muted">${await excerpt(view, run.headSha, one)}</pre></div>`;
}

async function excerpt(view: PageView, sha: string, { path, startLine, endLine }: CheckAnnotation): Promise<string> {
  const { gitDir } = view.repository;
  const entry = await entryAt(gitDir, sha, path);
  if (entry?.type !== 'blob') return '';
  const lines = (await readBlob(gitDir, entry.sha)).toString('utf8').split('\n');
  return lines.slice(startLine - 1, Math.min(endLine, startLine + 9)).join('\n');
}

export async function commitPage(view: PageView, sha: string): Promise<PageHtml> {
  const { gitDir } = view.repository;
  const commit = await readCommit(gitDir, sha);
  const [subject = '', ...rest] = commit.message.split('\n');
  const files = await readDiff(gitDir, commit.parents[0] ?? null, sha);
  const body = html`<h1 class="title">${subject}</h1><pre class="mono">${rest.join('\n').trim()}</pre>
<p class="muted">${commit.author.name} · <span class="mono">${sha}</span> · ${commit.author.date}</p>
<div id="live">${checkSummary(view, sha, null)}</div>${files.map((file) => fileBox(file))}${!view.isReading && commitCheckForm(view, sha)}`;
  return framed({ title: subject, view, tab: 'code', body });
}

export type Below = ReadonlyMap<number, readonly PageHtml[]>;

export function fileBox(
  { path, previousPath, status, additions, deletions, patch }: DiffedFile,
  below: Below = new Map(),
): PageHtml {
  return html`<div class="box file"><header><span class="plus">+${additions}</span><span class="minus">−${deletions}</span>
<span class="mono">${previousPath === null ? '' : `${previousPath} → `}${path}</span><span class="end">${status}</span></header>
${patch === null ? html`<p class="muted" style="padding:0 16px">Binary file, or nothing but its name changed.</p>` : diffTable(patch, (line) => below.get(line) ?? [])}</div>`;
}
