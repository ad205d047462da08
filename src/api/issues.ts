// Issues: hand in a report, read what came of it, erase it.
import { createHash } from 'node:crypto';
import type { Context, Handler } from 'hono';
import { WholeAnswer, writtenJson } from '../core/answer.ts';
import { noRoomText, ROOM_RETRY_AFTER } from '../core/disk.ts';
import type { Project } from '../core/project.ts';
import { MAX_REPORT_BYTES } from '../core/report.ts';
import { isAtLeast } from '../core/role.ts';
import { acceptReport, type Idempotency } from '../services/accept-report.ts';
import { type Asking, mayErase, type Seen, visibleIssue, visibleProject } from '../services/access.ts';
import { eraseIssue } from '../services/end-early.ts';
import { visibleIssueJson } from '../services/visible-issue-json.ts';
import type { ApiDeps, ApiEnv, UrlVerdict } from './api-deps.ts';
import { askingOf } from './authenticate.ts';
import { IdempotencyHeaders } from './parameter-schemas.ts';
import { type Fault, faultsOf, refuse, refuseAbsent, refuseFaults, UNKNOWN_PROJECT } from './problem.ts';
import { readJsonBody } from './read-body.ts';
import { CreateIssueBody } from './schemas.ts';

const ALLOWED: UrlVerdict = { ok: true };

/** POST /api/v1/issues/ */
export function createIssue(deps: ApiDeps): Handler<ApiEnv> {
  return async (c) => {
    const { value, bytes } = await readJsonBody(c.req.raw);
    requireDataSize(value);
    const { key, faults } = idempotencyKey(c);
    const asking = askingOf(c);
    const { body, project, role } = await acceptableBody(deps, asking, { value, headerFaults: faults });
    const shortage = await deps.room();
    if (shortage !== null) refuse(503, noRoomText(shortage), { headers: { 'Retry-After': String(ROOM_RETRY_AFTER) } });
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
    const accepted = await acceptReport(deps, report, { idempotency: idempotencyOf(key, bytes), by: asking.account });
    if (accepted.kind === 'key_reused') {
      const detail = 'This key was used with another body within the last 24 hours: use a new one.';
      return refuseFaults([{ pointer: '/Idempotency-Key', detail }]);
    }
    const location = `/api/v1/investigations/${accepted.investigationId}/`;
    const message = acceptedMessage(body.callbackUrl, `${deps.baseUrl()}${location}`);
    const headers = { 'Content-Type': 'application/json', Location: location };
    return new WholeAnswer(JSON.stringify({ message }), { status: 202, headers });
  };
}

/** GET /api/v1/issues/{issueId}/ */
export function getIssue(deps: ApiDeps): Handler<ApiEnv> {
  return async (c) => {
    const found = (await visibleIssueJson(deps, askingOf(c), c.req.param('issueId') ?? '')) ?? refuseAbsent();
    return writtenJson(found);
  };
}

/** DELETE /api/v1/issues/{issueId}/ */
export function deleteIssue(deps: ApiDeps): Handler<ApiEnv> {
  return async (c) => {
    const asking = askingOf(c);
    const seen = (await visibleIssue(deps, asking, c.req.param('issueId') ?? '')) ?? refuseAbsent();
    if (!(await mayErase(deps, asking, seen))) refuseAbsent();
    if (!(await eraseIssue(deps, seen.issue.id, asking.account.id))) refuseAbsent();
    return c.json({
      message: 'The issue was deleted, with its investigation and every webhook not yet delivered.',
    });
  };
}

/** Before the schema: too much is 413, whatever else is wrong. */
function requireDataSize(value: unknown): void {
  const data = typeof value === 'object' && value !== null && 'data' in value ? value.data : '';
  if (typeof data === 'string' && Buffer.byteLength(data) > MAX_REPORT_BYTES) {
    refuse(413, '"data" is larger than 1 MiB of UTF-8: send the part around the error.');
  }
}

type AcceptableBody = Seen<{ readonly body: CreateIssueBody; readonly project: Project }>;

/** The body and its project; a refusal names every fault of both, and of the address, at once. */
async function acceptableBody(
  deps: ApiDeps,
  asking: Asking,
  { value, headerFaults }: { readonly value: unknown; readonly headerFaults: readonly Fault[] },
): Promise<AcceptableBody> {
  const parsed = CreateIssueBody.safeParse(value);
  const faults = [...headerFaults, ...(parsed.success ? [] : faultsOf(parsed.error))];
  const sound = (name: 'projectId' | 'callbackUrl') => soundText(value, name, faults);
  const seen = await visibleProject(deps, asking, sound('projectId'));
  const usable = seen !== null && isAtLeast(seen.role, 'triage') ? seen : null;
  if (usable === null && sound('projectId') !== '') {
    faults.push(UNKNOWN_PROJECT);
  }
  const callbackUrl = sound('callbackUrl');
  const verdict = callbackUrl === '' ? ALLOWED : deps.checkCallbackUrl(callbackUrl);
  if (!verdict.ok) faults.push({ pointer: '/callbackUrl', detail: verdict.detail });
  if (!parsed.success || usable === null || faults.length > 0) return refuseFaults(faults);
  return { ...usable, body: parsed.data };
}

/** The field's text where the schema found nothing wrong with it; "" where it is absent or was refused already. */
function soundText(value: unknown, name: string, faults: readonly Fault[]): string {
  if (faults.some(({ pointer }) => pointer === `/${name}`)) return '';
  const field = typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : '';
  return typeof field === 'string' ? field : '';
}

function idempotencyKey(c: Context<ApiEnv>): { readonly key: string; readonly faults: readonly Fault[] } {
  const headers = { 'Idempotency-Key': c.req.header('Idempotency-Key') };
  const parsed = IdempotencyHeaders.safeParse(headers);
  if (!parsed.success) return { key: '', faults: faultsOf(parsed.error) };
  return { key: parsed.data['Idempotency-Key'] ?? '', faults: [] };
}

/** Both as hashes: a key is the caller's own text, and may hold what must not be kept. */
function idempotencyOf(key: string, bytes: Uint8Array): Idempotency | null {
  return key === '' ? null : { key: hashOf(key), bodyHash: hashOf(bytes) };
}

function hashOf(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

function acceptedMessage(callbackUrl: string | undefined, address: string): string {
  const webhook =
    callbackUrl === undefined
      ? 'No webhook will be sent on completion, since the request has no callbackUrl.'
      : 'A webhook will be sent to the callbackUrl on completion.';
  return `Issue creation is in progress. ${webhook} Follow the investigation at ${address}`;
}
