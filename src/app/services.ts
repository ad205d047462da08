// What every mode of the service uses: store, queue, source, redaction and metrics, opened together and closed in
// reverse.
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Model } from 'causeway-models';
import { computeCost } from 'causeway-models';
import { createRedactor, type Redactor } from 'causeway-redact';
import manifest from '../../package.json' with { type: 'json' };
import { type Account, createSigningSecret } from '../core/account/index.ts';
import type { FindShortage, Shortage } from '../core/disk.ts';
import type { JobHandler, JobKind, Worker } from '../core/queue.ts';
import type { Lexicons, Source } from '../core/source/index.ts';
import { type AccountStore, createSeal } from '../db/index.ts';
import { getBookedPrices } from '../investigate/index.ts';
import { type Log, listRegisteredSecrets, registerSecret } from '../log.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import type { Lane } from '../queue/index.ts';
import { createLexicons } from '../search/index.ts';
import {
  type CheckReader,
  type ContextAccess,
  createCheckReader,
  createPausableModel,
  createRunHandler,
  type Investigator,
  type Wait,
} from '../services/index.ts';
import { traceSource } from '../tracing.ts';
import { type CallbackPolicy, createWebhookHandler, type WebhookHandlerOptions } from '../webhooks/index.ts';
import { openSource, type SourceOptions } from './git-source.ts';
import { openRecords, type Records, type RecordsPlace } from './records.ts';

/** As package.json says it. */
export const VERSION: string = manifest.version;
export const USER_AGENT = `causeway/${VERSION}`;

/** The one account of local mode. */
export const LOCAL_LOGIN = 'local';

export interface Services extends Records {
  readonly source: Source;
  readonly lexicons: Lexicons;
  readonly redactor: Redactor;
  readonly reader: CheckReader;
  readonly room: FindShortage;
  readonly account: Account;
  readonly callbackPolicy: CallbackPolicy;
  readonly log: Log;
  readonly now: () => Date;
  readonly metrics: Metrics;
}

export interface ServicesOptions {
  /** A SQLite file is the caller's own (see `ownRecords`). */
  readonly database: RecordsPlace;
  readonly encryptionKey: Buffer;
  readonly git: SourceOptions;
  /** The folder for indexes of source. */
  readonly lexicon: string;
  readonly callbackPolicy: CallbackPolicy;
  readonly log: Log;
  readonly now: () => Date;
  /** Absent: new ones. */
  readonly metrics?: Metrics | undefined;
  /** Ends the wait for the records' server. */
  readonly signal?: AbortSignal | undefined;
}

export async function openServices(options: ServicesOptions): Promise<Services> {
  const { log, now, callbackPolicy, database, signal } = options;
  await using opening = new AsyncDisposableStack();
  const metrics = options.metrics ?? createMetrics({ log, now });
  const seal = createSeal(options.encryptionKey);
  const records = opening.use(await openRecords({ database, seal, log, now, signal }));
  const store = metrics.countStore(records.store);
  const lexicons = opening.use(createLexicons({ folder: options.lexicon, log }));
  const besides = { folder: options.lexicon, forget: (projectId: string) => lexicons.forget(projectId) };
  const git = opening.use(openSource({ ...options.git, besides, log }));
  const source = forgetWithLexicons(traceSource(git), lexicons);
  const redactor = opening.use(createRedactor({ exactValues: listRegisteredSecrets }));
  const reader = opening.use(createCheckReader());
  const account = await openAccount(store, now());
  for (const form of ['hex', 'base64'] as const) registerSecret(options.encryptionKey.toString(form));
  const room = createRoom({ folder: path.dirname(options.git.folder), log, now });
  const opened = opening.move();
  return {
    ...records,
    store,
    source,
    lexicons,
    redactor,
    reader,
    room,
    account,
    callbackPolicy,
    log,
    now,
    metrics,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** What was made of a mirror goes with it. */
export function forgetWithLexicons(source: Source, lexicons: Lexicons): Source {
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
    signingSecret: createSigningSecret(),
    now: moment,
  });
  for (const secret of await store.listSigningSecrets(account.id, moment)) registerSecret(secret);
  return account;
}

export type Lanes = Readonly<Partial<Record<JobKind, Lane>>>;

export interface WorkOptions {
  /** Investigations at a time in this process. */
  readonly concurrency: number;
  readonly investigationTimeoutMs: number;
  readonly investigator: Investigator | null;
  /** Null or absent: only the project's own repository is read. */
  readonly context?: ContextAccess | null;
  /** Whether an investigation waits where the disk is full, instead of failing. True unless said otherwise. */
  readonly waitsForSpace?: boolean;
  /** Called when an investigation has to wait. */
  readonly onWait?: (wait: Wait) => void;
  /**
   * Receives what only the operator should know of a run that was cut short or gave up; it is in the log in any case.
   */
  readonly onTrouble?: (text: string) => void;
  /** Whether an account may (still) see what its webhook reports; absent: always. */
  readonly canStillSee?: WebhookHandlerOptions['canStillSee'];
  /** What messages to channels of people link. */
  readonly pages?: Pick<WebhookHandlerOptions, 'accountArea' | 'githubUrl'>;
  /** Work of other kinds. */
  readonly lanes?: Lanes;
}

const RUNS_PER_PROJECT = 2;
/** Receivers of one account may all hang for 15 s; others keep most of the slots. */
const WEBHOOKS_PER_ACCOUNT = 4;
const WEBHOOKS_AT_ONCE = 16;

/** Runs jobs until disposed; unfinished ones continue at the next start. */
export function startWork(services: Services, options: WorkOptions): Worker {
  const { log, now, store, queue, metrics, callbackPolicy: policy } = services;
  const { canStillSee, pages, concurrency } = options;
  const sending = { store, policy, log, now, random: Math.random, version: VERSION };
  const webhook = createWebhookHandler({ ...sending, ...pages, canStillSee });
  const lanes: Lanes = {
    run: { handler: handleRuns(services, options), limits: { concurrency, perGroup: RUNS_PER_PROJECT } },
    webhook: { handler: webhook, limits: { concurrency: WEBHOOKS_AT_ONCE, perGroup: WEBHOOKS_PER_ACCOUNT } },
    ...options.lanes,
  };
  const each = Object.entries(lanes);
  return queue.work(
    Object.fromEntries(each.map(([kind, { handler }]) => [kind, metrics.countHandler(handler)])),
    Object.fromEntries(each.map(([kind, { limits }]) => [kind, limits])),
  );
}

/** Runs, with their model counted, and held while the operator pauses. */
function handleRuns(services: Services, options: WorkOptions): JobHandler {
  const { metrics } = services;
  const { investigationTimeoutMs: timeoutMs, waitsForSpace = true, context = null, onWait, onTrouble } = options;
  const prepareModel = (model: Model) => {
    const counted = metrics.countModel(model, (usage) => computeCost(usage, getBookedPrices(model.prices)));
    return createPausableModel(counted, services);
  };
  const investigator = options.investigator && {
    ...options.investigator,
    model: prepareModel(options.investigator.model),
    others: (options.investigator.others ?? []).map(prepareModel),
    ...(options.investigator.second && { second: prepareModel(options.investigator.second) }),
  };
  const { readReport } = services.reader;
  return createRunHandler({
    ...services,
    readReport,
    timeoutMs,
    investigator,
    context,
    waitsForSpace,
    onWait,
    onTrouble,
  });
}

/**
 * With less, a fetch or a commit can fail at any moment. `/readyz`, the API, the worker and `doctor` share this limit.
 */
export const REQUIRED_BYTES = 100 * 1024 * 1024;
/** One account may submit 60 MiB a minute, so the required space cannot fill up within this time. */
const DISK_CHECKED_EVERY_MS = 2_000;

interface RoomOptions {
  readonly folder: string;
  readonly log: Log;
  readonly now: () => Date;
  /** Bytes that are free; by default from the system. */
  readonly read?: (folder: string) => Promise<number>;
}

/**
 * Checks the disk at most every 2 s. Where it cannot be read it counts as having space: the store then reports what is
 * wrong.
 */
export function createRoom({ folder, log, now, read = readFreeBytes }: RoomOptions): FindShortage {
  let found: Promise<Shortage | null> | null = null;
  let wasShort = false;
  let checkedAt = 0;
  const check = async (): Promise<Shortage | null> => {
    const free = await read(folder).catch(() => null);
    if (free === null) return null;
    const shortage = findShortage(free);
    if (shortage !== null && !wasShort) {
      log.error(shortage, 'no space left on the disk of DATA_DIR: reports are refused and investigations wait');
    }
    if (shortage === null && wasShort) log.info({ free }, 'the disk of DATA_DIR has space again: work resumes');
    wasShort = shortage !== null;
    return shortage;
  };
  return () => {
    const at = now().getTime();
    if (found === null || Math.abs(at - checkedAt) >= DISK_CHECKED_EVERY_MS) {
      checkedAt = at;
      found = check();
    }
    return found;
  };
}

/** Null where that is enough. */
export function findShortage(free: number): Shortage | null {
  return free < REQUIRED_BYTES ? { free, required: REQUIRED_BYTES } : null;
}

/** Bytes that this user may still write to the disk of the folder. */
export async function readFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
