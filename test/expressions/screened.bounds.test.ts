// No text can make an expression of the source slow: each is tried with texts made from the expression itself, which grow until the time says how it grows.
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { PATIENCE_MS } from '../support/patience.ts';
import { BOUNDED, mostCharacters } from './bounded-texts.ts';
import type { Expression, Found } from './find-expressions.ts';
import type { Order, Slow } from './screening-worker.ts';

/** Composed from names of the repository, which are escaped, or from other expressions of the list; their texts are lines and paths. Of titles of tests: words and single characters, with nothing repeated. */
const COMPOSED_LATER = [
  'src/ci/reach.ts',
  'src/investigate/guard-change.ts',
  'src/investigate/guard-change.ts',
  'src/investigate/guard-change.ts',
  'src/triage/paths.ts',
  'src/triage/paths.ts',
];

/** Such as stood in the source once. */
const SLOW_ONES: readonly Expression[] = [
  ['[.,;:!?*_~]+$', ''],
  ['("(?:[^"\\\\]|\\\\.)*")|,(?=\\s*[}\\]])', 'g'],
  ['<tool_call>([\\s\\S]*?)<\\/tool_call>', 'g'],
  ['"(?:[^"\\\\\\n]|\\\\.)*"|\\/\\/[^\\n]*|\\/\\*[\\s\\S]*?\\*\\/', 'g'],
  ['^#{1,6}\\s+(.+)$', ''],
  ['\\s+\\S*$', ''],
  ['(?:[a-z][a-z0-9+.-]*)?:\\/\\/+', 'gi'],
  ['\\ufffd+$', ''],
  ['(?:^|\\/)pkg\\/mod\\/(.+?)@', ''],
  ['^(?:[a-z]+\\s?)+$', ''],
].map(([source = '', flags = '']) => ({ source, flags, at: 'known to be slow' }));

type Verdict = Slow | Failed | null;

function startWorker(): Worker {
  return new Worker(path.join(import.meta.dirname, 'screening-worker.ts'));
}

type Failed = 'it did not end' | { readonly fault: string };

function answerOf<T>(worker: Worker, order: Order): Promise<T | Failed> {
  const { promise, resolve } = Promise.withResolvers<T | Failed>();
  const fail = (error: unknown) => resolve({ fault: String(error) });
  const timer = setTimeout(() => resolve('it did not end'), PATIENCE_MS);
  worker.on('message', resolve).on('error', fail);
  worker.postMessage(order);
  return promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', resolve).off('error', fail);
  });
}

/** Those that are slow, with the text that shows it. */
async function slowOf(expressions: readonly Expression[]): Promise<ReadonlyMap<Expression, Exclude<Verdict, null>>> {
  const waiting = expressions[Symbol.iterator]();
  const slow = new Map<Expression, Exclude<Verdict, null>>();
  const screenAll = async () => {
    let worker = startWorker();
    for (const expression of waiting) {
      const most = mostCharacters(expression.at.replace(/:\d+$/, ''), expression.source);
      const verdict: Verdict = await answerOf<Slow | null>(worker, { screen: expression, most });
      if (verdict === null) continue;
      slow.set(expression, verdict);
      await worker.terminate();
      worker = startWorker();
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, screenAll));
  return slow;
}

async function everyExpression(): Promise<Found> {
  const worker = startWorker();
  const found = await answerOf<Found>(worker, { find: true });
  await worker.terminate();
  if (typeof found === 'string' || 'fault' in found) throw new Error(JSON.stringify(found));
  return found;
}

it('no regular expression of the source takes time that grows faster than its text', async () => {
  const { expressions, composedLater } = await everyExpression();
  expect(expressions.length).toBeGreaterThan(1_000);
  expect(composedLater.map((call) => call.split(':')[0]).toSorted()).toEqual(COMPOSED_LATER);

  const different = new Map(expressions.map((one) => [`${one.at.split(':')[0]} ${one.flags} ${one.source}`, one]));
  const slow = await slowOf([...different.values()]);
  expect(
    [...slow].map(([{ at, source, flags }, verdict]) => `${at} /${source}/${flags} ${JSON.stringify(verdict)}`),
  ).toEqual([]);
});

it('the bounds name expressions that are there', async () => {
  const { expressions } = await everyExpression();
  const unused = BOUNDED.filter(
    ({ file, only }) =>
      !expressions.some(({ at, source }) => at.startsWith(`${file}:`) && source.startsWith(only ?? '')),
  );
  expect(unused).toEqual([]);
});

it('expressions that are known to be slow are found', async () => {
  const slow = await slowOf(SLOW_ONES);
  expect(SLOW_ONES.filter((one) => !slow.has(one)).map(({ source }) => source)).toEqual([]);
  expect([...slow.values()].filter((verdict) => typeof verdict === 'object' && 'fault' in verdict)).toEqual([]);
});
