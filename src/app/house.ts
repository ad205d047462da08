// One house: store, queue, source and redaction, opened together and closed in reverse.
import path from 'node:path';
import type { Account } from '../core/account.ts';
import type { AskRoom } from '../core/disk.ts';
import type { Lexicons } from '../core/lexicon.ts';
import type { JobHandler, JobKind, LaneLimits, Queue, Worker } from '../core/queue.ts';
import type { WaitCode } from '../core/reason.ts';
import type { Source } from '../core/source.ts';
import { createSeal } from '../db/seal.ts';
import type { AccountStore, Store } from '../db/store.ts';
import { createGitSource, type GitSourceOptions } from '../git/mirror.ts';
import { type Log, registeredSecrets, registerSecret } from '../log.ts';

import { createRedactor, type Redactor } from '../redact/redactor.ts';
import { createLexicons } from '../search/create-lexicons.ts';
import type { Changes } from '../services/changes.ts';
import type { Investigator } from '../services/investigator.ts';
import { createTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { watchSource } from '../telemetry/watched-ports.ts';
import type { CallbackPolicy } from '../webhooks/callback-policy.ts';
import { createWebhookHandler, type WebhookHandlerOptions } from '../webhooks/deliver-webhook.ts';
import { newSigningSecret } from '../webhooks/sign.ts';
import { openRecords, type Records, type RecordsPlace } from './open-records.ts';
import { createRoom } from './room.ts';
import { runHandler } from './run-handler.ts';
import { VERSION } from './version.ts';

export interface House extends AsyncDisposable {
  readonly store: Store;
  readonly queue: Queue;
  readonly source: Source;
  readonly lexicons: Lexicons;
  readonly redactor: Redactor;
  readonly changes: Changes;
  readonly room: AskRoom;
  readonly account: Account;
  readonly callbackPolicy: CallbackPolicy;
  readonly log: Log;
  readonly now: () => Date;
  readonly telemetry: Telemetry;
  /** Whether this process looks after what only one over a database should. */
  readonly leads: Records['leads'];
  readonly holds: Records['holds'];
  /** See `Records`; what holds is `pausedIn`. */
  readonly isPaused: Records['isPaused'];
}

export interface HouseOptions {
  /** A SQLite file is the caller's own (see `ownRecords`). */
  readonly database: RecordsPlace;
  readonly encryptionKey: Buffer;
  readonly git: GitSourceOptions;
  /** The folder for digests of source. */
  readonly lexicon: string;
  readonly callbackPolicy: CallbackPolicy;
  readonly log: Log;
  readonly now: () => Date;
  /** Absent: the house makes its own. */
  readonly telemetry?: Telemetry;
  /** Ends the wait for the records' server. */
  readonly signal?: AbortSignal;
}

/** The one account of local mode. */
export const LOCAL_LOGIN = 'local';

export async function openHouse(options: HouseOptions): Promise<House> {
  await using opening = new AsyncDisposableStack();
  const { log, now } = options;
  const telemetry = options.telemetry ?? createTelemetry({ version: VERSION, log, now });
  const seal = createSeal(options.encryptionKey);
  const records = opening.use(
    await openRecords({ database: options.database, seal, log, now, signal: options.signal }),
  );
  const { queue, changes, leads, isPaused, holds } = records;
  const store = telemetry.store(records.store);
  const lexicons = opening.use(createLexicons({ folder: options.lexicon, log }));
  const besides = { folder: options.lexicon, forget: (projectId: string) => lexicons.forget(projectId) };
  const git = opening.use(createGitSource({ ...options.git, besides, log }));
  const source = forgettingBoth(watchSource(git), lexicons);
  const redactor = opening.use(createRedactor({ exactValues: registeredSecrets }));
  const account = await openAccount(store, now());
  for (const form of ['hex', 'base64'] as const) registerSecret(options.encryptionKey.toString(form));
  const { callbackPolicy } = options;
  const room = createRoom({ folder: path.dirname(options.git.folder), log, now });
  const opened = opening.move();
  return {
    ...{ store, queue, source, lexicons, redactor, changes, room, account },
    ...{ callbackPolicy, log, now, leads, isPaused, holds, telemetry },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** What was made of a mirror goes with it. */
export function forgettingBoth(source: Source, lexicons: Lexicons): Source {
  return {
    open: (project, signal) => source.open(project, signal),
    forget: async (projectId, signal) => {
      await lexicons.forget(projectId);
      await source.forget(projectId, signal);
    },
  };
}

/**
 * The account of local mode, made at the first start, with its secrets opened and registered: with a wrong key
 * every webhook would fail later. Throws `store_unusable` then.
 */
export async function openAccount(store: AccountStore, now: Date): Promise<Account> {
  const moment = now.toISOString();
  const account = await store.ensureAccount({
    login: LOCAL_LOGIN,
    githubId: null,
    signingSecret: newSigningSecret(),
    now: moment,
  });
  for (const secret of await store.signingSecrets(account.id, moment)) registerSecret(secret);
  return account;
}

/** A run that waits: for the model, for its source or for disk space. */
export interface Wait {
  readonly runId: string;
  readonly until: Date;
  readonly code: WaitCode;
  /** For the operator alone. */
  readonly detail: string;
}

/** Work of a kind besides the house's own. */
interface Lane {
  readonly handler: JobHandler;
  readonly limits: LaneLimits;
}

export interface WorkLimits extends Pick<WebhookHandlerOptions, 'mayBeTold'> {
  /** Investigations at a time in this process. */
  readonly concurrency: number;
  readonly investigationTimeoutMs: number;
  readonly investigator: Investigator | null;
  /** While it says so nothing is asked or posted. */
  readonly paused?: () => boolean;
  /** Whether an investigation waits where the disk is full, instead of failing. True unless said otherwise. */
  readonly waitsForSpace?: boolean;
  /** Called when an investigation has to wait. */
  readonly onWait?: (wait: Wait) => void;
  /** Learns what only the operator should know of a run that was cut short or gave up; it is in the log in any case. */
  readonly onTrouble?: (text: string) => void;
  readonly lanes?: Readonly<Partial<Record<JobKind, Lane>>>;
}

/** Two investigations of one project, and two webhooks to one receiver, at a time: nobody can hold up the others. */
const PER_GROUP = 2;
const WEBHOOKS_AT_ONCE = 16;

/** Takes work until disposed; what runs then is handed back and taken up at the next start. */
export function startWork(house: House, limits: WorkLimits): Worker {
  const { log, now, store } = house;
  const webhook = createWebhookHandler({
    ...{ store, policy: house.callbackPolicy, log, now },
    random: Math.random,
    version: VERSION,
    mayBeTold: limits.mayBeTold,
  });
  const lanes: Readonly<Partial<Record<JobKind, Lane>>> = {
    run: { handler: runHandler(house, limits), limits: { concurrency: limits.concurrency, perGroup: PER_GROUP } },
    webhook: { handler: webhook, limits: { concurrency: WEBHOOKS_AT_ONCE, perGroup: PER_GROUP } },
    ...limits.lanes,
  };
  const each = Object.entries(lanes);
  return house.queue.work(
    Object.fromEntries(each.map(([kind, { handler }]) => [kind, house.telemetry.handler(handler)])),
    Object.fromEntries(each.map(([kind, lane]) => [kind, lane.limits])),
  );
}
