// Routes of checks: check runs are made, changed, read with annotations; suites are read.
import { addCheckRun, changeCheckRun } from '../deeds/check-suites.ts';
import { resolveCommit } from '../git/read-objects.ts';
import { branchOf } from '../people/checks.ts';
import { annotationBody, checkRunBody, latestRuns } from '../resources/check.ts';
import {
  type Answer,
  actorId,
  asText,
  forbidden,
  notFound,
  ofRepository,
  ok,
  paged,
  type RepositoryCall,
  type Route,
  unprocessable,
} from '../route.ts';
import type { CheckAnnotation, CheckRun } from '../state.ts';
import { noCommit } from './commits.ts';

const READ = [{ checks: 'read' }] as const;
const WRITE = [{ checks: 'write' }] as const;

export const checkRoutes: readonly Route[] = [
  ofRepository('POST /check-runs', WRITE, makeRun),
  ofRepository('PATCH /check-runs/{check_run_id}', WRITE, updateRun),
  ofRepository('GET /check-runs/{check_run_id}/annotations', READ, (call) => {
    const run = runOf(call);
    if (run === undefined) return notFound();
    return paged(call, run.annotations, (page) =>
      page.map((one) => annotationBody(call.state, call.repository, run, one)),
    );
  }),
  ofRepository('GET /commits/{commit_sha}/check-runs', READ, ofCommit(answerCheckRuns)),
];

/** Of a commit by branch, tag or sha. */
export function ofCommit(answer: (call: RepositoryCall, sha: string) => Answer | Promise<Answer>) {
  return async (call: RepositoryCall): Promise<Answer> => {
    const sha = await resolveCommit(call.repository.gitDir, call.params['commit_sha'] ?? '');
    return sha === null ? noCommit(call.params['commit_sha']) : answer(call, sha);
  };
}

function runOf(call: RepositoryCall): CheckRun | undefined {
  return call.repository.checkRuns.get(Number(call.params['check_run_id']));
}

function answerCheckRuns(call: RepositoryCall, sha: string): Answer {
  const { searchParams } = call.url;
  const is = (name: string, value: string | number | null) =>
    !searchParams.has(name) || searchParams.get(name) === String(value);
  const all = [...call.repository.checkRuns.values()]
    .filter(
      (run) => run.headSha === sha && is('check_name', run.name) && is('status', run.status) && is('app_id', run.appId),
    )
    .reverse();
  const shown = searchParams.get('filter') === 'all' ? all : latestRuns(all.toReversed()).toReversed();
  return paged(call, shown, (page) => ({
    total_count: shown.length,
    check_runs: page.map((run) => checkRunBody(call.state, call.repository, run)),
  }));
}

async function makeRun(call: RepositoryCall): Promise<Answer> {
  const { body, caller, repository, state } = call;
  if (caller.kind !== 'installation') return forbidden();
  const sha = await resolveCommit(repository.gitDir, asText(body['head_sha']) ?? '');
  if (sha === null) return noCommit(asText(body['head_sha']));
  const complaint = complaintAbout(body);
  if (complaint !== null) return complaint;
  const run = await addCheckRun(state, repository, {
    ...fieldsOf(body),
    appId: caller.app.id,
    headSha: sha,
    name: asText(body['name']) ?? '',
    branch: await branchOf(repository, sha),
    senderId: actorId(caller),
    annotations: annotationsOf(body),
  });
  return ok(checkRunBody(state, repository, run), 201);
}

/** Only the App that made it may change it; annotations are added to those that are there. */
async function updateRun(call: RepositoryCall): Promise<Answer> {
  const { body, caller, repository, state } = call;
  const run = runOf(call);
  if (run === undefined) return notFound();
  if (caller.kind !== 'installation' || run.appId !== caller.app.id) return forbidden();
  const complaint = complaintAbout(body);
  if (complaint !== null) return complaint;
  run.annotations.push(...annotationsOf(body));
  await changeCheckRun(state, repository, run, { ...fieldsOf(body), senderId: actorId(caller) });
  return ok(checkRunBody(state, repository, run));
}

/** At most 50 annotations a call, three buttons with 20, 40 and 20 characters. */
function complaintAbout(body: RepositoryCall['body']): Answer | null {
  const bad = (field: string) => unprocessable({ resource: 'CheckRun', code: 'invalid', field });
  if (annotationsOf(body).length > 50) return bad('annotations');
  const actions = (body['actions'] ?? []) as CheckRun['actions'];
  if (actions.length > 3) return bad('actions');
  const tooLong = actions.some(
    (one) => one.label.length > 20 || one.description.length > 40 || one.identifier.length > 20,
  );
  return tooLong ? bad('actions') : null;
}

function fieldsOf(body: RepositoryCall['body']): Partial<CheckRun> {
  const output = body['output'] as Partial<CheckRun['output']> | undefined;
  const conclusion = asText(body['conclusion']) as CheckRun['conclusion'] | undefined;
  const status = (conclusion === undefined ? asText(body['status']) : 'completed') as CheckRun['status'] | undefined;
  const given = {
    status,
    conclusion,
    name: asText(body['name']),
    externalId: asText(body['external_id']),
    detailsUrl: asText(body['details_url']),
    startedAt: asText(body['started_at']),
    completedAt: asText(body['completed_at']),
    actions: body['actions'] as CheckRun['actions'] | undefined,
    output: output && { title: output.title ?? null, summary: output.summary ?? null, text: output.text ?? null },
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function annotationsOf(body: RepositoryCall['body']): CheckAnnotation[] {
  const given = (body['output'] as { annotations?: Record<string, unknown>[] } | undefined)?.annotations ?? [];
  return given.map((one) => ({
    path: asText(one['path']) ?? '',
    startLine: Number(one['start_line']),
    endLine: Number(one['end_line']),
    startColumn: typeof one['start_column'] === 'number' ? one['start_column'] : null,
    endColumn: typeof one['end_column'] === 'number' ? one['end_column'] : null,
    level: (asText(one['annotation_level']) ?? 'notice') as CheckAnnotation['level'],
    title: asText(one['title']) ?? null,
    message: asText(one['message']) ?? '',
    rawDetails: asText(one['raw_details']) ?? null,
  }));
}
