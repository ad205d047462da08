// Records as after years: projects with Issues, of which one has thirty steps and a long diff. Copied as rows, since a hundred thousand investigations take hours.
import Sqlite from 'better-sqlite3';
import { createId } from '../../src/core/ids.ts';
import { acceptance, conclusion, NOW, SHA } from '../support/store-samples.ts';
import { benchDatabase, benchToken, openBenchHouse } from './own-api.ts';

const STEPS = 30;
const CHANGED_LINES = 200;

interface Filled {
  readonly token: string;
  /** The Issue with thirty steps and a diff of 200 lines. */
  readonly issueId: string;
  /** One of the many. */
  readonly amongId: string;
}

/** `projects` projects with `issues` Issues in all, in a folder without any. */
export async function fillApi(
  dataDir: string,
  { projects, issues }: { readonly projects: number; readonly issues: number },
): Promise<Filled> {
  const names = Array.from({ length: projects }, (_, at) => `local/project-${at}`);
  await using house = await openBenchHouse(dataDir);
  const { store, account } = house;
  const wanted = names.map((name) => ({ name, source: { kind: 'path', path: `/srv/${name}` } as const }));
  const [project, ...others] = await store.syncProjects(wanted, NOW);
  if (project === undefined) throw new Error('there is no project');
  const accepted = await store.accept(acceptance({ account, project }));
  const run = accepted.kind === 'accepted' ? await store.startRun(accepted.runId, NOW) : null;
  const [issueId = ''] = run === null ? [] : await store.conclude(run, longConclusion(), NOW);
  const amongId = copied(benchDatabase(dataDir), { issueId, issues, projectIds: others.map(({ id }) => id) });
  return { token: await benchToken(house), issueId, amongId };
}

function longConclusion() {
  const lines = (what: string) =>
    Array.from({ length: CHANGED_LINES / 2 }, (_, at) => `  ${what}(${at}, total);\n`).join('');
  const step = (at: number) => ({
    action: `read src/orders/part-${at}.js:1-40 at ${SHA.slice(0, 7)}`,
    result: `> ${at} | const total = sumOf(cart.items);\n`.repeat(12),
    analysis: `The total of part ${at} is read before it is there.`,
  });
  return conclusion({
    investigationSteps: Array.from({ length: STEPS }, (_, at) => step(at)),
    changeSet: {
      base: SHA,
      files: [{ kind: 'modified', path: 'src/orders/total.js', before: lines('add'), after: lines('sum') }],
    },
  });
}

interface Copying {
  readonly issueId: string;
  readonly issues: number;
  readonly projectIds: readonly string[];
}

type Row = Readonly<Record<string, string | number | null>>;

/** A run for each project, with as many Issues as each has to have. Gives the id of one in the middle. */
function copied(file: string, { issueId, issues, projectIds }: Copying): string {
  const database = new Sqlite(file);
  const rowOf = (table: string, id: string) =>
    database.prepare<[string], Row>(`SELECT * FROM ${table} WHERE id = ?`).get(id) ?? {};
  const issue = rowOf('issues', issueId);
  const investigation = rowOf('investigations', String(issue['investigation_id']));
  const run = rowOf('runs', String(issue['run_id']));
  const [insertRun, insertInvestigation, insertIssue] = [
    inserter(database, 'runs', run),
    inserter(database, 'investigations', investigation),
    inserter(database, 'issues', issue),
  ];
  const ids: string[] = [];
  database.transaction(() => {
    for (const [at, project_id] of projectIds.entries()) {
      const run_id = createId('run');
      insertRun({ ...run, id: run_id, project_id, fingerprint: `f${at}` });
      for (let each = 0; each < issues / (projectIds.length + 1); each++) {
        const [id, investigation_id] = [createId('iss'), createId('inv')];
        const outcome = JSON.stringify({ state: 'concluded', issueId: id });
        insertInvestigation({ ...investigation, id: investigation_id, run_id, project_id, outcome });
        insertIssue({ ...issue, id, investigation_id, run_id, project_id });
        ids.push(id);
      }
    }
  })();
  database.close();
  return ids[Math.floor(ids.length / 2)] ?? '';
}

/** `seq` is given by the database. */
function inserter(database: Sqlite.Database, table: string, sample: Row): (row: Row) => void {
  const columns = Object.keys(sample).filter((column) => column !== 'seq');
  const statement = database.prepare(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
  );
  return (row) => void statement.run(Object.fromEntries(columns.map((column) => [column, row[column]])));
}
