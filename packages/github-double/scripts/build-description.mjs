// Rebuilds the part of GitHub's own REST and GraphQL descriptions that the GitHub double is held to.
// The packages are far too large to depend on (400 MB), so they are installed aside, in an empty folder:
//   npm i --no-save @octokit/openapi@23.0.2 @octokit/graphql-schema@15.26.1
//   node packages/github-double/scripts/build-description.mjs FOLDER/node_modules
// Kept are the operations, fields and enums that we use, without prose. Nothing is loosened here.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { prunedGraphql } from './graphql-subset.mjs';

const OPERATIONS = {
  meta: 'root',
  'rate-limit': 'get',
  apps: `get-authenticated list-installations get-installation get-repo-installation get-org-installation get-user-installation
    create-installation-access-token revoke-installation-access-token list-repos-accessible-to-installation get-by-slug
    list-webhook-deliveries get-webhook-delivery redeliver-webhook-delivery create-from-manifest get-webhook-config-for-app
    update-webhook-config-for-app list-installations-for-authenticated-user list-installation-repos-for-authenticated-user
    delete-token`,
  repos: `get get-content list-branches get-branch list-commits get-commit compare-commits-with-basehead list-collaborators
    check-collaborator get-collaborator-permission-level create-commit-status list-commit-statuses-for-ref
    get-combined-status-for-ref list-pull-requests-associated-with-commit list-branches-for-head-commit list-tags get-branch-rules`,
  git: `create-blob get-blob create-tree get-tree create-commit get-commit create-tag get-tag list-matching-refs get-ref create-ref
    update-ref delete-ref`,
  issues: `list-for-repo create get update list-comments list-comments-for-repo get-comment create-comment update-comment
    delete-comment list-labels-on-issue add-labels remove-label list-labels-for-repo get-label create-label list-events-for-timeline
    lock`,
  reactions: `list-for-issue create-for-issue delete-for-issue list-for-issue-comment create-for-issue-comment
    delete-for-issue-comment`,
  pulls: `list create get update merge list-commits list-files list-requested-reviewers request-reviewers remove-requested-reviewers
    list-reviews get-review create-review update-review list-comments-for-review list-review-comments create-review-comment
    get-review-comment update-review-comment delete-review-comment`,
  checks: `create get update list-annotations list-for-ref list-suites-for-ref get-suite list-for-suite rerequest-run
    rerequest-suite`,
  actions: `list-workflow-runs-for-repo get-workflow-run get-workflow-run-attempt list-jobs-for-workflow-run
    list-jobs-for-workflow-run-attempt get-job-for-workflow-run download-job-logs-for-workflow-run download-workflow-run-logs
    download-workflow-run-attempt-logs get-workflow re-run-job-for-workflow-run re-run-workflow-failed-jobs list-workflow-run-artifacts
    download-artifact get-reviews-for-run list-repo-workflows cancel-workflow-run`,
  users: 'get-authenticated get-by-username get-by-id',
};
const METHODS = ['get', 'put', 'post', 'patch', 'delete'];
/** Words for people, and formats that only GitHub knows. */
const PROSE = new Set([
  'description',
  'example',
  'examples',
  'title',
  'externalDocs',
  'summary',
  'deprecated',
  'default',
  'readOnly',
  'discriminator',
]);
const FORMATS = new Set(['date-time', 'uri', 'email']);
/** Keys whose values are named by the author, not by JSON Schema: a property may be called `description`. */
const MAPS = new Set(['properties', 'patternProperties']);

/** A schema without prose, with OpenAPI's `nullable` said in JSON Schema's own words, which ajv reads strictly. */
function plainSchema(schema) {
  if (Array.isArray(schema)) return schema.map(plainSchema);
  if (schema === null || typeof schema !== 'object') return schema;
  const kept = Object.entries(schema)
    .filter(isKept)
    .map(([key, value]) => [key, plainKeyword(key, value)]);
  return schema.nullable === true ? orNull(Object.fromEntries(kept)) : Object.fromEntries(kept);
}

function isKept([key, value]) {
  return !PROSE.has(key) && !key.startsWith('x-') && key !== 'nullable' && (key !== 'format' || FORMATS.has(value));
}

function plainKeyword(key, value) {
  if (MAPS.has(key)) return mapValues(value, plainSchema);
  return key === 'enum' ? value : plainSchema(value);
}

function orNull(schema) {
  if (schema.type === undefined || schema.enum !== undefined || schema.allOf !== undefined) {
    return { anyOf: [schema, { type: 'null' }] };
  }
  return { ...schema, type: [schema.type, 'null'] };
}

function mapValues(record, change) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

function resolve(document, node) {
  if (node?.$ref === undefined) return node;
  return node.$ref
    .slice(2)
    .split('/')
    .reduce((at, key) => at[key], document);
}

function jsonOf(content) {
  const json = Object.entries(content ?? {}).find(([type]) => type.endsWith('json'));
  return json === undefined ? null : plainSchema(json[1].schema ?? {});
}

function plainOperation(document, operation) {
  const parameters = (operation.parameters ?? []).map((parameter) => {
    const { name, in: where, required = false, schema, 'x-multi-segment': many } = resolve(document, parameter);
    return {
      name,
      in: where,
      ...(required && { required }),
      ...(many && { multiSegment: true }),
      schema: plainSchema(schema),
    };
  });
  const body = resolve(document, operation.requestBody);
  const responses = mapValues(operation.responses, (response) => jsonOf(resolve(document, response).content));
  return {
    operationId: operation.operationId,
    parameters,
    ...(body && { requestBody: { required: body.required === true, schema: jsonOf(body.content) } }),
    responses,
  };
}

/** Adds every schema that `node` reaches to `found`. */
function collectSchemas(document, node, found) {
  if (node === null || typeof node !== 'object') return;
  const name = /^#\/components\/schemas\/(.+)$/.exec(node.$ref ?? '')?.[1];
  if (name !== undefined && found[name] === undefined) {
    found[name] = plainSchema(document.components.schemas[name]);
    collectSchemas(document, found[name], found);
  }
  for (const value of Object.values(node)) collectSchemas(document, value, found);
}

function subset(document) {
  const wanted = new Set(
    Object.entries(OPERATIONS).flatMap(([group, names]) => names.split(/\s+/).map((name) => `${group}/${name}`)),
  );
  const operations = [];
  for (const [route, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      if (!wanted.delete(item[method]?.operationId)) continue;
      operations.push({ method: method.toUpperCase(), path: route, ...plainOperation(document, item[method]) });
    }
  }
  if (wanted.size > 0) throw new Error(`GitHub's description does not have: ${[...wanted].join(', ')}`);
  const schemas = {};
  collectSchemas(document, operations, schemas);
  return { operations, schemas };
}

/** One operation or schema a line: small, and a change of GitHub's is a change of that line. */
function printed({ operations, schemas }, version) {
  const names = Object.keys(schemas).sort();
  const lines = names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(schemas[name])}`);
  return `{"source":${JSON.stringify(version)},\n"operations":[\n${operations.map((one) => JSON.stringify(one)).join(',\n')}\n],\n"components":{"schemas":{\n${lines.join(',\n')}\n}}}\n`;
}

const modules = process.argv[2];
if (modules === undefined) {
  console.error('usage: node packages/github-double/scripts/build-description.mjs FOLDER/node_modules');
  process.exit(2);
}
const read = (...file) => readFileSync(path.join(modules, '@octokit', ...file), 'utf8');
const version = (name) => `@octokit/${name}@${JSON.parse(read(name, 'package.json')).version}`;
const target = path.join(import.meta.dirname, '..', 'src', 'description');
const document = JSON.parse(read('openapi', 'generated', 'api.github.com.json'));
writeFileSync(path.join(target, 'openapi-subset.json'), printed(subset(document), version('openapi')));
const { parse, print } = await import('graphql');
const definitions = prunedGraphql(parse(read('graphql-schema', 'schema.graphql'), { noLocation: true }));
const head = `# The part of GitHub's GraphQL schema that we use, from ${version('graphql-schema')}. Built by scripts/build-description.mjs.\n\n`;
writeFileSync(path.join(target, 'graphql-subset.graphql'), `${head}${print(definitions)}\n`);
