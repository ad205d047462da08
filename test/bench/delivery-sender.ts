// Sends a stream of deliveries from a process of its own: what the one that plays GitHub does beside would count as the service's time.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { post, type Signing, signedHeaders } from '../github-double/webhooks/post.ts';
import type { Plan } from './delivery-stream.ts';

/** What the process is told first; then, once it said that it has warmed up, anything: the clock begins. */
export interface Sending {
  readonly url: string;
  readonly app: Signing;
  /** Of each delivery, but for its comment's number. */
  readonly payload: { readonly comment: object };
  readonly firstId: number;
  readonly warmUp: number;
  readonly plan: Plan;
}

export interface Sent {
  /** Milliseconds from the moment that a delivery was due to its whole answer, in order of size. */
  readonly took: readonly number[];
  readonly accepted: number;
  readonly seconds: number;
}

type One = (due: number) => Promise<{ readonly isAccepted: boolean; readonly took: number }>;

function senderOf({ url, app, payload, firstId }: Sending): One {
  let id = firstId;
  return async (due) => {
    const body = JSON.stringify({ ...payload, comment: { ...payload.comment, id: id++ } });
    const headers = signedHeaders(app, { guid: randomUUID(), event: 'issue_comment', body });
    const { statusCode } = await post(url, headers, body, new AbortController().signal);
    return { isAccepted: statusCode >= 200 && statusCode < 300, took: performance.now() - due };
  };
}

async function warmUp(send: One, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 8) {
    const all = await Promise.all(Array.from({ length: 8 }, () => send(performance.now())));
    if (!all.every(({ isAccepted }) => isAccepted))
      throw new Error('a delivery was not accepted before the clock began');
  }
}

/** At the moments that the rate says, whatever has been answered: a slow answer makes no other one come later. */
async function streamed(send: One, { rate, seconds }: Plan): Promise<Sent> {
  const begun = performance.now();
  const answers: ReturnType<One>[] = [];
  for (let index = 0; index < rate * seconds; index++) {
    const due = begun + (index * 1_000) / rate;
    if (due > performance.now()) await wait(due - performance.now());
    answers.push(send(due));
  }
  const ended = await Promise.all(answers);
  return {
    took: ended.map((one) => one.took).toSorted((one, other) => one - other),
    accepted: ended.filter(({ isAccepted }) => isAccepted).length,
    seconds: (performance.now() - begun) / 1_000,
  };
}

if (process.argv[1] === import.meta.filename) {
  const [sending] = (await once(process, 'message')) as [Sending];
  const send = senderOf(sending);
  await warmUp(send, sending.warmUp);
  process.send?.('warm');
  await once(process, 'message');
  process.send?.(await streamed(send, sending.plan));
  process.disconnect();
}
