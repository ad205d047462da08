// What goes in and out of the API where nothing is recorded: checks as they were judged, and logs.
import { z } from '@hono/zod-openapi';
import type { HeadState } from '../core/check/index.ts';
import type { ExplainedHead } from '../services/index.ts';
import { FailureSchema, RangeSchema } from './outcome-schemas.ts';
import {
  defineData,
  defineInteger,
  defineName,
  describeMissing,
  type Loose,
  owners,
  projectName,
  VERDICTS,
} from './schemas.ts';

const ONE_NAME = 'Give exactly one of pullRequest, sha and run.';

export const ChecksQuery = z
  .object({
    projectId: z
      .string({ error: describeMissing('an id or owner/name') })
      .openapi({ description: 'Identifier of the project, or its name (`owner/name`).' }),
    pullRequest: defineInteger(1, 999_999_999)
      .optional()
      .openapi({ description: 'Its newest commit with checks; a superseded one only where there is no other.' }),
    sha: z
      .string()
      .refine((value) => /^[0-9a-f]{7,64}$/i.test(value), 'Give 7 to 64 digits of a sha.')
      .transform((value) => value.toLowerCase())
      .optional()
      .openapi({ type: 'string', description: 'A commit, or at least 7 digits of its sha.' }),
    run: z
      .string()
      .refine((value) => /^\d{1,18}$/.test(value), 'Give the number of a run, as the address of a check has it.')
      .optional()
      .openapi({ description: "Number of a check run, or of a job or run of Actions, as a check's `url` has it." }),
  })
  .superRefine(({ pullRequest, sha, run }, context) => {
    const given = [pullRequest, sha, run].filter((value) => value !== undefined);
    if (given.length !== 1) context.addIssue({ code: 'custom', path: ['pullRequest'], message: ONE_NAME });
  });

const STATES = ['waiting', 'red', 'green', 'superseded', 'ignored'] as const satisfies readonly HeadState[];

const excerptFields = {
  step: z.string().openapi({ description: 'Name of the failed step; empty if unknown.' }),
  headline: z.string().openapi({
    description: 'The first error line, after the failed test where it only compares values; empty if there is none.',
  }),
  lines: z.array(z.string()).openapi({ description: 'Lines around the cause, in order, at most 60.' }),
  cut: z.string().openapi({ description: 'What was left out of them; empty for nothing.' }),
  tests: z.array(z.string()).openapi({ description: 'Names of failed tests, at most 50.' }),
};

const placeFields = { path: z.string(), line: z.int().openapi({ description: '0 if unknown.' }), message: z.string() };

const Said = z
  .object({
    whose: z.enum(['mine', 'not_mine']).openapi({ description: '`mine`: of the change under test.' }),
    reason: z.string().openapi({ description: 'In their words; may be empty.' }),
    by: z.string().openapi({ description: 'Login; empty: erased.' }),
    at: z.string(),
  })
  .openapi('VerdictOverride', { description: '`/analyse mine` or `/analyse not-mine` on the pull request.' });

const CauseSchema = z
  .object({
    failureId: z.string(),
    verdict: z.enum(VERDICTS),
    reasons: z.array(z.string()).openapi({ description: 'For the verdict, the most informative first.' }),
    whose: z
      .enum(['this_change', 'likely_this_change', 'not_this_change', 'unknown'])
      .nullable()
      .openapi({ description: 'Whose it is, by `override` where there is one; null: a commit of the default branch.' }),
    override: z
      .union([Said, z.null()])
      .openapi({ description: 'What someone with write said instead; null: nothing.' }),
    lapsed: z.union([Said, z.null()]).openapi({
      description: "What was said of another failure of one of its checks, which doesn't hold for this one.",
    }),
    standing: z.enum(['new', 'known', 'regression']),
    checks: z.array(
      z.object({
        name: z.string(),
        url: z.string(),
        isRed: z.boolean().openapi({ description: 'False: it has passed on this commit since.' }),
      }),
    ),
    ...excerptFields,
    places: z.array(z.object(placeFields)).openapi({ description: 'That the checks name.' }),
    base: z
      .enum(['green', 'red'])
      .nullable()
      .openapi({ description: 'The same checks on the base; null: unknown, or they disagree.' }),
    changed: z
      .array(z.string())
      .nullable()
      .openapi({ description: 'Files that the change under test touches, at most 300; null: unknown.' }),
    isTouched: z.boolean().nullable().openapi({
      description: 'Whether the change touches what fails, or what the failed test covers; null: unknown.',
    }),
    leaning: z
      .object({
        to: z.literal('code'),
        path: z.array(z.string()).openapi({
          description: "From the failing test's file to the one that the change touches, each importing the next.",
        }),
      })
      .nullable()
      .openapi({ description: 'What speaks for the change under an inconclusive verdict; null: nothing.' }),
    reached: z
      .array(
        z.object({
          path: z.string(),
          isCertain: z.boolean(),
          lines: z.array(z.object({ from: z.int(), to: z.int() })).optional(),
        }),
      )
      .openapi({
        description:
          'Files of the change that the failure names (`isCertain`), or that its tests use. `lines`: what is changed there, the nearest to what the failure names first; absent: unknown.',
      }),
    owners,
    testFile: z.string().openapi({ description: 'Path of the failed test; empty: unknown.' }),
    range: z.union([RangeSchema, z.null()]).openapi({
      description: 'The commits that brought it to the default branch.',
    }),
    known: z
      .object({
        hits: z.int(),
        flakyHits: z.int().openapi({ description: 'How many of them passed at the same commit.' }),
        pullRequests: z.array(z.int()),
        branches: z.array(z.string()),
        isOnDefault: z.boolean(),
        firstSeenAt: z.string(),
        firstSeen: z
          .object({
            sha: z.string(),
            branch: z.string(),
            pullRequest: z.int().nullable(),
            subject: z.string().openapi({ description: 'First line of its message; empty: it cannot be read.' }),
            files: z.array(z.string()).openapi({ description: 'That the commit changes, at most five.' }),
          })
          .openapi({ description: 'The commit with the first check that failed of it.' }),
        sharedFrom: z
          .int()
          .nullable()
          .openapi({ description: 'The pull request whose analysis explains it here as well.' }),
      })
      .nullable()
      .openapi({ description: 'Null: it was seen at this commit only.' }),
    knownIssue: z
      .object({
        number: z.int().openapi({ description: "GitHub's, in the same repository." }),
        state: z.enum(['known', 'touched', 'returned']).openapi({
          description:
            'Known: the issue covers these checks. Touched: it does not, since the change touches what fails. Returned: it was closed before they failed.',
        }),
        path: z.string().nullable().openapi({ description: 'What is touched; empty: not known.' }),
        endedAt: z.string().nullable(),
      })
      .nullable()
      .openapi({ description: 'The issue that people tied such failures to; null: none.' }),
    investigationId: z.string().nullable(),
    issueId: z.string().nullable().openapi({ description: 'Null: none, or it has not concluded.' }),
    notBegun: z.string().openapi({ description: 'Why no investigation began; empty: one did.' }),
  })
  .openapi('CheckCause', { description: 'Failed checks with one cause.' });

export const ChecksSchema: z.ZodType<Loose<ExplainedHead>> = z
  .object({
    projectId: z.string(),
    sha: z.string(),
    branch: z.string(),
    pullRequest: z.int().nullable(),
    isDefault: z.boolean().openapi({ description: 'Whether it is a commit of the default branch.' }),
    change: z.string().openapi({
      description:
        'Of a pull request: its change of at most ten files, as a patch for reading; empty: unknown, or of more.',
    }),
    otherUses: z
      .array(z.object({ name: z.string(), path: z.string(), line: z.int(), text: z.string() }))
      .openapi({ description: 'Lines outside of the changed files that use what the change redefines, at most six.' }),
    state: z.enum(STATES).openapi({
      description:
        'Waiting: some checks have not ended. Superseded: the pull request has newer commits, or was closed. Ignored: not examined.',
    }),
    endedAt: z.string().openapi({ description: 'When the last check ended; empty before that.' }),
    causes: z.array(CauseSchema).openapi({ description: 'Those that the change caused first.' }),
    leftOut: z
      .array(z.object({ name: z.string(), reason: z.string() }))
      .openapi({ description: 'Failed checks that were not examined.' }),
    stillWaiting: z
      .array(z.string())
      .openapi({ description: 'Checks that had not ended when the others were judged.' }),
  })
  .openapi('JudgedChecks', { description: 'The checks of one commit, as they were judged.' });

export const LogBody = z
  .strictObject(
    {
      data: defineData('The log.'),
      projectId: projectName,
      revision: defineName(255)
        .optional()
        .openapi({ description: 'Branch, tag or sha to look at. Absent: the default branch.' }),
    },
    { error: describeMissing('a JSON object') },
  )
  .openapi('GivenLog', {
    example: { data: 'KeyError: \'sum\'\n  File "src/cart.py", line 12, in total', projectId: 'local/shop' },
  });

export const LogSchema = z
  .object({
    ...excerptFields,
    places: z.array(
      z.object({
        ...placeFields,
        isInRepository: z.boolean().openapi({ description: 'Whether `path` is a file of the commit.' }),
      }),
    ),
    machine: z.object({ what: z.string(), line: z.string() }).nullable().openapi({
      description: 'Why the machine or a service is to blame, and the line that says so; null: neither is.',
    }),
    owners,
    failure: z.union([FailureSchema, z.null()]).openapi({
      description: 'The failure of this project with the same cause; null: it is not known.',
    }),
  })
  .openapi('ReadLog', { description: 'What a log says, as that of a failed check is read.' });
