// The certificate of a proof as it is written, and where it stands: in the body of our own pull request, or in a check run of the App.
import { z } from 'zod';
import { CausewayError } from '../../core/errors.ts';

const SHA = z.string().regex(/^[0-9a-f]{40,64}$/);
const RUN = z.object({ url: z.string(), at: z.string() });
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/[A-Za-z0-9._-]{1,100}$/;
const CHECKS = z.array(z.object({ name: z.string(), red: RUN, green: RUN })).max(100);

const OWN = z.object({
  repository: z.string().regex(NAME),
  /** Its address; "" in certificates of versions that named none. */
  pullRequest: z.string().max(1_000).default(''),
  state: z.string(),
  base: SHA,
  testCommit: SHA,
  fixCommit: SHA,
  checks: CHECKS,
  turned: z.array(z.string()).max(100),
  diffHash: z.string(),
});

/** Of our own pull request, and what is asked of every other as well. */
export type Certificate = z.output<typeof OWN>;
export type NamedRun = z.output<typeof RUN>;

const FOREIGN = z.strictObject({
  kind: z.literal('foreign'),
  repository: z.string().regex(NAME),
  pullRequest: z.string().max(1_000),
  state: z.literal('proven'),
  head: SHA,
  base: SHA,
  testCommit: SHA,
  redBase: SHA,
  greenBase: SHA,
  author: z.string().max(100),
  checks: CHECKS.min(1),
  turned: z.array(z.string()).min(1).max(100),
  diffHash: z.string(),
});

export type ReadForeign = z.output<typeof FOREIGN>;

export function parseOwn(text: string): Certificate {
  return parseAs(OWN, text, 'a proof');
}

export function parseForeign(text: string): ReadForeign {
  return parseAs(FOREIGN, text, 'a foreign proof');
}

const KIND = z.object({ kind: z.literal('foreign') });

/** Whether it says so of itself, well formed or not. */
export function saysForeign(text: string): boolean {
  return KIND.safeParse(parseJson(text)).success;
}

function parseAs<T extends z.ZodType>(schema: T, text: string, what: string): z.output<T> {
  const parsed = schema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') || 'it';
  throw new CausewayError('usage', `This is no certificate of ${what}: "${where}" is missing or malformed.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CausewayError('usage', 'This is no certificate of a proof: it is not JSON.', { cause });
  }
}

/** The last block of JSON: what comes before it may quote anything. */
const BLOCK = /```json\n([^`]{2,60000})\n```/g;

/** Null: there is none. */
export function findBlock(text: string | null): string | null {
  const [, block] = [...(text ?? '').replaceAll('\r\n', '\n').matchAll(BLOCK)].at(-1) ?? [];
  return block ?? null;
}
