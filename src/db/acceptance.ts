// Accepting a report: the investigation, the run that it starts or joins, the job, and the key that makes it once.
import { CausewayError } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import { writeAudit } from './audit.ts';
import type { Database } from './database.ts';
import type { Enqueuer } from './enqueuer.ts';
import { organisationOfProject } from './job-places.ts';
import { joinableRun, type OpenRun } from './joinable-run.ts';
import { linkFailure, replaceOthers, threadFor } from './open-thread.ts';
import type { Trx } from './schema.ts';
import { settingsText } from './settings-text.ts';
import type { Acceptance, Accepted, InvestigationStore } from './store.ts';
import { nudgePullRequest, nudgeShown } from './thread-nudges.ts';

/** An idempotency key counts for 24 hours, whether or not it was swept since. */
const KEY_MS = 24 * 60 * 60 * 1000;

export function acceptanceVerbs(database: Database, enqueuer: Enqueuer): Pick<InvestigationStore, 'accept'> {
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
  const id = newId('run');
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
  const organisation = await organisationOfProject(trx, report.projectId);
  const job = { kind: 'run', subject: id, group: report.projectId, runAt: now, urgency, organisation } as const;
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
