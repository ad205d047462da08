// What goes in and out of the API: the same schemas validate requests and make the OpenAPI document.
import { z } from '@hono/zod-openapi';
import type { Verdict } from '../core/check/index.ts';
import type { Issue } from '../core/issue/index.ts';
import type { Fate } from '../core/outcome/index.ts';
import type { ProofState } from '../core/proof/index.ts';
import { INVESTIGATION_STATES, MAX_GUIDANCE, MAX_REPORT_BYTES } from '../core/report/index.ts';

// Path, query and header parameters.
/** A whole number in a query, from `from` to `to`; text until it is parsed. */
export function defineInteger(from: number, to: number) {
  return z
    .string()
    .refine((value) => /^\d{1,9}$/.test(value) && Number(value) >= from && Number(value) <= to, {
      error: `Give a whole number from ${from} to ${to}.`,
    })
    .transform(Number)
    .openapi({ type: 'integer', minimum: from, maximum: to });
}

export const limit = defineInteger(1, 100).optional().openapi({ description: 'Entries per page, from 1 to 100.' });

const NOT_A_CURSOR = 'Is not a cursor: take it from the Link header of the page before.';

/** The position after which the page begins: base64url of the last name or id of the page before. */
export const Cursor = z
  .string()
  .refine((value) => /^[\w-]{1,1024}$/.test(value), NOT_A_CURSOR)
  .transform((cursor) => Buffer.from(cursor, 'base64url').toString('utf8'))
  .refine((position) => !position.includes('\0'), NOT_A_CURSOR)
  .openapi({ type: 'string', description: 'Start of the page, from the `Link` header of the previous page.' })
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
  projectId: z
    .string()
    .optional()
    .openapi({ description: 'Only investigations of this project: its identifier or `owner/name`.' }),
  state: z
    .enum(INVESTIGATION_STATES, { error: `Isn't a state: give one of ${INVESTIGATION_STATES.join(', ')}.` })
    .optional()
    .openapi({ description: 'Only investigations in this state.' }),
  reference: z.string().optional().openapi({ description: 'Only investigations with exactly this reference.' }),
  limit,
  cursor: Cursor,
});

export const WaitQuery = z.object({
  wait: defineInteger(0, 60)
    .optional()
    .openapi({ description: 'Holds the answer until the investigation ends, at most this many seconds.' }),
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
        'The same key with the same body within 24 hours returns the same answer and makes one investigation; with another body it is refused.',
    }),
});

export const EventHeaders = z.object({
  'Last-Event-ID': z
    .string()
    .optional()
    .openapi({ description: 'The `id` of the last received event; the stream continues after it.' }),
});

// The Issue: field for field the interface document, with everything beyond it under `analysis`.

/** ISO 8601 UTC with milliseconds. */
export const Timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .openapi({ format: 'date-time', example: '2026-03-14T09:26:53.589Z' });

const Reference = z.string().openapi({ description: "The caller's own name for the report; empty if there is none." });

const Step = z
  .object({
    stepNumber: z.int().openapi({ description: 'Number of the step.' }),
    description: z
      .string()
      .openapi({ description: 'Description of the step; may contain several lines and fenced code.' }),
  })
  .openapi('Step');

const LineChange = z
  .object({
    lineNumber: z.int().openapi({ description: 'Line of the base file, from 1; 0 is the top of the file.' }),
    oldCode: z.string().openapi({ description: 'Old code on the line.' }),
    newCode: z.string().openapi({ description: 'New code on the line; may contain several lines, joined by LF.' }),
  })
  .openapi('LineChange');

const Change = z
  .object({
    type: z.enum(['add', 'delete', 'modify']),
    lines: z.array(LineChange).openapi({ description: 'Lines that were changed.' }),
  })
  .openapi('Change');

const FileDiff = z
  .object({
    fileName: z.string().openapi({ description: 'Name of the file.' }),
    changes: z.array(Change).openapi({ description: 'Changes made to the file.' }),
    status: z.enum(['added', 'modified', 'deleted', 'renamed']).optional(),
    previousFileName: z.string().optional().openapi({ description: 'Previous path of a renamed file.' }),
    mode: z.enum(['100644', '100755']).optional().openapi({ description: 'Present if added or changed.' }),
    endsWithNewline: z
      .boolean()
      .optional()
      .openapi({ description: 'Present if the file is added or this differs from the base.' }),
  })
  .openapi('FileDiff');

const Diff = z
  .object({ files: z.array(FileDiff).openapi({ description: 'Files that were changed.' }) })
  .openapi('Diff', { description: 'Line numbers are those of the base file at `analysis.revision`.' });

const InvestigationStep = z
  .object({
    action: z.string().openapi({ description: 'The exact query.' }),
    result: z.string().openapi({ description: 'Result of the action; may contain several lines.' }),
    analysis: z.string().openapi({ description: 'What the result means; may contain several lines.' }),
  })
  .openapi('InvestigationStep');

const SuspectSchema = z
  .object({
    file: z.string(),
    line: z.int().openapi({ description: '0 if unknown.' }),
    function: z.string(),
    score: z.number().min(0).max(1),
    reasons: z.array(z.string()),
  })
  .openapi('Suspect', { description: 'A place in the source that the facts point at.' });

const Usage = z
  .object({
    turns: z.int(),
    promptTokens: z.int(),
    cachedTokens: z.int(),
    cacheWriteTokens: z
      .int()
      .optional()
      .openapi({ description: "Prompt tokens written to the provider's cache; absent: none." }),
    completionTokens: z.int(),
    costUsd: z.number().nullable().openapi({ description: 'US dollars; null: it is not known what the model costs.' }),
    seconds: z.number().openapi({ description: 'From the request to the answer, waits included.' }),
  })
  .openapi('Usage', { description: 'What the answer took in all, with its second review.' });

const ProofRun = z.object({
  url: z.string(),
  at: z.string().openapi({ description: 'When the check ended.' }),
});

const lookFields = {
  reason: z.string().openapi({ description: "In the model's words; for `not_done`, why there is no verdict." }),
  evidence: z
    .array(z.object({ file: z.string(), line: z.int(), quote: z.string() }))
    .openapi({ description: 'Lines of the source, or of the change, that were found there.' }),
  model: z.string(),
  usage: z.object({
    turns: z.int(),
    promptTokens: z.int(),
    cachedTokens: z.int().optional().openapi({ description: 'Absent in answers of an earlier release.' }),
    cacheWriteTokens: z.int().optional(),
    completionTokens: z.int(),
    costUsd: z.number(),
  }),
};
const confidenceBefore = z.number().min(0).max(1);

const SecondLook = z
  .discriminatedUnion('verdict', [
    z.object({ verdict: z.literal('agrees'), ...lookFields }),
    z.object({ verdict: z.literal('doubts'), confidenceBefore, ...lookFields }),
    z.object({ verdict: z.literal('refutes'), confidenceBefore, ...lookFields }),
    z.object({
      verdict: z.literal('repair'),
      confidenceBefore,
      isRepaired: z.boolean().openapi({ description: 'Whether the change was corrected, once.' }),
      ...lookFields,
    }),
    z.object({ verdict: z.literal('not_done'), ...lookFields }),
  ])
  .openapi('SecondLook', {
    description:
      'A second conversation that tried to refute the cause and its change, by `verdict`. It can lower the confidence, hold a pull request back or ask for one repair, never raise anything.',
  });

const PROOF_STATES = [
  'proven',
  'not_reproduced',
  'fails_otherwise',
  'not_covered',
  'not_run',
  'base_red',
] as const satisfies readonly ProofState[];

const proofFields = {
  state: z.enum(PROOF_STATES).openapi({ description: 'Only `proven` proves anything.' }),
  base: z.string(),
  testCommit: z.string().openapi({ description: 'The commit with the tests alone.' }),
  fixCommit: z.string().openapi({ description: 'The commit with the fix on top; empty: it was not pushed.' }),
  checks: z.array(z.object({ name: z.string(), red: ProofRun, green: ProofRun })),
  turned: z.array(z.string()).openapi({ description: 'Names of the tests that failed without the fix.' }),
  diffHash: z.string().openapi({ description: 'Of the whole change; empty unless proven.' }),
  reason: z.string().openapi({ description: 'Why it is not proven; empty where it is.' }),
  failing: z
    .array(z.string())
    .optional()
    .openapi({ description: 'Names of checks that still fail with the fix after the last attempt; absent: none.' }),
  commands: z.array(z.string()).optional().openapi({
    description:
      'For a shell in a clone, where CI did not run the tests alone: first the tests, which should fail, then the fix. Of a change without a pull request they name its patch as the page of the issue downloads it.',
  }),
};

export const ProofSchema = z.object(proofFields).openapi('Proof', {
  description: "The proof of the fix in the repository's own CI: red with the tests alone, green with the fix.",
});

export const CertificateSchema = z
  .object({ repository: z.string(), pullRequest: z.string(), ...proofFields })
  .openapi('Certificate', { description: 'A proof that `causeway verify-proof` checks against GitHub alone.' });

export const VERDICTS = [
  'code',
  'base_broken',
  'flaky',
  'infrastructure',
  'inconclusive',
] as const satisfies readonly Verdict[];

const FATES = [
  'pending',
  'merged',
  'merged_edited',
  'closed',
  'reverted',
  'fixed_elsewhere',
  'rerun_green',
  'fixed_later',
  'commit_reverted',
] as const satisfies readonly Fate['kind'][];

export const outcomeFields = {
  state: z.enum(FATES).openapi({ description: 'The last three are of verdicts on red checks.' }),
  at: z.string().openapi({ description: 'When the pull request was merged or closed; empty where it was not.' }),
  url: z.string().openapi({ description: 'Of the pull request; empty where there is none.' }),
  commit: z.string().openapi({ description: 'Of the merge, or of the other change; empty where there is none.' }),
  share: z.number().min(0).max(1).nullable().openapi({ description: 'Of the changed lines, as they were merged.' }),
  sameFile: z.boolean().nullable().openapi({ description: 'Whether the other change is in the same file.' }),
  sameFunction: z.boolean().nullable(),
  votes: z.object({ right: z.int(), wrong: z.int() }).openapi({ description: 'Of people with the triage role.' }),
  remarks: z.array(z.string()).openapi({ description: 'What people wrote with `/analyse right` and `wrong`.' }),
  judgement: z.enum(['right', 'wrong']).nullable().openapi({ description: 'Null: nothing says whether it was.' }),
  override: z
    .enum(['mine', 'not_mine'])
    .nullable()
    .openapi({ description: 'Of a verdict: what someone with write said of the failure; null: nothing.' }),
};

const OutcomeFields = z.object(outcomeFields).openapi('Outcomes', { description: 'What became of the answer.' });

const ContextRepository = z
  .object({
    repository: z.string().openapi({ description: '`owner/name`.' }),
    via: z.enum(['configuration', 'submodule']),
    path: z.string().openapi({ description: 'Folder of the submodule; empty for others.' }),
    revision: z.string().openapi({ description: 'Full sha that was read; empty where it was not read.' }),
    ref: z.string().openapi({ description: "Tag of the dependency's version, or the default branch." }),
    refused: z
      .enum(['other_owner', 'unreadable', 'unreachable', 'commit_missing', 'too_many'])
      .nullable()
      .openapi({ description: 'Why it was not read; null: it was.' }),
    projectId: z.string(),
  })
  .openapi('ContextRepository');

const ReportClaimSchema = z
  .object({
    text: z.string().openapi({ description: 'As the report writes it.', example: 'src/legacy/auth.js' }),
    kind: z.enum(['file', 'line', 'function', 'class', 'option', 'setting', 'version', 'commit', 'message']),
    state: z.enum(['exists', 'absent', 'removed', 'moved', 'unchecked']).openapi({
      description:
        '`absent`: not there, by a complete search; `removed` and `moved`: the same, and when it went or where it is. `unchecked`: the search did not end within its time.',
    }),
    at: z.string().openapi({ description: 'Full sha of the commit that was looked at.' }),
    reference: z.string().openapi({
      description: 'Of what was removed the commit that did, of what was moved its path now; else "".',
    }),
    note: z.string().openapi({ example: 'not found at v2.4.1; nor in history' }),
  })
  .openapi('ReportClaim');

export const owners = z.array(z.string()).openapi({ description: 'Such as `@octo/api`, by the scope or CODEOWNERS.' });

const ownership = z
  .object({
    file: z.string(),
    owners,
    scope: z.array(z.string()).openapi({ description: 'Patterns of the scope that has the file; empty: none.' }),
  })
  .nullable();

const Analysis = z
  .object({
    investigationId: z.string(),
    reference: Reference,
    origin: z.enum(['api', 'github-issue', 'check-run', 'cli']),
    report: z.string().openapi({ description: 'The accepted text, without secrets.' }),
    revision: z.string().openapi({ description: 'Full sha of the commit that the diff applies to.' }),
    outcome: z.enum([
      'code_fix',
      'action_recommended',
      'needs_information',
      'already_fixed',
      'not_a_bug',
      'inconclusive',
      'facts_only',
    ]),
    partial: z.boolean().openapi({ description: 'True if a budget ended the investigation early.' }),
    reason: z.string(),
    verdict: z.enum(VERDICTS).nullable(),
    confidence: z.number().min(0).max(1).nullable(),
    suspects: z.array(SuspectSchema).openapi({ description: 'Best first, at most 8. Empty: no reliable suspect.' }),
    ownership: ownership.openapi({
      description: 'Who owns the first changed file, or else the first suspect. Null: not known.',
    }),
    citations: z.array(z.object({ claim: z.string(), step: z.int(), quote: z.string() })),
    guards: z.array(z.object({ rule: z.string(), file: z.string(), reason: z.string() })),
    questions: z.array(z.string()),
    claims: z.array(ReportClaimSchema).openapi({
      description:
        'What the report names of this code, looked up at the version that it is about: what does not hold first, at most 40. Names of its own samples and of other packages are none. Empty for a failed check.',
    }),
    sameAs: z.string().nullable().openapi({ description: 'The Issue with which this one shares its investigation.' }),
    model: z.string().nullable(),
    usage: Usage.openapi({ description: 'Of the investigation; a second review has its own.' }),
    context: z.array(ContextRepository).openapi({
      description: 'Other repositories that were to be read. A file of one is named `owner/name:path` everywhere.',
    }),
    secondLook: SecondLook.nullable().openapi({ description: 'Null where none was needed.' }),
    links: z.object({
      comment: z.string().nullable(),
      checkRun: z.string().nullable(),
      pullRequest: z.string().nullable(),
    }),
    proof: ProofSchema.nullable().openapi({
      description:
        'Null until it has ended, where there is none, and where the change of a further attempt was proven instead: then that Issue has it.',
    }),
    outcomes: OutcomeFields.nullable().openapi({ description: 'Null where the project is not on GitHub.' }),
  })
  .openapi('Analysis', { description: 'All additional information; every key is always present.' });

/** The type, with `undefined` allowed where a key may be missing, as schemas have it. */
export type Loose<T> = T extends object
  ? { readonly [K in keyof T]: Loose<T[K]> | (object extends Pick<T, K> ? undefined : never) }
  : T;

/** Every field of the interface at the top level, always present, never null. The annotation checks it against the type Issue. */
export const IssueSchema: z.ZodType<Loose<Issue>> = z
  .object({
    id: z.string().openapi({ description: 'Unique identifier of the issue.', example: 'iss_7Hq2mXv9KcTzR4bN1wYe' }),
    projectId: z.string().openapi({ description: 'Identifier of the project the issue belongs to.' }),
    problem: z.string().openapi({ description: 'Description of the problem.' }),
    rootCause: z.string().openapi({ description: 'Root cause of the problem.' }),
    stepsToReproduce: z.array(Step).openapi({ description: 'Steps to reproduce the problem.' }),
    solutionSteps: z.array(Step).openapi({ description: 'Steps to solve the problem.' }),
    diff: Diff,
    investigationSteps: z.array(InvestigationStep).openapi({ description: 'Investigation steps taken.' }),
    createdAt: Timestamp.openapi({ description: 'When the investigation concluded.' }),
    analysis: Analysis,
  })
  .openapi('Issue');

// The other bodies.

const LONE_SURROGATE = 'Contains an unpaired surrogate: remove it.';
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Text of at most `max` characters (code points, as JSON Schema counts them). */
function defineText(max: number) {
  return z
    .string({ error: describeMissing('a string') })
    .refine((value) => value.isWellFormed(), LONE_SURROGATE)
    .refine((value) => [...value].length <= max, `Has more than ${max} characters: shorten it.`)
    .openapi({ maxLength: max });
}

export function defineFilledText(max: number) {
  return defineText(max)
    .refine((value) => value !== '', 'Is empty: leave the field out or fill it.')
    .openapi({ minLength: 1, maxLength: max });
}

/** Text that names something: not empty, and without control characters, which no name has. */
export function defineName(max: number) {
  return defineFilledText(max)
    .refine((value) => !CONTROL.test(value), 'Contains a control character: remove it.')
    .openapi({ minLength: 1, maxLength: max });
}

export function describeMissing(kind: string) {
  return (issue: { readonly input?: unknown }) =>
    issue.input === undefined ? `Is required: give ${kind}.` : `Has the wrong type: give ${kind}.`;
}

/** Text of any kind that is read; its size is the body's to check. */
export function defineData(what: string) {
  return z
    .string({ error: describeMissing('a string') })
    .refine((value) => /\S/.test(value), 'Is empty or only white space: describe the problem.')
    .refine((value) => value.isWellFormed(), LONE_SURROGATE)
    .openapi({
      minLength: 1,
      // OpenAPI can only bound characters, and the rule is about bytes.
      'x-max-bytes': MAX_REPORT_BYTES,
      description: `${what} Not only white space; at most ${MAX_REPORT_BYTES.toLocaleString('en')} bytes of UTF-8, which is fewer characters where they take several bytes. More is refused with 413. NUL becomes U+FFFD.`,
    });
}

export const projectName = defineName(300).openapi({
  description: 'Identifier of the project, or its name (`owner/name`).',
});

export const CreateIssueBody = z
  .strictObject(
    {
      data: defineData('Description of the issue with any other relevant information such as error messages and logs.'),
      projectId: projectName,
      callbackUrl: defineFilledText(2_048)
        .optional()
        .openapi({ description: 'Where the webhook is sent when the issue is created. Absent: no webhook.' }),
      reference: defineText(200).optional().openapi({
        description: 'Your own name for this report; returned in the Issue, the investigation and the webhook.',
      }),
      revision: defineName(255)
        .optional()
        .openapi({ description: 'Branch, tag or sha to investigate. Absent: the default branch.' }),
      fresh: z
        .boolean({ error: describeMissing('true or false') })
        .optional()
        .openapi({
          description: 'True: start a new run even if an equal report is running or was concluded within 24 hours.',
        }),
    },
    { error: describeMissing('a JSON object') },
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

export const RetryIssueBody = z
  .strictObject(
    {
      guidance: defineText(MAX_GUIDANCE)
        .optional()
        .openapi({ description: 'What the investigation should consider, or check first.' }),
      callbackUrl: defineFilledText(2_048)
        .optional()
        .openapi({ description: 'Where the webhook of the new investigation is sent. Absent: no webhook.' }),
    },
    { error: describeMissing('a JSON object') },
  )
  .openapi('RetryIssue', { example: { guidance: 'It began with version 2.4. Look at the cache of coupons.' } });
export type RetryIssueBody = z.infer<typeof RetryIssueBody>;

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
          pointer: z
            .string()
            .openapi({ description: 'JSON Pointer to the field, or the name of a parameter or header.' }),
          detail: z.string(),
        }),
      )
      .optional(),
  })
  .openapi('Problem', { description: 'RFC 9457. `errors` lists all faults at once.' });

export const HealthSchema = z.object({ status: z.literal('alive') }).openapi('Health');

export const ReadinessSchema = z
  .object({
    status: z.enum(['ready', 'not_ready']),
    checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
  })
  .openapi('Readiness');
