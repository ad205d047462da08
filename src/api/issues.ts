// Issues: submit a report, read its result, delete it, have its pull request opened.
import { createHash } from 'node:crypto';
import type { z } from '@hono/zod-openapi';
import { describeNoSpace, NO_SPACE_RETRY_AFTER } from '../core/disk.ts';
import { type Issue, isWithheld } from '../core/issue/index.ts';
import { isAtLeast, type Project } from '../core/project/index.ts';
import { describeProofVerdict, type Proof } from '../core/proof/index.ts';
import { MAX_REPORT_BYTES } from '../core/report/index.ts';
import {
  type Asking,
  acceptReport,
  canErase,
  eraseIssue,
  findVisibleIssue,
  findVisibleProject,
  listPatchHeaders,
  loadChange,
  requestPullRequest,
  retryIssue,
  type Seen,
  toPatch,
  UNWRITABLE,
} from '../services/index.ts';

import type { ApiContext, ApiDeps } from './api-deps.ts';
import { getAsking } from './auth.ts';
import { readJson, readTextField } from './body.ts';
import { toInvestigationView } from './investigations.ts';
import { type FieldFault, listFaults, refuse, refuseAbsent, refuseFaults, UNKNOWN_PROJECT } from './problem.ts';
import { CreateIssueBody, IdempotencyHeaders, RetryIssueBody } from './schemas.ts';

const KEY_REUSED: FieldFault = {
  pointer: '/Idempotency-Key',
  detail: 'This key was used with another body within the last 24 hours: use a new one.',
};

/** POST /api/v1/issues/ */
export async function createIssue(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const { bytes, value } = await readJson(c);
  requireDataSize(value);
  const asking = getAsking(c);
  const { body, key, project, role } = await validateReport(deps, asking, c, value);
  await requireSpace(deps);
  const { investigation: settings } = await deps.settingsOf(project, asking.signal);
  const report = {
    projectId: project.id,
    accountId: asking.account.id,
    origin: 'api',
    text: body.data,
    reference: body.reference ?? '',
    revision: body.revision ?? '',
    callbackUrl: body.callbackUrl ?? '',
    fresh: body.fresh ?? false,
    isTrusted: isAtLeast(role, 'write'),
    settings,
  } as const;
  // Hashed, since a key is the caller's own text and may contain what must not be stored.
  const idempotency = key === undefined ? null : { key: hash(key), bodyHash: hash(bytes) };
  const accepted = await acceptReport(deps, report, { idempotency, by: asking.account });
  if (accepted.kind === 'key_reused') return refuseFaults([KEY_REUSED]);
  const location = `/api/v1/investigations/${accepted.investigationId}/`;
  const webhook = report.callbackUrl === '' ? '' : ' A webhook will be sent on completion.';
  const message = `Issue creation is in progress.${webhook} Follow it at ${deps.baseUrl()}${location}`;
  return c.json({ message }, 202, { Location: location });
}

/** POST /api/v1/issues/{issueId}/retry/ */
export async function retryAnIssue(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const { bytes, value } = await readJson(c);
  const asking = getAsking(c);
  const seen = await findVisibleIssue(deps, asking, c.req.param('issueId') ?? '');
  if (seen === null || !isAtLeast(seen.role, 'triage')) refuseAbsent();
  const { body, key } = validateRetry(deps, c, value);
  await requireSpace(deps);
  const { guidance = '', callbackUrl = '' } = body;
  // The same body may be about another Issue.
  const idempotency = key === undefined ? null : { key: hash(key), bodyHash: hash(`${seen.issue.id} ${hash(bytes)}`) };
  const mayFix = c.get('caller').token.scopes.includes('pull-requests:write');
  const request = { ...seen, account: asking.account, mayFix, guidance: guidance.trim(), callbackUrl, idempotency };
  const retried = await retryIssue(deps, request, asking.signal);
  switch (retried.kind) {
    case 'key_reused':
      return refuseFaults([KEY_REUSED]);
    case 'refused':
      return refuse(409, retried.reason);
    case 'absent':
      return refuseAbsent();
    case 'accepted': {
      const investigation = (await deps.store.findInvestigation(retried.investigationId)) ?? refuseAbsent();
      const location = `/api/v1/investigations/${investigation.id}/`;
      return c.json(toInvestigationView(investigation), 202, { Location: location });
    }
  }
}

function validateRetry(deps: ApiDeps, c: ApiContext, value: unknown) {
  const parsed = RetryIssueBody.safeParse(value);
  const { headers, faults } = checkHeaders(c, parsed.error);
  const callbackUrl = parsed.data?.callbackUrl ?? '';
  const verdict = callbackUrl === '' ? null : deps.checkCallbackUrl(callbackUrl);
  if (verdict?.ok === false) faults.push({ pointer: '/callbackUrl', detail: verdict.detail });
  if (!parsed.success || faults.length > 0) return refuseFaults(faults);
  return { body: parsed.data, key: headers.data?.['Idempotency-Key'] };
}

/** GET /api/v1/issues/{issueId}/ */
export async function getIssue(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const seen = (await findVisibleIssue(deps, getAsking(c), c.req.param('issueId') ?? '')) ?? refuseAbsent();
  return c.json(seen.issue);
}

/** GET /api/v1/issues/{issueId}/proof/ */
export async function getProof(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const { issue, project } =
    (await findVisibleIssue(deps, getAsking(c), c.req.param('issueId') ?? '')) ?? refuseAbsent();
  const { links, proof } = issue.analysis;
  const { pullRequest } = links;
  if (proof === null && pullRequest !== null) {
    refuse(
      404,
      'The pull request has no proof (yet): its checks have not ended, its change has no test that could prove it, or the change of a further attempt was proven.',
    );
  }
  return c.json({ repository: project.name, pullRequest: pullRequest ?? '', ...(proof ?? createNoProof(issue)) });
}

/** GET /api/v1/issues/{issueId}/patch/ */
export async function getIssuePatch(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const { issue } = (await findVisibleIssue(deps, getAsking(c), c.req.param('issueId') ?? '')) ?? refuseAbsent();
  const changeSet = await loadChange(deps, issue);
  const patch = changeSet === null ? '' : toPatch(changeSet);
  if (patch === null) return refuse(409, UNWRITABLE);
  if (patch === '') return refuse(404, explainNoPatch(issue));
  return c.body(patch, 200, listPatchHeaders(issue));
}

function explainNoPatch(issue: Issue): string {
  const { guards, reason } = issue.analysis;
  if (isWithheld(issue)) return reason;
  return guards.length > 0
    ? 'The change of this answer is withheld: `analysis.guards` says why.'
    : 'This answer changes no code, so it has no patch.';
}

/** Of a change, people can run the tests themselves. */
function createNoProof({ analysis: { revision }, diff }: Issue): Proof {
  const none = { base: revision, testCommit: '', fixCommit: '', checks: [], turned: [], diffHash: '' };
  const reason =
    diff.files.length === 0
      ? 'the answer changes no code, so there is nothing to prove'
      : `${describeProofVerdict({ state: 'not_run', because: 'no_pull_request' })}: apply the change at this commit and run the tests, with it and without`;
  return { state: 'not_run', ...none, reason };
}

/** DELETE /api/v1/issues/{issueId}/ */
export async function deleteIssue(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const asking = getAsking(c);
  const seen = (await findVisibleIssue(deps, asking, c.req.param('issueId') ?? '')) ?? refuseAbsent();
  if (!(await canErase(deps, asking, seen))) refuseAbsent();
  if (!(await eraseIssue(deps, seen.issue.id, asking.account.id))) refuseAbsent();
  return c.json({ message: 'The issue was deleted, with its investigation and every webhook not yet delivered.' });
}

/** POST /api/v1/issues/{issueId}/pull-request/ */
export async function createPullRequest(c: ApiContext, deps: ApiDeps): Promise<Response> {
  const asking = getAsking(c);
  const seen = await findVisibleIssue(deps, asking, c.req.param('issueId') ?? '');
  if (seen === null || !isAtLeast(seen.role, 'write')) refuseAbsent();
  const requested = await requestPullRequest(deps, { ...seen, account: asking.account }, asking.signal);
  switch (requested.kind) {
    case 'open':
      return c.json({ message: `It is already open: ${requested.url}` });
    case 'refused':
      return refuse(409, requested.reason);
    case 'absent':
      return refuseAbsent();
    case 'requested': {
      const address = `${deps.baseUrl()}/api/v1/issues/${seen.issue.id}/`;
      return c.json({ message: `The pull request is being opened. Its address will be in the issue: ${address}` }, 202);
    }
  }
}

/** Checked before the schema, so that too much is always 413. */
export function requireDataSize(value: unknown): void {
  if (Buffer.byteLength(readTextField(value, 'data')) > MAX_REPORT_BYTES) {
    refuse(413, '"data" is larger than 1 MiB of UTF-8: send the part around the error.');
  }
}

type ValidReport = Seen<{
  readonly body: CreateIssueBody;
  readonly key: string | undefined;
  readonly project: Project;
}>;

/** The body, its key and its project; a refusal names every fault of all of them, and of the callback address, at once. */
async function validateReport(deps: ApiDeps, asking: Asking, c: ApiContext, value: unknown): Promise<ValidReport> {
  const parsed = CreateIssueBody.safeParse(value);
  const { headers, faults } = checkHeaders(c, parsed.error);
  /** The text of a field without a fault; "" where it is absent. */
  const readValid = (name: string) =>
    faults.some(({ pointer }) => pointer === `/${name}`) ? '' : readTextField(value, name);
  const seen = await findVisibleProject(deps, asking, readValid('projectId'));
  const usable = seen !== null && isAtLeast(seen.role, 'triage') ? seen : null;
  const callbackUrl = readValid('callbackUrl');
  if (usable === null && readValid('projectId') !== '') faults.push(UNKNOWN_PROJECT);
  const verdict = callbackUrl === '' ? null : deps.checkCallbackUrl(callbackUrl);
  if (verdict?.ok === false) faults.push({ pointer: '/callbackUrl', detail: verdict.detail });
  if (!parsed.success || usable === null || faults.length > 0) return refuseFaults(faults);
  return { ...usable, body: parsed.data, key: headers.data?.['Idempotency-Key'] };
}

/** The key, and the faults of it and of the body. */
function checkHeaders(c: ApiContext, error: z.ZodError | undefined) {
  const headers = IdempotencyHeaders.safeParse({ 'Idempotency-Key': c.req.header('Idempotency-Key') });
  const faults: FieldFault[] = [headers.error, error].flatMap((one) => (one === undefined ? [] : listFaults(one)));
  return { headers, faults };
}

export async function requireSpace({ room }: ApiDeps): Promise<void> {
  const shortage = await room();
  if (shortage === null) return;
  refuse(503, describeNoSpace(shortage), { headers: { 'Retry-After': String(NO_SPACE_RETRY_AFTER) } });
}

function hash(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}
