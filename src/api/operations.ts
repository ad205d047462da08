// Every operation of the API as the OpenAPI document describes it: one list, in the order of the interface.
import type { RouteConfig } from '@hono/zod-openapi';
import { z } from '@hono/zod-openapi';
import { ALWAYS, ANY, json, problems, RATE, withToken } from './answers.ts';
import { INVESTIGATION_OPERATIONS } from './investigation-operations.ts';
import { IssueSchema } from './issue-schema.ts';
import { IdempotencyHeaders, IssueParams, ProjectParams, ProjectsQuery } from './parameter-schemas.ts';
import { CreateIssueBody, HealthSchema, MessageSchema, ProjectSchema, ReadinessSchema } from './schemas.ts';

const issues: readonly RouteConfig[] = [
  {
    method: 'post',
    path: '/api/v1/issues/',
    operationId: 'createIssue',
    tags: ['Issues'],
    summary: 'Create an issue',
    description:
      'Accepts a report and answers at once; the analysis takes up to a few minutes. A report equal to one under way (same text but for times and ids, project and revision) shares its analysis, and so does one equal to a report concluded within 24 hours: each still gets its own investigation, issue and webhook. Needs triage on the project.',
    ...withToken('issues:write'),
    request: {
      headers: IdempotencyHeaders,
      body: { required: true, content: { 'application/json': { schema: CreateIssueBody } } },
    },
    responses: {
      202: json(MessageSchema, 'Accepted. The message names the address of the investigation.', ['Location', ...RATE]),
      ...problems(...ALWAYS, 413, 415, 422),
    },
  },
  {
    method: 'get',
    path: '/api/v1/issues/{issueId}/',
    operationId: 'getIssue',
    tags: ['Issues'],
    summary: 'Retrieve one issue',
    description: 'An investigation that has not concluded is not an issue yet: 404.',
    ...withToken('issues:read'),
    request: { params: IssueParams },
    responses: { 200: json(IssueSchema, 'The issue.', RATE), ...problems(...ALWAYS, 404) },
  },
  {
    method: 'delete',
    path: '/api/v1/issues/{issueId}/',
    operationId: 'deleteIssue',
    tags: ['Issues'],
    summary: 'Delete an issue',
    description:
      'Erases the issue, the report and the investigation behind it, and stops undelivered webhooks; what stands on GitHub stays. For the account that reported it, and for who maintains the project.',
    ...withToken('issues:write'),
    request: { params: IssueParams },
    responses: { 200: json(MessageSchema, 'Deleted.', RATE), ...problems(...ALWAYS, 404) },
  },
  {
    method: 'post',
    path: '/api/v1/issues/{issueId}/pull-request/',
    operationId: 'openPullRequest',
    tags: ['Issues'],
    summary: 'Open the pull request of an issue',
    description:
      'From the stored change, as a draft. Needs write on the project: you stand behind it. Its address then stands in `analysis.links.pullRequest`. 409 says why none is opened: there is no change, the project opens none, a newer analysis took the place of this one (its issue is named), or GitHub or a guard was against it. Asked again ten minutes after that, it is tried anew. The body is not read.',
    ...withToken('pull-requests:write'),
    request: { params: IssueParams },
    responses: {
      200: json(MessageSchema, 'It is open already; the message names its address.', RATE),
      202: json(MessageSchema, 'Accepted: it is being opened.', RATE),
      ...problems(...ALWAYS, 404, 409),
    },
  },
];

const projects: readonly RouteConfig[] = [
  {
    method: 'get',
    path: '/api/v1/projects/',
    operationId: 'listProjects',
    tags: ['Projects'],
    summary: 'List all projects',
    description:
      'All projects that the account may see, by name; in pages only where `limit` or `cursor` is given. Private ones need read on GitHub, public ones triage.',
    ...withToken('projects:read'),
    request: { query: ProjectsQuery },
    responses: {
      200: json(z.array(ProjectSchema), 'The projects.', ['Link', ...RATE]),
      ...problems(...ALWAYS, 422),
    },
  },
  {
    method: 'get',
    path: '/api/v1/projects/{projectId}/',
    operationId: 'getProject',
    tags: ['Projects'],
    summary: 'Retrieve one project',
    ...withToken('projects:read'),
    request: { params: ProjectParams },
    responses: { 200: json(ProjectSchema, 'The project.', RATE), ...problems(...ALWAYS, 404) },
  },
];

const service: readonly RouteConfig[] = [
  {
    method: 'get',
    path: '/api/v1/openapi.json',
    operationId: 'getOpenApiDocument',
    tags: ['Service'],
    summary: 'Read the OpenAPI document',
    security: [],
    responses: { 200: json(z.record(z.string(), z.unknown()), 'OpenAPI 3.1.'), ...problems(...ANY) },
  },
  {
    method: 'get',
    path: '/healthz',
    operationId: 'getHealth',
    tags: ['Service'],
    summary: 'Is the service alive?',
    security: [],
    responses: { 200: json(HealthSchema, 'Alive.'), ...problems(...ANY) },
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'getReadiness',
    tags: ['Service'],
    summary: 'Can the service work?',
    security: [],
    responses: {
      200: json(
        ReadinessSchema,
        'Everything that it cannot do without answers. Without GitHub it goes on with what it has.',
      ),
      503: json(ReadinessSchema, 'Something that it needs does not; `checks` says what.'),
      ...problems(...ANY),
    },
  },
];

export const OPERATIONS: readonly RouteConfig[] = [...issues, ...projects, ...INVESTIGATION_OPERATIONS, ...service];
