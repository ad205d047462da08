// What goes in and out of the API, once: the same schemas validate requests and make the OpenAPI document.
import { z } from '@hono/zod-openapi';
import { INVESTIGATION_STATES } from '../core/investigation.ts';
import { MAX_REPORT_BYTES } from '../core/report.ts';
import { Reference, Timestamp } from './issue-schema.ts';

const CONTROL = /[\u0000-\u001f\u007f]/;

/** Text of at most `max` characters (code points, as JSON Schema counts them). */
function text(max: number) {
  return z
    .string({ error: required('a string') })
    .refine((value) => value.isWellFormed(), 'Holds half of a surrogate pair, which is not a character: remove it.')
    .refine((value) => [...value].length <= max, `Has more than ${max} characters: shorten it.`)
    .openapi({ maxLength: max });
}

function filled(max: number) {
  return text(max)
    .refine((value) => value !== '', 'Is empty: leave the field out or fill it.')
    .openapi({ minLength: 1, maxLength: max });
}

/** Text that names something: not empty, and without control characters, which no name has. */
function name(max: number) {
  return filled(max)
    .refine((value) => !CONTROL.test(value), 'Holds a control character: remove it.')
    .openapi({ minLength: 1, maxLength: max });
}

function required(kind: string) {
  return (issue: { readonly input?: unknown }) =>
    issue.input === undefined ? `Is required: give ${kind}.` : `Has the wrong type: give ${kind}.`;
}

export const CreateIssueBody = z
  .strictObject(
    {
      data: z
        .string({ error: required('a string') })
        .refine((value) => /\S/.test(value), 'Is empty or only white space: describe the problem.')
        .refine((value) => value.isWellFormed(), 'Holds half of a surrogate pair, which is not a character: remove it.')
        .openapi({
          minLength: 1,
          // OpenAPI can only bound characters, and the rule is about bytes.
          'x-max-bytes': MAX_REPORT_BYTES,
          description: `Description of the issue with any other relevant information such as error messages and logs. Not only white space; at most ${MAX_REPORT_BYTES.toLocaleString('en')} bytes of UTF-8, which is fewer characters where they take several bytes. More is refused with 413. NUL becomes U+FFFD.`,
        }),
      projectId: name(300).openapi({ description: 'Identifier of the project, or its name (`owner/name`).' }),
      callbackUrl: filled(2_048)
        .optional()
        .openapi({ description: 'Where the webhook is sent when the issue is created. Absent: no webhook.' }),
      reference: text(200).optional().openapi({
        description: 'Your own name for this report; echoed in the Issue, the investigation and the webhook.',
      }),
      revision: name(255)
        .optional()
        .openapi({ description: 'Branch, tag or sha to investigate. Absent: the default branch.' }),
      fresh: z
        .boolean({ error: required('true or false') })
        .optional()
        .openapi({
          description: 'True: run anew, even if an equal report is running or was concluded within 24 hours.',
        }),
    },
    { error: required('a JSON object') },
  )
  .openapi('CreateIssue', {
    example: {
      data: 'TypeError: item.price is not a function\n    at total (src/cart.ts:12:20)',
      projectId: 'local/shop',
      callbackUrl: 'https://example.com/hooks/causeway',
      reference: 'alert-4711',
    },
  });
export type CreateIssueBody = z.infer<typeof CreateIssueBody>;

export const MessageSchema = z.object({ message: z.string() }).openapi('Message');

export const ProjectSchema = z
  .object({
    id: z.string().openapi({ description: 'Unique identifier of the project.', example: 'prj_5Nf8sLw2QdVxJ7aG3uKp' }),
    name: z.string().openapi({ description: 'Name of the project.', example: 'local/shop' }),
    issueIds: z
      .array(z.string())
      .openapi({ description: 'Identifiers of the issues of the project: complete, newest first.' }),
    createdAt: Timestamp.openapi({ description: 'When the project was created.' }),
  })
  .openapi('Project');
export type ProjectView = z.infer<typeof ProjectSchema>;

const FailureReason = z
  .object({
    code: z.enum([
      'revision_not_found',
      'repository_empty',
      'repository_unreachable',
      'access_lost',
      'cancelled',
      'internal',
    ]),
    detail: z.string(),
  })
  .openapi('FailureReason');

/** `data` of the webhook `issue.failed`. */
export const FailedInvestigationSchema = z
  .object({ investigationId: z.string(), projectId: z.string(), reference: Reference, reason: FailureReason })
  .openapi('FailedInvestigation');

export const InvestigationSchema = z
  .object({
    id: z.string().openapi({ example: 'inv_2Bt6yPd0HnSfM8rC5kZj' }),
    projectId: z.string(),
    state: z.enum(INVESTIGATION_STATES),
    progress: z.object({
      step: z.int().openapi({ description: 'Number of the last step; 0 before the first.' }),
      action: z.string(),
    }),
    issueId: z.string().nullable().openapi({ description: 'The Issue, once concluded.' }),
    reason: z.union([FailureReason, z.null()]).openapi({ description: 'Why it gave up or was cancelled.' }),
    createdAt: Timestamp,
    reference: Reference,
  })
  .openapi('Investigation', {
    example: {
      id: 'inv_2Bt6yPd0HnSfM8rC5kZj',
      projectId: 'prj_5Nf8sLw2QdVxJ7aG3uKp',
      state: 'running',
      progress: { step: 3, action: 'read src/cart.ts, lines 1 to 40' },
      issueId: null,
      reason: null,
      createdAt: '2026-03-14T09:26:53.589Z',
      reference: 'alert-4711',
    },
  });
export type InvestigationView = z.infer<typeof InvestigationSchema>;

export const ProblemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    errors: z
      .array(
        z.object({
          pointer: z.string().openapi({ description: 'JSON Pointer to the field; a parameter or header by its name.' }),
          detail: z.string(),
        }),
      )
      .optional(),
  })
  .openapi('Problem', { description: 'RFC 9457. `errors` names every fault at once.' });

export const HealthSchema = z.object({ status: z.literal('alive') }).openapi('Health');

export const ReadinessSchema = z
  .object({
    status: z.enum(['ready', 'not_ready']),
    checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
  })
  .openapi('Readiness');
