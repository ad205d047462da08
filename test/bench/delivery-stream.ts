// Signed deliveries at a steady rate, as GitHub sends them: each on a connection of its own, at its moment, whatever was answered before.
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { App } from '../github-double/state.ts';
import { post, signedHeaders } from '../github-double/webhooks/post.ts';
import { reportBug, SHOP_NAME } from '../support/github-shop.ts';
import type { GithubStage } from '../support/github-stage.ts';

/** Sent before anything is measured: compilation and the first pages of the database are nobody's question here. */
export const WARM_UP = 400;

export interface Plan {
  readonly rate: number;
  readonly seconds: number;
}

/** Where deliveries go, and what that takes there. */
export interface Target {
  readonly name: string;
  readonly url: string;
  memory(): Promise<number | null>;
  processor(): Promise<number | null>;
}

export interface Streamed {
  /** Milliseconds from the moment that a delivery was due to its whole answer, in order of size. */
  readonly took: readonly number[];
  readonly accepted: number;
  readonly seconds: number;
  /** MiB. */
  readonly before: number | null;
  readonly most: number | null;
  /** Milliseconds of processor time for each. */
  readonly processor: number;
}

/** Bodies of one real comment, each under a number of its own. */
export async function letters(stage: GithubStage): Promise<() => string> {
  const number = await reportBug(stage.double);
  stage.double.people.comment(SHOP_NAME, number, { by: 'ola', body: 'It happens to me as well.' });
  await stage.rest();
  const latest = stage.sender.deliveries(stage.double.app.id).find(({ event }) => event === 'issue_comment');
  const payload = latest?.request.payload as { readonly comment: object };
  return () => JSON.stringify({ ...payload, comment: { ...payload.comment, id: stage.double.state.nextId() } });
}

export interface Source {
  readonly app: App;
  readonly letter: () => string;
  readonly plan: Plan;
}

/** Sends at the moments that the rate says, whatever has been answered: a slow answer makes no other one come later. */
export async function streamedTo(target: Target, { app, letter, plan }: Source): Promise<Streamed> {
  const send = async (due: number) => {
    const body = letter();
    const headers = signedHeaders(app, { guid: randomUUID(), event: 'issue_comment', body });
    const { statusCode } = await post(target.url, headers, body, new AbortController().signal);
    return { isAccepted: statusCode >= 200 && statusCode < 300, took: performance.now() - due };
  };
  for (let sent = 0; sent < WARM_UP; sent += 8) {
    const all = await Promise.all(Array.from({ length: 8 }, () => send(performance.now())));
    if (!all.every(({ isAccepted }) => isAccepted))
      throw new Error('a delivery was not accepted before the clock began');
  }
  const before = await target.memory();
  let most = before;
  const processorBefore = await target.processor();
  const begun = performance.now();
  const answers: Promise<Awaited<ReturnType<typeof send>>>[] = [];
  for (let index = 0; index < plan.rate * plan.seconds; index++) {
    const due = begun + (index * 1_000) / plan.rate;
    if (due > performance.now()) await wait(due - performance.now());
    answers.push(send(due));
    if (index % plan.rate === 0) most = Math.max(most ?? 0, (await target.memory()) ?? 0);
  }
  const ended = await Promise.all(answers);
  const seconds = (performance.now() - begun) / 1_000;
  const took = ended.map((one) => one.took).toSorted((one, other) => one - other);
  const processor = ((await target.processor()) ?? 0) - (processorBefore ?? 0);
  const accepted = ended.filter(({ isAccepted }) => isAccepted).length;
  return { took, accepted, seconds, before, most, processor: processor / ended.length };
}
