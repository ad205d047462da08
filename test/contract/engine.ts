// What a database engine must offer so that the contract of store and queue can be run over it.
import type { GithubProject } from '../../src/core/project/project.ts';
import type { NewJob, Queue } from '../../src/core/queue.ts';
import type { Store } from '../../src/db/store.ts';
import { type Ground, githubGround, ground } from '../support/store-samples.ts';

export interface Engine {
  readonly name: string;
  /** Whether several processes may work on one database. */
  readonly isShared: boolean;
  /** How many Issues of a project are many, and made in a few seconds. */
  readonly many: number;
  /** A new, empty database. */
  place(): Promise<Place>;
}

/** A database; disposing removes it. */
export interface Place extends AsyncDisposable {
  open(): Promise<Opened>;
}

/** A store on a place, with the queue's side of it. Several may be open on one place. */
export interface Opened extends AsyncDisposable {
  readonly store: Store;
  enqueue(...jobs: readonly NewJob[]): Promise<void>;
  /** Enqueues the jobs in a transaction that then fails. */
  enqueueAndFail(...jobs: readonly NewJob[]): Promise<void>;
  /** All jobs that stand in the queue, whatever their state, the oldest first. */
  jobs(): Promise<readonly NewJob[]>;
  /** As if the process had ended so many times while that job of `enqueue` ran. */
  endedIn(subject: string, times: number): Promise<void>;
  queue(options: QueueOptions): Queue;
  /** The audit log, the oldest entry first. */
  audit(): Promise<readonly { readonly verb: string; readonly subject: string }[]>;
  /** How deliveries ended, in the order of their ids. */
  deliveryEnds(): Promise<readonly { readonly id: string; readonly state: string; readonly detail: string }[]>;
  /** Writes Issues straight into the tables. Returns their ids, the oldest first. */
  manyIssues(projectId: string, accountId: string, count: number): Promise<readonly string[]>;
  /** Names of the tables with that text in any of their rows, as it is written in JSON. */
  tablesHolding(text: string): Promise<readonly string[]>;
  /** Rows of every table that holds anything of an investigation, its run, Issue and webhooks, of checks, or of who is signed in. */
  recordCounts(): Promise<Readonly<Record<string, number>>>;
}

interface QueueOptions {
  readonly now?: () => Date;
  readonly pollMs?: number;
  readonly stopMs?: number;
  readonly suspectMs?: number;
  readonly backoffMs?: readonly [number, number];
}

/** A store on a new, empty database; disposing closes it and removes the database. */
export async function openNew(engine: Engine): Promise<Opened> {
  await using opening = new AsyncDisposableStack();
  const place = opening.use(await engine.place());
  const opened = opening.use(await place.open());
  const both = opening.move();
  return { ...opened, [Symbol.asyncDispose]: () => both.disposeAsync() };
}

type OnGround<G> = Opened & G & { readonly base: G };

/** The same with an account and a project of local mode. */
export async function openLocal(engine: Engine): Promise<OnGround<Ground>> {
  const opened = await openNew(engine);
  const base = await ground(opened.store);
  return { ...opened, ...base, base };
}

/** The same with an account, an installation and its repository on GitHub. */
export async function openGithub(engine: Engine): Promise<OnGround<Ground & { readonly project: GithubProject }>> {
  const opened = await openNew(engine);
  const base = await githubGround(opened.store);
  return { ...opened, ...base, base };
}
