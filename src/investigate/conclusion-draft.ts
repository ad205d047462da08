// What a model hands in as its conclusion: parsed once, forgiving in form, strict in substance.

import type { ToolDescription } from 'causeway-models';
import { removeInvisible, sanitiseLine, sanitiseText, truncate } from 'causeway-visible-text';
import { z } from 'zod';
import { MAX_CHANGE_TITLE } from '../core/issue/index.ts';

/** Anything beyond is omitted: people do not read more claims, and each costs lookups. */
const MAX_ITEMS = 12;

const MAX_PER_CLAIM = 5;

const MAX_SUSPECTS = 10;

const MAX_FAULTS = 10;

const LONG = 4_000;

const SENTENCE = 1_000;

const QUOTE = 1_000;

const PATH = 4_096;

function parseText(max: number): z.ZodType<string> {
  return z.string({ error: 'must be a string' }).transform((value) => sanitiseText(value, max));
}

function parseRequiredText(max: number): z.ZodType<string> {
  return parseText(max).refine((value) => value !== '', { error: 'must not be empty' });
}

/** Null and a missing list mean an empty one; a single item means a list of it. */
function parseList<T>(item: z.ZodType<T>, max: number): z.ZodType<readonly T[]> {
  return z.preprocess((value) => {
    if (value === undefined || value === null || value === '') return [];
    return (Array.isArray(value) ? value : [value]).slice(0, max);
  }, z.array(item));
}

/** Texts; empty ones say nothing and are left out. */
function parseTexts(): z.ZodType<readonly string[]> {
  return parseList(parseText(SENTENCE), MAX_ITEMS).transform((values) => values.filter((value) => value !== ''));
}

function parseWholeNumber(least: number): z.ZodType<number> {
  const error = `must be a whole number from ${least}`;
  return z.preprocess(
    (value) => (typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : value),
    z.int({ error }).min(least, { error }).max(999_999_999, { error }),
  );
}

/** One line without its full stop; "" for one that is too long for a commit. */
function readChangeTitle(value: string): string {
  const line = sanitiseLine(value, 2 * MAX_CHANGE_TITLE).replace(/(?<!\.)\.$/, '');
  return line.length > MAX_CHANGE_TITLE ? '' : line;
}

const Line = z.preprocess((value) => value ?? 0, parseWholeNumber(0));

const File = parseRequiredText(PATH).transform((path) => path.replace(/^\.\//, ''));

const Place = z.object({ file: File, line: Line });

const Citation = z.object({
  step: parseWholeNumber(1),
  // A quotation may be cut, since its beginning is then still found, but no mark of ours may be added.
  quote: z
    .string({ error: 'must be a string' })
    .transform((quote) => truncate(removeInvisible(quote.slice(0, QUOTE * 4)).trim(), QUOTE)),
});

const Claim = z.object({
  text: parseRequiredText(SENTENCE),
  citations: parseList(Citation, MAX_PER_CLAIM),
  places: parseList(Place, MAX_PER_CLAIM),
});

const ConclusionDraft = z
  .object({
    outcome: z.preprocess(
      (value) =>
        typeof value === 'string'
          ? value
              .trim()
              .toLowerCase()
              .replace(/[\s-]+/g, '_')
          : value,
      z.enum(['code_fix', 'action_recommended', 'needs_information', 'already_fixed', 'not_a_bug', 'inconclusive'], {
        error: 'must be code_fix, action_recommended, needs_information, already_fixed, not_a_bug or inconclusive',
      }),
    ),
    problem: parseRequiredText(LONG),
    rootCause: parseList(Claim, MAX_ITEMS),
    stepsToReproduce: parseTexts(),
    solutionSteps: parseTexts(),
    questions: parseTexts(),
    suspects: parseList(
      z.object({
        file: File,
        line: Line,
        function: z.preprocess((value) => value ?? '', z.string()).transform((name) => sanitiseLine(name, 200)),
        why: z.preprocess((value) => value ?? '', parseText(SENTENCE)),
      }),
      MAX_SUSPECTS,
    ),
    ruledOut: parseTexts(),
    fixedBy: parseTexts(),
    // An answer is not sent back for its title.
    title: z.preprocess((value) => (typeof value === 'string' ? value : ''), z.string()).transform(readChangeTitle),
  })
  .superRefine((draft, context) => {
    for (const [field, message] of findMissing(draft)) context.addIssue({ code: 'custom', path: [field], message });
  });

/**
 * The conclusion as the model gave it: nothing in it is proven yet. Other keys, such as its own confidence, are
 * ignored.
 */
export type ConclusionDraft = z.infer<typeof ConclusionDraft>;

interface Substance {
  readonly outcome: string;
  readonly rootCause: readonly unknown[];
  readonly questions: readonly string[];
  readonly ruledOut: readonly string[];
  readonly fixedBy: readonly string[];
}

/** What the outcome says and does not have. */
function findMissing({ outcome, rootCause, questions, ruledOut, fixedBy }: Substance): readonly [string, string][] {
  const faults: [string, string][] = [];
  const causeless = outcome === 'needs_information' || outcome === 'inconclusive';
  if (!causeless && rootCause.length === 0) faults.push(['rootCause', `${outcome} needs at least one claim`]);
  if (outcome === 'needs_information' && questions.length === 0) {
    faults.push(['questions', 'needs_information needs at least one question']);
  }
  if (outcome === 'already_fixed' && fixedBy.length === 0) {
    faults.push(['fixedBy', 'already_fixed needs the commit that fixed it']);
  }
  if (outcome === 'inconclusive' && ruledOut.length === 0) {
    faults.push(['ruledOut', 'inconclusive needs what was checked and ruled out']);
  }
  return faults;
}

type ParsedDraft =
  | { readonly kind: 'draft'; readonly draft: ConclusionDraft }
  /** One message with every fault (the first ten), such that the model can put them right in one go. */
  | { readonly kind: 'fault'; readonly fault: string };

/**
 * The draft in the arguments of `conclude`, or in the text of a turn that may call no tool. What they leave out is as
 * in `earlier`, the arguments of a conclusion that was sent back ("": none was). Never throws.
 */
export function parseDraft(rawArguments: string, earlier = ''): ParsedDraft {
  const json = parseLenientJson(rawArguments);
  if (json.kind === 'fault') return { kind: 'fault', fault: `${json.fault} Call conclude again with one JSON object.` };
  const value = isJsonObject(json.value) ? { ...readObject(earlier), ...json.value } : json.value;
  const parsed = ConclusionDraft.safeParse(value);
  if (parsed.success) return { kind: 'draft', draft: parsed.data };
  return { kind: 'fault', fault: describeDraftFaults(parsed.error, value) };
}

function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readObject(raw: string): Readonly<Record<string, unknown>> {
  const json = raw === '' ? null : parseLenientJson(raw);
  return json?.kind === 'value' && isJsonObject(json.value) ? json.value : {};
}

function describeDraftFaults({ issues }: z.ZodError, value: unknown): string {
  if (!isJsonObject(value)) {
    return 'The arguments must be one JSON object. Call conclude again with it.';
  }
  const faults = issues.slice(0, MAX_FAULTS).map(({ path, message }) => `- ${path.map(String).join('.')}: ${message}`);
  const more = issues.length > MAX_FAULTS ? [`- and ${issues.length - MAX_FAULTS} more`] : [];
  return [
    'The conclusion has faults. Correct them and call conclude again, with only the fields that change:',
    ...faults,
    ...more,
  ].join('\n');
}

const TEXT = { type: 'string' } as const;

const TEXTS = { type: 'array', items: TEXT } as const;

const FILE = { type: 'string', description: 'Path in the repository.' } as const;

const LINE = {
  type: 'integer',
  description: 'From 1, as in the commit before your edits; 0: the file as a whole.',
} as const;

function describeObject(
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[] = Object.keys(properties),
): Readonly<Record<string, unknown>> {
  return { type: 'object', properties, required, additionalProperties: false };
}

function describeList(item: Readonly<Record<string, unknown>>, description: string): Readonly<Record<string, unknown>> {
  return { type: 'array', description, items: item };
}

const CITATION = describeObject({
  step: { type: 'integer', description: 'Number of the step that has the quotation in its result.' },
  quote: {
    type: 'string',
    description:
      'Copied exactly, without the line number before it: one whole line or more, distinctive by itself (a bare `return x` is not), no ellipsis.',
  },
});

const CLAIM = describeObject({
  text: { type: 'string', description: 'One sentence, one fact.' },
  citations: describeList(
    CITATION,
    'What proves it. Without any (what you know of a language or library), it is shown as an assumption or dropped.',
  ),
  places: describeList(describeObject({ file: FILE, line: LINE }), 'The places that it is about.'),
});

/** Byte-stable: it is part of the prefix that endpoints cache. */
export const CONCLUDE: ToolDescription = {
  name: 'conclude',
  description:
    'Ends the investigation: the only call of a turn, or the last one after edits. Every quotation is searched in its cited step, and every file, line and commit is looked up; a claim that nothing shows is dropped or shown as an assumption. Only where the cause itself falls is the conclusion returned, once, to be corrected by another call with only the fields that change. ' +
    'If the evidence is not enough, say inconclusive or needs_information: that is a good answer, a guess is not.',
  parameters: describeObject(
    {
      outcome: {
        type: 'string',
        enum: ['code_fix', 'action_recommended', 'needs_information', 'already_fixed', 'not_a_bug', 'inconclusive'],
        description:
          'code_fix: your edits fix it. action_recommended: no edit helps, something else does. needs_information: questions must be answered first. ' +
          'already_fixed: the commits in fixedBy fixed it. not_a_bug: it works as intended. inconclusive: none of these is proven.',
      },
      problem: { type: 'string', description: 'What goes wrong, for whom, when: at most three sentences.' },
      rootCause: describeList(CLAIM, 'Why it happens, from cause to symptom; the cause first. At most 12 claims.'),
      solutionSteps: {
        ...TEXTS,
        description: 'What to do, in order; for code_fix what the edits do and how to check them.',
      },
      stepsToReproduce: { ...TEXTS, description: 'In order, where the report does not have them.' },
      questions: { ...TEXTS, description: 'For the reporter; needed for needs_information.' },
      suspects: describeList(
        describeObject({ file: FILE, line: LINE, function: TEXT, why: TEXT }),
        'Further places at fault, beyond those in rootCause.',
      ),
      ruledOut: { ...TEXTS, description: 'What was checked and is not the cause; needed for inconclusive.' },
      fixedBy: { ...TEXTS, description: 'Commit ids that you saw in a step; needed for already_fixed.' },
      title: {
        ...TEXT,
        description: `For code_fix: the title of the commit, what the edits change, not the problem: imperative, at most ${MAX_CHANGE_TITLE} characters, such as "Accept coupon codes in any case".`,
      },
    },
    ['outcome', 'problem', 'rootCause', 'solutionSteps'],
  ),
};

type LenientJson =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'fault'; readonly fault: string };

/** A conclusion is a few kilobytes; this is some fifty pages. */
const MAX_CHARACTERS = 200_000;

const CONTROL: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** The value that the text means, or a fault described for the model. The form is repaired, the content never. */
export function parseLenientJson(text: string): LenientJson {
  if (text.length > MAX_CHARACTERS) {
    const length = text.length.toLocaleString('en');
    return {
      kind: 'fault',
      fault: `The arguments are too long: ${length} characters, at most ${MAX_CHARACTERS.toLocaleString('en')}.`,
    };
  }
  const parsed = parseForms(text.trim());
  // Some endpoints encode the arguments twice.
  if (parsed.kind === 'value' && typeof parsed.value === 'string') return parseForms(parsed.value.trim());
  return parsed;
}

/** As it is; else only its object; else that object repaired. The fault reported is that of the last try. */
function parseForms(text: string): LenientJson {
  const object = extractObject(text);
  let fault = '';
  for (const form of [text, object, repairJson(object)]) {
    try {
      return { kind: 'value', value: JSON.parse(form) };
    } catch (error) {
      fault = error instanceof Error ? error.message : String(error);
    }
  }
  return { kind: 'fault', fault: `The arguments are not JSON: ${fault.slice(0, 200)}.` };
}

/** From the first brace to the last: without the fence and the prose around it. */
function extractObject(text: string): string {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  return start === -1 || end < start ? text : text.slice(start, end + 1);
}

/** Without commas before a closing bracket, and with control characters in strings escaped. */
function repairJson(text: string): string {
  // The closing quote is optional: else a string that never ends would be scanned again from each of its quotes.
  return text.replace(/"(?:[^"\\]|\\[\s\S])*"?|,(?=\s*[}\]])/g, (part) =>
    part === ',' ? '' : part.replace(/[\n\r\t]/g, escapeControl),
  );
}

function escapeControl(character: string): string {
  return CONTROL[character] ?? character;
}
