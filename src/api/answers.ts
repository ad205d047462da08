// The answers that operations share, as parts of the OpenAPI document: headers, and one problem for each status.
import { STATUS_CODES } from 'node:http';
import type { RouteConfig, z } from '@hono/zod-openapi';
import type { Scope } from '../core/account.ts';
import { type ProblemStatus, UNKNOWN_PROJECT } from './problem.ts';

type Responses = RouteConfig['responses'];
type Headers = Readonly<Record<string, { readonly $ref: string }>>;

export const RATE = ['RateLimit', 'RateLimit-Policy'] as const;
/** The problems that any request can meet: faults of the service, and what is refused before a route is looked for. */
export const ANY = [400, 408, 417, 421, 431, 500] as const;
/** The problems that every call with a token can meet. */
export const ALWAYS = [...ANY, 401, 403, 429, 503] as const;

/** The part of an operation that every call with a token shares. */
export function withToken(scope: Scope) {
  return { security: [{ bearer: [] }], 'x-scope': scope };
}

/** Header objects of the document, by name. */
export const HEADER_COMPONENTS = {
  'X-Request-Id': header('Identifies the request in the log of the service.', 'req_9XbQe4Tm1LkPzW7vC0sd', true),
  RateLimit: header('What is left of each quota (`r`), and seconds until more is (`t`).', '"calls";r=599;t=60'),
  'RateLimit-Policy': header('The quotas (`q`) and their window in seconds (`w`).', '"calls";q=600;w=60'),
  'Retry-After': header('Seconds to wait before the next try.', '12', true),
  'WWW-Authenticate': header('How to authenticate.', 'Bearer', true),
  Location: header('Path of the investigation.', '/api/v1/investigations/inv_2Bt6yPd0HnSfM8rC5kZj/', true),
  Link: header('Address of the next page; absent on the last.', '<…?limit=100&cursor=bG9jYWwvc2hvcA>; rel="next"'),
  Allow: header('The methods that the path knows.', 'GET, HEAD', true),
} as const;
export type HeaderName = keyof typeof HEADER_COMPONENTS;

interface ProblemText {
  readonly description: string;
  readonly detail: string;
  readonly headers?: readonly HeaderName[];
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

const PROBLEM_TEXTS = {
  400: {
    description:
      'The request is not well-formed HTTP/1.1 with exactly one `Host`; or its body is not JSON in valid UTF-8, nests more than 64 levels deep or was cut off.',
    detail: 'The body is not JSON in valid UTF-8: check it with a JSON parser.',
    headers: RATE,
  },
  401: {
    description: 'No valid token in exactly one `Authorization: Bearer` header. A token in the address is refused.',
    detail:
      'The token is malformed, unknown, revoked or expired: create a new one and send "Authorization: Bearer cwy_…" once.',
    headers: ['WWW-Authenticate'],
  },
  403: {
    description: 'The token lacks the scope of the operation.',
    detail: 'The token lacks the scope issues:write: make one that has it.',
  },
  404: {
    description: 'Absent, or not yours (your role on GitHub decides): the two cannot be told apart.',
    detail: 'There is nothing here, or it is not yours to see.',
    headers: RATE,
  },
  405: {
    description: 'The path does not know the method.',
    detail: 'This path does not know the method PUT: use GET, HEAD.',
    headers: ['Allow'],
  },
  408: {
    description: 'The header did not arrive within 15 seconds, or the request within 2 minutes.',
    detail: 'The request came too slowly: send it in one go.',
  },
  409: {
    description: 'It cannot be done in the state that it is in; `detail` says why.',
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
    description: '`Expect` asks for something else than `100-continue`.',
    detail: 'Only "Expect: 100-continue" can be met: leave the header out.',
  },
  421: {
    description: 'In local mode: the `Host` is not a loopback name or address, or a page of another site calls.',
    detail: 'This service answers to loopback names only: use http://127.0.0.1 or http://localhost with its port.',
  },
  422: {
    description: 'Values were refused; `errors` names every one.',
    detail: 'One value was refused; "errors" names each with its repair.',
    headers: RATE,
    errors: [UNKNOWN_PROJECT],
  },
  429: {
    description:
      'Too many calls, or too many new issues, within a minute; or 20 reports of the account have not ended in the project.',
    detail: 'Too many requests: wait 12 s.',
    headers: ['Retry-After', ...RATE],
  },
  431: {
    description: 'The header of the request is larger than 32 KiB.',
    detail: 'The header of this request is larger than 32 KiB: send less.',
  },
  500: {
    description: 'A fault of the service.',
    detail: 'The service failed on its own account; its log has the details under the X-Request-Id.',
  },
  503: {
    description:
      'The records, or GitHub, cannot be reached just now, or there is not enough disk space for a new report. Nothing was accepted: try again.',
    detail: 'The service cannot reach its records just now. Nothing was accepted: try again.',
    headers: ['Retry-After'],
  },
} as const satisfies Record<ProblemStatus, ProblemText>;

/** Response objects of the document: one for each problem, named by its status. */
export function problemComponents() {
  const entries = Object.entries<ProblemText>(PROBLEM_TEXTS).map(([status, text]) => {
    const title = STATUS_CODES[status];
    const { description, detail, errors } = text;
    const example = { type: 'about:blank', title, status: Number(status), detail, ...(errors && { errors }) };
    const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, example } };
    return [`Problem${status}`, { description, headers: headers(text.headers ?? []), content }] as const;
  });
  return Object.fromEntries(entries);
}

/** References to problems, for an operation's `responses`. */
export function problems(...statuses: readonly ProblemStatus[]): Responses {
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]));
}

/** A JSON answer. */
export function json(schema: z.ZodType, description: string, names: readonly HeaderName[] = []): Responses[string] {
  return { description, headers: headers(names), content: { 'application/json': { schema } } };
}

/** References to headers; every answer has `X-Request-Id`. */
export function headers(names: readonly HeaderName[]): Headers {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function header(description: string, example: string, required = false) {
  return { description, required, schema: { type: 'string' as const }, example };
}
