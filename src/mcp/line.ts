// Keeps one connection to one server for everyone: opened when first needed, opened again after a failure, later each time it fails.
import { setTimeout as delay } from 'node:timers/promises';
import type { Link, LinkContext } from './link.ts';
import { atMost } from './wait.ts';
import type { Wire } from './wire.ts';

export interface Timing {
  /** To start, shake hands and list the tools; npx may have to download first. */
  readonly connectMs: number;
  /** How long a run waits at its start for servers that are not connected. */
  readonly listWaitMs: number;
  /** The first pause after a failure; it doubles up to `maxPauseMs`. */
  readonly pauseMs: number;
  readonly maxPauseMs: number;
  /** For a program to end by itself before it is killed. */
  readonly graceMs: number;
}

export const TIMING: Timing = {
  connectMs: 60_000,
  listWaitMs: 10_000,
  pauseMs: 1_000,
  maxPauseMs: 60_000,
  graceMs: 1_000,
};
/** A pause with no more left than this is waited for. */
const SHORT_PAUSE_MS = 2_000;

type Reached = { readonly link: Link } | { readonly reason: string };

export interface Line extends AsyncDisposable {
  /** The connection, waited for at most so long; or why there is none. Throws only where `signal` is aborted. */
  readonly reach: (waitMs: number, signal: AbortSignal) => Promise<Reached>;
  /** A call was answered: failures are forgotten. */
  readonly works: () => void;
  /** Ends at once every program of this server. */
  readonly killNow: () => void;
}

type LineContext = Omit<LinkContext, 'onWire' | 'connectMs' | 'graceMs'> & {
  readonly timing: Timing;
  readonly onLink: (link: Link) => void;
};

interface State {
  /** The connection, open or being opened; null: the next who asks opens it. */
  attempt: Promise<Reached> | null;
  failures: number;
  /** Why it failed last. */
  reason: string;
  notBefore: number;
  /** All that is not ended yet: the present connection, and former ones on their way out. */
  readonly wires: Set<Wire>;
  readonly ends: Set<Promise<void>>;
  readonly ending: AbortController;
}

export function openLine(context: LineContext): Line {
  const state: State = {
    attempt: null,
    failures: 0,
    reason: '',
    notBefore: 0,
    wires: new Set(),
    ends: new Set(),
    ending: new AbortController(),
  };
  return {
    reach: (waitMs, signal) => reach(context, state, { waitMs, signal }),
    works() {
      state.failures = 0;
    },
    killNow: () => state.wires.forEach((wire) => void wire.killNow()),
    async [Symbol.asyncDispose]() {
      state.ending.abort();
      const reached = await state.attempt;
      if (reached && 'link' in reached) await reached.link.end();
      await Promise.all(state.ends);
    },
  };
}

interface Waiting {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

async function reach(context: LineContext, state: State, { waitMs, signal }: Waiting): Promise<Reached> {
  signal.throwIfAborted();
  const left = state.attempt ? 0 : state.notBefore - Date.now();
  if (left > Math.min(SHORT_PAUSE_MS, waitMs)) {
    return { reason: `${state.reason}; it is tried again in ${Math.ceil(left / 1_000)} s` };
  }
  if (left > 0) await delay(left, null, { signal });
  if (state.ending.signal.aborted) return { reason: 'Causeway is being stopped' };
  state.attempt ??= connect(context, state);
  const late = { reason: `it is still starting (waited ${Math.ceil(waitMs / 1_000)} s)` };
  return atMost(state.attempt, waitMs, late, signal);
}

async function connect(context: LineContext, state: State): Promise<Reached> {
  const opened: Wire[] = [];
  const onWire = (wire: Wire): void => {
    opened.push(wire);
    state.wires.add(wire);
  };
  const forget = (): void => opened.forEach((wire) => void state.wires.delete(wire));
  try {
    // Its client library is large, and most houses ask no monitoring system.
    const { openLink } = await import('./link.ts');
    const link = await openLink({ ...context, ...context.timing, onWire }, state.ending.signal);
    context.log.info({ tools: link.tools.length }, 'connected to the monitoring server');
    context.onLink(link);
    const onLost = (): void => lose(context, state, { link, forget });
    if (link.lost.aborted) onLost();
    else link.lost.addEventListener('abort', onLost, { once: true });
    return { link };
  } catch (error) {
    forget();
    const reason = error instanceof Error ? error.message : String(error);
    failed(context, state, reason);
    return { reason };
  }
}

function lose(context: LineContext, state: State, { link, forget }: { link: Link; forget: () => void }): void {
  failed(context, state, String(link.lost.reason));
  const end = link.end().finally(() => {
    forget();
    state.ends.delete(end);
  });
  state.ends.add(end);
}

function failed({ log, timing }: LineContext, state: State, reason: string): void {
  state.attempt = null;
  if (state.ending.signal.aborted) return;
  const pause = Math.min(timing.maxPauseMs, timing.pauseMs * 2 ** state.failures);
  state.failures += 1;
  state.reason = reason;
  state.notBefore = Date.now() + pause;
  log.warn({ reason, nextTryInS: Math.ceil(pause / 1_000) }, 'the monitoring server cannot be used');
}
