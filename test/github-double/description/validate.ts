// Holds a call and its answer against GitHub's own description: whatever it does not say is a problem.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Exchange } from '../double.ts';
import { graphqlProblems } from './graphql.ts';
import { mayAnswer, queryChanges, schemaChanges, textual } from './known-differences.ts';
import { description, findOperation, type Operation, type Parameter, type Schema } from './operations.ts';

interface Checks {
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
for (const ajv of [bodies, texts]) {
  for (const [name, schema] of Object.entries(description.components.schemas)) {
    ajv.addSchema(withRefs(changed[name]?.(schema) ?? schema) as object, `schema:${name}`);
  }
}
const compiled = new Map<Operation, Checks>();

/**
 * Problems of one exchange in words, each with the operation that it belongs to; none: GitHub's description has it. A path that none of
 * the operations has is a problem too: those that we use are named in scripts/build-github-description.mjs.
 */
export function validateExchange(exchange: Exchange): string[] {
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

function requestFaults(operation: Operation, { body, bodyNames }: Checks, { requestBody }: Exchange): string[] {
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

function answerFaults(operation: Operation, checks: Checks, { status, responseBody }: Exchange): string[] {
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

function checksOf(operation: Operation): Checks {
  const known = compiled.get(operation);
  if (known !== undefined) return known;
  const body = operation.requestBody?.schema ?? null;
  const checks: Checks = {
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
function namesOf(schema: Schema): ReadonlySet<string> | null {
  const alternatives = [schema['oneOf'], schema['anyOf'], schema['allOf']].flatMap((list) => (list ?? []) as Schema[]);
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
