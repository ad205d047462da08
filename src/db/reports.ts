// Accepting a report: the investigation, the thread it belongs to, the run that it starts or joins, the job, and the key that makes it once.
import { CausewayError } from '../core/errors.ts';
import { createId } from '../core/ids.ts';
import { createFailureReason } from '../core/reason.ts';
import { EMPTY_RECORD, type FixRequest, type ThreadRecord, toSubjectKey, triggerKey } from '../core/thread.ts';
import { onGithub, writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { cancel, type Moment, settingsText } from './runs.ts';
import type { Trx } from './schema.ts';

import type { Acceptance, Accepted, InvestigationStore, ThreadPart } from './store.ts';
import { nudgePullRequest, nudgeShown, recordColumns } from './threads.ts';

/** An idempotency key counts for 24 hours, whether or not it was swept since. */
const KEY_MS = 24 * 60 * 60 * 1000;

export function createAcceptanceVerbs(database: Database, enqueuer: Enqueuer): Pick<InvestigationStore, 'accept'> {
  return {
    accept: (acceptance) => database.write((trx) => accept(trx, acceptance, enqueuer)),
  };
}

async function accept(trx: Trx, acceptance: Acceptance, enqueuer: Enqueuer): Promise<Accepted> {
  const earlier = await earlierAnswer(trx, acceptance);
  if (earlier) return earlier;
  const { investigationId, report, now } = acceptance;
  const threadId = await threadFor(trx, acceptance);
  const joined = await joinableRun(trx, acceptance);
  const run = joined ?? (await startedRun(trx, acceptance, enqueuer));
  // Of one that was begun unasked a person waits from now on.
  if (joined?.state === 'queued') await enqueueRun(trx, joined.id, acceptance, enqueuer);
  await attach(trx, acceptance, { ...run, threadId });
  await linkFailure(trx, acceptance, threadId);
  await keepKey(trx, acceptance);
  const { accountId, projectId } = report;
  await writeAudit(trx, { at: now, accountId, verb: 'report.accepted', subject: investigationId, projectId });
  // After it was attached: an equal report goes on with the run that it would otherwise end and begin anew.
  const opened = acceptance.thread?.kind === 'opens' ? threadId : null;
  const replacedRunId = opened && (await replaceOthers(trx, { threadId: opened, investigationId }, { enqueuer, now }));
  await nudgeShown(trx, [threadId], { enqueuer, runAt: now });
  if (acceptance.thread?.kind === 'opens') {
    const { subject } = acceptance.thread;
    await nudgePullRequest(trx, { projectId: report.projectId, subject }, { enqueuer, runAt: now });
  }
  return { kind: 'accepted', investigationId, runId: run.id, joined: joined !== null, replacedRunId };
}

async function earlierAnswer(trx: Trx, { idempotency, report, now }: Acceptance): Promise<Accepted | null> {
  if (!idempotency) return null;
  const row = await trx
    .selectFrom('idempotency_keys')
    .select(['body_hash', 'investigation_id'])
    .where('account_id', '=', report.accountId)
    .where('key', '=', idempotency.key)
    .where('created_at', '>', new Date(Date.parse(now) - KEY_MS).toISOString())
    .executeTakeFirst();
  if (!row) return null;
  if (row.body_hash !== idempotency.bodyHash) return { kind: 'key_reused' };
  return { kind: 'repeated', investigationId: row.investigation_id };
}

/** Runs of a project are taken in the order in which they came: whoever could have any number of them there would keep all others waiting. */
async function requireRoom(trx: Trx, { report, mostWaiting = null }: Acceptance): Promise<void> {
  if (mostWaiting === null) return;
  const { waiting } = await trx
    .selectFrom('runs')
    .select(({ fn }) => fn.countAll<number | string>().as('waiting'))
    .where('account_id', '=', report.accountId)
    .where('project_id', '=', report.projectId)
    .where('state', '!=', 'ended')
    // What red checks begin in somebody's name is not theirs.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('investigations').select('id').whereRef('run_id', '=', 'runs.id').where('origin', '!=', 'check-run'),
      ),
    )
    .executeTakeFirstOrThrow();
  if (Number(waiting) < mostWaiting) return;
  throw new CausewayError(
    'too_many_waiting',
    `${mostWaiting} reports of this account have not ended in this project: wait until one has, or cancel one.`,
  );
}

async function startedRun(trx: Trx, acceptance: Acceptance, enqueuer: Enqueuer): Promise<OpenRun> {
  await requireRoom(trx, acceptance);
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
  await enqueueRun(trx, id, acceptance, enqueuer);
  return { id, state: 'queued' };
}

/** Nobody asked for what red checks begin, nor for a further attempt on them. */
async function enqueueRun(
  trx: Trx,
  id: string,
  { report, thread, now }: Acceptance,
  enqueuer: Enqueuer,
): Promise<void> {
  const urgency = thread === null || thread.kind === 'opens' ? 'person' : 'automatic';
  const job = { kind: 'run', subject: id, group: report.projectId, runAt: now, urgency } as const;
  await enqueuer.enqueue(trx, [job]);
}

async function attach(
  trx: Trx,
  { investigationId, report, now }: Acceptance,
  run: OpenRun & { readonly threadId: string | null },
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
      thread_id: run.threadId,
      is_trusted: report.isTrusted ? 1 : 0,
      settings: settingsText(report.settings),
      verdict: report.verdict ?? null,
    })
    .execute();
}

async function keepKey(trx: Trx, { idempotency, investigationId, report, now }: Acceptance): Promise<void> {
  if (!idempotency) return;
  const answer = { body_hash: idempotency.bodyHash, investigation_id: investigationId, created_at: now };
  await trx
    .insertInto('idempotency_keys')
    .values({ account_id: report.accountId, key: idempotency.key, ...answer })
    // Only a key past its 24 hours comes this far while it exists.
    .onConflict((conflict) => conflict.columns(['account_id', 'key']).doUpdateSet(answer))
    .execute();
}

interface OpenRun {
  readonly id: string;
  readonly state: 'queued' | 'running';
}

/**
 * What is said of the run is said of everyone who joined it: callers whose words are trusted differently, or whose project gave other
 * settings since, do not join each other.
 */
async function joinableRun(trx: Trx, { report, fingerprint }: Acceptance): Promise<OpenRun | null> {
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
  for (const state of ['running', 'queued'] as const) {
    for (const run of equal) {
      if (run.state === state && (await isFor(trx, { id: run.id, state }, report))) return { id: run.id, state };
    }
  }
  return null;
}

/** Whether somebody waits for the run whose report is trusted like this one, under the same settings. */
async function isFor(trx: Trx, { id, state }: OpenRun, report: Acceptance['report']): Promise<boolean> {
  const row = await trx
    .selectFrom('investigations')
    .select('id')
    .where('run_id', '=', id)
    .where('state', '=', state)
    .where('is_trusted', '=', report.isTrusted ? 1 : 0)
    .where('settings', '=', settingsText(report.settings))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

type Opening = Extract<ThreadPart, { kind: 'opens' }>;

type Found = Extract<ThreadPart, { kind: 'found' }>;

const REPLACED = createFailureReason({ code: 'replaced' });

/** The id of the thread that the report belongs to, which is there from now on; null: of none. Throws `absent` where it follows one that is gone. */
async function threadFor(trx: Trx, acceptance: Acceptance): Promise<string | null> {
  const { thread: part } = acceptance;
  if (part === null) return null;
  switch (part.kind) {
    case 'opens':
      return openThread(trx, acceptance, part);
    case 'found':
      return findThread(trx, acceptance, part);
    case 'follows':
      return followedThread(trx, acceptance, part.threadId);
  }
}

async function openThread(trx: Trx, { report, investigationId, now }: Acceptance, part: Opening): Promise<string> {
  const { trigger, fixRequest, isSeen } = part;
  const asked = {
    investigation_id: investigationId,
    trigger_json: JSON.stringify(trigger),
    changed_at: now,
    fix_request: fixRequest && JSON.stringify({ ...fixRequest, at: now } satisfies FixRequest),
  };
  const { id } = await trx
    .insertInto('threads')
    .values({ ...newThread(report.projectId, part, now), ...asked })
    .onConflict((conflict) => conflict.columns(['project_id', 'subject_key']).doUpdateSet(asked))
    .returning('id')
    .executeTakeFirstOrThrow();
  if (isSeen) await noteSeen(trx, id, triggerKey(trigger));
  const about = { at: now, subject: id, projectId: report.projectId };
  await writeAudit(trx, { ...about, accountId: onGithub(trigger.by), verb: 'thread.opened' });
  if (fixRequest) await writeAudit(trx, { ...about, accountId: onGithub(fixRequest), verb: 'fix.requested' });
  return id;
}

function newThread(projectId: string, { threadId: id, subject }: Opening | Found, now: string) {
  const named = { id, project_id: projectId, subject_key: toSubjectKey(subject), subject: JSON.stringify(subject) };
  return { ...named, ...recordColumns(EMPTY_RECORD), created_at: now };
}

/** Nobody asked, so that what somebody asked for before stands, and what is in flight goes on. */
async function findThread(trx: Trx, { report, investigationId, now }: Acceptance, part: Found): Promise<string> {
  const { trigger, fixRequest } = part;
  const request = fixRequest && JSON.stringify({ ...fixRequest, at: now } satisfies FixRequest);
  const found = { trigger_json: JSON.stringify(trigger), changed_at: now, ...(request && { fix_request: request }) };
  const { id, investigation_id: shown } = await trx
    .insertInto('threads')
    .values({
      ...newThread(report.projectId, part, now),
      ...{ investigation_id: investigationId, fix_request: request, ...found },
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'subject_key']).doUpdateSet(found))
    .returning(['id', 'investigation_id'])
    .executeTakeFirstOrThrow();
  if (part.isLead || !(await isThere(trx, shown))) {
    await trx.updateTable('threads').set({ investigation_id: investigationId }).where('id', '=', id).execute();
  }
  const about = { at: now, subject: id, projectId: report.projectId };
  await writeAudit(trx, { ...about, accountId: report.accountId, verb: 'thread.opened' });
  if (fixRequest) await writeAudit(trx, { ...about, accountId: onGithub(fixRequest), verb: 'fix.requested' });
  return id;
}

async function isThere(trx: Trx, investigationId: string): Promise<boolean> {
  const query = trx.selectFrom('investigations').select('id').where('id', '=', investigationId);
  return (await query.executeTakeFirst()) !== undefined;
}

/** What tells of the cause of a failure from now on, and where. To be called once the investigation is there. */
async function linkFailure(
  trx: Trx,
  { thread: part, report, investigationId }: Acceptance,
  threadId: string | null,
): Promise<void> {
  if (part?.kind !== 'found') return;
  await trx
    .updateTable('failures')
    .set({ investigation_id: investigationId, thread_id: threadId })
    .where('id', '=', part.failureId)
    .where('project_id', '=', report.projectId)
    .execute();
}

/** Beside the publisher's own writes: whatever it has in hand it reads anew with the job that this acceptance enqueues. */
async function noteSeen(trx: Trx, id: string, seen: string): Promise<void> {
  const { record } = await trx.selectFrom('threads').select('record').where('id', '=', id).executeTakeFirstOrThrow();
  const noted: ThreadRecord = { ...JSON.parse(record), seen };
  await trx
    .updateTable('threads')
    .set({ record: JSON.stringify(noted) })
    .where('id', '=', id)
    .execute();
}

async function followedThread(trx: Trx, { report, now }: Acceptance, threadId: string): Promise<string> {
  const row = await trx
    .updateTable('threads')
    .set({ changed_at: now })
    .where('id', '=', threadId)
    .where('project_id', '=', report.projectId)
    .returning('id')
    .executeTakeFirst();
  if (row) return row.id;
  throw new CausewayError('absent', `The thread ${threadId} is gone: a further attempt has nothing to follow.`);
}

/**
 * Cancels what is in flight in a thread but for the investigation that takes its place. Returns the run that nobody waits for any more
 * and whose job is gone; null where somebody does, be it the new investigation itself.
 */
async function replaceOthers(
  trx: Trx,
  { threadId, investigationId }: { readonly threadId: string; readonly investigationId: string },
  moment: Moment,
): Promise<string | null> {
  const inFlight = await trx
    .selectFrom('investigations')
    .select('id')
    .where('thread_id', '=', threadId)
    .where('state', 'in', ['queued', 'running'])
    .where('id', '!=', investigationId)
    .orderBy('seq')
    .execute();
  let ended: string | null = null;
  for (const { id } of inFlight) {
    const result = await cancel(trx, { id, reason: REPLACED }, moment);
    if (result.kind === 'cancelled' && result.runEnded) ended = result.runId;
  }
  return ended;
}
