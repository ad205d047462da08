// Where a job stands among others: how urgent it is, and whose turn it takes.
import type { ProjectSource } from '../core/project.ts';
import type { NewJob, Urgency } from '../core/queue.ts';
import type { Trigger } from '../core/thread.ts';
import type { Trx } from './schema.ts';

/** What of a job decides when it comes among those that are due. */
type JobPlace = Pick<NewJob, 'urgency' | 'organisation'>;

/** Of a job that somebody waits for and that takes nobody's turn: a webhook to a caller. */
export const NOBODYS: JobPlace = { urgency: 'person', organisation: '' };

export function organisationOf(source: ProjectSource): string {
  return source.kind === 'github' ? installationName(source.installationId) : '';
}

export function installationName(installationId: number): string {
  return `installation ${installationId}`;
}

/** "" where the project is gone. */
export async function organisationOfProject(trx: Trx, projectId: string): Promise<string> {
  const row = await trx.selectFrom('projects').select('source').where('id', '=', projectId).executeTakeFirst();
  return row ? organisationOf(JSON.parse(row.source)) : '';
}

function urgencyOf({ kind }: Pick<Trigger, 'kind'>): Urgency {
  return kind === 'checks' ? 'automatic' : 'person';
}

/** Of the threads that are there: as urgent as whoever asked there last. */
export async function placesOfThreads(trx: Trx, ids: readonly string[]): Promise<ReadonlyMap<string, JobPlace>> {
  const rows = await trx
    .selectFrom('threads')
    .innerJoin('projects', 'projects.id', 'threads.project_id')
    .select(['threads.id', 'threads.trigger_json', 'projects.source'])
    .where('threads.id', 'in', ids)
    .execute();
  return new Map(
    rows.map(({ id, trigger_json: trigger, source }) => [
      id,
      { urgency: urgencyOf(JSON.parse(trigger)), organisation: organisationOf(JSON.parse(source)) },
    ]),
  );
}
