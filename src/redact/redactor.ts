// The one way out for text: every secret in it is replaced, and what could not be looked at is withheld.
import { secretSpans } from './find-secrets.ts';
import { joinedStrings, withStrings } from './json-strings.ts';
import { cutsOf } from './parts.ts';
import { ScanThread } from './scan-thread.ts';
import { type Cut, withoutCuts } from './spans.ts';

export interface Redactor extends AsyncDisposable {
  /**
   * The text with every secret replaced by `[redacted]`, all else unchanged. Doing it again changes nothing. `of`: the account that the text
   * comes from; large ones of different accounts take turns.
   */
  redact(text: string, of?: string): Promise<string>;
  /** The same, with the line breaks inside of secrets kept: every other line stands at the number where it stood. */
  redactLines(text: string): Promise<string>;
  /** The same for every string of a JSON-like value (not for keys), looked at together: a secret may run through several strings. */
  redactJson<T>(value: T): Promise<T>;
  /** The same redactor with more exact values to remove, that tells what it cuts in `redactLines`. Disposing of it does nothing. */
  remembering(memory: SecretMemory): Redactor;
}

interface SecretMemory {
  /** Whose texts these are, for their turns. */
  readonly of: string;
  /** Asked anew for each text. */
  readonly values: () => readonly string[];
  /** Told of each secret that was recognised, as it stood in the text. */
  readonly found: (secret: string) => void;
}

/** How patient the redactor is; times in milliseconds, sizes in UTF-16 units. */
interface RedactorLimits {
  /** Larger texts go to the thread; this much takes about 10 ms. */
  readonly inline: number;
  /** For a text as a whole; its parts get their share, but at least a fifth. */
  readonly attemptMs: number;
  /** For all failed attempts at one text; what was not looked at by then is withheld. */
  readonly totalMs: number;
}

const LIMITS: RedactorLimits = { inline: 32_768, attemptMs: 10_000, totalMs: 30_000 };
const SCRIPT = new URL('./redaction-worker.ts', import.meta.url);

/**
 * A redactor. `exactValues` is asked anew for each text: our own secrets, removed in any spelling.
 * `script` is the file that the thread runs.
 */
export function createRedactor(options: {
  readonly exactValues: () => readonly string[];
  readonly limits?: Partial<RedactorLimits>;
  readonly script?: URL;
}): Redactor {
  const limits = { ...LIMITS, ...options.limits };
  const thread = new ScanThread(options.script ?? SCRIPT);
  const findWith =
    (exactValues: () => readonly string[]) =>
    (text: string, of: string): Promise<Cut[]> =>
      text.length <= limits.inline
        ? inlineCuts(text, exactValues())
        : threadCuts(thread, text, { exactValues: exactValues(), limits, of });
  const memory = { of: '', values: options.exactValues, found: () => {} };
  return {
    ...redactorOf(findWith(options.exactValues), memory, findWith),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}

type Find = (text: string, of: string) => Promise<Cut[]>;

function redactorOf(
  find: Find,
  memory: SecretMemory,
  findWith: (exactValues: () => readonly string[]) => Find,
): Redactor {
  return {
    redact: async (text, of = memory.of) => (text === '' ? '' : withoutCuts(text, await find(text, of))),
    redactLines: async (text) => {
      const cuts = await find(text, memory.of);
      for (const { start, end, kind } of cuts) if (kind === 'secret') memory.found(text.slice(start, end));
      return withoutCuts(text, cuts, 'keep-lines');
    },
    redactJson: async <T>(value: T) => withStrings(value, await find(joinedStrings(value), memory.of)) as T,
    remembering: (more) => {
      const values = () => [...memory.values(), ...more.values()];
      return redactorOf(findWith(values), { ...more, values }, findWith);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

async function inlineCuts(text: string, exactValues: readonly string[]): Promise<Cut[]> {
  const spans = await secretSpans(text, exactValues);
  return spans.map((span) => ({ ...span, kind: 'secret' }));
}

function threadCuts(
  thread: ScanThread,
  text: string,
  options: { readonly exactValues: readonly string[]; readonly limits: RedactorLimits; readonly of: string },
): Promise<Cut[]> {
  const { attemptMs, totalMs } = options.limits;
  let left = totalMs;
  return cutsOf(text, { start: 0, end: text.length }, async ({ start, end }) => {
    const share = attemptMs * Math.max(0.2, (end - start) / text.length);
    if (left <= 0) return null;
    const terms = { limitMs: Math.min(share, left), of: options.of };
    const scan = await thread.scan(text.slice(start, end), options.exactValues, terms);
    if (scan.kind === 'scanned')
      return scan.spans.map((span) => ({ start: span.start + start, end: span.end + start }));
    left -= scan.ms;
    return null;
  });
}
