// Runs of GitHub Actions on the page: a run with the jobs of its attempts, and a job with its log.
import type { CheckRun, WorkflowJob, WorkflowRun } from '../state-checks.ts';
import { framed } from './frame.ts';
import { type Html, html } from './html.ts';
import { sign } from './signs.ts';
import { accountOf, ago, author, type View } from './view.ts';

const SHOWN = 400;

export async function workflowRunPage(view: View, id: string): Promise<Html | null> {
  const run = view.repository.workflowRuns.get(Number(id));
  if (run === undefined) return null;
  const attempts = run.attempts.map((jobs, at) => attemptBox(view, run, { jobs, number: at + 1 })).reverse();
  const body = html`<h1 class="title">${run.name} <span class="number">#${run.number}</span></h1>
<p class="muted">${run.event} · <span class="mono">${run.headBranch}</span> · <a class="mono" href="/${view.name}/commit/${run.headSha}">${run.headSha.slice(0, 7)}</a>
· ${author(accountOf(view, run.actorId))} · ${ago(view, run.createdAt)}</p><div id="live">${attempts}</div>`;
  return framed({ title: `${run.name} #${run.number}`, view, tab: 'code', body });
}

function attemptBox(
  view: View,
  run: WorkflowRun,
  { jobs, number }: { readonly jobs: readonly WorkflowJob[]; readonly number: number },
): Html {
  const rows = jobs.map(
    (job) => html`<li class="check">${sign(job.conclusion ?? 'in_progress')}
<a href="/${view.name}/actions/runs/${run.id}/job/${job.id}"><strong>${job.name}</strong></a><span class="muted">${job.conclusion ?? 'in progress'}</span></li>`,
  );
  return html`<section class="box" style="margin-bottom:16px"><header><strong>Attempt ${number}</strong></header><ul class="rows" style="border:0">${rows}</ul></section>`;
}

/** The end of a job's log, below its check run; nothing for other checks. */
export function jobLog(view: View, check: CheckRun): Html {
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
