// Holds a call and its answer against GitHub's own description.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import {
  buildSchema,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  parse,
  validate,
} from 'graphql';
import type { ApiExchange } from '../exchange.ts';
import { findOperation, githubDescription, type JsonSchema, type Operation, type Parameter } from './operations.ts';

let built: GraphQLSchema | undefined;

/** The vendored part of GitHub's GraphQL schema. */
export function githubSchema(): GraphQLSchema {
  built ??= buildSchema(readFileSync(path.join(import.meta.dirname, 'graphql-subset.graphql'), 'utf8'));
  return built;
}

/** Problems of a call to `/graphql`: query, variables, and the outline of its answer. */
function graphqlProblems({ method, requestBody, status, responseBody }: ApiExchange): string[] {
  if (method !== 'POST') return [`${method} is not described`];
  if (!isPlainRecord(requestBody) || typeof requestBody['query'] !== 'string') return ['request: no query'];
  const variables = isPlainRecord(requestBody['variables']) ? requestBody['variables'] : {};
  return [...queryProblems(requestBody['query'], variables), ...answerProblems(status, responseBody)];
}

function queryProblems(query: string, variables: Record<string, unknown>): string[] {
  let document: DocumentNode;
  try {
    document = parse(query);
  } catch (error) {
    if (error instanceof GraphQLError) return [`request: ${error.message}`];
    throw error;
  }
  const schema = githubSchema();
  const faults = validate(schema, document);
  const operation = getOperationAST(document);
  if (faults.length > 0) return faults.map(({ message }) => `request: ${message}`);
  if (!operation) return ['request: more than one operation, or none'];
  const { errors = [] } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  return errors.map(({ message }) => `request: ${message}`);
}

/** GitHub answers 200 even where the call failed, with `errors` beside `data`. */
function answerProblems(status: number, body: unknown): string[] {
  if ([401, 403, 429].includes(status) || status >= 500) return [];
  if (status !== 200) return [`answer: status ${status} is not described`];
  if (!isPlainRecord(body) || (body['data'] === undefined && body['errors'] === undefined))
    return ['answer: neither data nor errors'];
  const errors = body['errors'] ?? [];
  if (!Array.isArray(errors)) return ['answer: errors must be a list'];
  return errors.every((error) => isPlainRecord(error) && typeof error['message'] === 'string')
    ? []
    : ['answer: an error without a message'];
}

function isPlainRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

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
const textual: ReadonlySet<string> = new Set([
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
  readonly change: (schema: JsonSchema) => JsonSchema;
}

const schemaChanges: readonly SchemaChange[] = [
  {
    schema: 'validation-error',
    reason: 'three alternatives of `value` may each be null, so that null is "more than one of" them',
    change: (schema) => JSON.parse(JSON.stringify(schema).replaceAll('"oneOf"', '"anyOf"')),
  },
  ...(['pull-request', 'pull-request-simple'] as const).map((schema) => ({
    schema,
    reason: 'the repository of a head is null when the fork is gone',
    change: (described: JsonSchema) => orNull(described, 'head', 'repo'),
  })),
  ...(['review-comment', 'pull-request-review-comment'] as const).map((schema) => ({
    schema,
    reason: 'a remark at lines that have changed since stands at none',
    change: (described: JsonSchema) => orNull(orNull(described, 'line'), 'position'),
  })),
  {
    schema: 'workflow-run',
    reason: 'the repository of a head is null when the fork is gone',
    change: (described) => orNull(described, 'head_repository'),
  },
];

/** The schema with null allowed at a property, which may lie below others. */
function orNull(schema: JsonSchema, ...[name = '', ...below]: readonly string[]): JsonSchema {
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  const old = properties[name] ?? {};
  const changed = below.length > 0 ? orNull(old, ...below) : { anyOf: [old, { type: 'null' }] };
  return { ...schema, properties: { ...properties, [name]: changed } };
}

interface QueryChange {
  readonly operation: string;
  readonly name: string;
  readonly schema: JsonSchema;
  readonly reason: string;
}

const queryChanges: readonly QueryChange[] = [
  {
    operation: 'actions/list-workflow-runs-for-repo',
    name: 'created',
    schema: { type: 'string' },
    reason: 'it takes dates in the syntax of searches, such as `2026-03-01..2026-03-14`, as its own prose says',
  },
];

/** Whether GitHub may answer so. */
function mayAnswer(operation: Operation, status: number): boolean {
  return (
    status >= 500 ||
    anywhere.some((one) => one.status === status) ||
    undescribedStatuses.some((one) => one.operation === operation.operationId && one.status === status)
  );
}

interface OperationChecks {
  readonly path: ValidateFunction;
  readonly query: ValidateFunction;
  readonly body: ValidateFunction | null;
  readonly bodyNames: ReadonlySet<string> | null;
  readonly answers: Map<string, ValidateFunction>;
}

const formats = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  uri: (text: string) => URL.canParse(text),
  email: /^[^@\s]+@[^@\s]+$/,
};

const base = { formats, allErrors: true, strictTypes: false, strictRequired: false, strictTuples: false } as const;

const bodies = new Ajv({ ...base, allowUnionTypes: true });

/** Paths and queries arrive as text. */
const texts = new Ajv({ ...base, allowUnionTypes: true, coerceTypes: true });

const changed = Object.fromEntries(schemaChanges.map(({ schema, change }) => [schema, change]));

const unknown = schemaChanges.filter(({ schema }) => githubDescription.components.schemas[schema] === undefined);
if (unknown.length > 0)
  throw new Error(`A difference is noted for schemas that are gone: ${unknown.map((one) => one.schema)}`);

for (const ajv of [bodies, texts]) {
  for (const [name, schema] of Object.entries(githubDescription.components.schemas)) {
    ajv.addSchema(withRefs(changed[name]?.(schema) ?? schema) as object, `schema:${name}`);
  }
}

const compiled = new Map<Operation, OperationChecks>();

/**
 * Problems of one exchange in words, each with the operation that it belongs to; none: GitHub's description has it. A path that none of
 * the operations has is a problem too: those that we use are named in scripts/build-description.mjs.
 */
export function validateExchange(exchange: ApiExchange): string[] {
  if (exchange.path === '/graphql') return graphqlProblems(exchange).map((problem) => `graphql: ${problem}`);
  const found = findOperation(exchange.method, exchange.path);
  if (found === null) return [`${exchange.method} ${exchange.path}: no operation that is known to be used`];
  if (found === 'other-method') return [`${exchange.method} ${exchange.path}: this path does not have that method`];
  const { operation, parameters } = found;
  const checks = checksOf(operation);
  return [
    ...faults('path', checks.path, { ...parameters }),
    ...faults('query', checks.query, { ...exchange.query }),
    ...requestFaults(operation, checks, exchange),
    ...answerFaults(operation, checks, exchange),
  ].map((problem) => `${operation.operationId}: ${problem}`);
}

function requestFaults(
  operation: Operation,
  { body, bodyNames }: OperationChecks,
  { requestBody }: ApiExchange,
): string[] {
  const isEmpty = requestBody === undefined || requestBody === null || requestBody === '' || isEmptyObject(requestBody);
  if (operation.requestBody === undefined) return isEmpty ? [] : ['request: it takes no body'];
  if (requestBody === undefined || requestBody === '')
    return operation.requestBody.required ? ['request: no body'] : [];
  const unknown =
    bodyNames === null || typeof requestBody !== 'object' || Array.isArray(requestBody)
      ? []
      : Object.keys(requestBody ?? {}).filter((name) => !bodyNames.has(name));
  return [
    ...unknown.map((name) => `request: \`${name}\` is not described`),
    ...(body === null ? [] : faults('request', body, requestBody)),
  ];
}

function answerFaults(operation: Operation, checks: OperationChecks, { status, responseBody }: ApiExchange): string[] {
  const schema = operation.responses[String(status)];
  if (schema === undefined) return mayAnswer(operation, status) ? [] : [`answer: status ${status} is not described`];
  const isEmpty = responseBody === undefined || responseBody === null || responseBody === '';
  if (typeof responseBody === 'string' && status === 200 && textual.has(operation.operationId)) return [];
  if (schema === null) return isEmpty || status !== 204 ? [] : ['answer: 204 has no body'];
  if (isEmpty) return [`answer: status ${status} without its body`];
  let check = checks.answers.get(String(status));
  if (check === undefined) {
    check = bodies.compile(withRefs(schema) as object);
    checks.answers.set(String(status), check);
  }
  return faults(`answer ${status}`, check, responseBody);
}

function checksOf(operation: Operation): OperationChecks {
  const known = compiled.get(operation);
  if (known !== undefined) return known;
  const body = operation.requestBody?.schema ?? null;
  const checks: OperationChecks = {
    path: texts.compile(parametersSchema(operation.parameters, 'path')),
    query: texts.compile(parametersSchema(operation.parameters.map(asAsked(operation)), 'query')),
    body: body === null ? null : bodies.compile(withRefs(body) as object),
    bodyNames: body === null ? null : namesOf(body),
    answers: new Map(),
  };
  compiled.set(operation, checks);
  return checks;
}

function asAsked({ operationId }: Operation): (parameter: Parameter) => Parameter {
  return (parameter) => {
    const found = queryChanges.find(({ operation, name }) => operation === operationId && name === parameter.name);
    return found === undefined ? parameter : { ...parameter, schema: found.schema };
  };
}

function parametersSchema(parameters: readonly Parameter[], where: 'path' | 'query'): object {
  const own = parameters.filter((one) => one.in === where);
  return {
    type: 'object',
    properties: Object.fromEntries(own.map(({ name, schema }) => [name, withRefs(schema)])),
    required: own.filter(({ required }) => required === true).map(({ name }) => name),
    // An unknown query name is ignored by GitHub: a slip that would stay unseen.
    additionalProperties: false,
  };
}

/** All names that a body may have at its top, whatever the alternative; null where it is open to any. */
function namesOf(schema: JsonSchema): ReadonlySet<string> | null {
  const alternatives = [schema['oneOf'], schema['anyOf'], schema['allOf']].flatMap(
    (list) => (list ?? []) as JsonSchema[],
  );
  const below = alternatives.map((one) => namesOf(one)).filter((names) => names !== null);
  const own = Object.keys((schema['properties'] ?? {}) as object);
  const names = new Set([...own, ...below.flatMap((set) => [...set])]);
  return names.size === 0 ? null : names;
}

/** Each schema is an own document to ajv, so that it is compiled when it is first needed. */
function withRefs(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withRefs);
  if (node === null || typeof node !== 'object') return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === '$ref' ? String(value).replace('#/components/schemas/', 'schema:') : withRefs(value),
    ]),
  );
}

function faults(where: string, check: ValidateFunction, value: unknown): string[] {
  return check(value) ? [] : (check.errors ?? []).map((error) => `${where}${error.instancePath} ${inWords(error)}`);
}

function inWords({ keyword, message, params }: ErrorObject): string {
  if (keyword === 'additionalProperties') return `\`${params['additionalProperty']}\` is not described`;
  if (keyword === 'enum') return `must be one of ${params['allowedValues'].join(', ')}`;
  return message ?? keyword;
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
