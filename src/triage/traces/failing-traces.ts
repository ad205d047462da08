// Which traces of a log are of tests that failed: passing tests print errors on purpose.

import { findFailingPlaces } from 'causeway-ci-log';
import { cleanPath } from '../paths.ts';
import type { Trace } from './find-traces.ts';

/**
 * Where the text lists failed tests and some traces run through their files, those traces, each with what it caused; else
 * all. Linear in the text.
 */
export function keepFailing(traces: readonly Trace[], text: string): readonly Trace[] {
  if (traces.length < 2) return traces;
  const tests = [...new Set(findFailingPlaces(text, () => false).tests.map(cleanPath))];
  const isOfFailed = ({ frames }: Trace): boolean =>
    frames.some(({ file }) => {
      const path = cleanPath(file);
      return tests.some((test) => path === test || path.endsWith(`/${test}`));
    });
  const kept = splitChains(traces).filter((chain) => chain.some(isOfFailed));
  return kept.length === 0 ? traces : kept.flat();
}

/** Each root with what it caused. */
function splitChains(traces: readonly Trace[]): readonly (readonly Trace[])[] {
  const chains: Trace[][] = [];
  for (const trace of traces) {
    const last = chains.at(-1);
    if (trace.depth === 0 || last === undefined) chains.push([trace]);
    else last.push(trace);
  }
  return chains;
}
