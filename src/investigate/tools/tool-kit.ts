// What every tool shares: arguments are parsed and repaired, the query is put into words, and one finding of bounded
// size is returned.

import { isText } from 'causeway-diff';
import type { CommitInfo } from 'causeway-git-objects';
import { restoreBlanks } from 'causeway-visible-text';
import { z } from 'zod';
import { CausewayError } from '../../core/errors.ts';
import type { LookupFinding, Tool } from '../../core/report/index.ts';

/** What one result may hold, in bytes: about 3,000 tokens. Tools keep to it themselves, in whole lines. */
export const MAX_RESULT_BYTES = 12_000;

const MAX_ACTION = 300;

/** No tool's arguments are nested deeper. */
const MAX_DEPTH = 3;

/** PATH_MAX of Linux; git gets paths as arguments, and the system limits their length. */
const MAX_PATH = 4_096;

/** A file or folder, or a glob where the tool says so. */
export const PATH = z.string().min(1).max(MAX_PATH);

interface ToolDefinition<Arguments extends z.ZodObject> {
  readonly name: string;
  readonly source?: Tool['source'];
  readonly lookup?: Tool['lookup'];
  /** For the model: what it does, its caps. */
  readonly description: string;
  readonly parameters: Arguments;
  /** Right arguments, shown to a model that sent wrong ones. */
  readonly example: z.input<Arguments>;
  /** The exact query in words. */
  readonly action: (given: z.output<Arguments>) => string;
  readonly execute: (given: z.output<Arguments>, signal: AbortSignal) => Promise<LookupFinding>;
}

/** A tool whose `run` answers wrong arguments with `failed`, what is wrong and an example. */
export function defineTool<Arguments extends z.ZodObject>(definition: ToolDefinition<Arguments>): Tool {
  const { name, description, example } = definition;
  // Made once: endpoints cache the prompt by its bytes.
  const { $schema: _, ...parameters } = z.toJSONSchema(definition.parameters, {
    override: ({ jsonSchema }) => {
      // Says nothing to a model, and costs it tokens in every turn.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.maxLength === MAX_PATH) delete jsonSchema.maxLength;
      if (jsonSchema.minLength === 1) delete jsonSchema.minLength;
    },
  });
  return {
    ...(definition.source !== undefined && { source: definition.source }),
    ...(definition.lookup !== undefined && { lookup: definition.lookup }),
    name,
    description,
    parameters,
    async run(rawArguments, signal) {
      signal.throwIfAborted();
      const read = readArguments(definition.parameters, rawArguments);
      if ('fault' in read) {
        const text = `${read.fault} Write the arguments like this: ${JSON.stringify(example)}`;
        return {
          action: formatAction(`${name} ${rawArguments.slice(0, 2 * MAX_ACTION + 1)}`),
          finding: answerFailed(text),
        };
      }
      const finding = await definition.execute(read.given, signal).catch(answerAbsent);
      signal.throwIfAborted();
      return { action: formatAction(definition.action(read.given)), finding };
    },
  };
}

/** Such as old contents that a partial clone lacks: one lookup fails, not the investigation. */
function answerAbsent(error: unknown): LookupFinding {
  if (!(error instanceof CausewayError) || error.code !== 'absent') throw error;
  return answerFailed(
    'Something that this needs is missing or damaged in the copy of the repository. It says nothing.',
  );
}

export function answerFound(text: string, cut = ''): LookupFinding {
  return { status: 'found', text, cut };
}

export function answerNothing(text: string): LookupFinding {
  return { status: 'nothing', text };
}

export function answerFailed(text: string): LookupFinding {
  return { status: 'failed', text };
}

/** What was cut, as one sentence after the other; "" for nothing. */
export function joinNotes(...notes: readonly string[]): string {
  return notes.filter((note) => note !== '').join(' ');
}

/** A path as listings spell it: `./src/a.ts`, `/src/a.ts` and `src/` are common ways to say `src/a.ts` and `src`. */
export function normalisePath(path: string): string {
  const plain = path.replace(/^(?:\.?\/+)+/, '').replace(/(?<!\/)\/+$/, '');
  return plain === '.' ? '' : plain;
}

/** A query of one tool over one commit, as every step names it. */
export function describeAtCommit(query: string, revision: string): string {
  return `${query} at ${revision.slice(0, 7)}`;
}

/** Untrusted text, quoted and of bounded length. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text, MAX_ACTION));
}

/** Cut where no character is cut in two. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length;
  return `${text.slice(0, end)}…`;
}

function formatAction(action: string): string {
  return shorten(action.replaceAll(/\s+/g, ' ').trim(), 2 * MAX_ACTION);
}

function readArguments<Arguments extends z.ZodObject>(
  schema: Arguments,
  raw: string,
): { readonly given: z.output<Arguments> } | { readonly fault: string } {
  let value: unknown;
  try {
    value = raw.trim() === '' ? {} : JSON.parse(raw);
  } catch {
    return { fault: 'The arguments are not JSON.' };
  }
  if (!isPlainObject(value)) return { fault: 'The arguments are not a JSON object.' };
  let parsed = schema.safeParse(value);
  // What is inside of a value is only looked at once its own type is right.
  for (let round = 0; round < MAX_DEPTH && !parsed.success; round += 1) {
    value = repairArguments(value, parsed.error.issues);
    parsed = schema.safeParse(value);
  }
  if (!parsed.success) return { fault: `${formatAction(z.prettifyError(parsed.error))}.` };
  if (isAllText(parsed.data)) return { given: restoreBlanksIn(parsed.data) };
  return { fault: 'The arguments contain NUL or half a character, which no path or text file here has.' };
}

/** A program started with NUL in an argument would not see the rest of it. What a schema accepts is flat. */
function isAllText(value: unknown): boolean {
  if (typeof value === 'string') return isText(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isAllText);
}

/** A model sees odd blanks by their number and writes them so. What a schema accepts is flat. */
function restoreBlanksIn<T>(value: T): T {
  return mapTexts(value, restoreBlanks) as T;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each: unknown) => mapTexts(each, change));
  if (!isJsonRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)]));
}

type JsonRecord = Record<string, unknown>;

type Path = readonly PropertyKey[];

/** A copy of `value` in which each fault that is only one of type is repaired; other faults stay. */
function repairArguments(value: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  // Not a deep copy: that would be deep recursion where a model nests a hundred thousand brackets.
  const copy: JsonRecord = { ...(value as JsonRecord) };
  for (const [key, item] of Object.entries(copy)) {
    if (Array.isArray(item)) copy[key] = item.map((each: unknown) => (isPlainObject(each) ? { ...each } : each));
  }
  for (const issue of issues) {
    if (issue.code === 'invalid_type') repairValue(copy, issue.path, issue.expected);
  }
  return copy;
}

function repairValue(root: JsonRecord, path: Path, expected: string): void {
  const holder = path.slice(0, -1).reduce<unknown>((at, key) => (isJsonRecord(at) ? at[String(key)] : undefined), root);
  const key = String(path.at(-1));
  if (!isJsonRecord(holder)) return;
  const repaired = convertValue(holder[key], expected);
  if (repaired === undefined) delete holder[key];
  else holder[key] = repaired;
}

function isPlainObject(value: unknown): value is JsonRecord {
  return isJsonRecord(value) && !Array.isArray(value);
}

function isJsonRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null;
}

/** undefined: the value is to be omitted. */
function convertValue(value: unknown, expected: string): unknown {
  if (value === null) return undefined;
  // A single item is the short form of any list.
  if (expected === 'array') return typeof value === 'string' || isJsonRecord(value) ? [value] : value;
  if (typeof value !== 'string') return value;
  if (expected === 'object') return { path: value };
  if (expected === 'boolean' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  if ((expected === 'number' || expected === 'int') && /^\s*-?\d+\s*$/.test(value)) return Number(value);
  return value;
}

/** A longer line is generated code or data. */
const MAX_LINE_LENGTH = 300;

/** Lines with their numbers, the first being `first`: `  12 | code`. */
export function formatNumberedLines(
  lines: readonly string[],
  first: number,
  maxLength = MAX_LINE_LENGTH,
): readonly string[] {
  const width = String(first + lines.length - 1).length;
  return lines.map(
    (line, index) => `${String(first + index).padStart(width + 2)} | ${shortenShownLine(line, maxLength)}`,
  );
}

function shortenShownLine(line: string, maxLength: number): string {
  const bare = line.endsWith('\r') ? line.slice(0, -1) : line;
  return bare.length <= maxLength ? bare : `${shorten(bare, maxLength)} (${bare.length} characters in this line)`;
}

/** As many of the lines, from the first on, as fit into `bytes`; one at least. */
export function takeFittingLines(lines: readonly string[], bytes: number): readonly string[] {
  let size = 0;
  const over = lines.findIndex((line) => {
    size += Buffer.byteLength(line) + 1;
    return size > bytes;
  });
  return over === -1 ? lines : lines.slice(0, Math.max(1, over));
}

export function formatCommit({ sha, date, author, subject }: CommitInfo): string {
  return `${sha.slice(0, 10)} ${date.slice(0, 10)} ${author}: ${subject.slice(0, 200)}`;
}
