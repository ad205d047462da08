// Whether this machine's clock may decide what is past its time: compared with the date of GitHub's answers, and in
// between with the clock that never jumps.
import type { ReadinessCheck } from '../api/index.ts';
import { untilAborted } from '../core/abortable.ts';

export type ClockState =
  | { readonly kind: 'right' }
  /** Negative: behind GitHub. */
  | { readonly kind: 'wrong'; readonly aheadMs: number }
  /** Nothing to compare with. `hasJumped`: by more than a day while this process ran, or the machine slept so long. */
  | { readonly kind: 'unknown'; readonly hasJumped: boolean };

export interface Clock {
  /** When this process began, by this clock. */
  readonly began: Date;
  /** Takes the date of an answer of GitHub. */
  readonly compare: (answer: { readonly headers: object }) => void;
  /** Resolves once there is something to compare with; at once where there never is. */
  readonly known: (signal: AbortSignal) => Promise<void>;
  readonly judge: () => ClockState;
}

interface ClockOptions {
  readonly now: () => Date;
  /** False in local mode: no answer of GitHub is to be expected. */
  readonly hasGithub: boolean;
  /** Milliseconds of a clock that never jumps. */
  readonly elapsed?: () => number;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

export function createClock({ now, hasGithub, elapsed = () => performance.now() }: ClockOptions): Clock {
  const measure = (date: number) => ({ date, at: elapsed() });
  /** By how much this clock is ahead of one that was right when it was measured. */
  const readAhead = ({ date, at }: { readonly date: number; readonly at: number }) =>
    now().getTime() - (date + elapsed() - at);
  const began = now();
  const start = measure(began.getTime());
  const first = Promise.withResolvers<void>();
  let github: typeof start | null = null;
  return {
    began,
    compare({ headers }) {
      // A proxy of this machine may answer as well, by the very clock that is in question.
      if (!(headers instanceof Headers) || !headers.has('x-github-request-id')) return;
      const date = Date.parse(headers.get('date') ?? '');
      if (Number.isNaN(date)) return;
      github = measure(date);
      first.resolve();
    },
    known: async (signal) => {
      if (hasGithub) await untilAborted(first.promise, signal);
    },
    judge() {
      if (github === null) return { kind: 'unknown', hasJumped: Math.abs(readAhead(start)) > DAY_MS };
      const aheadMs = readAhead(github);
      return Math.abs(aheadMs) > DAY_MS ? { kind: 'wrong', aheadMs } : { kind: 'right' };
    },
  };
}

/** Such as `400 days ahead of GitHub`. */
export function describeApart(aheadMs: number): string {
  const days = Math.round(Math.abs(aheadMs) / DAY_MS);
  return `${days} day${days === 1 ? '' : 's'} ${aheadMs > 0 ? 'ahead of' : 'behind'} GitHub`;
}

/** What `/readyz` says of the clock, with an App. The service is ready with a wrong one: it only keeps more. */
export function checkClock(clock: Pick<Clock, 'judge'>): ReadinessCheck {
  const report = (ok: boolean, detail: string): ReadinessCheck => ({ name: 'clock', ok, isVital: false, detail });
  const state = clock.judge();
  switch (state.kind) {
    case 'right':
      return report(true, 'within a day of GitHub');
    case 'unknown':
      return report(true, 'not compared with GitHub yet: nothing is erased by age before');
    case 'wrong':
      return report(
        false,
        `${describeApart(state.aheadMs)}: nothing is erased by age until it is set right (timedatectl set-ntp true)`,
      );
  }
}
