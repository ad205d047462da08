// Where GitHub is known to do what its own description does not say. Each one has a reason; whatever is not here is a problem.
import type { Operation, Schema } from './operations.ts';

interface AnywhereStatus {
  readonly status: number;
  readonly reason: string;
}

/** Answers that GitHub gives to any call, described or not. Every 5xx counts as well. */
const anywhere: readonly AnywhereStatus[] = [
  { status: 301, reason: 'the repository was renamed or transferred' },
  { status: 302, reason: 'temporarily elsewhere' },
  { status: 304, reason: 'the ETag of a conditional request still holds' },
  { status: 307, reason: 'elsewhere, with the same method and body' },
  { status: 308, reason: 'moved, with the same method and body' },
  { status: 401, reason: 'bad or expired credentials' },
  { status: 403, reason: 'missing permission, suspended installation, exhausted or secondary rate limit' },
  { status: 404, reason: 'not there, or not for this token' },
  { status: 429, reason: 'secondary rate limit' },
  { status: 451, reason: 'the repository is blocked for legal reasons' },
];

/** Calls whose answer is text when another media type (raw, diff, patch) is accepted; only their JSON is described. */
export const textual: ReadonlySet<string> = new Set([
  'repos/get-content',
  'git/get-blob',
  'repos/get-commit',
  'repos/compare-commits-with-basehead',
  'pulls/get',
]);

interface UndescribedStatus {
  readonly operation: string;
  readonly status: number;
  readonly reason: string;
}

const undescribedStatuses: readonly UndescribedStatus[] = [
  {
    operation: 'actions/download-job-logs-for-workflow-run',
    status: 410,
    reason: 'logs are gone after their retention time; the older description said so',
  },
  {
    operation: 'actions/download-workflow-run-logs',
    status: 410,
    reason: 'logs are gone after their retention time; the older description said so',
  },
  {
    operation: 'actions/download-workflow-run-attempt-logs',
    status: 410,
    reason: 'logs are gone after their retention time, as those of the run',
  },
  { operation: 'checks/create', status: 422, reason: 'every other call that takes a body answers a faulty one so' },
  { operation: 'checks/update', status: 422, reason: 'every other call that takes a body answers a faulty one so' },
  { operation: 'repos/create-commit-status', status: 422, reason: 'an unknown sha, or more than 1,000 statuses on it' },
  ...['checks/list-for-ref', 'repos/list-pull-requests-associated-with-commit'].map((operation) => ({
    operation,
    status: 422,
    reason: 'no commit found for that sha, as when one commit is asked for',
  })),
];

interface SchemaChange {
  readonly schema: string;
  readonly reason: string;
  readonly change: (schema: Schema) => Schema;
}

export const schemaChanges: readonly SchemaChange[] = [
  {
    schema: 'validation-error',
    reason: 'three alternatives of `value` may each be null, so that null is "more than one of" them',
    change: (schema) => JSON.parse(JSON.stringify(schema).replaceAll('"oneOf"', '"anyOf"')),
  },
  ...(['pull-request', 'pull-request-simple'] as const).map((schema) => ({
    schema,
    reason: 'the repository of a head is null when the fork is gone',
    change: (described: Schema) => orNull(described, 'head', 'repo'),
  })),
  ...(['review-comment', 'pull-request-review-comment'] as const).map((schema) => ({
    schema,
    reason: 'a remark at lines that have changed since stands at none',
    change: (described: Schema) => orNull(orNull(described, 'line'), 'position'),
  })),
  {
    schema: 'workflow-run',
    reason: 'the repository of a head is null when the fork is gone',
    change: (described) => orNull(described, 'head_repository'),
  },
];

/** The schema with null allowed at a property, which may lie below others. */
function orNull(schema: Schema, ...[name = '', ...below]: readonly string[]): Schema {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  const old = properties[name] ?? {};
  const changed = below.length > 0 ? orNull(old, ...below) : { anyOf: [old, { type: 'null' }] };
  return { ...schema, properties: { ...properties, [name]: changed } };
}

interface QueryChange {
  readonly operation: string;
  readonly name: string;
  readonly schema: Schema;
  readonly reason: string;
}

export const queryChanges: readonly QueryChange[] = [
  {
    operation: 'actions/list-workflow-runs-for-repo',
    name: 'created',
    schema: { type: 'string' },
    reason: 'it takes dates in the syntax of searches, such as `2026-03-01..2026-03-14`, as its own prose says',
  },
];

/** Whether GitHub may answer so. */
export function mayAnswer(operation: Operation, status: number): boolean {
  return (
    status >= 500 ||
    anywhere.some((one) => one.status === status) ||
    undescribedStatuses.some((one) => one.operation === operation.operationId && one.status === status)
  );
}
