// The operations on investigations as the OpenAPI document describes them.
import type { RouteConfig } from '@hono/zod-openapi';
import { z } from '@hono/zod-openapi';
import { ALWAYS, headers, json, problems, RATE, withToken } from './answers.ts';
import { EventHeaders, InvestigationParams, InvestigationsQuery, WaitQuery } from './parameter-schemas.ts';
import { InvestigationSchema, MessageSchema } from './schemas.ts';

export const INVESTIGATION_OPERATIONS: readonly RouteConfig[] = [
  {
    method: 'get',
    path: '/api/v1/investigations/',
    operationId: 'listInvestigations',
    tags: ['Investigations'],
    summary: 'List investigations',
    description: 'Newest first, in pages of 50 unless `limit` says otherwise.',
    ...withToken('issues:read'),
    request: { query: InvestigationsQuery },
    responses: {
      200: json(z.array(InvestigationSchema), 'The investigations.', ['Link', ...RATE]),
      ...problems(...ALWAYS, 422),
    },
  },
  {
    method: 'get',
    path: '/api/v1/investigations/{investigationId}/',
    operationId: 'getInvestigation',
    tags: ['Investigations'],
    summary: 'Retrieve one investigation',
    description: 'How far it is; with `wait`, answered when it ends.',
    ...withToken('issues:read'),
    request: { params: InvestigationParams, query: WaitQuery },
    responses: { 200: json(InvestigationSchema, 'The investigation.', RATE), ...problems(...ALWAYS, 404, 422) },
  },
  {
    method: 'delete',
    path: '/api/v1/investigations/{investigationId}/',
    operationId: 'cancelInvestigation',
    tags: ['Investigations'],
    summary: 'Cancel an investigation',
    description:
      'Ends it without an issue; the webhook says `issue.failed`. Others that share the analysis are not touched. Needs triage on the project.',
    ...withToken('issues:write'),
    request: { params: InvestigationParams },
    responses: { 200: json(MessageSchema, 'Cancelled.', RATE), ...problems(...ALWAYS, 404, 409) },
  },
  {
    method: 'get',
    path: '/api/v1/investigations/{investigationId}/events/',
    operationId: 'followInvestigation',
    tags: ['Investigations'],
    summary: 'Follow an investigation',
    description:
      'Server-sent events: `step` (number, action, result, analysis), `state` and `end` (both an Investigation). A comment every 15 seconds keeps the connection open; the token is checked again every minute. Send the last `id` as `Last-Event-ID` to go on after it.',
    ...withToken('issues:read'),
    request: { params: InvestigationParams, headers: EventHeaders },
    responses: {
      200: {
        description: 'The events, until the investigation ends.',
        headers: headers(RATE),
        content: {
          'text/event-stream': {
            schema: z.string(),
            example:
              'id: 1.8f14e45fceea167a.running\nevent: step\ndata: {"number":1,"action":"…","result":"…","analysis":"…"}\n\n',
          },
        },
      },
      204: { description: 'It has ended, and the client has read the end: do not come back.', headers: headers(RATE) },
      ...problems(...ALWAYS, 404),
    },
  },
];
