// Takes the secrets out of text before it is logged, stored, sent or shown; what could not be checked is withheld.

import { locate, WorkerClient } from 'causeway-worker-thread';
import { findSecrets } from './find-secrets.ts';
import type { TextSpan } from './readings.ts';
import { REDACTED } from './redacted.ts';

export interface Redactor extends AsyncDisposable {
  /** The text with every secret replaced by `[redacted]`, all else unchanged. Doing it again changes nothing. */
  redact(text: string): Promise<string>;
  /** The same, with the line breaks inside of secrets kept: every other line keeps its number. */
  redactLines(text: string): Promise<string>;
  /**
   * The same for every string of a JSON-like value (not its keys), checked together: a secret may run through several
   * strings.
   */
  redactJson<T>(value: T): Promise<T>;
  /**
   * The same redactor with more exact values to remove, which reports what it cuts in `redactLines`. Disposing of it
   * does nothing.
   */
  remembering(memory: SecretMemory): Redactor;
}

interface SecretMemory {
  /** Read for each text. */
  readonly values: () => readonly string[];
  /** Called with each secret that was recognised, as the text has it. */
  readonly onFound: (secret: string) => void;
}

/** Sizes in UTF-16 units. */
interface RedactorLimits {
  /** Larger texts go to the thread; this much takes about 10 ms. */
  readonly inline: number;
  /** A large text is checked in chunks of about this size. */
  readonly chunk: number;
  /** Milliseconds for one chunk. */
  readonly chunkMs: number;
  /** After so many chunks that failed, the rest of a text is withheld. */
  readonly failures: number;
}

export interface ScanRequest {
  readonly text: string;
  readonly exactValues: readonly string[];
}

export interface ScanAnswer {
  readonly spans: readonly TextSpan[];
}

const LIMITS: RedactorLimits = { inline: 32_768, chunk: 524_288, chunkMs: 10_000, failures: 3 };

/**
 * A chunk is checked with this much on either side, so that no secret is lost at its edges (a 4096-bit key in PEM has
 * 3,300 characters).
 */
const OVERLAP = 16_384;

const SCRIPT = locate('./redaction-worker.ts', import.meta.url);

const CLOSED = 'Redaction was closed; ask for it before shutting down.';

/** `secret`: recognised. `unchecked`: could not be looked at in time, so it is taken out as well. */
interface Cut extends TextSpan {
  readonly kind: 'secret' | 'unchecked';
}

const UNCHECKED_MARKER = '[withheld: not checked for secrets in time]';

/**
 * A redactor. `exactValues` is called for each text: our own secrets, removed in any spelling. `script` is the file
 * that the thread runs.
 */
export function createRedactor(options: {
  readonly exactValues: () => readonly string[];
  readonly limits?: Partial<RedactorLimits>;
  readonly script?: URL;
}): Redactor {
  const limits = { ...LIMITS, ...options.limits };
  const worker = new WorkerClient<ScanRequest, ScanAnswer>({ script: options.script ?? SCRIPT, closed: CLOSED });

  async function findCuts(text: string, exactValues: readonly string[]): Promise<Cut[]> {
    if (text.length > limits.inline) return findCutsInThread(worker, limits, { text, exactValues });
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
      redactJson: async <T>(value: T) => {
        const strings: string[] = [];
        mapStrings(value, (text) => {
          strings.push(text);
          return text;
        });
        // A line break between them, so that what runs through several is seen whole.
        return cutStrings(value, await findCuts(strings.join('\n'), values())) as T;
      },
      remembering: (memory) =>
        createWith({ ...memory, values: () => [...values(), ...memory.values()] }, () => Promise.resolve()),
      [Symbol.asyncDispose]: dispose,
    };
  }

  return createWith({ values: options.exactValues, onFound: () => {} }, () => worker[Symbol.asyncDispose]());
}

async function findCutsInThread(
  worker: WorkerClient<ScanRequest, ScanAnswer>,
  limits: RedactorLimits,
  { text, exactValues }: ScanRequest,
): Promise<Cut[]> {
  const cuts: Cut[] = [];
  let failures = 0;
  for (let start = 0; start < text.length; ) {
    const end = findChunkEnd(text, start, limits.chunk);
    const from = Math.max(0, start - OVERLAP);
    const request = { text: text.slice(from, end + OVERLAP), exactValues };
    const answer = failures < limits.failures ? await worker.ask(request, limits.chunkMs) : null;
    if (answer === null) {
      failures++;
      pushCut(cuts, { kind: 'unchecked', start, end });
    }
    for (const span of answer?.spans ?? []) {
      const cut = { start: Math.max(from + span.start, start), end: Math.min(from + span.end, end) };
      if (cut.start < cut.end) pushCut(cuts, { kind: 'secret', ...cut });
    }
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

/**
 * A line start near the end of the chunk, so that whole lines are withheld; else its end, but never inside a surrogate
 * pair.
 */
function findChunkEnd(text: string, start: number, chunk: number): number {
  const end = start + chunk;
  if (end >= text.length) return text.length;
  const line = text.lastIndexOf('\n', end) + 1;
  if (line > start + chunk / 2) return line;
  const unit = text.charCodeAt(end);
  return unit >= 0xdc00 && unit <= 0xdfff ? end + 1 : end;
}

/**
 * The text with each cut replaced by its marker; everything between the cuts stays as it was. Cuts ascend and do not
 * overlap. `keep-lines`: each line of a cut has its marker, so that all others keep their numbers.
 */
function applyCuts(text: string, cuts: readonly Cut[], lines: 'drop-lines' | 'keep-lines' = 'drop-lines'): string {
  const parts: string[] = [];
  let cursor = 0;
  for (const { start, end, kind } of cuts) {
    const marker = kind === 'secret' ? REDACTED : UNCHECKED_MARKER;
    const breaks = lines === 'keep-lines' ? text.slice(start, end).split('\n').length - 1 : 0;
    parts.push(text.slice(cursor, start), marker, `\n${marker}`.repeat(breaks));
    cursor = end;
  }
  parts.push(text.slice(cursor));
  return parts.join('');
}

/** The value with the cuts applied to its strings; their offsets are of all strings joined by line breaks. */
function cutStrings(value: unknown, cuts: readonly Cut[]): unknown {
  let from = 0;
  let next = 0;
  return mapStrings(value, (text) => {
    const start = from;
    const end = start + text.length;
    from = end + 1;
    while (next < cuts.length && (cuts[next]?.end ?? end) <= start) next++;
    const own: Cut[] = [];
    for (let i = next, cut = cuts[i]; cut && cut.start < end; cut = cuts[++i]) {
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
