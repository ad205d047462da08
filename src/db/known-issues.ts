// Issues to which people tied failures or patterns: what is tied, what it covered since, and our comment there.
import type { Selectable } from 'kysely';
import {
  EMPTY_KNOWN_RECORD,
  type KnownEnd,
  type KnownHit,
  type KnownHits,
  type KnownIssue,
  type KnownOfFailure,
  type KnownRecord,
  type KnownSign,
  type KnownTie,
  type ProposedPattern,
} from '../core/check/index.ts';
import { createId } from '../core/ids.ts';
import type { Person } from '../core/project/index.ts';
import { toGithubActor, writeAudit } from './audit.ts';
import { type Database, type Enqueuer, queryInChunks } from './database.ts';
import type { KnownHitTable, KnownIssueTable, KnownTieTable, Reader, Trx } from './schema.ts';

/** An issue of a project, as it was read just now. */
interface NamedIssue {
  readonly projectId: string;
  readonly number: number;
  readonly title: string;
}

interface TiedIssue extends NamedIssue {
  readonly sign: KnownSign;
  readonly by: Person;
  readonly now: string;
}

/** Who ended it where it was a person, and not GitHub's state of the issue. */
interface EndedIssue extends Pick<NamedIssue, 'projectId' | 'number'> {
  readonly by: KnownEnd;
  readonly person: Person | null;
  /** When it ended on GitHub. */
  readonly at: string;
  readonly now: string;
}

/** Of one project, the newest that are read. */
const MOST_ISSUES = 200;
const MOST_PULLS = 20;
/** The newest, among which the pull requests are looked for. */
const MOST_HITS_READ = 500;
/** Red heads that are looked at again when their failure was tied. */
const MOST_LOOKED_AT = 20;

export function createKnownIssueVerbs(database: Database) {
  const { jobs } = database;
  return {
    findKnownIssue: (id: string): Promise<KnownIssue | null> =>
      database.read(async (reader) => (await readKnownIssues(reader, { id }))[0] ?? null),
    findKnownIssueOf: (projectId: string, number: number): Promise<KnownIssue | null> =>
      database.read(async (reader) => (await readKnownIssues(reader, { project_id: projectId, number }))[0] ?? null),
    /** The newest 200, the oldest first. */
    listKnownIssues: (projectId: string): Promise<readonly KnownIssue[]> =>
      database.read((reader) => readKnownIssues(reader, { project_id: projectId })),
    /**
     * Ties a failure or a pattern to an issue; a failure that was tied to another one is tied to this one alone. What
     * an issue had before its end is untied first. Red heads with that failure are looked at again. Doing it twice
     * changes nothing.
     */
    tieKnownIssue: (tied: TiedIssue): Promise<KnownIssue> => database.write((trx) => tieKnownIssue(trx, jobs, tied)),
    /** In place of what was proposed there before. */
    proposePattern: ({
      now,
      proposed,
      ...issue
    }: NamedIssue & { readonly proposed: ProposedPattern; readonly now: string }) =>
      database.write(async (trx): Promise<void> => {
        const { id } = await ensureKnownIssue(trx, issue, now);
        const columns = { proposed: JSON.stringify(proposed), changed_at: now };
        await trx.updateTable('known_issues').set(columns).where('id', '=', id).execute();
      }),
    /** Ends what is tied, and drops what is proposed and the label. False: nothing was tied. */
    endKnownIssue: (ended: EndedIssue): Promise<boolean> => database.write((trx) => endKnownIssue(trx, jobs, ended)),
    /** Notes that it has the label, and which failures its text names. */
    noteLabelledIssue: ({
      named,
      now,
      ...issue
    }: NamedIssue & { readonly named: readonly string[]; readonly now: string }) =>
      database.write(async (trx): Promise<void> => {
        const { id } = await ensureKnownIssue(trx, issue, now);
        const columns = { is_labelled: 1, named: JSON.stringify(named), changed_at: now } as const;
        await trx.updateTable('known_issues').set(columns).where('id', '=', id).execute();
      }),
    async forgetLabelledIssue(projectId: string, number: number, now: string): Promise<void> {
      await database.write((trx) =>
        trx
          .updateTable('known_issues')
          .set({ is_labelled: 0, named: '[]', changed_at: now })
          .where('project_id', '=', projectId)
          .where('number', '=', number)
          .execute(),
      );
    },
    /** Counts red checks that the issue covers, or that failed after its end: each once by its key. */
    recordKnownHits: (id: string, hits: readonly KnownHit[], now: string): Promise<void> =>
      database.write((trx) => recordKnownHits(trx, jobs, { id, hits, now })),
    readKnownHits: (id: string): Promise<KnownHits> => database.read((reader) => readKnownHits(reader, id)),
    /** Stores what is on GitHub for it. */
    async saveKnownRecord(id: string, record: KnownRecord): Promise<void> {
      const columns = { record: JSON.stringify(record) };
      await database.write((trx) => trx.updateTable('known_issues').set(columns).where('id', '=', id).execute());
    },
    /** The issue of each failure that is tied itself, or was seen in a check that a pattern covers. */
    listKnownOfFailures: (failureIds: readonly string[]): Promise<ReadonlyMap<string, KnownOfFailure>> =>
      database.read((reader) => listKnownOfFailures(reader, failureIds)),
  };
}

async function tieKnownIssue(trx: Trx, jobs: Enqueuer, { sign, by, now, ...issue }: TiedIssue): Promise<KnownIssue> {
  const { projectId, number } = issue;
  const { id, state } = await ensureKnownIssue(trx, issue, now);
  if (state === 'ended') await trx.deleteFrom('known_ties').where('known_id', '=', id).execute();
  const failureId = sign.kind === 'failure' ? sign.failureId : null;
  const pattern = sign.kind === 'pattern' ? sign.pattern : null;
  if (failureId !== null) {
    const others = trx
      .selectFrom('known_issues')
      .select('id')
      .where('project_id', '=', projectId)
      .where('id', '!=', id);
    await trx.deleteFrom('known_ties').where('failure_id', '=', failureId).where('known_id', 'in', others).execute();
  }
  const same = await trx
    .selectFrom('known_ties')
    .select('seq')
    .where('known_id', '=', id)
    .where(({ and, eb }) =>
      failureId === null ? eb('pattern', '=', pattern) : and([eb('failure_id', '=', failureId)]),
    )
    .executeTakeFirst();
  if (same === undefined) {
    const tie = { known_id: id, failure_id: failureId, pattern, person: JSON.stringify(by), at: now };
    await trx.insertInto('known_ties').values(tie).execute();
    await writeAudit(trx, { at: now, accountId: toGithubActor(by), verb: 'known.tied', subject: id, projectId });
  }
  const opened = { state: 'open', ended_at: null, ended_by: null, changed_at: now } as const;
  await trx
    .updateTable('known_issues')
    .set({ ...opened, title: issue.title, ...(pattern !== null && { proposed: null }) })
    .where('id', '=', id)
    .execute();
  await jobs.enqueue(trx, [{ kind: 'known', subject: id, group: projectId, runAt: now, urgency: 'person' }]);
  if (failureId !== null) await enqueueRedHeads(trx, jobs, { projectId, failureId, now });
  const [known] = await readKnownIssues(trx, { project_id: projectId, number });
  if (known === undefined) throw new Error('an issue that was just tied is missing');
  return known;
}

/** What they show changes with the tie. */
async function enqueueRedHeads(
  trx: Trx,
  jobs: Enqueuer,
  { projectId, failureId, now }: { readonly projectId: string; readonly failureId: string; readonly now: string },
): Promise<void> {
  const heads = await trx
    .selectFrom('heads')
    .innerJoin('findings', 'findings.head_id', 'heads.id')
    .select(['heads.id', 'heads.seq'])
    .distinct()
    .where('heads.project_id', '=', projectId)
    .where('heads.state', '=', 'red')
    .where('findings.finding', 'like', `%"failureId":"${failureId}"%`)
    .orderBy('heads.seq', 'desc')
    .limit(MOST_LOOKED_AT)
    .execute();
  await jobs.enqueue(
    trx,
    heads.map(({ id }) => ({ kind: 'head', subject: id, group: projectId, runAt: now, urgency: 'person' }) as const),
  );
}

async function ensureKnownIssue(
  trx: Trx,
  { projectId, number, title }: NamedIssue,
  now: string,
): Promise<Pick<KnownIssue, 'id' | 'state'>> {
  await trx
    .insertInto('known_issues')
    .values({
      id: createId('kno'),
      project_id: projectId,
      number,
      title,
      state: 'idle',
      ended_at: null,
      ended_by: null,
      is_labelled: 0,
      named: '[]',
      proposed: null,
      record: JSON.stringify(EMPTY_KNOWN_RECORD),
      created_at: now,
      changed_at: now,
    })
    .onConflict((conflict) => conflict.columns(['project_id', 'number']).doUpdateSet({ title }))
    .execute();
  return await trx
    .selectFrom('known_issues')
    .select(['id', 'state'])
    .where('project_id', '=', projectId)
    .where('number', '=', number)
    .executeTakeFirstOrThrow();
}

async function endKnownIssue(
  trx: Trx,
  jobs: Enqueuer,
  { projectId, number, by, person, at, now }: EndedIssue,
): Promise<boolean> {
  const [known] = await readKnownIssues(trx, { project_id: projectId, number });
  if (known === undefined) return false;
  const { id, state, proposed, isLabelled } = known;
  const isOpen = state === 'open';
  if (!isOpen && proposed === null && !isLabelled) return false;
  const ended = isOpen ? ({ state: 'ended', ended_at: at, ended_by: by } as const) : {};
  // A person may undo what they tied while its issue stays open, and a label there still proposes it.
  const dropped = by === 'person' ? {} : ({ is_labelled: 0, named: '[]' } as const);
  await trx
    .updateTable('known_issues')
    .set({ ...ended, ...dropped, proposed: null, changed_at: now })
    .where('id', '=', id)
    .execute();
  // It was a mistake: what comes later is not back.
  if (by === 'person') await trx.deleteFrom('known_ties').where('known_id', '=', id).execute();
  if (isOpen && person !== null) {
    await writeAudit(trx, { at: now, accountId: toGithubActor(person), verb: 'known.ended', subject: id, projectId });
  }
  if (isOpen)
    await jobs.enqueue(trx, [{ kind: 'known', subject: id, group: projectId, runAt: now, urgency: 'person' }]);
  return isOpen || (by === 'person' && proposed !== null);
}

async function recordKnownHits(
  trx: Trx,
  jobs: Enqueuer,
  { id, hits, now }: { readonly id: string; readonly hits: readonly KnownHit[]; readonly now: string },
): Promise<void> {
  const known = await trx.selectFrom('known_issues').select('project_id').where('id', '=', id).executeTakeFirst();
  if (known === undefined || hits.length === 0) return;
  const rows = hits.map((hit) => ({
    known_id: id,
    key: hit.key,
    failure_id: hit.failureId,
    sha: hit.sha,
    pull_request: hit.pullRequest,
    check_name: hit.checkName,
    is_after_end: hit.isAfterEnd ? (1 as const) : (0 as const),
    seen_at: hit.at,
  }));
  const added = await trx
    .insertInto('known_hits')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['known_id', 'key']).doNothing())
    .returning('key')
    .execute();
  if (added.length === 0) return;
  await trx.updateTable('known_issues').set({ changed_at: now }).where('id', '=', id).execute();
  const group = known.project_id;
  await jobs.enqueue(trx, [{ kind: 'known', subject: id, group, runAt: now, urgency: 'automatic' }]);
}

async function readKnownHits(reader: Reader, id: string): Promise<KnownHits> {
  const hits = reader.selectFrom('known_hits').where('known_id', '=', id);
  const counted = await hits
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      fn.sum<number>('is_after_end').as('after_end'),
      fn.count<number>('pull_request').distinct().as('pulls'),
    ])
    .executeTakeFirstOrThrow();
  const last = await hits.selectAll().orderBy('seen_at', 'desc').orderBy('key', 'desc').limit(1).executeTakeFirst();
  const seen = await hits
    .select(['pull_request', 'sha'])
    .where('pull_request', 'is not', null)
    .orderBy('seen_at', 'desc')
    .orderBy('key', 'desc')
    .limit(MOST_HITS_READ)
    .execute();
  const newest = new Map(seen.toReversed().map(({ pull_request: number, sha }) => [number, sha]));
  const listed = [...new Set(seen.map(({ pull_request: number }) => number))].slice(0, MOST_PULLS);
  return {
    count: Number(counted.count),
    last: last === undefined ? null : toKnownHit(last),
    pulls: listed.flatMap((number) => (number === null ? [] : [{ number, sha: newest.get(number) ?? '' }])),
    pullRequestCount: Number(counted.pulls),
    afterEnd: Number(counted.after_end ?? 0),
  };
}

function toKnownHit(row: Selectable<KnownHitTable>): KnownHit {
  return {
    key: row.key,
    failureId: row.failure_id,
    sha: row.sha,
    pullRequest: row.pull_request,
    checkName: row.check_name,
    isAfterEnd: row.is_after_end === 1,
    at: row.seen_at,
  };
}

async function readKnownIssues(
  reader: Reader,
  key: Partial<Pick<Selectable<KnownIssueTable>, 'id' | 'project_id' | 'number'>>,
): Promise<readonly KnownIssue[]> {
  const rows = await reader
    .selectFrom('known_issues')
    .selectAll()
    .where((expression) => expression.and(key))
    .orderBy('seq', 'desc')
    .limit(MOST_ISSUES)
    .execute();
  const ties = await queryInChunks(
    rows.map(({ id }) => id),
    (some) => reader.selectFrom('known_ties').selectAll().where('known_id', 'in', some).orderBy('seq').execute(),
  );
  const byIssue = Map.groupBy(ties, ({ known_id: id }) => id);
  return rows.toReversed().map((row) => toKnownIssue(row, byIssue.get(row.id) ?? []));
}

function toKnownIssue(row: Selectable<KnownIssueTable>, ties: readonly Selectable<KnownTieTable>[]): KnownIssue {
  const { ended_at: at, ended_by: by } = row;
  return {
    id: row.id,
    projectId: row.project_id,
    number: row.number,
    title: row.title,
    state: row.state,
    ended: at === null || by === null ? null : { at, by },
    isLabelled: row.is_labelled === 1,
    named: JSON.parse(row.named),
    proposed: row.proposed === null ? null : JSON.parse(row.proposed),
    ties: ties.flatMap(toKnownTie),
    record: JSON.parse(row.record),
    createdAt: row.created_at,
  };
}

function toKnownTie({ failure_id: failureId, pattern, person, at }: Selectable<KnownTieTable>): readonly KnownTie[] {
  const by: Person | null = person === null ? null : JSON.parse(person);
  if (failureId !== null) return [{ kind: 'failure', failureId, by, at }];
  return pattern === null ? [] : [{ kind: 'pattern', pattern, by, at }];
}

async function listKnownOfFailures(
  reader: Reader,
  failureIds: readonly string[],
): Promise<ReadonlyMap<string, KnownOfFailure>> {
  const tied = await queryInChunks(failureIds, (some) =>
    reader
      .selectFrom('known_ties')
      .innerJoin('known_issues', 'known_issues.id', 'known_ties.known_id')
      .select(['known_ties.failure_id', 'known_ties.person', 'known_ties.at'])
      .select(['known_issues.number', 'known_issues.title', 'known_issues.state', 'known_issues.ended_at'])
      .where('known_ties.failure_id', 'in', some)
      .orderBy('known_ties.seq')
      .execute(),
  );
  const covered = await queryInChunks(failureIds, (some) =>
    reader
      .selectFrom('known_ties')
      .innerJoin('known_issues', 'known_issues.id', 'known_ties.known_id')
      .innerJoin('known_hits', 'known_hits.known_id', 'known_issues.id')
      .select(['known_hits.failure_id', 'known_ties.pattern', 'known_ties.person', 'known_ties.at'])
      .select(['known_issues.number', 'known_issues.title', 'known_issues.state', 'known_issues.ended_at'])
      .distinct()
      .where('known_ties.pattern', 'is not', null)
      .where('known_hits.failure_id', 'in', some)
      .orderBy('known_ties.at')
      .execute(),
  );
  const found = new Map<string, KnownOfFailure>();
  // What was tied itself says more than a pattern, and an issue that is open more than one that ended.
  const rows = [...covered, ...tied.map((row) => ({ ...row, pattern: null }))];
  for (const row of rows.toSorted((a, b) => Number(a.state === 'open') - Number(b.state === 'open'))) {
    const { failure_id: failureId, number, title, state, ended_at: endedAt, pattern, person, at } = row;
    const by = person === null ? null : JSON.parse(person);
    if (failureId !== null) found.set(failureId, { number, title, state, endedAt, pattern, by, at });
  }
  return found;
}

/** Ties and proposals of that person lose the name, and our comments are written without it; returns how many there were. */
export async function erasePersonFromKnown(trx: Trx, jobs: Enqueuer, personId: number, now: string): Promise<number> {
  const named = `%"id":${personId},%`;
  const ties = await trx
    .updateTable('known_ties')
    .set({ person: null })
    .where('person', 'like', named)
    .returning('known_id')
    .execute();
  const ids = [...new Set(ties.map(({ known_id: id }) => id))];
  const tied = await queryInChunks(ids, (some) =>
    trx.selectFrom('known_issues').select(['id', 'project_id']).where('id', 'in', some).execute(),
  );
  await jobs.enqueue(
    trx,
    tied.map(({ id, project_id: group }) => ({ kind: 'known', subject: id, group, runAt: now, urgency: 'person' })),
  );
  const rows = await trx
    .selectFrom('known_issues')
    .select(['id', 'proposed'])
    .where('proposed', 'like', named)
    .execute();
  for (const { id, proposed } of rows) {
    const { by: _, ...rest }: ProposedPattern = JSON.parse(proposed ?? 'null');
    const forgotten = JSON.stringify({ ...rest, by: null });
    await trx.updateTable('known_issues').set({ proposed: forgotten }).where('id', '=', id).execute();
  }
  return ties.length + rows.length;
}

/** Of what ended, or never was tied: what was last touched before then. With their jobs. */
export async function sweepKnownIssues(trx: Trx, jobs: Enqueuer, changedBefore: string): Promise<void> {
  const swept = await trx
    .deleteFrom('known_issues')
    .where('changed_at', '<', changedBefore)
    .where('state', '!=', 'open')
    .where('is_labelled', '=', 0)
    .returning('id')
    .execute();
  await jobs.remove(
    trx,
    'known',
    swept.map(({ id }) => id),
  );
}
