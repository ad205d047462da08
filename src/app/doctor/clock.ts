// This machine's clock against those of GitHub and of the model's endpoint, by the Date of their answers.
import { fail, ok, type Probe, warn } from './probe.ts';

/** GitHub takes no App token from the future, and we date them a minute back; receivers of webhooks allow five minutes. */
const MOST_MS = 30_000;
const ASKED_MS = 10_000;

export interface Clocks {
  /** fetch that remembers by how much the answering clock is ahead of ours. */
  readonly fetch: typeof fetch;
  /** Milliseconds by host; the last answer of each. */
  readonly ahead: ReadonlyMap<string, number>;
}

export function createClocks(now: () => Date): Clocks {
  const ahead = new Map<string, number>();
  return {
    ahead,
    async fetch(input, init) {
      const sent = now().getTime();
      const response = await fetch(input, init);
      const middle = (sent + now().getTime()) / 2;
      // The header says whole seconds, cut off.
      const told = Date.parse(response.headers.get('date') ?? '') + 500;
      const host = URL.parse(response.url)?.host;
      if (Number.isFinite(told) && host) ahead.set(host, told - middle);
      return response;
    },
  };
}

/** `asked`: what has GitHub answer, well or not. `modelUrl`: "" for none; it is asked without a key. */
export function clockProbe(clocks: Clocks, asked: Promise<unknown>, modelUrl: string): Probe {
  return {
    check: 'clock',
    async ask(signal) {
      const until = AbortSignal.any([signal, AbortSignal.timeout(ASKED_MS)]);
      const model =
        modelUrl === '' ? null : clocks.fetch(modelUrl, { method: 'HEAD', redirect: 'manual', signal: until });
      await Promise.allSettled([asked, model]);
      if (clocks.ahead.size === 0)
        return warn('nobody answered whose clock could be read', 'Put right what the other checks say first.');
      const all = [...clocks.ahead].sort(([, one], [, other]) => Math.abs(other) - Math.abs(one));
      const [host, ms] = all[0] ?? ['', 0];
      const seconds = Math.abs(Math.round(ms / 1_000));
      const side = ms > 0 ? 'behind' : 'ahead of';
      if (Math.abs(ms) > MOST_MS) {
        const repair =
          'Set it by NTP (timedatectl set-ntp true): GitHub refuses App tokens from a wrong clock, receivers our webhooks.';
        return fail(`this machine's clock is ${seconds} s ${side} ${host}`, repair);
      }
      return ok(`within ${Math.max(1, seconds)} s of ${all.map(([name]) => name).join(' and ')}`);
    },
  };
}
