// Erasing an investigation with its Issue, a project with everything of its own, or a person.
import type { HeadPlace, HeadRecord } from '../core/check/index.ts';
import { NOBODY } from '../core/project/index.ts';
import type { CommandReply, ThreadRecord } from '../core/thread/index.ts';
import { OPERATOR, toGithubActor, writeAudit } from './audit.ts';
import type { Database, Enqueuer } from './database.ts';
import { eraseForeignProofs, erasePersonFromProofs } from './foreign-proofs.ts';
import { erasePersonFromPlace, toHeadRecordColumns } from './heads.ts';
import { erasePersonFromKnown } from './known-issues.ts';
import { eraseVotes, removeLooks } from './outcomes.ts';
import { erasePersonFromOverrides } from './overrides.ts';
import { erasePersonFromPutBacks } from './put-backs.ts';
import type { Trx } from './schema.ts';
import { enqueueUpdates, readRequester, removeRequester, toRecordColumns, toThread } from './threads.ts';

/** In numbers; the contents are gone. */
export interface ErasedAccount {
  readonly sessions: number;
  readonly tokens: number;
  /** Webhooks of theirs, with their addresses. */
  readonly webhooks: number;
  /** Threads and heads that named them, their votes on answers, what they tied to issues, and what they said of failures. */
  readonly mentions: number;
  /** Investigations that they started. These stay with their project, without the person and their instructions. */
  readonly kept: number;
}

const COUNTED = ['investigations', 'issues', 'threads', 'heads', 'failures'] as const;

export interface ErasedProject extends Readonly<Record<(typeof COUNTED)[number], number>> {
  readonly id: string;
}

/** Rows erased per transaction. */
export const BATCH = 200;

export function createErasureVerbs(database: Database) {
  return {
    /**
     * Erases the person with that login (ignoring case) or number on GitHub: sessions, tokens, secrets, webhooks,
     * login, number, instructions, and transcripts of models that read these. By number also a person without an account who is named somewhere. Null: no such
     * person is known.
     */
    async eraseAccount(loginOrNumber: string, now: string): Promise<ErasedAccount | null> {
      const erased = await database.write((trx) => eraseAccount(trx, database.jobs, loginOrNumber, now));
      if (erased !== null) await database.forgetErased();
      return erased;
    },
    /**
     * The project of that id or name, hidden or not, with everything of its own; its running jobs end with
     * `lease_lost`. If it is cut short, the project is hidden, and the same call erases the rest. Null: there is none.
     */
    async eraseProject(idOrName: string, now: string): Promise<ErasedProject | null> {
      const found = await database.write((trx) => hideAndCount(trx, idOrName, now));
      if (found === null) return null;
      const erased = { ids: [found.id], limit: BATCH };
      // Hidden in every batch: GitHub may have listed the repository since the last one.
      await repeatInBatches(database, async (trx) => {
        await hideProject(trx, found.id, now);
        return eraseHeads(trx, database.jobs, erased);
      });
      await repeatInBatches(database, async (trx) => {
        await hideProject(trx, found.id, now);
        const count = await eraseProjects(trx, database.jobs, erased);
        const entry = { at: now, accountId: OPERATOR, verb: 'project.erased_by_operator', subject: found.id } as const;
        if (count < BATCH) await writeAudit(trx, entry);
        return count;
      });
      await database.forgetErased();
      return found;
    },
  };
}

/**
 * `eraseSome` erases up to BATCH and returns how many; it is called until it finds fewer. Returns how many there were.
 */
export async function repeatInBatches(database: Database, eraseSome: (trx: Trx) => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const erased = await database.write(eraseSome);
    total += erased;
    if (erased < BATCH) return total;
  }
}

/**
 * Erases investigations, their Issues (by cascade) and undelivered webhooks, and runs without another investigation.
 */
export async function eraseInvestigations(trx: Trx, jobs: Enqueuer, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await eraseWebhooks(trx, jobs, ids);
  await forgetHeldHeads(trx, ids);
  const issues = await trx.selectFrom('issues').select('id').where('investigation_id', 'in', ids).execute();
  await removeLooks(trx, jobs, 'issue_id', toIds(issues));
  const erased = await trx
    .deleteFrom('investigations')
    .where('id', 'in', ids)
    .returning(['run_id', 'thread_id'])
    .execute();
  const runIds = [...new Set(erased.map((row) => row.run_id))];
  const shared = trx.selectFrom('investigations').select('run_id').where('run_id', 'in', runIds);
  const runs = await trx
    .deleteFrom('runs')
    .where('id', 'in', runIds)
    .where('id', 'not in', shared)
    .returning('id')
    .execute();
  await jobs.remove(trx, 'run', toIds(runs));
  await replaceSameAs(trx, toIds(issues));
  await eraseFromThreads(
    trx,
    erased.map((row) => row.thread_id),
  );
}

function toIds(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}

/** That a webhook was delivered stays on record; its address, which may contain a token, and its attempts do not. */
async function eraseWebhooks(trx: Trx, jobs: Enqueuer, investigationIds: readonly string[]): Promise<void> {
  const rows = await trx
    .updateTable('webhooks')
    .set({ url: '', event: null })
    .where('investigation_id', 'in', investigationIds)
    .returning('id')
    .execute();
  if (rows.length === 0) return;
  await jobs.remove(trx, 'webhook', toIds(rows));
  await trx.deleteFrom('webhook_attempts').where('webhook_id', 'in', toIds(rows)).execute();
  await trx
    .deleteFrom('webhooks')
    .where('investigation_id', 'in', investigationIds)
    .where('state', '!=', 'delivered')
    .execute();
}

/** Before the investigations are deleted. The head's `check-run` job renders what is left. */
async function forgetHeldHeads(trx: Trx, investigationIds: readonly string[]): Promise<void> {
  const heads = await trx
    .selectFrom('heads')
    .select(['id', 'record'])
    .where('is_held', '=', 1)
    .where('id', 'in', (query) =>
      query.selectFrom('findings').select('head_id').where('investigation_id', 'in', investigationIds),
    )
    .execute();
  for (const { id, record } of heads) {
    const stored: HeadRecord = JSON.parse(record);
    await trx
      .updateTable('heads')
      .set(toHeadRecordColumns({ ...stored, held: null }))
      .where('id', '=', id)
      .execute();
  }
}

/** When an Issue is erased, the oldest one with it as `sameAs` takes its place. */
async function replaceSameAs(trx: Trx, erased: readonly string[]): Promise<void> {
  if (erased.length === 0) return;
  const heirs = await trx
    .selectFrom('issues')
    .select((expression) => ['same_as', expression.fn.min('seq').as('seq')])
    .where('same_as', 'in', erased)
    .groupBy('same_as')
    .execute();
  for (const { same_as: gone, seq } of heirs) {
    const heir = trx.updateTable('issues').set({ same_as: null }).where('seq', '=', seq).returning('id');
    const { id } = await heir.executeTakeFirstOrThrow();
    await trx.updateTable('issues').set({ same_as: id }).where('same_as', '=', gone).execute();
  }
}

/** What a person wrote to a thread, and what was made of it, is erased with the thread's own investigation. */
async function eraseFromThreads(trx: Trx, threadIds: readonly (string | null)[]): Promise<void> {
  const ids = [...new Set(threadIds)].filter((id) => id !== null);
  if (ids.length === 0) return;
  const threads = await trx
    .selectFrom('threads')
    .selectAll()
    .where('id', 'in', ids)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('investigations').select('id').whereRef('investigations.id', '=', 'threads.investigation_id'),
        ),
      ),
    )
    .execute();
  for (const row of threads) {
    const { trigger, record } = toThread(row);
    const columns = toRecordColumns({ ...record, withheld: null, held: null });
    await trx
      .updateTable('threads')
      .set({ ...columns, trigger_json: JSON.stringify({ ...trigger, guidance: '' }) })
      .where('id', '=', row.id)
      .execute();
  }
}

/** What is held back may show an erased Issue, whichever of the thread's it was: its job renders it again. */
export async function forgetHeldThread(trx: Trx, threadId: string, now: string): Promise<void> {
  const row = await trx.selectFrom('threads').selectAll().where('id', '=', threadId).executeTakeFirst();
  if (!row) return;
  await trx
    .updateTable('threads')
    .set({ ...toRecordColumns({ ...toThread(row).record, held: null }), changed_at: now })
    .where('id', '=', threadId)
    .execute();
}

interface SomeProjects {
  readonly ids: readonly string[];
  readonly limit: number;
}

/** Erases up to `limit` heads of these projects, with their jobs; returns how many. */
export async function eraseHeads(trx: Trx, jobs: Enqueuer, { ids, limit }: SomeProjects): Promise<number> {
  if (ids.length === 0) return 0;
  const some = await trx.selectFrom('heads').select('id').where('project_id', 'in', ids).limit(limit).execute();
  return await deleteHeads(trx, jobs, toIds(some));
}

/** With their jobs; returns how many. */
export async function deleteHeads(trx: Trx, jobs: Enqueuer, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  await removeLooks(trx, jobs, 'head_id', ids);
  await trx.deleteFrom('heads').where('id', 'in', ids).execute();
  await jobs.remove(trx, 'head', ids);
  await jobs.remove(trx, 'check-run', ids);
  return ids.length;
}

/**
 * Erases up to `limit` investigations of these projects (their heads are already erased), and the projects once fewer
 * are left. Returns how many.
 */
export async function eraseProjects(trx: Trx, jobs: Enqueuer, { ids, limit }: SomeProjects): Promise<number> {
  if (ids.length === 0) return 0;
  const rows = await trx
    .selectFrom('investigations')
    .select('id')
    .where('project_id', 'in', ids)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  await eraseInvestigations(trx, jobs, toIds(rows));
  if (rows.length === limit) return limit;
  await eraseForeignProofs(trx, jobs, { projectIds: ids });
  const threads = await trx.deleteFrom('threads').where('project_id', 'in', ids).returning('id').execute();
  await jobs.remove(trx, 'publish', toIds(threads));
  await jobs.remove(trx, 'backfill', ids);
  const known = await trx.deleteFrom('known_issues').where('project_id', 'in', ids).returning('id').execute();
  await jobs.remove(trx, 'known', toIds(known));
  const putBacks = await trx.deleteFrom('put_backs').where('project_id', 'in', ids).returning('id').execute();
  await jobs.remove(trx, 'put-back', toIds(putBacks));
  const webhooks = await trx.deleteFrom('webhooks').where('project_id', 'in', ids).returning('id').execute();
  await jobs.remove(trx, 'webhook', toIds(webhooks));
  await trx.deleteFrom('projects').where('id', 'in', ids).execute();
  return rows.length;
}

/** Hidden first: nothing new is accepted for it, and a project that is half erased is not shown. */
async function hideAndCount(trx: Trx, idOrName: string, now: string): Promise<ErasedProject | null> {
  const row = await trx
    .selectFrom('projects')
    .select('id')
    .where((or) => or.or([or('id', '=', idOrName), or('name_lower', '=', idOrName.toLowerCase())]))
    .orderBy(({ eb }) => eb('hidden_at', 'is not', null))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return null;
  await hideProject(trx, row.id, now);
  const counts = { investigations: 0, issues: 0, threads: 0, heads: 0, failures: 0 };
  for (const table of COUNTED) {
    const { count } = await trx
      .selectFrom(table)
      .select((expression) => expression.fn.countAll<number>().as('count'))
      .where('project_id', '=', row.id)
      .executeTakeFirstOrThrow();
    counts[table] = Number(count);
  }
  return { id: row.id, ...counts };
}

async function hideProject(trx: Trx, id: string, now: string): Promise<void> {
  const project = trx.updateTable('projects').set({ hidden_at: now }).where('id', '=', id);
  await project.where('hidden_at', 'is', null).execute();
}

/** The login of an erased person, which GitHub does not allow. */
const NO_NAME = '(erased)';

async function eraseAccount(
  trx: Trx,
  jobs: Enqueuer,
  loginOrNumber: string,
  now: string,
): Promise<ErasedAccount | null> {
  const { accountId, githubId } = await findPersonToErase(trx, loginOrNumber);
  const who = accountId ?? OPERATOR;
  let mentions = 0;
  let entries = 0;
  if (githubId !== null) {
    const threads = await erasePersonFromThreads(trx, githubId);
    await enqueueUpdates(trx, jobs, threads, { runAt: now });
    mentions =
      threads.length +
      (await erasePersonFromHeads(trx, githubId)) +
      (await eraseVotes(trx, githubId)) +
      (await erasePersonFromKnown(trx, jobs, githubId, now)) +
      (await erasePersonFromPutBacks(trx, jobs, githubId, now)) +
      (await erasePersonFromProofs(trx, githubId));
    mentions += await erasePersonFromOverrides(trx, jobs, githubId, now);
    const actor = toGithubActor({ id: githubId });
    const audit = trx.updateTable('audit').set({ account_id: who }).where('account_id', '=', actor);
    entries = (await audit.returning('seq').execute()).length;
  }
  if (accountId === null && mentions + entries === 0) return null;
  const erased = accountId === null ? NOTHING : await eraseOwnRows(trx, jobs, accountId);
  await writeAudit(trx, { at: now, accountId: who, verb: 'account.erased_by_operator', subject: who });
  return { ...erased, mentions };
}

const NOTHING = { sessions: 0, tokens: 0, webhooks: 0, kept: 0 } as const;

/** A login may consist of digits: it is preferred to a number. */
async function findPersonToErase(
  trx: Trx,
  loginOrNumber: string,
): Promise<{ readonly accountId: string | null; readonly githubId: number | null }> {
  const login = loginOrNumber.toLowerCase();
  const number = /^\d{1,15}$/.test(login) ? Number(login) : null;
  const rows = await trx
    .selectFrom('accounts')
    .select(['id', 'login_lower', 'github_id'])
    .where((or) => or.or([or('login_lower', '=', login), or('github_id', '=', number)]))
    .where('login', '!=', NO_NAME)
    .execute();
  const row = rows.find((one) => one.login_lower === login) ?? rows[0];
  return row ? { accountId: row.id, githubId: row.github_id } : { accountId: null, githubId: number };
}

async function eraseOwnRows(trx: Trx, jobs: Enqueuer, id: string): Promise<Omit<ErasedAccount, 'mentions'>> {
  const sessions = await trx.deleteFrom('sessions').where('account_id', '=', id).returning('id').execute();
  const tokens = await trx.deleteFrom('tokens').where('account_id', '=', id).returning('id').execute();
  for (const table of ['sign_in_codes', 'signing_secrets', 'idempotency_keys', 'subscriptions'] as const) {
    await trx.deleteFrom(table).where('account_id', '=', id).execute();
  }
  const webhooks = await trx.deleteFrom('webhooks').where('account_id', '=', id).returning('id').execute();
  await jobs.remove(trx, 'webhook', toIds(webhooks));
  const investigations = await trx
    .updateTable('investigations')
    .set({ callback_url: '', guidance: '' })
    .where('account_id', '=', id)
    .returning('id')
    .execute();
  const runs = await trx.selectFrom('runs').select('id').where('account_id', '=', id).execute();
  // Models read this person's instructions. A run in progress still needs its transcript, and loses it at its end.
  const ended = trx.selectFrom('runs').select('id').where('account_id', '=', id).where('state', '=', 'ended');
  await trx.deleteFrom('transcript_entries').where('run_id', 'in', ended).execute();
  // A run may outlive the investigation of the account that started it.
  const kept = Math.max(investigations.length, runs.length);
  if (kept === 0) await trx.deleteFrom('accounts').where('id', '=', id).execute();
  else {
    const nobody = { login: NO_NAME, login_lower: `${NO_NAME} ${id}`, github_id: null };
    await trx.updateTable('accounts').set(nobody).where('id', '=', id).execute();
  }
  return { sessions: sessions.length, tokens: tokens.length, webhooks: webhooks.length, kept };
}

/** Whether the person whose reports the run is about was erased. */
export async function hasErasedCaller(trx: Trx, runId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('runs')
    .innerJoin('accounts', 'accounts.id', 'runs.account_id')
    .select('runs.id')
    .where('runs.id', '=', runId)
    .where('accounts.login', '=', NO_NAME)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the ids of the threads that named the person; their jobs publish them without the name. */
async function erasePersonFromThreads(trx: Trx, id: number): Promise<readonly string[]> {
  const named = `%"id":${id},%`;
  const rows = await trx
    .selectFrom('threads')
    .selectAll()
    .where(({ or, eb }) =>
      or([
        eb('trigger_json', 'like', named),
        eb('fix_request', 'like', named),
        eb('record', 'like', named),
        eb('record', 'like', `%"request":"${id} %`),
      ]),
    )
    .execute();
  const changed: string[] = [];
  for (const row of rows) {
    const { trigger, fixRequest, record } = toThread(row);
    const { withheld, pullRequest, reply } = record;
    const isTrigger = trigger.by.id === id;
    const isRequest = fixRequest?.id === id;
    const isRefused = withheld !== null && readRequester(record) === id;
    const isRequester = pullRequest?.requestedBy?.id === id;
    const isAnswered = reply?.to?.id === id;
    // Otherwise another number looked like theirs.
    if (!isTrigger && !isRequest && !isRefused && !isRequester && !isAnswered) continue;
    const columns = toRecordColumns({
      ...record,
      withheld: isRefused ? { ...withheld, request: '' } : withheld,
      pullRequest: isRequester ? removeRequester(pullRequest) : pullRequest,
      ...(isAnswered && forgetReply(record, reply)),
    });
    await trx
      .updateTable('threads')
      .set({
        ...columns,
        ...(isTrigger && { trigger_json: JSON.stringify({ ...trigger, by: NOBODY, guidance: '' }) }),
        ...(isRequest && { fix_request: null }),
      })
      .where('id', '=', row.id)
      .execute();
    changed.push(row.id);
  }
  return changed;
}

/** It is written once more, without the name. */
function forgetReply({ comment }: ThreadRecord, { why, at }: CommandReply): Partial<ThreadRecord> {
  if (comment === null) return { reply: { why, at } };
  const { replied: _, ...unanswered } = comment;
  return { reply: { why, at }, comment: unanswered };
}

/** Returns how many heads named the person. */
async function erasePersonFromHeads(trx: Trx, id: number): Promise<number> {
  const rows = await trx.selectFrom('heads').select(['id', 'place']).where('place', 'like', `%"id":${id},%`).execute();
  let count = 0;
  for (const row of rows) {
    const place: HeadPlace = JSON.parse(row.place ?? 'null');
    const person = place.kind === 'default' ? place.pushedBy : place.kind === 'pull_request' ? place.author : null;
    if (person?.id !== id) continue;
    const erased = JSON.stringify(erasePersonFromPlace(place));
    await trx.updateTable('heads').set({ place: erased }).where('id', '=', row.id).execute();
    count += 1;
  }
  return count;
}
