// The tool by which a model hands in its conclusion, as the model reads it.
import type { ToolDescription } from '../core/model.ts';

const TEXT = { type: 'string' } as const;
const TEXTS = { type: 'array', items: TEXT } as const;
const FILE = { type: 'string', description: 'Path in the repository.' } as const;
const LINE = {
  type: 'integer',
  description: 'From 1, as in the commit before your edits; 0: the file as a whole.',
} as const;

function object(properties: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function list(item: Readonly<Record<string, unknown>>, description: string): Readonly<Record<string, unknown>> {
  return { type: 'array', description, items: item };
}

const CITATION = object({
  step: { type: 'integer', description: 'Number of the step whose result holds the quotation.' },
  quote: {
    type: 'string',
    description:
      'Copied exactly, without the line number before it: one whole line or more, telling by itself (a bare `return x` is not), no ellipsis.',
  },
});

const CLAIM = object({
  text: { type: 'string', description: 'One sentence, one fact.' },
  citations: list(
    CITATION,
    'What proves it. Without any (what you know of a language or library), it is shown as an assumption or dropped.',
  ),
  places: list(object({ file: FILE, line: LINE }), 'Where it is so.'),
});

/** Byte-stable: it is part of the prefix that endpoints cache. */
export const CONCLUDE: ToolDescription = {
  name: 'conclude',
  description:
    'Ends the investigation with its result. Every quotation is searched in the cited step, every file, line and commit is looked up; what is not found there is dropped. ' +
    'Make the edits for code_fix before this call. If the evidence does not reach, say inconclusive or needs_information: that is a good answer, a guess is not.',
  parameters: object({
    outcome: {
      type: 'string',
      enum: ['code_fix', 'action_recommended', 'needs_information', 'already_fixed', 'not_a_bug', 'inconclusive'],
      description:
        'code_fix: your edits mend it. action_recommended: no edit helps, something else does. needs_information: questions must be answered first. ' +
        'already_fixed: the commits in fixedBy mended it. not_a_bug: it works as intended. inconclusive: none of these is proven.',
    },
    problem: { type: 'string', description: 'What goes wrong, for whom, when: at most three sentences.' },
    rootCause: list(CLAIM, 'Why it happens, from cause to symptom; the cause first. At most 12 claims.'),
    stepsToReproduce: { ...TEXTS, description: 'In order. Empty if not known.' },
    solutionSteps: {
      ...TEXTS,
      description: 'What to do, in order; for code_fix what the edits do and how to check them.',
    },
    questions: { ...TEXTS, description: 'For the reporter; needed for needs_information, else empty.' },
    suspects: list(
      object({ file: FILE, line: LINE, function: TEXT, why: TEXT }),
      'Places at fault, the likeliest first.',
    ),
    ruledOut: { ...TEXTS, description: 'What was checked and is not the cause; needed for inconclusive.' },
    fixedBy: { ...TEXTS, description: 'Commit ids that you saw in a step; needed for already_fixed, else empty.' },
  }),
};
