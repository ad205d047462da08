// The Issue as callers read it: field for field the interface document, with everything beyond it under `analysis`.
import { z } from '@hono/zod-openapi';
import type { Issue } from '../core/issue.ts';

/** ISO 8601 UTC with milliseconds. */
export const Timestamp = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  .openapi({ format: 'date-time', example: '2026-03-14T09:26:53.589Z' });

export const Reference = z.string().openapi({ description: "The caller's own name for the report; empty where none." });

const Step = z
  .object({
    stepNumber: z.int().openapi({ description: 'Number of the step.' }),
    description: z
      .string()
      .openapi({ description: 'Description of the step; may hold several lines and fenced code.' }),
  })
  .openapi('Step');

const LineChange = z
  .object({
    lineNumber: z.int().openapi({ description: 'Line of the base file, from 1; 0 is the top of the file.' }),
    oldCode: z.string().openapi({ description: 'Old code on the line.' }),
    newCode: z.string().openapi({ description: 'New code on the line; may hold several lines, joined by LF.' }),
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
    previousFileName: z.string().optional().openapi({ description: 'Where a renamed file stood before.' }),
    mode: z.enum(['100644', '100755']).optional().openapi({ description: 'Where added or changed.' }),
    endsWithNewline: z.boolean().optional().openapi({ description: 'Where added or different from the base.' }),
  })
  .openapi('FileDiff');

const Diff = z
  .object({ files: z.array(FileDiff).openapi({ description: 'Files that were changed.' }) })
  .openapi('Diff', { description: 'Line numbers are those of the base file at `analysis.revision`.' });

const InvestigationStep = z
  .object({
    action: z.string().openapi({ description: 'The exact query.' }),
    result: z.string().openapi({ description: 'Result of the action; may hold several lines.' }),
    analysis: z.string().openapi({ description: 'What the result means; may hold several lines.' }),
  })
  .openapi('InvestigationStep');

const Suspect = z
  .object({
    file: z.string(),
    line: z.int().openapi({ description: '0 where unknown.' }),
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
    costUsd: z.number(),
    seconds: z.number(),
  })
  .openapi('Usage');

const Analysis = z
  .object({
    investigationId: z.string(),
    reference: Reference,
    origin: z.enum(['api', 'github-issue', 'check-run', 'cli']),
    report: z.string().openapi({ description: 'The text as it was accepted, secrets removed.' }),
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
    partial: z.boolean().openapi({ description: 'True where a budget ended the investigation.' }),
    reason: z.string(),
    verdict: z.enum(['code', 'base_broken', 'flaky', 'infrastructure', 'inconclusive']).nullable(),
    confidence: z.number().min(0).max(1).nullable(),
    suspects: z.array(Suspect).openapi({ description: 'Best first, at most 8. Empty: no reliable suspect.' }),
    citations: z.array(z.object({ claim: z.string(), step: z.int(), quote: z.string() })),
    guards: z.array(z.object({ rule: z.string(), file: z.string(), reason: z.string() })),
    questions: z.array(z.string()),
    sameAs: z.string().nullable().openapi({ description: 'The Issue whose investigation this one shares.' }),
    model: z.string().nullable(),
    usage: Usage,
    links: z.object({
      comment: z.string().nullable(),
      checkRun: z.string().nullable(),
      pullRequest: z.string().nullable(),
    }),
  })
  .openapi('Analysis', { description: 'Everything beyond the interface; every key is always there.' });

/** The type, with `undefined` allowed where a key may be missing, as schemas have it. */
type Loose<T> = T extends object
  ? { readonly [K in keyof T]: Loose<T[K]> | (object extends Pick<T, K> ? undefined : never) }
  : T;

/** Every field of the interface at the top level, always there, never null. The annotation holds it to the domain's Issue. */
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
    createdAt: Timestamp.openapi({ description: 'The moment of conclusion.' }),
    analysis: Analysis,
  })
  .openapi('Issue');
