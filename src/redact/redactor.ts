// The one way out for text: every secret in it is replaced, and what could not be checked is withheld.
import { AskedThread, type Numbered } from './asked-thread.ts';
import { findSecrets } from './find-secrets.ts';
import { applyCuts, type Cut, type Span } from './views.ts';

export interface Redactor extends AsyncDisposable {
  /** The text with every secret replaced by `[redacted]`, all else unchanged. Doing it again changes nothing. */
  redact(text: string): Promise<string>;
  /** The same, with the line breaks inside of secrets kept: every other line keeps its number. */
  redactLines(text: string): Promise<string>;
  /** The same for every string of a JSON-like value (not its keys), checked together: a secret may run through several strings. */
  redactJson<T>(value: T): Promise<T>;
  /** The same redactor with more exact values to remove, which reports what it cuts in `redactLines`. Disposing of it does nothing. */
  remembering(memory: SecretMemory): Redactor;
}

interface SecretMemory {
  /** Read for each text. */
  readonly values: () => readonly string[];
  /** Called with each secret that was recognised, as the text has it. */
  readonly onFound: (secret: string) => void;
}

/** Times in milliseconds, sizes in UTF-16 units. */
interface RedactorLimits {
  /** Larger texts go to the thread; this much takes about 10 ms. */
  readonly inline: number;
  /** A large text is checked in chunks of about this size. */
  readonly chunk: number;
  /** For one chunk. */
  readonly chunkMs: number;
  /** For all chunks of a text that failed; what was not checked by then is withheld. */
  readonly failedMs: number;
}

interface Question {
  readonly text: string;
  readonly exactValues: readonly string[];
}

interface Answer {
  readonly spans: readonly Span[];
}

export type ScanRequest = Numbered<Question>;

export type ScanReply = Numbered<Answer>;

const LIMITS: RedactorLimits = { inline: 32_768, chunk: 524_288, chunkMs: 10_000, failedMs: 30_000 };

/** A chunk is checked with this much on either side, so that no secret is lost at its edges (a 4096-bit key in PEM has 3,300 characters). */
const OVERLAP = 16_384;

const SCRIPT = new URL('./redaction-worker.ts', import.meta.url);

const CLOSED = 'Redaction was closed; ask for it before shutting down.';

/**
 * A redactor. `exactValues` is called for each text: our own secrets, removed in any spelling. `script` is the file that the
 * thread runs.
 */
export function createRedactor(options: {
  readonly exactValues: () => readonly string[];
  readonly limits?: Partial<RedactorLimits>;
  readonly script?: URL;
}): Redactor {
  const limits = { ...LIMITS, ...options.limits };
  const thread = new AskedThread<Question, Answer>({ script: options.script ?? SCRIPT, closed: CLOSED });

  async function findCuts(text: string, exactValues: readonly string[]): Promise<Cut[]> {
    if (text.length > limits.inline) return findCutsInThread(thread, limits, { text, exactValues });
    const spans = await findSecrets(text, exactValues);
    return spans.map((span) => ({ ...span, kind: 'secret' }));
  }

  function createWith({ values, onFound }: SecretMemory, dispose: () => Promise<void>): Redactor {
    return {
      redact: async (text) => (text === '' ? '' : applyCuts(text, await findCuts(text, values()))),
      redactLines: async (text) => {
        const cuts = await findCuts(text, values());
        for (const { start, end, kind } of cuts) if (kind === 'secret') onFound(text.slice(start, end));
        return applyCuts(text, cuts, 'keep-lines');
      },
      redactJson: async <T>(value: T) => cutStrings(value, await findCuts(joinStrings(value), values())) as T,
      remembering: (memory) =>
        createWith({ ...memory, values: () => [...values(), ...memory.values()] }, () => Promise.resolve()),
      [Symbol.asyncDispose]: dispose,
    };
  }

  const memory = { values: options.exactValues, onFound: () => {} };
  return createWith(memory, () => thread[Symbol.asyncDispose]());
}

async function findCutsInThread(
  thread: AskedThread<Question, Answer>,
  limits: RedactorLimits,
  { text, exactValues }: Question,
): Promise<Cut[]> {
  const cuts: Cut[] = [];
  let left = limits.failedMs;
  for (let start = 0; start < text.length; ) {
    const end = findChunkEnd(text, start, limits.chunk);
    const from = Math.max(0, start - OVERLAP);
    const question = { text: text.slice(from, Math.min(text.length, end + OVERLAP)), exactValues };
    const reply = left > 0 ? await thread.ask(question, Math.min(limits.chunkMs, left)) : null;
    const inChunk = { start: start - from, end: end - from };
    const found: readonly Cut[] =
      reply?.kind === 'answered' ? clipSpans(reply.answer.spans, inChunk, from) : [{ kind: 'unchecked', start, end }];
    for (const cut of found) pushCut(cuts, cut);
    if (reply?.kind === 'failed') left -= reply.ms;
    start = end;
  }
  return cuts;
}

/** A secret, or a stretch that was not checked, that runs over the edge of a chunk is one cut. */
function pushCut(cuts: Cut[], cut: Cut): void {
  const last = cuts.at(-1);
  if (last?.kind === cut.kind && last.end === cut.start) cuts[cuts.length - 1] = { ...last, end: cut.end };
  else cuts.push(cut);
}

/** A line start near the end of the chunk, so that whole lines are withheld; else its end, but never inside a surrogate pair. */
function findChunkEnd(text: string, start: number, chunk: number): number {
  const end = start + chunk;
  if (end >= text.length) return text.length;
  const line = text.lastIndexOf('\n', end) + 1;
  if (line > start + chunk / 2) return line;
  const unit = text.charCodeAt(end);
  return unit >= 0xdc00 && unit <= 0xdfff ? end + 1 : end;
}

function clipSpans(spans: readonly Span[], within: Span, offset: number): readonly Cut[] {
  return spans
    .map(({ start, end }) => ({ start: Math.max(start, within.start), end: Math.min(end, within.end) }))
    .filter(({ start, end }) => start < end)
    .map(({ start, end }): Cut => ({ kind: 'secret', start: start + offset, end: end + offset }));
}

/** The strings of the value (not its keys) in document order, a line break between them, so that what runs through several is seen whole. */
function joinStrings(value: unknown): string {
  const strings: string[] = [];
  mapStrings(value, (text) => {
    strings.push(text);
    return text;
  });
  return strings.join('\n');
}

/** The value with the cuts, which are of `joinedStrings(value)`, applied to its strings. */
function cutStrings(value: unknown, cuts: readonly Cut[]): unknown {
  let from = 0;
  let next = 0;
  return mapStrings(value, (text) => {
    const start = from;
    const end = start + text.length;
    from = end + 1;
    while ((cuts[next]?.end ?? end) <= start && next < cuts.length) next++;
    const own: Cut[] = [];
    for (let i = next; i < cuts.length; i++) {
      const cut = cuts[i];
      if (!cut || cut.start >= end) break;
      own.push({ kind: cut.kind, start: Math.max(cut.start, start) - start, end: Math.min(cut.end, end) - start });
    }
    return own.length === 0 ? text : applyCuts(text, own);
  });
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapStrings(each, change)]));
}
