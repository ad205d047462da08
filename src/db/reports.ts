// Accepting a report: the investigation, its thread, the run that it starts or joins, the job, and the idempotency key.
import { CausewayError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import type { Person } from '../core/project/index.ts';
import { createFailureReason } from '../core/reason.ts';
import type { Report } from '../core/report/index.ts';
import {
  EMPTY_RECORD,
  type FixRequest,
  type Subject,
  type ThreadRecord,
  type Trigger,
  toSubjectKey,
  toTriggerKey,
} from '../core/thread/index.ts';
import { toGithubActor, writeAudit } from './audit.ts';
import type { Database, Enqueuer } from './database.ts';
import { storeCancellation, toSettingsText } from './runs.ts';
import type { Reader, Trx } from './schema.ts';
import { enqueueHeadOfPullRequest, enqueueUpdates, toRecordColumns } from './threads.ts';

interface TriggeredThread {
  /** Of the thread, if it is created. */
  readonly threadId: string;
  readonly subject: Subject;
  readonly trigger: Trigger;
  readonly fixRequest: Person | null;
}

/** How an accepted report belongs to a thread. */
export type ThreadPart =
  /**
   * A person requested it: the thread is created, or its trigger and its request for a pull request are replaced. This
   * investigation becomes the thread's current one; unfinished ones are cancelled in the same transaction. `isSeen`:
   * GitHub already shows the 👀.
   */
  | (TriggeredThread & { readonly kind: 'opens'; readonly isSeen: boolean })
  /**
   * Red checks without a person's request: the thread is created, or gets this trigger; other investigations of it go
   * on. The failure's investigation becomes this one; the thread's own only with `isLead` or if it is gone, since a
   * head may have several causes. A request for a pull request is replaced by another person's only. `headId`: has
   * the head looked at, which links to the investigation.
   */
  | (TriggeredThread & {
      readonly kind: 'found';
      readonly failureId: string;
      readonly isLead: boolean;
      readonly headId?: string | null;
    })
  /** A further attempt on the thread's own pull request: the person's request stays. */
  | { readonly kind: 'follows'; readonly threadId: string };

export interface Acceptance {
  readonly investigationId: string;
  readonly report: Report;
  readonly fingerprint: string;
  /** Same key and body: the same answer. Same key, other body: refused. Keys belong to the account. */
  readonly idempotency: { readonly key: string; readonly bodyHash: string } | null;
  /** Where on GitHub the answer goes; null: nowhere. */
  readonly thread: ThreadPart | null;
  /**
   * Throws `too_many_waiting` if the account has this many unended runs in the project and another would start; absent
   * or null: no limit.
   */
  readonly mostWaiting?: number | null;
  readonly now: string;
}

export type Accepted =
  | {
      readonly kind: 'accepted';
      readonly investigationId: string;
      readonly runId: string;
      readonly joined: boolean;
      /** The run that a newer trigger of the thread ended; its handler must be aborted. */
      readonly replacedRunId: string | null;
    }
  | { readonly kind: 'repeated'; readonly investigationId: string }
  | { readonly kind: 'key_reused' };

interface OpenRun {
  readonly id: string;
  readonly state: 'queued' | 'running';
}

/** An idempotency key is valid for 24 hours, whether or not it was swept since. */
const KEY_MS = 24 * 60 * 60 * 1000;

export function createReportVerbs(database: Database) {
  return {
    /**
     * Report and job together. Joins an open run of the same account, project, revision and fingerprint unless one of
     * the two is `fresh`.
     */
    accept: (acceptance: Acceptance): Promise<Accepted> =>
      database.write((trx) => storeAcceptance(trx, database.jobs, acceptance)),
    /** What `accept` would answer to a key that was used before; null: it was not. */
    findEarlierAnswer: (
      asked: Pick<Acceptance, 'idempotency' | 'now'> & Pick<Report, 'accountId'>,
    ): Promise<Exclude<Accepted, { kind: 'accepted' }> | null> =>
      database.read((reader) => findEarlierAnswer(reader, asked)),
    /** As it was accepted, without guidance, which is its author's; null: no such investigation. */
    async findReport(
      investigationId: string,
    ): Promise<Pick<Report, 'text' | 'revision' | 'reference' | 'isTrusted' | 'verdict'> | null> {
      const row = await database.read((reader) =>
        reader
          .selectFrom('investigations')
          .innerJoin('runs', 'runs.id', 'investigations.run_id')
          .select(['text', 'runs.revision', 'reference', 'is_trusted', 'verdict'])
          .where('investigations.id', '=', investigationId)
          .executeTakeFirst(),
      );
      if (!row) return null;
      const { text, revision, reference, verdict } = row;
      return { text, revision, reference, isTrusted: row.is_trusted === 1, ...(verdict !== null && { verdict }) };
    },
  };
}

async function storeAcceptance(trx: Trx, jobs: Enqueuer, acceptance: Acceptance): Promise<Accepted> {
  const earlier = await findEarlierAnswer(trx, { ...acceptance, accountId: acceptance.report.accountId });
  if (earlier) return earlier;
  const { investigationId, report, thread, now } = acceptance;
  const { projectId, accountId } = report;
  const threadId = await ensureThread(trx, acceptance);
  const joined = await findJoinableRun(trx, report, acceptance.fingerprint);
  const run = joined ?? (await createRun(trx, acceptance));
  // A queued run that an automatic report started becomes as urgent as this one.
  if (run.state === 'queued') {
    const urgency = thread === null || thread.kind === 'opens' ? 'person' : 'automatic';
    await jobs.enqueue(trx, [{ kind: 'run', subject: run.id, group: projectId, runAt: now, urgency }]);
  }
  await insertInvestigation(trx, acceptance, run, threadId);
  if (thread?.kind === 'found') {
    const failure = trx.updateTable('failures').where('id', '=', thread.failureId).where('project_id', '=', projectId);
    await failure.set({ investigation_id: investigationId, thread_id: threadId }).execute();
    const { headId = null } = thread;
    const head = { kind: 'head', group: projectId, runAt: now, urgency: 'person' } as const;
    if (headId !== null) await jobs.enqueue(trx, [{ ...head, subject: headId }]);
  }
  await saveKey(trx, acceptance);
  await writeAudit(trx, { at: now, accountId, verb: 'report.accepted', subject: investigationId, projectId });
  let replacedRunId: string | null = null;
  if (thread?.kind === 'opens' && threadId !== null) {
    // After the insert: otherwise an equal report would end the run that it joins.
    replacedRunId = await cancelOthers(trx, jobs, { threadId, investigationId, now });
    await enqueueHeadOfPullRequest(trx, jobs, { projectId, subject: thread.subject, runAt: now });
  }
  await enqueueUpdates(trx, jobs, [threadId], { runAt: now });
  return { kind: 'accepted', investigationId, runId: run.id, joined: joined !== null, replacedRunId };
}

async function findEarlierAnswer(
  reader: Reader,
  { idempotency, accountId, now }: Pick<Acceptance, 'idempotency' | 'now'> & Pick<Report, 'accountId'>,
): Promise<Exclude<Accepted, { kind: 'accepted' }> | null> {
  if (!idempotency) return null;
  const row = await reader
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'investigation_id'])
    .where('account_id', '=', accountId)
    .where('key', '=', idempotency.key)
    .where('created_at', '>', new Date(Date.parse(now) - KEY_MS).toISOString())
    .executeTakeFirst();
  if (!row) return null;
  if (row.body_hash !== idempotency.bodyHash) return { kind: 'key_reused' };
  return { kind: 'repeated', investigationId: row.investigation_id };
}

async function saveKey(trx: Trx, { idempotency, investigationId, report, now }: Acceptance): Promise<void> {
  if (!idempotency) return;
  const answer = { body_hash: idempotency.bodyHash, investigation_id: investigationId, created_at: now };
  await trx
    .insertInto('idempotency_keys')
    .values({ account_id: report.accountId, key: idempotency.key, ...answer })
    // Only an expired key gets here while it exists.
    .onConflict((conflict) => conflict.columns(['account_id', 'key']).doUpdateSet(answer))
    .execute();
}

/**
 * Callers with other trust or other settings do not share a run: what is said of the run is said to all of them. In two
 * queries, each by one index: on PostgreSQL a join would make equal reports at the same moment conflict.
 */
async function findJoinableRun(trx: Trx, report: Report, fingerprint: string): Promise<OpenRun | null> {
  if (report.fresh) return null;
  const equal = await trx
    .selectFrom('runs')
    .select(['id', 'state'])
    .where('account_id', '=', report.accountId)
    .where('project_id', '=', report.projectId)
    .where('fingerprint', '=', fingerprint)
    .where('revision', '=', report.revision)
    .where('state', 'in', ['running', 'queued'])
    .where('fresh', '=', 0)
    .execute();
  const runs = equal.flatMap(({ id, state }) => (state === 'ended' ? [] : [{ id, state }]));
  for (const run of runs.toSorted((a, b) => b.state.localeCompare(a.state))) {
    const attached = await trx
      .selectFrom('investigations')
      .select('id')
      .where('run_id', '=', run.id)
      .where('state', '=', run.state)
      .where('is_trusted', '=', report.isTrusted ? 1 : 0)
      .where('settings', '=', toSettingsText(report.settings))
      .limit(1)
      .executeTakeFirst();
    if (attached) return run;
  }
  return null;
}

async function createRun(trx: Trx, acceptance: Acceptance): Promise<OpenRun> {
  await requireCapacity(trx, acceptance);
  const { report, fingerprint, now } = acceptance;
  const id = createId('run');
  await trx
    .insertInto('runs')
    .values({
      id,
      project_id: report.projectId,
      account_id: report.accountId,
      fingerprint,
      revision: report.revision,
      fresh: report.fresh ? 1 : 0,
      state: 'queued',
      generation: 0,
      step_count: 0,
      created_at: now,
      sha: null,
      conclusion: null,
      analysed_at: null,
    })
    .execute();
  return { id, state: 'queued' };
}

/**
 * One account must not delay everyone else's reports in a project: its runs are taken in the order in which they came.
 */
async function requireCapacity(trx: Trx, { report, mostWaiting = null }: Acceptance): Promise<void> {
  if (mostWaiting === null) return;
  const { waiting } = await trx
    .selectFrom('runs')
    .select(({ fn }) => fn.countAll<number | string>().as('waiting'))
    .where('account_id', '=', report.accountId)
    .where('project_id', '=', report.projectId)
    .where('state', '!=', 'ended')
    // Runs that red checks started in the account's name do not count.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('investigations').select('id').whereRef('run_id', '=', 'runs.id').where('origin', '!=', 'check-run'),
      ),
    )
    .executeTakeFirstOrThrow();
  if (Number(waiting) < mostWaiting) return;
  throw new CausewayError(
    'too_many_waiting',
    `${mostWaiting} reports of this account are unfinished in this project: wait until one has ended, or cancel one.`,
  );
}

async function insertInvestigation(
  trx: Trx,
  { investigationId, report, now }: Acceptance,
  run: OpenRun,
  threadId: string | null,
): Promise<void> {
  await trx
    .insertInto('investigations')
    .values({
      id: investigationId,
      run_id: run.id,
      account_id: report.accountId,
      project_id: report.projectId,
      origin: report.origin,
      reference: report.reference,
      text: report.text,
      guidance: report.guidance ?? '',
      callback_url: report.callbackUrl,
      state: run.state,
      outcome: JSON.stringify({ state: run.state }),
      created_at: now,
      ended_at: null,
      thread_id: threadId,
      is_trusted: report.isTrusted ? 1 : 0,
      settings: toSettingsText(report.settings),
      verdict: report.verdict ?? null,
    })
    .execute();
}

/**
 * The id of the report's thread, which exists from now on; null: it has none. Throws `absent` if it follows one that is
 * gone.
 */
async function ensureThread(trx: Trx, acceptance: Acceptance): Promise<string | null> {
  const { thread, report, now } = acceptance;
  if (thread === null) return null;
  if (thread.kind !== 'follows') return putThread(trx, acceptance, thread);
  const row = await trx
    .updateTable('threads')
    .set({ changed_at: now })
    .where('id', '=', thread.threadId)
    .where('project_id', '=', report.projectId)
    .returning('id')
    .executeTakeFirst();
  if (row) return row.id;
  throw new CausewayError('absent', `The thread ${thread.threadId} is gone: a further attempt has nothing to follow.`);
}

async function putThread(
  trx: Trx,
  { report: { projectId, accountId }, investigationId, now }: Acceptance,
  thread: Exclude<ThreadPart, { kind: 'follows' }>,
): Promise<string> {
  const { threadId, subject, trigger, fixRequest } = thread;
  const request = fixRequest && JSON.stringify({ ...fixRequest, at: now } satisfies FixRequest);
  const own = { investigation_id: investigationId, fix_request: request };
  const triggered = {
    trigger_json: JSON.stringify({ ...trigger, investigationId } satisfies Trigger),
    changed_at: now,
  };
  const replaced = thread.kind === 'opens' ? own : request === null ? {} : { fix_request: request };
  const { id, investigation_id: shown } = await trx
    .insertInto('threads')
    .values({
      id: threadId,
      project_id: projectId,
      subject_key: toSubjectKey(subject),
      subject: JSON.stringify(subject),
      ...toRecordColumns(EMPTY_RECORD),
      created_at: now,
      ...own,
      ...triggered,
    })
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'subject_key']).doUpdateSet({ ...triggered, ...replaced }),
    )
    .returning(['id', 'investigation_id'])
    .executeTakeFirstOrThrow();
  if (thread.kind === 'found' && (thread.isLead || !(await hasInvestigation(trx, shown)))) {
    await trx.updateTable('threads').set({ investigation_id: investigationId }).where('id', '=', id).execute();
  }
  if (thread.kind === 'opens' && thread.isSeen) await saveSeenRevision(trx, id, toTriggerKey(trigger));
  const entry = { at: now, subject: id, projectId };
  const opener = thread.kind === 'opens' ? toGithubActor(trigger.by) : accountId;
  await writeAudit(trx, { ...entry, accountId: opener, verb: 'thread.opened' });
  if (fixRequest) await writeAudit(trx, { ...entry, accountId: toGithubActor(fixRequest), verb: 'fix.requested' });
  return id;
}

async function hasInvestigation(trx: Trx, id: string): Promise<boolean> {
  const row = await trx.selectFrom('investigations').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** The publisher may hold an older record: it reads this one with the job that the acceptance enqueues. */
async function saveSeenRevision(trx: Trx, id: string, seen: string): Promise<void> {
  const { record } = await trx.selectFrom('threads').select('record').where('id', '=', id).executeTakeFirstOrThrow();
  const changed: ThreadRecord = { ...JSON.parse(record), seen };
  await trx
    .updateTable('threads')
    .set({ record: JSON.stringify(changed) })
    .where('id', '=', id)
    .execute();
}

/**
 * Cancels the thread's other investigations. Returns the run that ended with the last of its investigations; null: none
 * did.
 */
async function cancelOthers(
  trx: Trx,
  jobs: Enqueuer,
  {
    threadId,
    investigationId,
    now,
  }: { readonly threadId: string; readonly investigationId: string; readonly now: string },
): Promise<string | null> {
  const others = await trx
    .selectFrom('investigations')
    .select('id')
    .where('thread_id', '=', threadId)
    .where('state', 'in', ['queued', 'running'])
    .where('id', '!=', investigationId)
    .orderBy('seq')
    .execute();
  let ended: string | null = null;
  const reason = createFailureReason({ code: 'replaced' });
  for (const { id } of others) {
    const result = await storeCancellation(trx, jobs, { id, reason, now });
    if (result.kind === 'cancelled' && result.runEnded) ended = result.runId;
  }
  return ended;
}
