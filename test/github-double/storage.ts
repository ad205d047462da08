// The storage host, to which logs and attachments redirect: it knows no tokens, and must never see one.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { State } from './state.ts';
import type { WorkflowJob } from './state-checks.ts';
import { type ZippedFile, zipOf } from './zip.ts';

interface Stored {
  readonly type: string;
  readonly body: string | Uint8Array;
}

/** Logs and attachments, for whoever has the address; a token here is a mistake. */
export function serveStorage(
  state: State,
  problems: string[],
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (request.headers.authorization !== undefined) problems.push('the storage host saw an Authorization header');
  const { pathname } = new URL(request.url ?? '/', state.urls.storage);
  const found = state.attachments.get(pathname) ?? jobLog(state, pathname) ?? runLogs(state, pathname);
  if (found === null) problems.push(`unknown request to the storage host: ${request.url}`);
  response.writeHead(found === null ? 404 : 200, { 'content-type': found?.type ?? 'text/plain' });
  response.end(found?.body ?? '');
}

function jobLog(state: State, pathname: string): Stored | null {
  const [, repositoryId, jobId] = /^\/logs\/(\d+)\/(\d+)$/.exec(pathname) ?? [];
  const runs = [...(state.repositories.get(Number(repositoryId))?.workflowRuns.values() ?? [])];
  const log = runs.flatMap((run) => run.attempts.flat()).find((job) => job.id === Number(jobId))?.log;
  return log === undefined || log === null ? null : { type: 'text/plain; charset=utf-8', body: log };
}

function runLogs(state: State, pathname: string): Stored | null {
  const [, repositoryId, runId, attempt] = /^\/run-logs\/(\d+)\/(\d+)\/(\d+)$/.exec(pathname) ?? [];
  const run = state.repositories.get(Number(repositoryId))?.workflowRuns.get(Number(runId));
  const jobs = run?.attempts[Number(attempt) - 1];
  return jobs === undefined ? null : { type: 'application/zip', body: zipOf(jobs.flatMap(filesOf)) };
}

/** Each job has one file with everything, and a folder with a file for each step. */
function filesOf(job: WorkflowJob, at: number): readonly ZippedFile[] {
  if (job.log === null) return [];
  const name = job.name.replace(/[/:]/g, '').slice(0, 90);
  const step = { path: `${name}/2_${job.failedStep === '' ? 'Run' : job.failedStep.replace(/[/:]/g, '')}.txt` };
  return [
    { path: `${at}_${name}.txt`, text: job.log },
    { path: `${name}/1_Set up job.txt`, text: '' },
    { ...step, text: job.log },
  ];
}
