// The lines of a log that are the cause of its failure: what failed first, with all that is said of it; of too many the most telling.
import { type Block, blocksIn } from './cause-blocks.ts';
import type { SignKind } from './error-sign-table.ts';
import { type Cause, ERROR, isPrinted, rankOfKind } from './find-cause.ts';
import type { PassingLog } from './passing-log.ts';
import type { PlainLine } from './plain-lines.ts';

export interface CauseLine {
  /** Index of the line. */
  readonly at: number;
  /** `detail`: it goes on with what another said. `frame`: one more of a stack, after those that tell where it was. */
  readonly kind: SignKind | 'detail' | 'frame';
}

export interface CauseLinesOptions {
  /** Of the same job, where one is known. */
  readonly passing?: PassingLog | undefined;
  /** At most so many lines. */
  readonly most: number;
}

const FRAME = /^\s*(?:at |\.{3} \d+ more|#\d+:? |\d+: 0x|from \/|File ")/;
/** Frames in a row that still tell where it was. */
const FIRST_FRAMES = 5;
/** So many lines of each block come before more of any. */
const SHARE = 3;

/** In order, each once. */
export function causeLines(
  lines: readonly PlainLine[],
  cause: Cause,
  { passing, most }: CauseLinesOptions,
): readonly CauseLine[] {
  return [...rankedCauseLines(lines, cause, passing)].slice(0, most).sort((a, b) => a.at - b.at);
}

/** All of them, in the order in which they tell most; each block is read as it comes to it. */
export function* rankedCauseLines(
  lines: readonly PlainLine[],
  cause: Cause,
  passing?: PassingLog,
): Generator<CauseLine> {
  const kinds = new Map(cause.telling.map(({ at, kind }) => [at, kind] as const));
  const rests: (readonly CauseLine[])[] = [];
  for (const block of blocksOfCause(blocksIn(lines, cause, passing), cause.headline, passing !== undefined)) {
    const told = byValue(lines, block, { kinds, message: cause.message });
    yield* told.slice(0, SHARE);
    rests.push(told.slice(SHARE));
  }
  yield* rests.flat();
}

/**
 * That of the first error, and what follows it. One before it is believed where a tool says what is wrong, such as the heading of a list,
 * or where a passing log has none like it (`isCompared`).
 */
function blocksOfCause(blocks: readonly Block[], headline: number, isCompared: boolean): readonly Block[] {
  const best = blocks.reduce((most, { kind }) => Math.max(most, rankOfKind(kind)), -1);
  const own = blocks.find(({ from, to }) => from <= headline && headline < to);
  const others = blocks.filter((block) => {
    const rank = rankOfKind(block.kind);
    return (
      block !== own &&
      rank >= rankOfKind('summary') &&
      (block.from > headline || (rank === best && (best > ERROR || isCompared)))
    );
  });
  return own ? [own, ...others] : others;
}

interface Told {
  readonly kinds: ReadonlyMap<number, SignKind>;
  readonly message: number;
}

/** The lines of a block: its head and its message, what else tells, what goes on with it, frames, blank lines. */
function byValue(lines: readonly PlainLine[], { from, to }: Block, { kinds, message }: Told): readonly CauseLine[] {
  const ranked: CauseLine[][] = [[], [], [], [], []];
  let frames = 0;
  for (let at = from; at < to; at += 1) {
    const line = lines[at];
    if (!line || !isPrinted(line)) continue;
    frames = FRAME.test(line.text) ? frames + 1 : 0;
    const isFrame = frames > FIRST_FRAMES;
    const sign = kinds.get(at);
    const value = at === message || at === from ? 0 : classOf(line.text, sign, isFrame);
    ranked[value]?.push({ at, kind: sign ?? (isFrame ? 'frame' : 'detail') });
  }
  return ranked.flat();
}

function classOf(text: string, kind: SignKind | undefined, isFrame: boolean): number {
  if (text.trim() === '' || kind === 'end') return 4;
  if (kind !== undefined && rankOfKind(kind) >= ERROR) return 1;
  return isFrame ? 3 : 2;
}
