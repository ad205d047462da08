// Investigations as their callers see them, and the Issues that they end with.

import type { ChangeSet } from 'causeway-diff';
import { truncate } from 'causeway-visible-text';
import { type SqlBool, sql } from 'kysely';
import type { Verdict } from '../core/check/index.ts';
import { type Conclusion, type Issue, toIssue } from '../core/issue/index.ts';
import { type Outcome, toOutcomeView } from '../core/outcome/index.ts';
import type { ProjectSource } from '../core/project/index.ts';
import { lowerConfidence, toUnrunProof } from '../core/proof/index.ts';
import type { Investigation, InvestigationState, Origin, StepSource } from '../core/report/index.ts';
import type { ContextRepository } from '../core/source/index.ts';
import { writeAudit } from './audit.ts';
import { type Database, type Enqueuer, queryInChunks } from './database.ts';
import { eraseInvestigations, forgetHeldThread } from './erase.ts';
import type { DailyCount } from './failures.ts';
import { findFollowed } from './outcomes.ts';
import type { Reader, Trx } from './schema.ts';
import { enqueueUpdates, type LearntLinks } from './threads.ts';

export interface InvestigationFilter {
  /** Absent: of all projects. */
  readonly projectIds?: readonly string[];
  readonly state?: InvestigationState;
  readonly reference?: string;
  readonly limit: number;
  /** The id of the last investigation of the previous page. */
  readonly after?: string;
}

export interface IssueLine {
  readonly id: string;
  readonly projectId: string;
  readonly origin: Origin;
  readonly reference: string;
  /** First 300 characters of each. */
  readonly problem: string;
  readonly rootCause: string;
  /** The first that the answer asks, as long; "" for none. */
  readonly question: string;
  readonly outcome: Outcome;
  readonly partial: boolean;
  readonly verdict: Verdict | null;
  readonly confidence: number | null;
  readonly sameAs: string | null;
  readonly hasChange: boolean;
  readonly pullRequest: string | null;
  readonly context: readonly ContextRepository[];
  readonly createdAt: string;
}

interface IssueLineFilter {
  readonly projectIds: readonly string[];
  /** Only these. Absent: all. */
  readonly issueIds?: readonly string[];
  readonly limit: number;
  /** Id of the last one of the previous page. */
  readonly after?: string;
}

export interface ReportBeginning {
  /** The first 4,000 characters; a report has up to a million. */
  readonly text: string;
  /** "": it is of no failure, or of one without an error. */
  readonly headline: string;
}

export interface ProjectCounts {
  readonly issues: number;
  /** Queued or running investigations. */
  readonly underWay: number;
  readonly openFailures: number;
  /** ISO 8601; "": never. */
  readonly lastIssueAt: string;
}

/** The predicate of the partial index; only where the sole column named `state` is that of `investigations`. */
const UNDER_WAY = sql<SqlBool>`state in ('queued', 'running')`;

export function createInvestigationVerbs(database: Database) {
  return {
    async findInvestigation(id: string): Promise<Investigation | null> {
      const row = await database.read((reader) =>
        selectWithProgress(reader).where('investigations.id', '=', id).executeTakeFirst(),
      );
      return row ? toInvestigation(row) : null;
    },
    /** Newest first. */
    listInvestigations: (filter: InvestigationFilter): Promise<readonly Investigation[]> =>
      database.read((reader) => listStoredInvestigations(reader, filter)),
    /** Ids of the investigations of a project that have not ended, oldest first. */
    async listOpenInvestigations(projectId: string): Promise<readonly string[]> {
      const rows = await database.read((reader) =>
        reader
          .selectFrom('investigations')
          .select(['id', 'seq'])
          .where('project_id', '=', projectId)
          .where(UNDER_WAY)
          .execute(),
      );
      // Sorted here: `order by` would make SQLite read all investigations of the project.
      return rows.toSorted((a, b) => a.seq - b.seq).map(({ id }) => id);
    },
    /** How many investigations the account with that GitHub number has started in the project since then. */
    async countInvestigationsSince(
      projectId: string,
      by: { readonly githubId: number; readonly since: string; readonly isOfBots?: boolean },
    ): Promise<number> {
      const { count } = await database.read((reader) => {
        const all = reader
          .selectFrom('investigations')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('project_id', '=', projectId)
          .where('account_id', 'in', reader.selectFrom('accounts').select('id').where('github_id', '=', by.githubId))
          .where('created_at', '>', by.since);
        const counted = by.isOfBots === true ? all.where('run_id', 'in', selectRunsOfBots(reader, projectId)) : all;
        return counted.executeTakeFirstOrThrow();
      });
      return Number(count);
    },
    /** Whether a report of that account about the project is stored. */
    async hasReported(accountId: string, projectId: string): Promise<boolean> {
      const row = await database.read((reader) =>
        reader
          .selectFrom('runs')
          .select('id')
          .where('account_id', '=', accountId)
          .where('project_id', '=', projectId)
          .limit(1)
          .executeTakeFirst(),
      );
      return row !== undefined;
    },
    /**
     * What the reports of investigations begin with, and the first error of the failure that one is of. Those without
     * a text are left out: it is erased where an investigation ends without an Issue.
     */
    readReportBeginnings: (ids: readonly string[]): Promise<ReadonlyMap<string, ReportBeginning>> =>
      database.read((reader) => readReportBeginnings(reader, ids)),
    /** How many Issues each project got on each day (UTC) since then; days without any are left out. */
    readDailyIssues: (filter: {
      readonly projectIds: readonly string[];
      readonly since: string;
    }): Promise<readonly DailyCount[]> => database.read((reader) => readDailyIssues(reader, filter)),
    /** Projects without anything to count are left out. */
    countByProject: (projectIds: readonly string[]): Promise<ReadonlyMap<string, ProjectCounts>> =>
      database.read((reader) => countByProject(reader, projectIds)),
  };
}

/** What the heads of bots' pull requests were investigated in, without those that a person pushed. */
function selectRunsOfBots(reader: Reader, projectId: string) {
  const heads = reader
    .selectFrom('heads')
    .select('sha')
    .where('project_id', '=', projectId)
    .where('place', 'like', '%"isBot":true%')
    .where('place', 'like', '%"isTrusted":false%');
  return reader.selectFrom('runs').select('id').where('project_id', '=', projectId).where('revision', 'in', heads);
}

async function listStoredInvestigations(
  reader: Reader,
  filter: InvestigationFilter,
): Promise<readonly Investigation[]> {
  const { projectIds, state, reference, after, limit } = filter;
  if (projectIds?.length === 0) return [];
  let page = reader.selectFrom('investigations').select('seq').orderBy('seq', 'desc').limit(limit);
  if (projectIds) page = page.where('project_id', 'in', projectIds);
  if (state) page = page.where('state', '=', state);
  if (reference !== undefined) page = page.where('reference', '=', reference);
  else if (state === 'queued' || state === 'running') page = page.where(UNDER_WAY);
  if (after !== undefined) {
    page = page.where('seq', '<', (query) =>
      query.selectFrom('investigations as last').select('last.seq').where('last.id', '=', after),
    );
  }
  // The page is selected before anything is joined: otherwise all rows of several projects would be joined to be
  // sorted.
  const rows = await selectWithProgress(reader)
    .where('investigations.seq', 'in', () => page)
    .orderBy('investigations.seq', 'desc')
    .execute();
  return rows.map(toInvestigation);
}

/** An investigation's progress is the last step of its run. The text, up to 1 MiB, is not read. */
function selectWithProgress(reader: Reader) {
  return reader
    .selectFrom('investigations')
    .innerJoin('runs', 'runs.id', 'investigations.run_id')
    .leftJoin('steps', (join) =>
      join.onRef('steps.run_id', '=', 'runs.id').onRef('steps.number', '=', 'runs.step_count'),
    )
    .select([
      'investigations.id',
      'investigations.run_id',
      'investigations.account_id',
      'investigations.project_id',
      'investigations.origin',
      'investigations.reference',
      'investigations.outcome',
      'investigations.created_at',
      'investigations.is_trusted',
      'runs.step_count',
      'steps.action',
    ]);
}

function toInvestigation(
  row: Awaited<ReturnType<ReturnType<typeof selectWithProgress>['executeTakeFirstOrThrow']>>,
): Investigation {
  return {
    id: row.id,
    runId: row.run_id,
    accountId: row.account_id,
    projectId: row.project_id,
    origin: row.origin,
    reference: row.reference,
    outcome: JSON.parse(row.outcome),
    progress: { step: row.step_count, action: row.action ?? '' },
    isTrusted: row.is_trusted === 1,
    createdAt: row.created_at,
  };
}

const BEGINNING = 4_000;

async function readReportBeginnings(
  reader: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ReportBeginning>> {
  const rows = await queryInChunks([...new Set(ids)], (some) =>
    reader
      .selectFrom('investigations')
      .leftJoin('failures', 'failures.investigation_id', 'investigations.id')
      .select(['investigations.id', 'failures.headline'])
      .select(sql<string>`substr(investigations.text, 1, ${sql.lit(BEGINNING)})`.as('beginning'))
      .where('investigations.id', 'in', some)
      .where('investigations.text', '!=', '')
      .execute(),
  );
  return new Map(rows.map(({ id, beginning, headline }) => [id, { text: beginning, headline: headline ?? '' }]));
}

async function countByProject(reader: Reader, wanted: readonly string[]): Promise<ReadonlyMap<string, ProjectCounts>> {
  // Without duplicates: an id in two chunks would count twice.
  const projectIds = [...new Set(wanted)];
  const counts = new Map<string, ProjectCounts>();
  const add = (id: string, part: Partial<ProjectCounts>) => {
    const before = counts.get(id) ?? { issues: 0, underWay: 0, openFailures: 0, lastIssueAt: '' };
    counts.set(id, { ...before, ...part });
  };
  const issues = await queryInChunks(projectIds, (some) =>
    reader
      .selectFrom('issues')
      .select(({ fn }) => ['project_id', fn.countAll<number>().as('count'), fn.max('created_at').as('last')])
      .where('project_id', 'in', some)
      .groupBy('project_id')
      .execute(),
  );
  for (const row of issues) add(row.project_id, { issues: Number(row.count), lastIssueAt: row.last });
  // By state too, as the partial index has them: otherwise SQLite would count all investigations of the project.
  const underWay = await queryInChunks(projectIds, (some) =>
    reader
      .selectFrom('investigations')
      .select(({ fn }) => ['project_id', fn.countAll<number>().as('count')])
      .where('project_id', 'in', some)
      .where(UNDER_WAY)
      .groupBy(['state', 'project_id'])
      .execute(),
  );
  for (const row of underWay) {
    add(row.project_id, { underWay: (counts.get(row.project_id)?.underWay ?? 0) + Number(row.count) });
  }
  const failures = await queryInChunks(projectIds, (some) =>
    reader
      .selectFrom('failures')
      .select(({ fn }) => ['project_id', fn.countAll<number>().as('count')])
      .where('project_id', 'in', some)
      .where('state', '=', 'open')
      .groupBy('project_id')
      .execute(),
  );
  for (const row of failures) add(row.project_id, { openFailures: Number(row.count) });
  return counts;
}

async function readDailyIssues(
  reader: Reader,
  { projectIds, since }: { readonly projectIds: readonly string[]; readonly since: string },
): Promise<readonly DailyCount[]> {
  const rows = await queryInChunks(projectIds, (some) =>
    reader
      .selectFrom('issues')
      .select(({ fn, lit }) => [
        'project_id',
        fn<string>('substr', ['created_at', lit(1), lit(10)]).as('day'),
        fn.countAll<number>().as('count'),
      ])
      .where('project_id', 'in', some)
      .where('created_at', '>=', since)
      .groupBy(['project_id', 'day'])
      .execute(),
  );
  return rows.map(({ project_id: id, day, count }) => ({ id, day, count: Number(count) }));
}

export function createIssueVerbs(database: Database) {
  return {
    findIssue: (id: string): Promise<Issue | null> =>
      database.read((reader) => findIssueWhere(reader, 'issues.id', id)),
    /** The edits behind the Issue's diff; null: no such Issue. */
    findChangeSet: async (issueId: string): Promise<ChangeSet | null> =>
      (await database.read((reader) => findConclusion(reader, issueId)))?.changeSet ?? null,
    /** Where each of the Issue's steps comes from, in their order; empty: no such Issue. */
    async listStepSources(issueId: string): Promise<readonly StepSource[]> {
      const conclusion = await database.read((reader) => findConclusion(reader, issueId));
      return (conclusion?.investigationSteps ?? []).map(({ source }) => source ?? 'repository');
    },
    /** Of the edits, in the model's words; "": it gave none. */
    findChangeTitle: async (issueId: string): Promise<string> =>
      (await database.read((reader) => findConclusion(reader, issueId)))?.changeTitle ?? '',
    /** Complete, newest first. */
    async listIssueIds(projectId: string): Promise<readonly string[]> {
      const rows = await database.read((reader) =>
        reader.selectFrom('issues').select('id').where('project_id', '=', projectId).orderBy('seq', 'desc').execute(),
      );
      return rows.map((row) => row.id);
    },
    /** Newest first. */
    listIssueLines: (filter: IssueLineFilter): Promise<readonly IssueLine[]> =>
      database.read((reader) => listIssueLines(reader, filter)),
    /**
     * Erases the Issue, its investigation, undelivered webhooks, and the run with its steps if no other investigation
     * shares it. Of the Issues with this one as `sameAs`, the oldest takes its place. False: no such Issue. `by`:
     * account id for the audit log; absent: the caller's own.
     */
    async eraseIssue(id: string, now: string, by?: string): Promise<boolean> {
      const erased = await database.write((trx) => eraseStoredIssue(trx, database.jobs, { id, by, now }));
      if (erased) await database.forgetErased();
      return erased;
    },
  };
}

/** The Issue of that id, or of that investigation. */
export async function findIssueWhere(
  reader: Reader,
  column: 'issues.id' | 'issues.investigation_id',
  id: string,
): Promise<Issue | null> {
  const row = await reader
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .innerJoin('runs', 'runs.id', 'issues.run_id')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .selectAll('issues')
    .select([
      'investigations.reference',
      'investigations.origin',
      'investigations.text',
      'investigations.guidance',
      'investigations.verdict',
      'investigations.created_at as requested_at',
      'runs.conclusion',
      'projects.source',
    ])
    .where(column, '=', id)
    .executeTakeFirst();
  if (!row || row.conclusion === null) return null;
  const followed = await findFollowed(reader, 'outcomes.issue_id', row.id);
  const conclusion: Conclusion = JSON.parse(row.conclusion);
  const { proof = null, ...learnt } = parseLinks(row.links);
  const links = { ...conclusion.analysis.links, ...learnt };
  const owner = {
    issueId: row.id,
    investigationId: row.investigation_id,
    projectId: row.project_id,
    reference: row.reference,
    origin: row.origin,
    report: row.text + row.guidance,
    verdict: row.verdict,
    sameAs: row.same_as,
    proof: proof ?? (isOnGithub(row.source) ? null : toUnrunProof(conclusion.changeSet, `${row.id}.patch`)),
    outcomes: followed && toOutcomeView(followed),
    requestedAt: row.requested_at,
    createdAt: row.created_at,
  };
  return toIssue(owner, { ...conclusion, analysis: { ...conclusion.analysis, links } });
}

function isOnGithub(source: string): boolean {
  return (JSON.parse(source) as ProjectSource).kind === 'github';
}

function parseLinks(links: string | null): LearntLinks {
  return links === null ? {} : JSON.parse(links);
}

async function findConclusion(reader: Reader, issueId: string): Promise<Conclusion | null> {
  const row = await reader
    .selectFrom('issues')
    .innerJoin('runs', 'runs.id', 'issues.run_id')
    .select('runs.conclusion')
    .where('issues.id', '=', issueId)
    .executeTakeFirst();
  return row?.conclusion ? JSON.parse(row.conclusion) : null;
}

async function eraseStoredIssue(
  trx: Trx,
  jobs: Enqueuer,
  { id, by, now }: { readonly id: string; readonly by: string | undefined; readonly now: string },
): Promise<boolean> {
  const row = await trx
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .select(['investigations.id', 'investigations.account_id', 'investigations.project_id', 'investigations.thread_id'])
    .where('issues.id', '=', id)
    .executeTakeFirst();
  if (!row) return false;
  await eraseInvestigations(trx, jobs, [row.id]);
  if (row.thread_id !== null) await forgetHeldThread(trx, row.thread_id, now);
  await enqueueUpdates(trx, jobs, [row.thread_id], { runAt: now });
  const entry = { at: now, accountId: by ?? row.account_id, projectId: row.project_id };
  await writeAudit(trx, { ...entry, verb: 'issue.erased', subject: id });
  return true;
}

const LINE_LENGTH = 300;

async function listIssueLines(
  reader: Reader,
  { projectIds, issueIds, limit, after }: IssueLineFilter,
): Promise<readonly IssueLine[]> {
  if (projectIds.length === 0 || issueIds?.length === 0) return [];
  let page = reader
    .selectFrom('issues')
    .select('seq')
    .where('project_id', 'in', projectIds)
    .orderBy('seq', 'desc')
    .limit(limit);
  if (issueIds !== undefined) page = page.where('id', 'in', issueIds);
  if (after !== undefined) {
    page = page.where('seq', '<', (query) =>
      query.selectFrom('issues as last').select('last.seq').where('last.id', '=', after),
    );
  }
  const rows = await reader
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .innerJoin('runs', 'runs.id', 'issues.run_id')
    .selectAll('issues')
    .select(['investigations.origin', 'investigations.reference', 'investigations.verdict', 'runs.conclusion'])
    .where('issues.seq', 'in', () => page)
    .orderBy('issues.seq', 'desc')
    .execute();
  return rows.flatMap((row) => {
    if (row.conclusion === null) return [];
    const { problem, rootCause, changeSet, analysis }: Conclusion = JSON.parse(row.conclusion);
    const learnt = parseLinks(row.links);
    return [
      {
        id: row.id,
        projectId: row.project_id,
        origin: row.origin,
        reference: row.reference,
        problem: truncate(problem, LINE_LENGTH),
        rootCause: truncate(rootCause, LINE_LENGTH),
        question: truncate(analysis.questions[0] ?? '', LINE_LENGTH),
        outcome: analysis.outcome,
        partial: analysis.partial,
        verdict: row.verdict ?? analysis.verdict,
        confidence: lowerConfidence(analysis.confidence, learnt.proof ?? null),
        sameAs: row.same_as,
        hasChange: changeSet.files.length > 0,
        context: analysis.context ?? [],
        pullRequest: { ...analysis.links, ...learnt }.pullRequest,
        createdAt: row.created_at,
      },
    ];
  });
}
