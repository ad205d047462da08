// The thread that tries to make one expression slow, so that whoever started it can end it.
import { parentPort } from 'node:worker_threads';
import { type Attack, attacksOn } from './attacks.ts';
import { type Expression, findExpressions, parserFor } from './find-expressions.ts';

export interface Slow {
  readonly attack: Attack;
  readonly length: number;
  readonly ms: number;
}

/** `most`: how long the texts are that the expression reads, where its callers bound them; else null. */
export type Order = { readonly find: true } | { readonly screen: Expression; readonly most: number | null };

/** Characters over which an exponential search shows, each before it would not end. */
const SHORT = [20, 27, 34];
/** Repetitions over which a search that is linear takes microseconds and a quadratic one milliseconds. */
const FIRST = 2_048;
const FIRST_OF_LONG_ONES = 512;
/** By the clock: the quickest of the known quadratic ones takes 0.37 ms over a first text. */
const SUSPICIOUS_MS = 0.1;
const DOUBLINGS = 5;
/** Some kernels count a thread's time in ticks of 4 ms: 1.7 ms are 0 or 4 there, and a quadratic search looked quick. */
const MOST_COARSE_MS = 20;
/** Long enough that a pause for garbage is not what was measured. */
const SLOW_MS = 60;
/** What doubling the text multiplies the time with: by 2 where it is linear, by 4 where quadratic. */
const MOST_GROWTH = 2.8;
const LINEAR_GROWTH = 2.3;
/** A megabyte in 20 seconds: no bound of repetitions may make a search that slow. */
const MOST_MS_A_CHARACTER = 0.02;

/** How many of the texts that take longest are made longer. */
const MOST_SUSPECTS = 16;

/** The first text over which it takes far too long, or null. */
function screen(expression: Expression, attacks: readonly Attack[], most: number): Slow | null {
  const compiled = new RegExp(expression.source, expression.flags);
  const suspects: { readonly attack: Attack; readonly wallMs: number }[] = [];
  for (const attack of attacks) {
    // Exponential ones show here already, and would never end below.
    const short = SHORT.find((length) => timeOf(compiled, textOf(attack, length / attack.pump.length)) > SLOW_MS);
    if (short !== undefined) return { attack, length: short, ms: SLOW_MS };
    const first = Math.min(firstOf(attack), most / attack.pump.length);
    const text = textOf(attack, first);
    const { ms, wallMs } = timesOf(compiled, text);
    // Much worse than quadratic, so that a longer text would not end.
    if (ms > 2 * SLOW_MS) return { attack, length: first * attack.pump.length, ms };
    if (wallMs > SUSPICIOUS_MS) suspects.push({ attack, wallMs: leastWallTime(compiled, text) });
  }
  suspects.sort((a, b) => b.wallMs - a.wallMs);
  for (const { attack, wallMs } of suspects.slice(0, MOST_SUSPECTS)) {
    // What looked slow had only been waiting for the processor.
    if (wallMs <= SUSPICIOUS_MS) break;
    const slow = most < Number.POSITIVE_INFINITY ? slowAt(compiled, attack, most) : slowGrowing(compiled, attack);
    if (slow !== null) return slow;
  }
  return null;
}

const firstOf = ({ pump }: Attack) => (pump.length > 4 ? FIRST_OF_LONG_ONES : FIRST);

function slowAt(compiled: RegExp, attack: Attack, length: number): Slow | null {
  const text = textOf(attack, length / attack.pump.length);
  const ms = leastTime(compiled, text);
  return ms > SLOW_MS ? { attack, length, ms } : null;
}

function slowGrowing(compiled: RegExp, attack: Attack): Slow | null {
  const first = firstOf(attack);
  let before = leastTime(compiled, textOf(attack, first));
  let linear = 0;
  for (let doubled = 1; doubled <= DOUBLINGS && linear < 2; doubled += 1) {
    const text = textOf(attack, first * 2 ** doubled);
    const ms = leastTime(compiled, text);
    const growth = ms / before;
    if (ms > SLOW_MS && growth > MOST_GROWTH && growsAgain(compiled, attack, text.length)) {
      return { attack, length: text.length, ms };
    }
    // Much work for each character, but no more for each of a longer text.
    if (growth < LINEAR_GROWTH && before > MOST_COARSE_MS) linear += 1;
    if (linear === 2 && ms / text.length > MOST_MS_A_CHARACTER) return { attack, length: text.length, ms };
    before = ms;
  }
  return null;
}

/**
 * Whether it also grows over two doublings. One doubling that leaves a cache grew by 2.8 twice for a linear search of
 * 1.4 million characters; four times the text takes such a search at most 5.6 times as long, a quadratic one 16 times.
 */
function growsAgain(compiled: RegExp, attack: Attack, length: number): boolean {
  const least = (size: number) => leastTime(compiled, textOf(attack, size / attack.pump.length));
  return least(2 * length) / least(length / 2) > MOST_GROWTH ** 2;
}

/** On a busy machine one of three is without what others do to the caches: one of two missed growth at a load of 29. */
function leastTime(compiled: RegExp, text: string): number {
  return Math.min(timeOf(compiled, text), timeOf(compiled, text), timeOf(compiled, text));
}

function textOf({ prefix, pump, suffix }: Attack, repetitions: number): string {
  return prefix + pump.repeat(Math.max(1, Math.floor(repetitions))) + suffix;
}

/** Short times by the clock, which the thread's own time is too coarse for; what waits for the processor once, seldom does three times. */
function leastWallTime(compiled: RegExp, text: string): number {
  const wall = () => timesOf(compiled, text).wallMs;
  return Math.min(wall(), wall(), wall());
}

const timeOf = (compiled: RegExp, text: string) => timesOf(compiled, text).ms;

/** `ms`: of this thread, so that other work on the machine counts for nothing. */
function timesOf(compiled: RegExp, text: string): { readonly ms: number; readonly wallMs: number } {
  const begun = performance.now();
  const from = process.threadCpuUsage();
  if (compiled.global) text.replace(compiled, '');
  else compiled.test(text);
  compiled.lastIndex = 0;
  const { user, system } = process.threadCpuUsage(from);
  return { ms: (user + system) / 1_000, wallMs: performance.now() - begun };
}

const parser = await parserFor('regex');
parentPort?.on('message', async (order: Order) => {
  const answer =
    'find' in order
      ? await findExpressions()
      : screen(order.screen, attacksOn(order.screen, parser), order.most ?? Number.POSITIVE_INFINITY);
  parentPort?.postMessage(answer);
});
