// Signed deliveries at a steady rate, as GitHub sends them: each on a connection of its own, at its moment, whatever was answered before.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { App } from '../github-double/state.ts';
import { reportBug, SHOP_NAME } from '../support/github-shop.ts';
import type { GithubStage } from '../support/github-stage.ts';
import type { Sending, Sent } from './delivery-sender.ts';

/** Sent before anything is measured: compilation and the first pages of the database are nobody's question here. */
export const WARM_UP = 400;

const SENDER = path.join(import.meta.dirname, 'delivery-sender.ts');
const MEMORY_EVERY_MS = 1_000;

export interface Plan {
  /** A second. */
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

export interface Streamed extends Sent {
  /** MiB. */
  readonly before: number | null;
  readonly most: number | null;
  /** Milliseconds of processor time for each. */
  readonly processor: number;
}

/** One real comment; each delivery has it under a number of its own. */
export async function letterOf(stage: GithubStage): Promise<Letter> {
  const number = await reportBug(stage.double);
  stage.double.people.comment(SHOP_NAME, number, { by: 'ola', body: 'It happens to me as well.' });
  await stage.rest();
  const latest = stage.sender.deliveries(stage.double.app.id).find(({ event }) => event === 'issue_comment');
  return latest?.request.payload as Letter;
}

export type Letter = Sending['payload'];

export interface Source {
  readonly app: App;
  readonly letter: Letter;
  readonly plan: Plan;
}

export async function streamedTo(target: Target, { app, letter, plan }: Source): Promise<Streamed> {
  const sender = fork(SENDER, { execArgv: [] });
  const { url } = target;
  const { id, webhookSecret } = app;
  // No number twice, however often this is called.
  const firstId = Date.now() * 1_000;
  const sending: Sending = { url, app: { id, webhookSecret }, payload: letter, firstId, warmUp: WARM_UP, plan };
  sender.send(sending);
  await heard(sender);
  const before = await target.memory();
  const processorBefore = await target.processor();
  let most = before;
  const look = setInterval(async () => {
    most = Math.max(most ?? 0, (await target.memory()) ?? 0);
  }, MEMORY_EVERY_MS);
  try {
    sender.send('go');
    const sent = (await heard(sender)) as Sent;
    const processor = ((await target.processor()) ?? 0) - (processorBefore ?? 0);
    return { ...sent, before, most, processor: processor / sent.took.length };
  } finally {
    clearInterval(look);
    sender.kill();
  }
}

async function heard(sender: ChildProcess): Promise<unknown> {
  const ended = once(sender, 'exit').then(() => Promise.reject(new Error('the process that sends has ended')));
  ended.catch(() => undefined);
  const [said] = await Promise.race([once(sender, 'message'), ended]);
  return said;
}
