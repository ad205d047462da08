// What people said of failures of pull requests, and what they asked to be run again.
import type { Selectable } from 'kysely';
import { addOverrides, type FailureOverride, type Finding, type Head, type Override } from '../core/check/index.ts';
import type { Person } from '../core/project/index.ts';
import { toSubjectKey } from '../core/thread/index.ts';
import { toGithubActor, writeAudit } from './audit.ts';
import type { Database, Enqueuer } from './database.ts';
import type { OverrideTable, Reader, Trx } from './schema.ts';
import { enqueuePublish } from './threads.ts';

/** By a comment on a pull request, whose number on GitHub orders them: times are whole seconds. */
interface SaidOverride extends Override {
  readonly by: Person;
  readonly commentId: number;
}

interface OverrideOfPull extends FailureOverride {
  readonly pullRequest: number;
}

const MOST_LISTED = 20;

interface OverriddenHead extends Pick<Head, 'id' | 'projectId'> {
  readonly pullRequest: number;
  /** What is meant. */
  readonly failures: readonly Pick<FailureOverride, 'failureId' | 'checkKeys'>[];
}

export interface AskedRerun {
  readonly commentId: number;
  readonly jobIds: readonly number[];
  /** Whether GitHub has taken it. */
  readonly isStarted: boolean;
}

interface RerunClaim extends Pick<Head, 'id' | 'projectId'>, Omit<AskedRerun, 'isStarted'> {
  readonly by: Person;
  readonly at: string;
  /** How many of this person's a project has since then at most; null: there is no limit for them. */
  readonly limit: { readonly count: number; readonly since: string } | null;
}

export function createOverrideVerbs(database: Database) {
  const { jobs } = database;
  return {
    /**
     * What somebody says of these failures, instead of what was said before, unless that was later. The head is looked
     * at again, and its check run and comment are published.
     */
    overrideFailures: (head: OverriddenHead, said: SaidOverride, now: string): Promise<void> =>
      database.write((trx) => overrideFailures(trx, jobs, head, { said, now })),
    listOverrides: (projectId: string, pullRequest: number): Promise<readonly FailureOverride[]> =>
      database.read((reader) => listOverrides(reader, projectId, pullRequest)),
    /** What people said of one failure, in whichever pull request; the last first. */
    listOverridesOf: (failureId: string): Promise<readonly OverrideOfPull[]> =>
      database.read(async (reader) => {
        const rows = await reader
          .selectFrom('overrides')
          .selectAll()
          .where('failure_id', '=', failureId)
          .orderBy('comment_id', 'desc')
          .limit(MOST_LISTED)
          .execute();
        return rows.map((row) => ({ ...toOverride(row), pullRequest: row.pull_request }));
      }),
    /**
     * Before GitHub is asked: a head's failed jobs are run again once. `before`: somebody else has asked for it.
     * `day_full`: the limit is reached.
     */
    claimRerun: (claim: RerunClaim): Promise<'claimed' | 'before' | 'day_full'> =>
      database.write((trx) => claimRerun(trx, claim)),
    /** What GitHub made of the claim: refused, it leaves no trace. */
    settleRerun: (headId: string, settled: 'started' | 'refused', now: string): Promise<void> =>
      database.write((trx) => settleRerun(trx, headId, { settled, now })),
    /** What a person asked for at this head; null: nobody did, or GitHub refused it. */
    findRerun: (headId: string): Promise<AskedRerun | null> =>
      database.read(async (reader) => {
        const row = await findRerunRow(reader, headId);
        if (row === undefined) return null;
        return { commentId: row.comment_id, jobIds: JSON.parse(row.jobs), isStarted: row.started_at !== null };
      }),
  };
}

async function overrideFailures(
  trx: Trx,
  jobs: Enqueuer,
  { id, projectId, pullRequest, failures }: OverriddenHead,
  { said, now }: { readonly said: SaidOverride; readonly now: string },
): Promise<void> {
  const { whose, reason, by, at, commentId } = said;
  let isChanged = false;
  for (const { failureId, checkKeys } of failures) {
    const columns = {
      ...{ whose, reason, checks: JSON.stringify(checkKeys), at },
      ...{ person_id: by.id, login: by.login, comment_id: commentId },
    };
    const key = { project_id: projectId, pull_request: pullRequest, failure_id: failureId };
    const written = await trx
      .insertInto('overrides')
      .values({ ...key, ...columns })
      .onConflict((conflict) =>
        conflict
          .columns(['project_id', 'pull_request', 'failure_id'])
          .doUpdateSet(columns)
          .where('overrides.comment_id', '<', commentId),
      )
      .returning('failure_id')
      .executeTakeFirst();
    if (!written) continue;
    isChanged = true;
    const verb = whose === 'mine' ? 'failure.called_mine' : 'failure.called_not_mine';
    await writeAudit(trx, { at: now, accountId: toGithubActor(by), verb, subject: failureId, projectId });
  }
  if (!isChanged) return;
  const job = { subject: id, runAt: now, urgency: 'person' } as const;
  await jobs.enqueue(trx, [
    { ...job, kind: 'head', group: projectId },
    { ...job, kind: 'check-run', group: id },
  ]);
  const threads = await trx
    .selectFrom('threads')
    .select('id')
    .where('project_id', '=', projectId)
    .where('subject_key', '=', toSubjectKey({ kind: 'pull_request', number: pullRequest }))
    .execute();
  await enqueuePublish(
    trx,
    jobs,
    threads.map((row) => row.id),
    { runAt: now },
  );
}

async function listOverrides(
  reader: Reader,
  projectId: string,
  pullRequest: number,
): Promise<readonly FailureOverride[]> {
  const rows = await reader
    .selectFrom('overrides')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('pull_request', '=', pullRequest)
    .execute();
  return rows.map(toOverride);
}

function toOverride(row: Selectable<OverrideTable>): FailureOverride {
  const { failure_id: failureId, whose, reason, checks, person_id: id, login, at } = row;
  return { failureId, whose, reason, checkKeys: JSON.parse(checks), by: id === null ? null : { id, login }, at };
}

/** What was said of the failures of heads of pull requests, which no head stores itself. */
export async function withOverrides(reader: Reader, heads: readonly Head[]): Promise<readonly Head[]> {
  const found: Head[] = [];
  for (const head of heads) {
    const { place, projectId, findings } = head;
    const isSaid = place?.kind === 'pull_request' && findings.length > 0;
    const overrides = isSaid ? await listOverrides(reader, projectId, place.number) : [];
    found.push(overrides.length === 0 ? head : { ...head, findings: addOverrides(findings, overrides) });
  }
  return found;
}

/** As it is stored. */
export function removeOverrides<T extends Partial<Pick<Finding, 'override' | 'lapsed'>>>({
  override: _,
  lapsed: __,
  ...finding
}: T) {
  return finding;
}

async function findRerunRow(reader: Reader, headId: string) {
  return await reader.selectFrom('reruns').selectAll().where('head_id', '=', headId).executeTakeFirst();
}

async function claimRerun(
  trx: Trx,
  { id, projectId, by, commentId, jobIds, at, limit }: RerunClaim,
): Promise<'claimed' | 'before' | 'day_full'> {
  if ((await findRerunRow(trx, id)) !== undefined) return 'before';
  if (limit !== null) {
    const { count } = await trx
      .selectFrom('reruns')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('project_id', '=', projectId)
      .where('person_id', '=', by.id)
      .where('at', '>=', limit.since)
      .executeTakeFirstOrThrow();
    if (Number(count) >= limit.count) return 'day_full';
  }
  const asked = { person_id: by.id, comment_id: commentId, jobs: JSON.stringify(jobIds), at, started_at: null };
  await trx
    .insertInto('reruns')
    .values({ head_id: id, project_id: projectId, ...asked })
    .execute();
  return 'claimed';
}

async function settleRerun(
  trx: Trx,
  headId: string,
  { settled, now }: { readonly settled: 'started' | 'refused'; readonly now: string },
): Promise<void> {
  const open = (await findRerunRow(trx, headId)) ?? null;
  if (open === null || open.started_at !== null) return;
  if (settled === 'refused') {
    await trx.deleteFrom('reruns').where('head_id', '=', headId).execute();
    return;
  }
  await trx.updateTable('reruns').set({ started_at: now }).where('head_id', '=', headId).execute();
  const { person_id: personId, project_id: projectId } = open;
  if (personId === null) return;
  const entry = { at: now, accountId: toGithubActor({ id: personId }), projectId };
  await writeAudit(trx, { ...entry, verb: 'checks.rerun', subject: headId });
}

/**
 * What a person said still holds, without their name and words; the check runs that name them are written again. Returns
 * how many there were.
 */
export async function erasePersonFromOverrides(trx: Trx, jobs: Enqueuer, id: number, now: string): Promise<number> {
  const said = await trx
    .updateTable('overrides')
    .set({ person_id: null, login: '', reason: '' })
    .where('person_id', '=', id)
    .returning(['project_id', 'pull_request'])
    .execute();
  const asked = await trx
    .updateTable('reruns')
    .set({ person_id: null })
    .where('person_id', '=', id)
    .returning('head_id')
    .execute();
  for (const { project_id, pull_request } of said) {
    const heads = await trx
      .selectFrom('heads')
      .select(['id', 'record'])
      .where('project_id', '=', project_id)
      .where('pull_request', '=', pull_request)
      .execute();
    for (const head of heads) {
      const record: Head['record'] = JSON.parse(head.record);
      if (record.held !== null) {
        const columns = { record: JSON.stringify({ ...record, held: null }), is_held: 0 as const };
        await trx.updateTable('heads').set(columns).where('id', '=', head.id).execute();
      }
    }
    await jobs.enqueue(
      trx,
      heads.map((head) => ({ kind: 'check-run', subject: head.id, group: head.id, runAt: now, urgency: 'automatic' })),
    );
  }
  return said.length + asked.length;
}
