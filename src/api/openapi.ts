// The OpenAPI 3.1 document, made from the schemas that validate.
import { OpenAPIHono, z } from '@hono/zod-openapi';
import { HEADER_COMPONENTS, problemComponents } from './answers.ts';
import { IssueSchema, Timestamp } from './issue-schema.ts';
import { OPERATIONS } from './operations.ts';
import { FailedInvestigationSchema, ProblemSchema } from './schemas.ts';

export type OpenApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

const DESCRIPTION = [
  "From a problem, to its cause, to its fix. Send a report about a project; Causeway investigates it in the project's source and tells you when the issue is there.",
  'Every call carries the header `Authorization: Bearer <token>`. Bodies are JSON. Paths end with a slash; without it they are served too. Times are ISO 8601 in UTC. Answers and webhooks can gain fields: ignore those that you do not know. Requests with unknown fields are refused.',
  'A path answers `HEAD` as `GET` without a body, and a method that it does not know with 405 and the header `Allow`. An unknown path is 404. `/docs` shows this document to people, and `/` leads there.',
  'Any request can be refused before its path is looked at, with 400, 408, 417, 421 or 431; the connection is closed then. Each stands under `components.responses`.',
].join('\n\n');

const WEBHOOKS = [
  ['issue.created', IssueSchema, 'The investigation concluded: `data` is the issue as GET gives it.'],
  ['issue.failed', FailedInvestigationSchema, 'The investigation gave up or was cancelled: `data` says why.'],
] as const;

/** The whole document. `servers` is relative, so it is true under every address. */
export function openApiDocument(): OpenApiDocument {
  const app = new OpenAPIHono();
  const registry = app.openAPIRegistry;
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description:
      'An auth token: `cwy_` and 36 letters and digits. Create one in the account area, under Security credentials, with “Create new auth token”. On a server without a GitHub App, and for operators, `causeway token create` does the same.',
  });
  registry.register('Problem', ProblemSchema);
  for (const [name, header] of Object.entries(HEADER_COMPONENTS)) registry.registerComponent('headers', name, header);
  for (const [name, answer] of Object.entries(problemComponents())) {
    registry.registerComponent('responses', name, answer);
  }
  for (const operation of OPERATIONS) registry.registerPath(operation);
  for (const [type, data, description] of WEBHOOKS) registry.registerWebhook(webhook(type, data, description));
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Causeway API', version: '1', description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: ['Issues', 'Projects', 'Investigations', 'Service'].map((name) => ({ name })),
  });
}

function webhook(type: string, data: z.ZodType, description: string) {
  const id = z.string().openapi({ description: 'Stable over all attempts: drop what you have seen.' });
  const signature = z.string().openapi({ description: '`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`.' });
  return {
    method: 'post' as const,
    path: type,
    operationId: type,
    summary: type,
    description: `${description} Signed as standardwebhooks.com says. Any 2xx within 15 seconds is success; otherwise it is sent again for 75 hours.`,
    request: {
      headers: z.object({ 'webhook-id': id, 'webhook-timestamp': z.string(), 'webhook-signature': signature }),
      body: {
        content: {
          'application/json': { schema: z.object({ type: z.literal(type), timestamp: Timestamp, data }) },
        },
      },
    },
    responses: { '2XX': { description: 'Received.' } },
  };
}
