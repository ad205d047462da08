// Has the answers of a stage looked at now, as time would, and reads what became of them.
import { type OutcomeView, toOutcomeView } from '../../../src/core/outcome/outcome.ts';
import type { GithubStage } from '../../support/github-stage.ts';
import { engine, storedRows } from '../../support/records.ts';

/** Of one repository, or of all. */
export async function lookNow(stage: GithubStage, name?: string): Promise<void> {
  await stage.rest();
  const past = "'2000-01-01T00:00:00.000Z'";
  const of = name === undefined ? '' : `and group_key in (select id from projects where name = '${name}')`;
  await storedRows(
    stage.dataDir,
    `update jobs set run_at = ${past} where kind = 'outcome' and state = 'waiting' ${of}`,
  );
  if (engine() !== 'sqlite') {
    const due = `update causeway_jobs.job set start_after = ${past} where name = 'outcome' and state < 'active'`;
    await storedRows(stage.dataDir, due);
  }
  await stage.rest();
}

interface StoredOutcome {
  readonly id: string;
  readonly answer: string;
  readonly fate: string;
}

/** As the API shows them, the oldest first. */
export async function readOutcomes(
  { dataDir }: GithubStage,
  name: string,
): Promise<readonly (OutcomeView & { readonly kind: string })[]> {
  const rows = await storedRows<StoredOutcome>(
    dataDir,
    'select o.id, o.answer, o.fate from outcomes o join projects p on p.id = o.project_id where p.name = $1 order by o.seq',
    [name],
  );
  const views: (OutcomeView & { readonly kind: string })[] = [];
  for (const { id, answer, fate } of rows) {
    const votes = await storedRows<{ person_id: number; source: 'command'; vote: 'right'; why: string; at: string }>(
      dataDir,
      'select * from votes where outcome_id = $1 order by at',
      [id],
    );
    const followed = { answer: JSON.parse(answer), fate: JSON.parse(fate) };
    const view = toOutcomeView({
      ...followed,
      override: null,
      votes: votes.map(({ person_id: personId, ...vote }) => ({ personId, ...vote })),
    });
    views.push({ ...view, kind: followed.answer.kind });
  }
  return views;
}
