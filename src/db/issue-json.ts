// Issues as the JSON that the API answers with, written once and kept for whoever asks again.
import type { Conclusion } from '../core/issue.ts';
import { issueFrom, OWNER_COLUMNS } from './issue-rows.ts';
import type { Kept } from './kept-for-a-moment.ts';
import { prepared } from './prepared.ts';
import { projectFrom } from './project-rows.ts';
import type { Reader } from './schema.ts';
import type { IssueJson } from './store.ts';

/** By the Issue's id. */
export type KeptJson = Kept<{ readonly row: Row; readonly json: IssueJson['json'] }>;

type Row = Awaited<ReturnType<typeof rowOf>>[number];

/** The row's texts stand in the JSON as well, and take at most two bytes where they take one there. */
const TAKEN_PER_BYTE = 3;

/**
 * The JSON follows from the row, which is read each time, and from the conclusion of its run, which is stored with the end of the run and never
 * changed: so what is kept is right as long as the row is the same, whichever process has written last.
 */
export async function issueJson(reader: Reader, id: string, kept: KeptJson): Promise<IssueJson | null> {
  const [row] = await rowOf(reader, id);
  if (row === undefined) return null;
  const known = kept.get(id);
  if (known !== undefined && isSame(known.row, row)) return { project: projectOf(row), json: known.json };
  const run = await reader.selectFrom('runs').select('conclusion').where('id', '=', row.run_id).executeTakeFirst();
  if (!run || run.conclusion === null) return null;
  const conclusion: Conclusion = JSON.parse(run.conclusion);
  const json = Buffer.from(JSON.stringify(issueFrom(row, conclusion)));
  kept.keep(id, { row, json }, json.length * TAKEN_PER_BYTE);
  return { project: projectOf(row), json };
}

const rowOf = prepared((reader, id: string) =>
  reader
    .selectFrom('issues')
    .innerJoin('investigations', 'investigations.id', 'issues.investigation_id')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .select(OWNER_COLUMNS)
    .select(['issues.run_id', 'projects.name', 'projects.source', 'projects.created_at as project_created_at'])
    .where('issues.id', '=', id)
    .where('projects.hidden_at', 'is', null),
);

function isSame(one: Row, other: Row): boolean {
  return Object.entries(one).every(([column, value]) => other[column as keyof Row] === value);
}

function projectOf({ project_id: id, name, source, project_created_at: created_at }: Row) {
  return projectFrom({ id, name, source, created_at });
}
