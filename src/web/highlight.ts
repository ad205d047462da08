// Syntax colours for the pages: asked of a thread of its own, within limits; without an answer, code is shown without.
import { createHash } from 'node:crypto';
import { WorkerClient } from 'causeway-worker-thread';
import { locate } from '../installation.ts';
import type { CodeLines, CodeText, HighlightAnswer, HighlightRequest } from './syntax.ts';

export interface Highlighter extends AsyncDisposable {
  /** Of each text; null: without colours. Rejects never. */
  highlight(texts: readonly CodeText[]): Promise<readonly (CodeLines | null)[]>;
}

const SCRIPT = locate('./highlight-worker.ts', import.meta.url);
/** Of one text, and of all together; 100,000 characters take some 60 ms. */
const [MAX_TEXT, MAX_TEXTS] = [100_000, 400_000];
/** A hostile text of 100,000 characters took 90 s. */
const LIMIT_MS = 700;
/** Pages that wait; another one is shown without colours at once. */
const MOST_WAITING = 3;
/** What took too long is not tried again for ten minutes: each try would keep others waiting. */
const [MOST_REMEMBERED, REMEMBERED_MS] = [100, 600_000];
const MEMORY_MB = 256;

/** The thread starts with the first change that is shown. `script`: the file that it runs. */
export function createHighlighter({ script = SCRIPT, limitMs = LIMIT_MS } = {}): Highlighter {
  const closed = 'The service is stopping.';
  const thread = new WorkerClient<HighlightRequest, HighlightAnswer>({ script, closed, memoryMb: MEMORY_MB });
  const slow = new Map<string, number>();
  let waiting = 0;
  const ask = async (texts: readonly CodeText[]): Promise<HighlightAnswer | null> => {
    const digest = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
    const isSlow = performance.now() - (slow.get(digest) ?? Number.NEGATIVE_INFINITY) < REMEMBERED_MS;
    if (texts.length === 0 || isSlow || waiting >= MOST_WAITING) return null;
    waiting += 1;
    const answer = await thread.ask({ texts }, limitMs).catch(() => null);
    waiting -= 1;
    if (answer === null) slow.set(digest, performance.now());
    const [oldest] = slow.keys();
    if (slow.size > MOST_REMEMBERED && oldest !== undefined) slow.delete(oldest);
    return answer;
  };
  return {
    highlight: async (texts) => {
      let room = MAX_TEXTS;
      const isShort = texts.map(({ text }) => {
        const isAsked = text.length <= Math.min(MAX_TEXT, room);
        if (isAsked) room -= text.length;
        return isAsked;
      });
      const answer = await ask(texts.filter((_, at) => isShort[at]));
      const lines = answer?.lines.values();
      return isShort.map((isAsked) => (isAsked ? (lines?.next().value ?? null) : null));
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}
