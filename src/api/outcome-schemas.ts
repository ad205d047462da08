// What goes in and out of the API about failures, outcomes and calibration.
import { z } from '@hono/zod-openapi';
import type { CommitTie } from '../core/check/index.ts';
import { type Calibration, type FollowedAnswer, type Threshold, toOutcomeView } from '../core/outcome/index.ts';
import { Cursor, limit, outcomeFields, Timestamp, VERDICTS } from './schemas.ts';

const ProjectId = z
  .string()
  .optional()
  .openapi({ description: 'Only of this project: its identifier or `owner/name`. Absent: all that you may see.' });

/** A moment in a query, as every answer has it, or any other ISO 8601. */
function defineMoment(description: string) {
  return z
    .string()
    .refine(
      (value) => /^\d{4}-\d\d-\d\dT[\d:.]{5,12}(?:Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value)),
      {
        error: 'Give a time in ISO 8601, such as 2026-03-14T09:26:53Z.',
      },
    )
    .transform((value) => new Date(value).toISOString())
    .openapi({ type: 'string', format: 'date-time', description })
    .optional();
}

const page = { limit, cursor: Cursor };

export const FailuresQuery = z.object({
  projectId: ProjectId,
  state: z
    .enum(['open', 'closed'], { error: "Isn't a state: give open or closed." })
    .optional()
    .openapi({ description: 'Only failures in this state.' }),
  sort: z
    .enum(['flaky'], { error: "Isn't an order: give flaky." })
    .optional()
    .openapi({ description: 'Only failures that passed on the same commit, the most often first.' }),
  since: defineMoment('Only failures that were last seen then or later.'),
  until: defineMoment('Only failures that were last seen before.'),
  ...page,
});

export const OutcomesQuery = z.object({
  projectId: ProjectId,
  kind: z
    .enum(['issue', 'verdict'], { error: "Isn't a kind: give issue or verdict." })
    .optional()
    .openapi({ description: 'Only answers of issues, or only verdicts on red checks.' }),
  since: defineMoment('Only answers that were given then or later.'),
  until: defineMoment('Only answers that were given before.'),
  ...page,
});

export const CalibrationQuery = z.object({ projectId: ProjectId });

export const FailureParams = z.object({
  failureId: z.string().openapi({ description: 'Identifier of the failure.', example: 'fal_4Gk9wRt6BxNcZ1yH8sJq' }),
});

const SightingSchema = z
  .object({
    sha: z.string(),
    branch: z.string(),
    pullRequest: z.int().nullable(),
    checkName: z.string(),
    verdict: z.enum(VERDICTS),
    at: z.string().openapi({ description: 'When the check ended.' }),
  })
  .openapi('Sighting');

const TIES = [
  'named',
  'test',
  'test_file',
  'called',
  'tested',
  'imported',
  'words',
  'suspect',
  'dependencies',
  'beside',
  'subject',
] as const satisfies readonly CommitTie['code'][];

export const RangeSchema = z
  .object({
    from: z.string().openapi({ description: 'The last passing commit.' }),
    to: z.string().openapi({ description: 'The first failing one.' }),
    total: z.int(),
    likeliest: z.string().nullable().openapi({ description: 'Null: none stands out.' }),
    commits: z
      .array(
        z.object({
          sha: z.string(),
          author: z.string(),
          subject: z.string(),
          ties: z
            .array(
              z.object({
                code: z.enum(TIES),
                path: z.string().optional(),
                name: z.string().optional().openapi({ description: 'Of `called`: the definition that it changes.' }),
                calls: z.int().optional().openapi({ description: 'Of `called`: over how many calls from the test.' }),
                words: z.array(z.string()).optional(),
                rank: z.int().optional(),
                word: z.string().optional(),
              }),
            )
            .openapi({ description: 'What ties it to the failure, the most telling first; empty: nothing does.' }),
        }),
      )
      .openapi({ description: 'The newest 20, the likeliest first; in the order of git where none has a tie.' }),
    bisect: z.string().openapi({
      description:
        'One line for a POSIX shell that finds the commit; empty: there is only one, or the failing test cannot be run alone.',
    }),
  })
  .openapi('CommitRange');

export const FailureSchema = z
  .object({
    id: z.string(),
    projectId: z.string(),
    headline: z.string().openapi({
      description:
        'The first error line, after the failed test where it only compares values; without secrets; may be empty.',
    }),
    state: z.enum(['open', 'closed']),
    opening: z.int().openapi({ description: 'How often it was opened; more than 1: it came back.' }),
    isOnDefault: z
      .boolean()
      .openapi({ description: 'Whether the default branch has had it since it was last opened.' }),
    hits: z.int(),
    flakyHits: z.int().openapi({ description: 'How many of them passed at the same commit.' }),
    flake: z
      .object({
        hits: z.int().openapi({ description: 'Red checks of them that passed on the same commit, as in `flakyHits`.' }),
        of: z.int().openapi({ description: 'Red checks with this failure, as in `hits`.' }),
        since: z.string().openapi({ description: 'When the failure was first seen.' }),
        test: z.string().openapi({ description: 'The first failed test; empty: unknown.' }),
        file: z.string().openapi({ description: 'Path of the test; empty: unknown.' }),
        owners: z.array(z.string()).openapi({ description: 'Of the file, by the scope or CODEOWNERS.' }),
        quarantine: z
          .object({
            state: z.enum(['proposed', 'expired']).openapi({ description: 'Expired: 30 days after it was last seen.' }),
            until: z.string().openapi({ description: 'The last day, such as 2026-12-24.' }),
            code: z.string().openapi({ description: 'What skips the test; empty once it has expired.' }),
            where: z.string(),
          })
          .nullable()
          .openapi({ description: 'Null: not flaky enough, or no way to skip the test is known.' }),
      })
      .nullable()
      .optional()
      .openapi({ description: 'Null: it never passed on the same commit. Absent in webhooks.' }),
    knownIssue: z
      .object({
        number: z.int().openapi({ description: "GitHub's, in the same repository." }),
        isOpen: z.boolean().openapi({ description: 'Whether it covers failed checks with this failure.' }),
        endedAt: z.string().nullable(),
        pattern: z
          .string()
          .nullable()
          .openapi({ description: 'By which it is covered; null: the failure itself was tied.' }),
        at: z.string().openapi({ description: 'When it was tied.' }),
      })
      .nullable()
      .optional()
      .openapi({
        description: 'The issue that people tied it to; null: none. Absent in webhooks and with a log that was read.',
      }),
    firstSeen: SightingSchema,
    lastSeen: SightingSchema,
    checkNames: z.array(z.string()),
    branches: z.array(z.string()),
    pullRequests: z.array(z.int()),
    investigationId: z.string().nullable().openapi({ description: 'Null: none since it was last opened.' }),
    closed: z
      .object({ sha: z.string(), at: z.string(), by: z.enum(['green', 'pull_request', 'unseen']) })
      .nullable()
      .openapi({
        description: 'When it was closed, and by what. Null while it is open, also where it was closed before.',
      }),
    range: z.union([RangeSchema, z.null()]).openapi({
      description: 'Of the default branch: the commits that it broke with; null: unknown, or it did not.',
    }),
    putBack: z
      .object({
        commit: z.string().openapi({ description: 'The commit that is taken back.' }),
        requestedAt: z.string(),
        state: z
          .enum(['opening', 'open', 'merged', 'closed', 'refused'])
          .openapi({ description: "Of GitHub's own revert, a draft; refused: none was opened." }),
        pullRequest: z.object({ number: z.int(), url: z.string() }).nullable(),
        proof: z.enum(['waiting', 'proven', 'still_red', 'breaks', 'unclear']).nullable().openapi({
          description: 'Proven: red at the commit that it stands on, green on the revert. Null: not tracked.',
        }),
        reason: z.string().openapi({ description: 'Why it was refused; empty: it was not.' }),
        command: z.string().openapi({ description: 'What reverts it at home; empty: nothing is to be done there.' }),
      })
      .nullable()
      .optional()
      .openapi({
        description:
          'The revert of the commit that broke the default branch. Null: none was requested. Absent in webhooks.',
      }),
  })
  .openapi('Failure', { description: 'A distinct cause of failed checks.' });

export const OutcomeSchema = z
  .object({
    id: z.string(),
    projectId: z.string(),
    kind: z.enum(['issue', 'verdict']),
    issueId: z.string().nullable().openapi({ description: 'Null: a verdict that led to no issue.' }),
    failureId: z.string().nullable().openapi({ description: 'Of a verdict.' }),
    sha: z.string().openapi({ description: 'Of a verdict: the commit with the red check; else empty.' }),
    verdict: z.enum(VERDICTS).nullable(),
    confidence: z.number().min(0).max(1).nullable(),
    answeredAt: Timestamp,
    ...outcomeFields,
  })
  .openapi('Outcome', { description: 'An answer, as it was given, and what became of it.' });

const Reliability = z
  .object({
    from: z.number(),
    to: z.number(),
    count: z.int(),
    right: z.int(),
    confidence: z.number().nullable().openapi({ description: 'Mean confidence; null: none.' }),
    share: z.number().nullable().openapi({ description: 'Share of right answers; null: none.' }),
    low: z.number().openapi({ description: 'The true share lies between `low` and `high` with 95 % probability.' }),
    high: z.number(),
  })
  .openapi('Reliability');

export const CalibrationSchema = z
  .object({
    projectId: z.string().nullable().openapi({ description: 'Null: all projects together.' }),
    threshold: z
      .object({
        value: z.number(),
        reason: z.object({
          code: z.enum(['configured', 'unmoved', 'raised', 'lowered']),
          count: z.int().optional(),
          band: Reliability.optional(),
        }),
      })
      .nullable()
      .openapi({ description: 'From this confidence on, a fix is opened unasked. Null for all projects together.' }),
    answers: z.int(),
    unknown: z.int().openapi({ description: 'Answers of which nothing says whether they were right.' }),
    right: z.int(),
    wrong: z.int(),
    brier: z.number().nullable().openapi({ description: 'Mean squared error: 0 is perfect, 0.25 is chance.' }),
    deciles: z.array(Reliability),
    verdicts: z.array(z.object({ verdict: z.enum(VERDICTS), confirmed: z.int(), refuted: z.int() })),
  })
  .openapi('Calibration', { description: 'How often answers of each confidence were right.' });

export function toOutcome(followed: FollowedAnswer): z.input<typeof OutcomeSchema> {
  const { id, projectId, answeredAt, answer } = followed;
  const view = toOutcomeView(followed);
  return {
    id,
    projectId,
    kind: answer.kind,
    issueId: answer.issueId,
    failureId: answer.kind === 'verdict' ? answer.failureId : null,
    sha: answer.kind === 'verdict' ? answer.sha : '',
    verdict: answer.kind === 'verdict' ? answer.verdict : null,
    confidence: answer.kind === 'issue' ? answer.confidence : null,
    answeredAt,
    ...view,
    remarks: [...view.remarks],
  };
}

export function toCalibrationView(
  projectId: string | null,
  calibration: Calibration,
  threshold: Threshold | null,
): z.input<typeof CalibrationSchema> {
  const { deciles, verdicts, ...figures } = calibration;
  return { projectId, threshold, ...figures, deciles: [...deciles], verdicts: [...verdicts] };
}
