// Reads what red checks say for their cause: short texts at once, long ones in a thread, one after the other.

import { type CheckTexts, type ReadCheck, readCheck } from '../../ci/read-check.ts';

import { type Numbered, WorkerClient } from '../../redact/worker-client.ts';

/** What a check says by itself, wherever that is found out. */
export type CheckReading = (texts: CheckTexts) => Promise<ReadCheck>;

export interface CheckReader extends AsyncDisposable {
  /** A log that takes too long is left out, and said to be. Rejects only after disposal. */
  readonly readCheck: CheckReading;
}

interface Asked {
  readonly texts: CheckTexts;
}

interface Told {
  readonly read: ReadCheck;
}

export type ReadRequest = Numbered<Asked>;
export type ReadReply = Numbered<Told>;

/** In UTF-16 units; so much is read within some milliseconds. */
const INLINE = 64 * 1_024;
/** A log at its longest takes seconds where the machine is busy. */
const LIMIT_MS = 30_000;
const SCRIPT = new URL('./reading-worker.ts', import.meta.url);
const CLOSED = 'The reading of checks was closed: their job looks again after the start.';
const UNREAD = 'The log could not be read in time.';

/** `script` is the file that the thread runs. The thread starts with the first long text. */
export function createCheckReader(options: { readonly script?: URL; readonly limitMs?: number } = {}): CheckReader {
  const { script = SCRIPT, limitMs = LIMIT_MS } = options;
  const thread = new WorkerClient<Asked, Told>({ script, closed: CLOSED });
  return {
    readCheck: async (texts) => {
      if (measureTexts(texts) <= INLINE) return readCheck(texts);
      const answer = await thread.ask({ texts }, limitMs);
      return answer?.read ?? readWithoutLog(texts);
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}

function measureTexts({ name, output, log, passing = '', annotations }: CheckTexts): number {
  const texts = name.length + output.length + log.length + passing.length;
  return annotations.reduce((sum, { message }) => sum + message.length, texts);
}

/** What is left is little, and cut to little. */
function readWithoutLog(texts: CheckTexts): ReadCheck {
  const room = INLINE / 2;
  const output = texts.output.slice(0, room);
  const annotations = texts.annotations.filter(({ message }, at) => {
    const before = texts.annotations.slice(0, at).reduce((sum, one) => sum + one.message.length, 0);
    return before + message.length <= room;
  });
  const read = readCheck({ name: texts.name, output, log: '', annotations });
  return { ...read, excerpt: { ...read.excerpt, cut: UNREAD } };
}
