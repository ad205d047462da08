// One house: store, queue, source and redaction, opened together and closed in reverse.
import type { CallbackPolicy } from '../callback/callback-policy.ts';
import { createWebhookHandler } from '../callback/deliver-webhook.ts';
import { newSigningSecret } from '../callback/sign.ts';
import type { Account } from '../domain/account.ts';
import { createGitSource, type GitSourceOptions } from '../git/mirror.ts';
import { type Changes, createChanges } from '../jobs/changes.ts';
import type { Investigator } from '../jobs/investigator.ts';
import { createRunHandler } from '../jobs/run-investigation.ts';
import { type Log, registeredSecrets, registerSecret } from '../log.ts';
import type { Queue, Worker } from '../ports/queue.ts';
import type { Source } from '../ports/source.ts';
import type { AccountStore, Store } from '../ports/store.ts';
import { createEmbeddedQueue } from '../queue/embedded-queue.ts';
import { createJobTable } from '../queue/job-table.ts';
import { createRedactor, type Redactor } from '../redact/redactor.ts';
import { openSqliteStore } from '../store/open-sqlite.ts';
import { createSeal } from '../store/seal.ts';
import { VERSION } from './version.ts';

export interface House extends AsyncDisposable {
  readonly store: Store;
  readonly queue: Queue;
  readonly source: Source;
  readonly redactor: Redactor;
  readonly changes: Changes;
  readonly account: Account;
  readonly callbackPolicy: CallbackPolicy;
  readonly log: Log;
  readonly now: () => Date;
}

export interface HouseOptions {
  /** The SQLite file, or `:memory:`. The caller owns it (see store/single-owner.ts). */
  readonly database: string;
  readonly encryptionKey: Buffer;
  readonly git: GitSourceOptions;
  readonly callbackPolicy: CallbackPolicy;
  readonly log: Log;
  readonly now: () => Date;
}

/** The one account of local mode. */
export const LOCAL_LOGIN = 'local';

export async function openHouse(options: HouseOptions): Promise<House> {
  await using opening = new AsyncDisposableStack();
  const { log, now } = options;
  const jobs = createJobTable();
  const seal = createSeal(options.encryptionKey);
  const store = opening.use(await openSqliteStore({ file: options.database, seal, enqueuer: jobs }));
  const source = opening.use(createGitSource(options.git));
  const redactor = opening.use(createRedactor({ exactValues: registeredSecrets }));
  const queue = createEmbeddedQueue({ database: store.database, jobs, log, now, recovery: 'sole-owner' });
  const account = await openAccount(store, now());
  for (const form of ['hex', 'base64'] as const) registerSecret(options.encryptionKey.toString(form));
  const { callbackPolicy } = options;
  const opened = opening.move();
  return {
    ...{ store, queue, source, redactor, changes: createChanges(), account, callbackPolicy, log, now },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
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
    signingSecret: newSigningSecret(),
    now: moment,
  });
  for (const secret of await store.signingSecrets(account.id, moment)) registerSecret(secret);
  return account;
}

export interface WorkLimits {
  /** Investigations at a time in this process. */
  readonly concurrency: number;
  readonly investigationTimeoutMs: number;
  readonly investigator: Investigator | null;
  /** Told when an investigation waits for the model. */
  readonly onWait?: (wait: { readonly until: Date; readonly reason: string }) => void;
}

/** Two investigations of one project, and two webhooks to one receiver, at a time: nobody can hold up the others. */
const PER_GROUP = 2;
const WEBHOOKS_AT_ONCE = 16;

/** Takes work until disposed; what runs then is handed back and taken up at the next start. */
export function startWork(house: House, limits: WorkLimits): Worker {
  const { log, now, store } = house;
  return house.queue.work(
    {
      run: createRunHandler({
        ...house,
        timeoutMs: limits.investigationTimeoutMs,
        investigator: limits.investigator,
        onWait: limits.onWait ?? (() => {}),
      }),
      webhook: createWebhookHandler({
        store,
        policy: house.callbackPolicy,
        log,
        now,
        random: Math.random,
        version: VERSION,
      }),
    },
    {
      run: { concurrency: limits.concurrency, perGroup: PER_GROUP },
      webhook: { concurrency: WEBHOOKS_AT_ONCE, perGroup: PER_GROUP },
    },
  );
}
