// The OpenAPI 3.1 document, made from the schemas that validate.
import { STATUS_CODES } from 'node:http';
import { OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import type { TokenScope } from '../core/account/index.ts';
import { ChecksQuery, ChecksSchema, LogBody, LogSchema } from './explain-schemas.ts';
import {
  CalibrationQuery,
  CalibrationSchema,
  FailureParams,
  FailureSchema,
  FailuresQuery,
  OutcomeSchema,
  OutcomesQuery,
} from './outcome-schemas.ts';
import { type FieldFault, type ProblemStatus, UNKNOWN_PROJECT } from './problem.ts';
import { AskedForeignProofSchema, AskProofBody, ForeignProofSchema, ProofParams } from './proofs.ts';
import {
  CertificateSchema,
  CreateIssueBody,
  EventHeaders,
  FailedInvestigationSchema,
  HealthSchema,
  IdempotencyHeaders,
  InvestigationParams,
  InvestigationSchema,
  InvestigationsQuery,
  IssueParams,
  IssueSchema,
  MessageSchema,
  ProblemSchema,
  ProjectParams,
  ProjectSchema,
  ProjectsQuery,
  ReadinessSchema,
  RetryIssueBody,
  Timestamp,
  WaitQuery,
} from './schemas.ts';
import {
  CreateSubscriptionBody,
  NewSubscriptionSchema,
  PullRequestEventSchema,
  SubscriptionParams,
  SubscriptionSchema,
} from './webhook-schemas.ts';

type Responses = RouteConfig['responses'];
type HeaderReferences = Readonly<Record<string, { readonly $ref: string }>>;

const RATE = ['RateLimit', 'RateLimit-Policy'] as const;
/** The problems that any request can meet: faults of the service, and what is refused before a route is looked for. */
export const ANY = [400, 408, 417, 421, 431, 500] as const;
/** The problems that every call with a token can meet. */
const ALWAYS = [...ANY, 401, 403, 429, 503] as const;

/** An operation that takes a token, with the problems that it can meet in addition to those of every such call. */
function describeOperation(
  scope: TokenScope,
  problems: readonly ProblemStatus[],
  call: Omit<RouteConfig, 'security'>,
): RouteConfig {
  const responses = { ...call.responses, ...referToProblems(...ALWAYS, ...problems) };
  return { ...call, responses, security: [{ bearer: [] }], 'x-scope': scope };
}

/** Header objects of the document, by name. */
const HEADER_COMPONENTS = {
  'X-Request-Id': describeHeader('Identifies the request in the log of the service.', 'req_9XbQe4Tm1LkPzW7vC0sd', true),
  RateLimit: describeHeader('What is left of each quota (`r`), and seconds until more is (`t`).', '"calls";r=599;t=60'),
  'RateLimit-Policy': describeHeader('The quotas (`q`) and their window in seconds (`w`).', '"calls";q=600;w=60'),
  'Retry-After': describeHeader('Seconds to wait before the next try.', '12', true),
  'WWW-Authenticate': describeHeader('How to authenticate.', 'Bearer', true),
  Location: describeHeader('Path of the investigation.', '/api/v1/investigations/inv_2Bt6yPd0HnSfM8rC5kZj/', true),
  Link: describeHeader(
    'Address of the next page; absent on the last.',
    '<…?limit=100&cursor=bG9jYWwvc2hvcA>; rel="next"',
  ),
  Allow: describeHeader('The methods that the path knows.', 'GET, HEAD', true),
} as const;
type HeaderName = keyof typeof HEADER_COMPONENTS;

interface ProblemText {
  readonly description: string;
  readonly detail: string;
  readonly headers?: readonly HeaderName[];
  readonly errors?: readonly FieldFault[];
}

const PROBLEM_TEXTS = {
  400: {
    description:
      'The request is not well-formed HTTP/1.1 with exactly one `Host`, or the body is not JSON in valid UTF-8, is nested more than 64 levels deep, or is incomplete.',
    detail: 'The body is not JSON in valid UTF-8: check it with a JSON parser.',
    headers: RATE,
  },
  401: {
    description: 'No valid token in exactly one `Authorization: Bearer` header. A token in the URL is refused.',
    detail:
      'The token is malformed, unknown, revoked or expired: create a new one and send "Authorization: Bearer cwy_…" once.',
    headers: ['WWW-Authenticate'],
  },
  403: {
    description: 'The token lacks the scope of the operation.',
    detail: 'The token lacks the scope issues:write: make one that has it.',
  },
  404: {
    description: 'It does not exist, or your role on GitHub does not let you see it; the two answers are identical.',
    detail: 'There is nothing here, or it is not yours to see.',
    headers: RATE,
  },
  405: {
    description: 'The path does not support the method.',
    detail: 'This path does not know the method PUT: use GET, HEAD.',
    headers: ['Allow'],
  },
  408: {
    description: 'The header did not arrive within 15 seconds, or the request within 2 minutes.',
    detail: 'The request came too slowly: send it in one go.',
  },
  409: {
    description: 'Not possible in the current state; `detail` says why.',
    detail: 'The investigation has ended already: there is nothing left to cancel.',
    headers: RATE,
  },
  413: {
    description: '`data` is over 1 MiB, or the body over 8 MiB.',
    detail: 'The body is larger than 8 MiB: send less.',
    headers: RATE,
  },
  415: {
    description: 'Not `application/json` in UTF-8, or a compressed body.',
    detail: 'Send JSON in UTF-8 with the header "Content-Type: application/json".',
    headers: RATE,
  },
  417: {
    description: '`Expect` has a value other than `100-continue`.',
    detail: 'Only "Expect: 100-continue" can be met: leave the header out.',
  },
  421: {
    description:
      'In local mode: the `Host` is not a loopback name or address, or the call comes from a page of another site.',
    detail: 'This service answers to loopback names only: use http://127.0.0.1 or http://localhost with its port.',
  },
  422: {
    description: 'Some values are invalid; `errors` lists each of them.',
    detail: 'One value was refused; "errors" names each with its repair.',
    headers: RATE,
    errors: [UNKNOWN_PROJECT],
  },
  429: {
    description:
      'Too many calls, or too many new issues, within a minute, or the account already has 20 unfinished reports in the project.',
    detail: 'Too many requests: wait 12 s.',
    headers: ['Retry-After', ...RATE],
  },
  431: {
    description: 'The header of the request is larger than 32 KiB.',
    detail: 'The header of this request is larger than 32 KiB: send less.',
  },
  500: {
    description: 'An internal error.',
    detail: 'The service failed on its own account; its log has the details under the X-Request-Id.',
  },
  503: {
    description:
      'The database or GitHub cannot be reached, or there is not enough disk space for a new report. Nothing was accepted; try again.',
    detail: 'The service cannot reach its records just now. Nothing was accepted: try again.',
    headers: ['Retry-After'],
  },
} as const satisfies Record<ProblemStatus, ProblemText>;

/** Response objects of the document: one for each problem, named by its status. */
function buildProblemComponents() {
  const entries = Object.entries<ProblemText>(PROBLEM_TEXTS).map(([status, text]) => {
    const title = STATUS_CODES[status];
    const { description, detail, errors } = text;
    const example = { type: 'about:blank', title, status: Number(status), detail, ...(errors && { errors }) };
    const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, example } };
    return [`Problem${status}`, { description, headers: referToHeaders(text.headers ?? []), content }] as const;
  });
  return Object.fromEntries(entries);
}

/** References to problems, for an operation's `responses`. */
function referToProblems(...statuses: readonly ProblemStatus[]): Responses {
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]));
}

/** A JSON answer. */
function describeJson(schema: z.ZodType, description: string, names: readonly HeaderName[] = []): Responses[string] {
  return { description, headers: referToHeaders(names), content: { 'application/json': { schema } } };
}

/** References to headers; every answer has `X-Request-Id`. */
function referToHeaders(names: readonly HeaderName[]): HeaderReferences {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function describeHeader(description: string, example: string, required = false) {
  return { description, required, schema: { type: 'string' as const }, example };
}

/** Every operation, in the order of the interface. */
const OPERATIONS: readonly RouteConfig[] = [
  describeOperation('issues:write', [413, 415, 422], {
    method: 'post',
    path: '/api/v1/issues/',
    operationId: 'createIssue',
    tags: ['Issues'],
    summary: 'Create an issue',
    description:
      'Accepts a report and answers at once; the analysis takes up to a few minutes. A report that equals a running one (same project, revision, and text apart from times and ids), or one concluded within 24 hours, shares its analysis. Each still gets its own investigation, issue and webhook. Requires the triage role on the project.',
    request: {
      headers: IdempotencyHeaders,
      body: { required: true, content: { 'application/json': { schema: CreateIssueBody } } },
    },
    responses: {
      202: describeJson(MessageSchema, 'Accepted. The message contains the URL of the investigation.', [
        'Location',
        ...RATE,
      ]),
    },
  }),
  describeOperation('issues:read', [404], {
    method: 'get',
    path: '/api/v1/issues/{issueId}/',
    operationId: 'getIssue',
    tags: ['Issues'],
    summary: 'Retrieve one issue',
    description: '404 until the investigation has concluded.',
    request: { params: IssueParams },
    responses: { 200: describeJson(IssueSchema, 'The issue.', RATE) },
  }),
  describeOperation('issues:read', [404], {
    method: 'get',
    path: '/api/v1/issues/{issueId}/proof/',
    operationId: 'getProof',
    tags: ['Issues'],
    summary: 'Retrieve the proof of a fix',
    description:
      "Whether the repository's own CI failed with the tests of the change alone and passed with its fix, as a certificate that `causeway verify-proof` checks against GitHub with the address of its pull request. Without a pull request the state is `not_run`; 404 while its checks have not ended, or where its change has no test that could prove it.",
    request: { params: IssueParams },
    responses: { 200: describeJson(CertificateSchema, 'The certificate.', RATE) },
  }),
  describeOperation('issues:read', [404, 409], {
    method: 'get',
    path: '/api/v1/issues/{issueId}/patch/',
    operationId: 'getPatch',
    tags: ['Issues'],
    summary: 'Retrieve the change as a patch',
    description:
      'The diff of the issue as `git apply` takes it, at `analysis.revision`. 404 says why there is none: the answer changes no code, or its change is withheld. 409: its paths or contents cannot be written as a patch.',
    request: { params: IssueParams },
    responses: {
      200: {
        description: 'The patch.',
        headers: referToHeaders(RATE),
        content: {
          'text/x-patch': {
            schema: z.string(),
            example:
              'diff --git a/src/cart.js b/src/cart.js\n--- a/src/cart.js\n+++ b/src/cart.js\n@@ -1 +1 @@\n-old\n+new\n',
          },
        },
      },
    },
  }),
  describeOperation('issues:write', [404], {
    method: 'delete',
    path: '/api/v1/issues/{issueId}/',
    operationId: 'deleteIssue',
    tags: ['Issues'],
    summary: 'Delete an issue',
    description:
      'Erases the issue, the report and the investigation behind it, and cancels undelivered webhooks. What is on GitHub stays. Allowed for the account that reported it, and from the maintain role on the project.',
    request: { params: IssueParams },
    responses: { 200: describeJson(MessageSchema, 'Deleted.', RATE) },
  }),
  describeOperation('issues:write', [404, 409, 413, 415, 422], {
    method: 'post',
    path: '/api/v1/issues/{issueId}/retry/',
    operationId: 'retryIssue',
    tags: ['Issues'],
    summary: 'Analyse the report of an issue again',
    description:
      'A new investigation of the same report at the current commit (of a failed check: at its commit), with your guidance, as `/analyse retry` starts it on GitHub, where the better of the two answers is shown. The issue itself stays. 409 says why nothing was started: another analysis is shown instead of this one, the pull request has newer commits, or the check passes again. Requires the triage role on the project. With the write role, and a token with `pull-requests:write`, it may lead to a pull request.',
    request: {
      params: IssueParams,
      headers: IdempotencyHeaders,
      body: { required: true, content: { 'application/json': { schema: RetryIssueBody } } },
    },
    responses: { 202: describeJson(InvestigationSchema, 'Accepted: the new investigation.', ['Location', ...RATE]) },
  }),
  describeOperation('pull-requests:write', [404, 409], {
    method: 'post',
    path: '/api/v1/issues/{issueId}/pull-request/',
    operationId: 'openPullRequest',
    tags: ['Issues'],
    summary: 'Open the pull request of an issue',
    description:
      'Opens it as a draft from the stored change. Requires the write role on the project, and names you as the person who requested it. Its URL is then in `analysis.links.pullRequest`. 409 says why none is opened: there is no change, the project allows none, it was merged already, another answer is shown instead (its issue is named), or GitHub or a guard refused it. After such a refusal, a request at least ten minutes later tries again. The body is not read.',
    request: { params: IssueParams },
    responses: {
      200: describeJson(MessageSchema, 'It is already open; the message contains its URL.', RATE),
      202: describeJson(MessageSchema, 'Accepted: it is being opened.', RATE),
    },
  }),
  describeOperation('projects:read', [422], {
    method: 'get',
    path: '/api/v1/projects/',
    operationId: 'listProjects',
    tags: ['Projects'],
    summary: 'List all projects',
    description:
      'All projects that the account may see, by name; in pages only if `limit` or `cursor` is given. Private projects require the read role on GitHub, public ones triage.',
    request: { query: ProjectsQuery },
    responses: {
      200: describeJson(z.array(ProjectSchema), 'The projects.', ['Link', ...RATE]),
    },
  }),
  describeOperation('projects:read', [404], {
    method: 'get',
    path: '/api/v1/projects/{projectId}/',
    operationId: 'getProject',
    tags: ['Projects'],
    summary: 'Retrieve one project',
    request: { params: ProjectParams },
    responses: { 200: describeJson(ProjectSchema, 'The project.', RATE) },
  }),
  describeOperation('issues:read', [404], {
    method: 'get',
    path: '/api/v1/projects/{projectId}/proofs/{number}/',
    operationId: 'getForeignProof',
    tags: ['Projects'],
    summary: 'Retrieve the proof of a pull request',
    description: 'The newest that was asked for, of a pull request that is not ours. 404 also where none was.',
    request: { params: ProofParams },
    responses: { 200: describeJson(ForeignProofSchema, 'The proof.', RATE) },
  }),
  describeOperation('pull-requests:write', [404, 409, 413, 415, 422], {
    method: 'post',
    path: '/api/v1/projects/{projectId}/proofs/{number}/',
    operationId: 'askForeignProof',
    tags: ['Projects'],
    summary: 'Prove a pull request',
    description:
      'As `/analyse prove` on it: its tests run alone on its base, on a branch and a draft of ours, beside the checks of its head. Requires the write role on the project, which is looked up again before anything is pushed; 403 names the role there is. One run of CI more; `notice` says what will be pushed and which run of the day it is. 409: the project is not on GitHub, its mode is not `fix`, or `limits.ci_runs_day` is 0; 429 with `Retry-After`: the runs of the day are taken.',
    request: {
      params: ProofParams,
      body: { required: true, content: { 'application/json': { schema: AskProofBody } } },
    },
    responses: { 202: describeJson(AskedForeignProofSchema, 'Accepted, or under way already.', RATE) },
  }),
  describeOperation('issues:read', [422], {
    method: 'get',
    path: '/api/v1/investigations/',
    operationId: 'listInvestigations',
    tags: ['Investigations'],
    summary: 'List investigations',
    description: 'Newest first, in pages of 50 unless `limit` says otherwise.',
    request: { query: InvestigationsQuery },
    responses: {
      200: describeJson(z.array(InvestigationSchema), 'The investigations.', ['Link', ...RATE]),
    },
  }),
  describeOperation('issues:read', [404, 422], {
    method: 'get',
    path: '/api/v1/investigations/{investigationId}/',
    operationId: 'getInvestigation',
    tags: ['Investigations'],
    summary: 'Retrieve one investigation',
    description: 'Its state and progress; with `wait`, the answer is held until it ends.',
    request: { params: InvestigationParams, query: WaitQuery },
    responses: { 200: describeJson(InvestigationSchema, 'The investigation.', RATE) },
  }),
  describeOperation('issues:write', [404, 409], {
    method: 'delete',
    path: '/api/v1/investigations/{investigationId}/',
    operationId: 'cancelInvestigation',
    tags: ['Investigations'],
    summary: 'Cancel an investigation',
    description:
      'Ends it without an issue; the webhook is `issue.failed`. Others that share the analysis are not affected. Requires the triage role on the project.',
    request: { params: InvestigationParams },
    responses: { 200: describeJson(MessageSchema, 'Cancelled.', RATE) },
  }),
  describeOperation('issues:read', [404], {
    method: 'get',
    path: '/api/v1/investigations/{investigationId}/events/',
    operationId: 'followInvestigation',
    tags: ['Investigations'],
    summary: 'Follow an investigation',
    description:
      'Server-sent events: `step` (number, action, result, analysis), `state` and `end` (both an Investigation). A comment every 15 seconds keeps the connection open; the token is checked again every minute. Send the last `id` as `Last-Event-ID` to continue after it.',
    request: { params: InvestigationParams, headers: EventHeaders },
    responses: {
      200: {
        description: 'The events, until the investigation ends.',
        headers: referToHeaders(RATE),
        content: {
          'text/event-stream': {
            schema: z.string(),
            example:
              'id: 1.8f14e45fceea167a.running\nevent: step\ndata: {"number":1,"action":"…","result":"…","analysis":"…"}\n\n',
          },
        },
      },
      204: {
        description: 'It has ended and the client has received the end: do not reconnect.',
        headers: referToHeaders(RATE),
      },
    },
  }),
  describeOperation('issues:read', [404, 422], {
    method: 'get',
    path: '/api/v1/checks/',
    operationId: 'getChecks',
    tags: ['Checks'],
    summary: 'Why checks failed',
    description:
      'The checks of one commit as they were judged, by cause: verdict with reasons, the first error, tests, places, owners, and what the ledger knows of the failure. Name the commit by exactly one of `pullRequest`, `sha` and `run`. Nothing is judged again. Texts quote what anyone may have written into a log.',
    request: { query: ChecksQuery },
    responses: { 200: describeJson(ChecksSchema, 'The checks.', RATE) },
  }),
  describeOperation('issues:read', [404, 409, 413, 415, 422], {
    method: 'post',
    path: '/api/v1/logs/',
    operationId: 'readLog',
    tags: ['Checks'],
    summary: 'Read a log',
    description:
      'As the log of a failed check is read: its first error, failed tests and places, and the failure of the project that it has in common with others. Nothing is recorded. It counts as a new report; two at a time are read, and the answer is held for that, at most 80 seconds. 503: it took longer, or the repository cannot be read just now. 409: the repository has no commit, or the App has no access to it any longer.',
    request: { body: { required: true, content: { 'application/json': { schema: LogBody } } } },
    responses: { 200: describeJson(LogSchema, 'What the log says.', RATE) },
  }),
  describeOperation('issues:read', [422], {
    method: 'get',
    path: '/api/v1/failures/',
    operationId: 'listFailures',
    tags: ['Outcomes'],
    summary: 'List failures',
    description: 'Distinct causes of failed checks, the last seen first, in pages of 50 unless `limit` says otherwise.',
    request: { query: FailuresQuery },
    responses: { 200: describeJson(z.array(FailureSchema), 'The failures.', ['Link', ...RATE]) },
  }),
  describeOperation('issues:read', [404], {
    method: 'get',
    path: '/api/v1/failures/{failureId}/',
    operationId: 'getFailure',
    tags: ['Outcomes'],
    summary: 'Retrieve one failure',
    request: { params: FailureParams },
    responses: { 200: describeJson(FailureSchema, 'The failure.', RATE) },
  }),
  describeOperation('issues:read', [422], {
    method: 'get',
    path: '/api/v1/outcomes/',
    operationId: 'listOutcomes',
    tags: ['Outcomes'],
    summary: 'List what became of answers',
    description:
      'Answers of issues, and verdicts on red checks whether or not they led to an issue, the latest first, in pages of 50 unless `limit` says otherwise.',
    request: { query: OutcomesQuery },
    responses: { 200: describeJson(z.array(OutcomeSchema), 'The outcomes.', ['Link', ...RATE]) },
  }),
  describeOperation('issues:read', [422], {
    method: 'get',
    path: '/api/v1/calibration/',
    operationId: 'getCalibration',
    tags: ['Outcomes'],
    summary: 'How reliable confidence is',
    description:
      'How often answers of each confidence were right, in one project or in all that you may see, and the threshold for unasked pull requests with its reason.',
    request: { query: CalibrationQuery },
    responses: { 200: describeJson(CalibrationSchema, 'The calibration.', RATE) },
  }),
  describeOperation('webhooks:write', [], {
    method: 'get',
    path: '/api/v1/webhooks/',
    operationId: 'listSubscriptions',
    tags: ['Webhooks'],
    summary: 'List subscriptions',
    description: 'Addresses that get events of your projects, newest first.',
    responses: { 200: describeJson(z.array(SubscriptionSchema), 'The subscriptions.', RATE) },
  }),
  describeOperation('webhooks:write', [409, 413, 415, 422], {
    method: 'post',
    path: '/api/v1/webhooks/',
    operationId: 'createSubscription',
    tags: ['Webhooks'],
    summary: 'Subscribe an address to events',
    description:
      'Events of one project, or of all that you can see, are sent there from now on, for as long as you can see the project. An account may have 50.',
    request: { body: { required: true, content: { 'application/json': { schema: CreateSubscriptionBody } } } },
    responses: { 201: describeJson(NewSubscriptionSchema, 'The subscription, with its secret.', RATE) },
  }),
  describeOperation('webhooks:write', [404], {
    method: 'delete',
    path: '/api/v1/webhooks/{subscriptionId}/',
    operationId: 'deleteSubscription',
    tags: ['Webhooks'],
    summary: 'Delete a subscription',
    description: 'Nothing more is sent to it, including webhooks that are being retried.',
    request: { params: SubscriptionParams },
    responses: { 200: describeJson(MessageSchema, 'Deleted.', RATE) },
  }),
  describeOperation('webhooks:write', [404, 409], {
    method: 'post',
    path: '/api/v1/webhooks/{subscriptionId}/test/',
    operationId: 'testSubscription',
    tags: ['Webhooks'],
    summary: 'Send an example',
    description:
      'Sends made-up content of its first type, with `example: true`. `lastDelivery` then says what came of it. The body is not read.',
    request: { params: SubscriptionParams },
    responses: { 202: describeJson(MessageSchema, 'Accepted: it is being sent.', RATE) },
  }),
  {
    method: 'get',
    path: '/api/v1/openapi.json',
    operationId: 'getOpenApiDocument',
    tags: ['Service'],
    summary: 'Read the OpenAPI document',
    security: [],
    responses: { 200: describeJson(z.record(z.string(), z.unknown()), 'OpenAPI 3.1.'), ...referToProblems(...ANY) },
  },
  {
    method: 'get',
    path: '/healthz',
    operationId: 'getHealth',
    tags: ['Service'],
    summary: 'Is the service alive?',
    security: [],
    responses: { 200: describeJson(HealthSchema, 'Alive.'), ...referToProblems(...ANY) },
  },
  {
    method: 'get',
    path: '/readyz',
    operationId: 'getReadiness',
    tags: ['Service'],
    summary: 'Can the service work?',
    security: [],
    responses: {
      200: describeJson(
        ReadinessSchema,
        'Everything it depends on is available. GitHub and the model may be unavailable: work waits for them.',
      ),
      503: describeJson(ReadinessSchema, 'Something it depends on is unavailable; `checks` says what.'),
      ...referToProblems(...ANY),
    },
  },
];

export type OpenApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

const DESCRIPTION = [
  "From a problem, to its cause, to its fix. Send a report about a project; Causeway investigates it in the project's source and notifies you when the issue is ready.",
  'Every call carries the header `Authorization: Bearer <token>`. Bodies are JSON. Paths end with a slash; the same path without it works too. Times are ISO 8601 in UTC. New fields may be added to answers and webhooks: ignore unknown ones. Requests with unknown fields are refused.',
  'Every path answers `HEAD` like `GET` without a body, and an unsupported method with 405 and the header `Allow`. An unknown path is 404. `/docs` shows this document as a page, and `/` leads there.',
  'Any request can be refused before routing with 400, 408, 417, 421 or 431, and the connection is then closed. Each is described under `components.responses`.',
].join('\n\n');

const WEBHOOKS = [
  ['issue.created', IssueSchema, 'The investigation concluded: `data` is the issue as GET returns it.'],
  ['issue.failed', FailedInvestigationSchema, 'The investigation gave up or was cancelled: `data` says why.'],
  [
    'failure.opened',
    FailureSchema,
    'A check fails for a cause that was not known, or came back after its pull request.',
  ],
  ['failure.closed', FailureSchema, 'A failure is gone: `closed` says by what.'],
  ['failure.regressed', FailureSchema, 'A failure that was fixed on the default branch is back.'],
  ['pull_request.opened', PullRequestEventSchema, 'Causeway opened a pull request.'],
  ['pull_request.proven', PullRequestEventSchema, "Its fix is proven in the repository's own CI: see `proof`."],
  ['pull_request.merged', PullRequestEventSchema, 'A pull request of Causeway was merged.'],
  ['pull_request.closed', PullRequestEventSchema, 'A pull request of Causeway was closed without merging.'],
] as const;

let document: OpenApiDocument | null = null;

/** The whole document, built once. `servers` is relative, so it is true under every address. */
export function getOpenApiDocument(): OpenApiDocument {
  document ??= buildDocument();
  return document;
}

function buildDocument(): OpenApiDocument {
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
  for (const [name, answer] of Object.entries(buildProblemComponents())) {
    registry.registerComponent('responses', name, answer);
  }
  for (const operation of OPERATIONS) registry.registerPath(operation);
  for (const [type, data, description] of WEBHOOKS) registry.registerWebhook(describeWebhook(type, data, description));
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Causeway API', version: '1', description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: ['Issues', 'Projects', 'Investigations', 'Checks', 'Outcomes', 'Webhooks', 'Service'].map((name) => ({
      name,
    })),
  });
}

function describeWebhook(type: string, data: z.ZodType, description: string) {
  const id = z.string().openapi({ description: 'The same for all attempts: drop repeats by it.' });
  const signature = z.string().openapi({ description: '`v1,` and base64 of HMAC-SHA256 over `id.timestamp.body`.' });
  const example = z.literal(true).optional().openapi({ description: 'Made up: a subscription is being tried out.' });
  return {
    method: 'post' as const,
    path: type,
    // It is signed; the token of the API is never sent with it.
    security: [],
    operationId: type,
    summary: type,
    description: `${description} Signed according to standardwebhooks.com. Any 2xx within 15 seconds is success; otherwise it is retried for 75 hours.`,
    request: {
      headers: z.object({ 'webhook-id': id, 'webhook-timestamp': z.string(), 'webhook-signature': signature }),
      body: {
        content: {
          'application/json': { schema: z.object({ type: z.literal(type), timestamp: Timestamp, data, example }) },
        },
      },
    },
    responses: { '2XX': { description: 'Received.' } },
  };
}
