// The inputs of a workflow that was started by hand. Pure.
import { CausewayError } from '../core/errors.ts';
import { MAX_REPORT_BYTES } from '../core/report/index.ts';
import { isRecord } from '../github/intake/index.ts';

/** What the person filled in. */
export type Dispatch =
  | { readonly kind: 'nothing' }
  /** Of an issue or a pull request. */
  | { readonly kind: 'issue'; readonly number: number }
  /** `repository`: as its address names it; null: only the number was given. */
  | { readonly kind: 'run'; readonly number: number; readonly repository: string | null }
  | { readonly kind: 'report'; readonly text: string };

const NAMES = ['issue', 'run', 'report'] as const;

/** GitHub sends "" for an input that was not filled, and null where the workflow declares none. Throws `usage`. */
export function readDispatch(inputs: unknown): Dispatch {
  const filled = NAMES.flatMap((name) => {
    const value = isRecord(inputs) ? inputs[name] : null;
    return typeof value === 'string' && /\S/.test(value) ? [{ name, value }] : [];
  });
  const [first, ...more] = filled;
  if (first === undefined) return { kind: 'nothing' };
  if (more.length > 0) {
    throw createDispatchRefusal(
      `Give one of issue, run and report, not ${filled.map(({ name }) => name).join(' and ')}.`,
    );
  }
  return READERS[first.name](first.value);
}

const READERS: Readonly<Record<(typeof NAMES)[number], (value: string) => Dispatch>> = {
  // Exactly as the workflow's concurrency group has it: "#12" would be a group of its own.
  issue: (value) => {
    if (!NUMBER.test(value)) throw createDispatchRefusal('issue is not a number: give the number alone, such as 12.');
    return { kind: 'issue', number: Number(value) };
  },
  run: (value) => {
    const { number, repository = null } = RUN.exec(value.trim())?.groups ?? {};
    if (number !== undefined) return { kind: 'run', number: Number(number), repository };
    const example = 'https://github.com/octo/shop/actions/runs/123';
    throw createDispatchRefusal(`run is no workflow run: give its number, or its address such as ${example}.`);
  },
  report: (text) => {
    if (Buffer.byteLength(text) <= MAX_REPORT_BYTES) return { kind: 'report', text: text.toWellFormed() };
    throw createDispatchRefusal('report is larger than 1 MiB of UTF-8: give the part around the error.');
  },
};

/** Exact as numbers, too. */
const NUMBER = /^[1-9]\d{0,14}$/;
/** The address of a run may go on to an attempt or a job. Which host is in it does not matter: only the number is used. */
const RUN =
  /^(?:https?:\/\/[^\s/]+\/(?<repository>[\w.-]+\/[\w.-]+)\/actions\/runs\/)?(?<number>[1-9]\d{0,14})(?:[/?#]\S*)?$/;

function createDispatchRefusal(message: string): CausewayError {
  return new CausewayError('usage', message);
}
