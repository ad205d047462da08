// The lines of a log that belong to the cause, the most informative first.
import { type Block, type ErrorLine, isPrinted, RANKS, readBlocks } from './blocks.ts';
import type { ErrorKind } from './error-patterns.ts';
import { type Cause, ERROR_RANK } from './find-cause.ts';
import type { LogLine, PassingLog } from './log-lines.ts';

interface CauseLine {
  /** Index of the line. */
  readonly at: number;
  /** `detail`: it continues another line. `frame`: one more of a stack, after those that show where it was. */
  readonly kind: ErrorKind | 'detail' | 'frame';
}

interface CauseLinesOptions {
  /** Of the same job, where one is known. */
  readonly passing?: PassingLog | undefined;
  /** At most so many lines. */
  readonly most: number;
}

const FRAME = /^\s*(?:at |\.{3} \d+ more|#\d+:? |\d+: 0x|from \/|File ")/;

/** Frames in a row that still show where it was. */
const FIRST_FRAMES = 5;

/** So many lines of each block come before more of any. */
const SHARE = 3;

/** In order, each once. */
export function findCauseLines(
  lines: readonly LogLine[],
  cause: Cause,
  { passing, most }: CauseLinesOptions,
): readonly CauseLine[] {
  return [...rankCauseLines(lines, cause, passing)].slice(0, most).sort((a, b) => a.at - b.at);
}

/** All of them, the most informative first; each block is read when it is its turn. */
export function* rankCauseLines(lines: readonly LogLine[], cause: Cause, passing?: PassingLog): Generator<CauseLine> {
  const { step } = cause;
  if (!step) return;
  const errorLines = addMessage(cause);
  const kinds = new Map(errorLines.map(({ at, kind }) => [at, kind] as const));
  const rests: (readonly CauseLine[])[] = [];
  const blocks = readBlocks(lines, { step, errorLines }, passing);
  for (const block of chooseBlocks(blocks, cause, passing !== undefined)) {
    const told = orderLines(lines, block, { kinds, message: cause.message });
    yield* told.slice(0, SHARE);
    rests.push(told.slice(SHARE));
  }
  yield* rests.flat();
  for (const other of cause.others ?? []) yield* rankCauseLines(lines, other, passing);
}

/** What a test failed with may be far from its name, and look like no error. */
function addMessage({ errorLines, message }: Cause): readonly ErrorLine[] {
  if (errorLines.some(({ at }) => at === message)) return errorLines;
  const said: ErrorLine = { at: message, kind: 'error', isHeading: false };
  return [...errorLines, said].sort((a, b) => a.at - b.at);
}

/**
 * The section of the first error, and what follows it. One before it is believed where a tool says what is wrong,
 * such as the heading of a list, or where a passing log has none like it (`isCompared`).
 */
function chooseBlocks(blocks: readonly Block[], { headline, message }: Cause, isCompared: boolean): readonly Block[] {
  const best = blocks.reduce((most, { kind }) => Math.max(most, RANKS[kind]), -1);
  const own = blocks.find((block) => block.lines.includes(headline));
  const told = blocks.find((block) => block !== own && block.lines.includes(message));
  const others = blocks.filter((block) => {
    const rank = RANKS[block.kind];
    return (
      block !== own &&
      block !== told &&
      rank >= RANKS.summary &&
      ((block.lines[0] ?? 0) > headline || (rank === best && (best > ERROR_RANK || isCompared)))
    );
  });
  return [own, told, ...others].filter((block) => block !== undefined);
}

interface Marks {
  readonly kinds: ReadonlyMap<number, ErrorKind>;
  readonly message: number;
}

/** The lines of a block: its first and its message, other error lines, what continues them, frames, blank lines. */
function orderLines(lines: readonly LogLine[], block: Block, { kinds, message }: Marks): readonly CauseLine[] {
  const ranked: CauseLine[][] = [[], [], [], [], []];
  let frames = 0;
  for (const at of block.lines) {
    const line = lines[at];
    if (!line || !isPrinted(line)) continue;
    frames = FRAME.test(line.text) ? frames + 1 : 0;
    const isFrame = frames > FIRST_FRAMES;
    const sign = kinds.get(at);
    const value = at === message || at === block.lines[0] ? 0 : classifyCauseLine(line.text, sign, isFrame);
    ranked[value]?.push({ at, kind: sign ?? (isFrame ? 'frame' : 'detail') });
  }
  return ranked.flat();
}

function classifyCauseLine(text: string, kind: ErrorKind | undefined, isFrame: boolean): number {
  if (text.trim() === '' || kind === 'end') return 4;
  if (kind !== undefined && RANKS[kind] >= ERROR_RANK) return 1;
  return isFrame ? 3 : 2;
}
