// Refusals: RFC 9457 problem answers that name every fault at once and say what to do about it.
import { STATUS_CODES } from 'node:http';
import type { z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';

/** One fault: JSON Pointer of the field ("" is the whole body; `/name` for a parameter or header), and the repair. */
export interface Fault {
  readonly pointer: string;
  readonly detail: string;
}

/** What stands in the OpenAPI document for each of these is in `answers.ts`; the compiler holds the two together. */
export type ProblemStatus =
  | 400
  | 401
  | 403
  | 404
  | 405
  | 408
  | 409
  | 413
  | 415
  | 417
  | 421
  | 422
  | 429
  | 431
  | 500
  | 503;

export interface ProblemExtras {
  readonly errors?: readonly Fault[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** More faults than these in one body help nobody, and a body of 8 MiB can hold a million. */
const MAX_FAULTS = 50;

/** The body names neither the request nor what was asked for, so that absent and foreign things get the same bytes. */
export function problem(status: ProblemStatus, detail: string, extras: ProblemExtras = {}): Response {
  const headers = { ...extras.headers, 'Content-Type': 'application/problem+json' };
  return new Response(problemBody(status, detail, extras.errors), { status, headers });
}

export function problemBody(status: ProblemStatus, detail: string, errors?: readonly Fault[]): string {
  const named = errors === undefined ? {} : { errors: errors.slice(0, MAX_FAULTS) };
  return JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail, ...named });
}

/** Ends the request with a problem; the API's error boundary answers it. */
export function refuse(status: ProblemStatus, detail: string, extras?: ProblemExtras): never {
  throw new HTTPException(status, { res: problem(status, detail, extras) });
}

/** 404, said alike of what does not exist and of what this caller may not see. */
export function absent(): Response {
  return problem(404, 'There is nothing here, or it is not yours to see.');
}

export function refuseAbsent(): never {
  throw new HTTPException(404, { res: absent() });
}

export const UNKNOWN_PROJECT: Fault = {
  pointer: '/projectId',
  detail: 'Is not a project of this account: GET /api/v1/projects/ lists them.',
};

/** Refuses with 422 and every fault. */
export function refuseFaults(faults: readonly Fault[]): never {
  const fields = faults.length === 1 ? 'One value was' : `${faults.length} values were`;
  refuse(422, `${fields} refused; "errors" names each with its repair.`, { errors: faults });
}

/** The value as the schema gives it, or a refusal with 422 that names every fault. */
export function parseOrRefuse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : refuseFaults(faultsOf(parsed.error));
}

/** The faults that a schema found, one for each field and rule. */
export function faultsOf(error: z.ZodError): readonly Fault[] {
  return error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ pointer: pointerTo(issue.path), detail: issue.message }];
    return issue.keys.slice(0, MAX_FAULTS).map((key) => ({
      pointer: pointerTo([...issue.path, key]),
      detail: 'Is not a field of this request: remove it.',
    }));
  });
}

function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).slice(0, 200).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
