// What a model hands in as its conclusion: parsed once, forgiving in form, strict in substance.
import { z } from 'zod';
import { cutAt, inertLine, inertText, withoutUnseen } from '../core/inert-text.ts';
import { parseLenientJson } from './lenient-json.ts';

/** What is over is left out: nobody reads a cause of more claims, and each costs lookups. */
const MAX_ITEMS = 12;
const MAX_PER_CLAIM = 5;
const MAX_SUSPECTS = 10;
const MAX_FAULTS = 10;
const LONG = 4_000;
const SENTENCE = 1_000;
const QUOTE = 1_000;
const PATH = 4_096;

function text(max: number): z.ZodType<string> {
  return z.string({ error: 'must be a string' }).transform((value) => inertText(value, max));
}

function neededText(max: number): z.ZodType<string> {
  return text(max).refine((value) => value !== '', { error: 'must not be empty' });
}

/** Null and a missing list mean an empty one; one item alone means a list of it. */
function listOf<T>(item: z.ZodType<T>, max: number): z.ZodType<readonly T[]> {
  return z.preprocess((value) => {
    if (value === undefined || value === null || value === '') return [];
    return (Array.isArray(value) ? value : [value]).slice(0, max);
  }, z.array(item));
}

/** Texts; empty ones say nothing and are left out. */
function texts(): z.ZodType<readonly string[]> {
  return listOf(text(SENTENCE), MAX_ITEMS).transform((values) => values.filter((value) => value !== ''));
}

function wholeNumber(least: number): z.ZodType<number> {
  const error = `must be a whole number from ${least}`;
  return z.preprocess(
    (value) => (typeof value === 'string' && /^\s*\d{1,9}\s*$/.test(value) ? Number(value) : value),
    z.int({ error }).min(least, { error }).max(999_999_999, { error }),
  );
}

const Line = z.preprocess((value) => value ?? 0, wholeNumber(0));
const File = neededText(PATH).transform((path) => path.replace(/^\.\//, ''));
const Place = z.object({ file: File, line: Line });

const Citation = z.object({
  step: wholeNumber(1),
  // A quotation may be cut, since its beginning stands where the whole does, but never end in a mark of our own.
  quote: z
    .string({ error: 'must be a string' })
    .transform((quote) => cutAt(withoutUnseen(quote.slice(0, QUOTE * 4)).trim(), QUOTE)),
});

const Claim = z.object({
  text: neededText(SENTENCE),
  citations: listOf(Citation, MAX_PER_CLAIM),
  places: listOf(Place, MAX_PER_CLAIM),
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
    problem: neededText(LONG),
    rootCause: listOf(Claim, MAX_ITEMS),
    stepsToReproduce: texts(),
    solutionSteps: texts(),
    questions: texts(),
    suspects: listOf(
      z.object({
        file: File,
        line: Line,
        function: z.preprocess((value) => value ?? '', z.string()).transform((name) => inertLine(name, 200)),
        why: z.preprocess((value) => value ?? '', text(SENTENCE)),
      }),
      MAX_SUSPECTS,
    ),
    ruledOut: texts(),
    fixedBy: texts(),
  })
  .superRefine((draft, context) => {
    for (const [field, message] of missing(draft)) context.addIssue({ code: 'custom', path: [field], message });
  });

/** The conclusion as the model means it: nothing in it is proven yet. Keys beyond these, a confidence of its own among them, are not read. */
export type ConclusionDraft = z.infer<typeof ConclusionDraft>;

interface Substance {
  readonly outcome: string;
  readonly rootCause: readonly unknown[];
  readonly questions: readonly string[];
  readonly ruledOut: readonly string[];
  readonly fixedBy: readonly string[];
}

/** What the outcome says and does not have. */
function missing({ outcome, rootCause, questions, ruledOut, fixedBy }: Substance): readonly [string, string][] {
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

export type ParsedDraft =
  | { readonly kind: 'draft'; readonly draft: ConclusionDraft }
  /** One message with every fault (the first ten), such that the model can put them right in one go. */
  | { readonly kind: 'fault'; readonly fault: string };

/** The draft in the arguments of `conclude`, or in the text of a turn that may call no tool. Never throws. */
export function parseDraft(rawArguments: string): ParsedDraft {
  const json = parseLenientJson(rawArguments);
  if (json.kind === 'fault') return { kind: 'fault', fault: `${json.fault} Call conclude again with one JSON object.` };
  const parsed = ConclusionDraft.safeParse(json.value);
  if (parsed.success) return { kind: 'draft', draft: parsed.data };
  return { kind: 'fault', fault: faultMessage(parsed.error, json.value) };
}

function faultMessage({ issues }: z.ZodError, value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'The arguments must be one JSON object. Call conclude again with it.';
  }
  const faults = issues.slice(0, MAX_FAULTS).map(({ path, message }) => `- ${path.map(String).join('.')}: ${message}`);
  const more = issues.length > MAX_FAULTS ? [`- and ${issues.length - MAX_FAULTS} more`] : [];
  return ['The conclusion has faults. Put them right and call conclude again:', ...faults, ...more].join('\n');
}
