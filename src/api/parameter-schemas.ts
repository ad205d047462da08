// What stands beside the body: path, query and header parameters, as schemas that validate and document.
import { z } from '@hono/zod-openapi';
import { INVESTIGATION_STATES } from '../core/investigation.ts';
import { positionOf } from './paging.ts';

/** A whole number in a query, from `from` to `to`; text until it is parsed. */
function integer(from: number, to: number) {
  return z
    .string()
    .refine((value) => /^\d{1,9}$/.test(value) && Number(value) >= from && Number(value) <= to, {
      error: `Give a whole number from ${from} to ${to}.`,
    })
    .transform(Number)
    .openapi({ type: 'integer', minimum: from, maximum: to });
}

const limit = integer(1, 100).optional().openapi({ description: 'Entries per page, from 1 to 100.' });

/** The position after which the page begins. */
export const Cursor = z
  .string()
  .refine((value) => /^[\w-]{1,1024}$/.test(value), 'Is not a cursor: take it from the Link header of the page before.')
  .transform(positionOf)
  .refine((position) => !position.includes('\0'), 'Is not a cursor: take it from the Link header of the page before.')
  .openapi({ type: 'string', description: 'Where the page begins; from the `Link` header of the page before.' })
  .optional();

export const IssueParams = z.object({
  issueId: z.string().openapi({ description: 'Identifier of the issue.', example: 'iss_7Hq2mXv9KcTzR4bN1wYe' }),
});

export const ProjectParams = z.object({
  projectId: z.string().openapi({ description: 'Identifier of the project.', example: 'prj_5Nf8sLw2QdVxJ7aG3uKp' }),
});

export const InvestigationParams = z.object({
  investigationId: z
    .string()
    .openapi({ description: 'Identifier of the investigation.', example: 'inv_2Bt6yPd0HnSfM8rC5kZj' }),
});

export const ProjectsQuery = z.object({ limit, cursor: Cursor });

export const InvestigationsQuery = z.object({
  projectId: z.string().optional().openapi({ description: 'Only of this project: its identifier or `owner/name`.' }),
  state: z
    .enum(INVESTIGATION_STATES, { error: `Is no state: give one of ${INVESTIGATION_STATES.join(', ')}.` })
    .optional()
    .openapi({ description: 'Only in this state.' }),
  reference: z.string().optional().openapi({ description: 'Only with exactly this reference.' }),
  limit,
  cursor: Cursor,
});

export const WaitQuery = z.object({
  wait: integer(0, 60)
    .optional()
    .openapi({ description: 'Holds the answer until the investigation ends, for at most so many seconds.' }),
});

export const IdempotencyHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .refine((value) => /^[\x20-\x7e]{1,255}$/.test(value), 'Give 1 to 255 printable ASCII characters.')
    .optional()
    .openapi({
      minLength: 1,
      maxLength: 255,
      description:
        'The same key with the same body within 24 hours gets the same answer and makes one investigation; with another body it is refused.',
    }),
});

export const EventHeaders = z.object({
  'Last-Event-ID': z
    .string()
    .optional()
    .openapi({ description: 'The `id` of the last event received: the stream goes on after it.' }),
});
