// A look at what other processes may have changed: when they tell, and every two seconds, since a word may get lost.
import type { Notices, Topic } from '../db/postgres-notices.ts';

const LOOK_MS = 2_000;

interface RepeatedLook {
  readonly look: () => Promise<void>;
  readonly notices: Pick<Notices, 'on'>;
  readonly topic: Topic;
  readonly onFault: (error: unknown) => void;
}

/** One at a time, however slow the database is. Disposing ends it, and waits for the one that is under way. */
export function lookRepeatedly({ look, notices, topic, onFault }: RepeatedLook): AsyncDisposable {
  let looking: Promise<void> | null = null;
  let isAsked = false;
  const untilQuiet = async () => {
    while (isAsked) {
      isAsked = false;
      await look().catch(onFault);
    }
    looking = null;
  };
  const ask = () => {
    isAsked = true;
    looking ??= untilQuiet();
  };
  const timer = setInterval(() => {
    if (looking === null) ask();
  }, LOOK_MS);
  // What is told during a look may have come too late for it.
  const listening = notices.on(topic, ask);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      listening[Symbol.dispose]();
      isAsked = false;
      await looking;
    },
  };
}
