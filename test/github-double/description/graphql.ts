// Holds a GraphQL call against the part of GitHub's schema that we use.
import { readFileSync } from 'node:fs';
import path from 'node:path';
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
import type { Exchange } from '../double.ts';

let built: GraphQLSchema | undefined;

/** The vendored part of GitHub's schema. */
export function githubSchema(): GraphQLSchema {
  built ??= buildSchema(readFileSync(path.join(import.meta.dirname, 'graphql-subset.graphql'), 'utf8'));
  return built;
}

/** Problems of a call to `/graphql`: query, variables, and the outline of its answer. */
export function graphqlProblems({ method, requestBody, status, responseBody }: Exchange): string[] {
  if (method !== 'POST') return [`${method} is not described`];
  if (!isRecord(requestBody) || typeof requestBody['query'] !== 'string') return ['request: no query'];
  const variables = isRecord(requestBody['variables']) ? requestBody['variables'] : {};
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
  if (!isRecord(body) || (body['data'] === undefined && body['errors'] === undefined))
    return ['answer: neither data nor errors'];
  const errors = body['errors'] ?? [];
  if (!Array.isArray(errors)) return ['answer: errors must be a list'];
  return errors.every((error) => isRecord(error) && typeof error['message'] === 'string')
    ? []
    : ['answer: an error without a message'];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
