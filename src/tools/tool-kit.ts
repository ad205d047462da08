// The one way in and out of every tool: arguments read and put right, the query in words, one finding of bounded size.
import { z } from 'zod';
import { isText } from '../core/diff/text-lines.ts';
import type { Finding } from '../core/evidence.ts';
import type { Tool } from '../core/tool.ts';
import { repairArguments } from './repair-arguments.ts';

/** What one result may hold, in bytes: about 3,000 tokens. Tools keep to it themselves, in whole lines. */
export const MAX_RESULT_BYTES = 12_000;
const MAX_ACTION = 300;
/** No tool's arguments are nested deeper. */
const MAX_DEPTH = 3;
/** PATH_MAX of Linux; git is given paths as arguments, whose length the system limits. */
const MAX_PATH = 4_096;

/** A file or folder, or a glob where the tool says so. */
export const PATH = z.string().min(1).max(MAX_PATH);

export interface ToolDefinition<Arguments extends z.ZodObject> {
  readonly name: string;
  /** For the model: what it does, its caps. */
  readonly description: string;
  readonly parameters: Arguments;
  /** Arguments that are right, shown to a model whose own are not. */
  readonly example: z.input<Arguments>;
  /** The exact query in words. */
  readonly action: (given: z.output<Arguments>) => string;
  readonly execute: (given: z.output<Arguments>, signal: AbortSignal) => Promise<Finding>;
}

/** A tool whose `run` answers every fault of its asker with `failed`, what is wrong and an example. */
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
    name,
    description,
    parameters,
    async run(rawArguments, signal) {
      signal.throwIfAborted();
      const read = readArguments(definition.parameters, rawArguments);
      if ('fault' in read) {
        const text = `${read.fault} Write the arguments like this: ${JSON.stringify(example)}`;
        return { action: inWords(`${name} ${rawArguments.slice(0, 2 * MAX_ACTION + 1)}`), finding: failed(text) };
      }
      const finding = await definition.execute(read.given, signal);
      signal.throwIfAborted();
      return { action: inWords(definition.action(read.given)), finding };
    },
  };
}

export function found(text: string, cut = ''): Finding {
  return { status: 'found', text, cut };
}

export function nothing(text: string): Finding {
  return { status: 'nothing', text };
}

export function failed(text: string): Finding {
  return { status: 'failed', text };
}

/** A query of one tool over one commit, as every step names it. */
export function atCommit(query: string, revision: string): string {
  return `${query} at ${revision.slice(0, 7)}`;
}

/** Words that came from outside, quoted and of bounded length. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text, MAX_ACTION));
}

/** Cut where no character is cut in two. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(length - 1)) ? length - 1 : length;
  return `${text.slice(0, end)}…`;
}

function inWords(action: string): string {
  return shortened(action.replaceAll(/\s+/g, ' ').trim(), 2 * MAX_ACTION);
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { fault: 'The arguments are no JSON object.' };
  }
  let parsed = schema.safeParse(value);
  // What is inside of a value is only looked at once its own type is right.
  for (let round = 0; round < MAX_DEPTH && !parsed.success; round += 1) {
    value = repairArguments(value, parsed.error.issues);
    parsed = schema.safeParse(value);
  }
  if (!parsed.success) return { fault: `${inWords(z.prettifyError(parsed.error))}.` };
  if (holdsOnlyText(parsed.data)) return { given: parsed.data };
  return { fault: 'The arguments hold NUL or half a character, which no path and no text file here has.' };
}

/** Nothing started with such an argument would see the rest of it. What a schema let through is flat. */
function holdsOnlyText(value: unknown): boolean {
  if (typeof value === 'string') return isText(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(holdsOnlyText);
}
