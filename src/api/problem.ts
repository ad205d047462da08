// Refusals: RFC 9457 problem answers that name every fault at once and say how to repair it.
import { STATUS_CODES } from 'node:http';
import type { z } from '@hono/zod-openapi';
import { HTTPException } from 'hono/http-exception';

/** One fault: JSON Pointer of the field ("" is the whole body; `/name` for a parameter or header), and the repair. */
export interface FieldFault {
  readonly pointer: string;
  readonly detail: string;
}

/** The OpenAPI document describes each of these; the compiler checks that none is missing there. */
export type ProblemStatus =
  | (400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 417 | 421 | 422 | 429 | 431)
  | (500 | 503);

interface ProblemExtras {
  readonly errors?: readonly FieldFault[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** More faults than these in one answer help no caller, and a body of 8 MiB can contain many. */
const MAX_FAULTS = 50;

export const UNKNOWN_PROJECT: FieldFault = {
  pointer: '/projectId',
  detail: 'Is not a project of this account: GET /api/v1/projects/ lists them.',
};

/** The same for a position that is gone, hidden from the caller, or of another list. */
export const NO_POSITION: FieldFault = {
  pointer: '/cursor',
  detail: 'Is not a position in this list, or what was there is gone: start again without cursor.',
};

/** The body names neither the request nor what it was about, so that absent and hidden things get the same bytes. */
export function createProblem(status: ProblemStatus, detail: string, extras: ProblemExtras = {}): Response {
  const headers = { ...extras.headers, 'Content-Type': 'application/problem+json' };
  return new Response(formatProblem(status, detail, extras.errors), { status, headers });
}

export function formatProblem(status: ProblemStatus, detail: string, errors?: readonly FieldFault[]): string {
  const named = errors === undefined ? {} : { errors: errors.slice(0, MAX_FAULTS) };
  return JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail, ...named });
}

/** 404, the same for what does not exist and for what this caller may not see. */
export function createAbsentProblem(): Response {
  return createProblem(404, 'There is nothing here, or it is not yours to see.');
}

/** Ends the request with a problem. */
export function refuse(status: ProblemStatus, detail: string, extras?: ProblemExtras): never {
  throw new HTTPException(status, { res: createProblem(status, detail, extras) });
}

/** For `Retry-After`. */
export function countSecondsUntil(at: Date, now: Date): number {
  return Math.max(1, Math.ceil((at.getTime() - now.getTime()) / 1_000));
}

export function refuseAbsent(): never {
  throw new HTTPException(404, { res: createAbsentProblem() });
}

/** Refuses with 422 and every fault. */
export function refuseFaults(faults: readonly FieldFault[]): never {
  const values = faults.length === 1 ? 'One value was' : `${faults.length} values were`;
  refuse(422, `${values} refused; "errors" names each with its repair.`, { errors: faults });
}

/** The value as the schema gives it, or a refusal with 422 that names every fault. */
export function parseOrRefuse<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data : refuseFaults(listFaults(parsed.error));
}

/** The faults that a schema found, one for each field and rule. */
export function listFaults(error: z.ZodError): readonly FieldFault[] {
  return error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ pointer: toPointer(issue.path), detail: issue.message }];
    return issue.keys.slice(0, MAX_FAULTS).map((key) => ({
      pointer: toPointer([...issue.path, key]),
      detail: 'Is not a field of this request: remove it.',
    }));
  });
}

function toPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).slice(0, 200).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
