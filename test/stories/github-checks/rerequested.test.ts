// "Re-run" on our own check run: the checks are read again, and what was found there is investigated again.
import { expect, it } from 'vitest';
import { type RedDesk, redStage } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-model.ts';
import { storedRows } from '../../support/records.ts';

const stage = redStage();

/** Bodies of what we wrote to our check runs there. */
function writes({ name }: RedDesk): readonly string[] {
  return stage.double.requests
    .filter(({ method, path }) => method !== 'GET' && path.startsWith(`/repos/${name}/check-runs`))
    .map(({ body }) => body);
}

it('investigates a failed pull request again, in the same comment, and once for each press', async () => {
  const desk = await stage.desk('corner/rerun');
  const { people } = stage.double;
  const { number, sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  expect([desk.begun().length, desk.comments(number).length]).toEqual([1, 1]);
  const press = () => people.rerequestCheck(desk.name, desk.checkRun(sha).run, 'mara');
  await press();
  await stage.rest();
  expect([desk.begun().length, desk.comments(number).length]).toEqual([2, 1]);
  const { status, conclusion, run } = desk.checkRun(sha);
  expect([status, conclusion]).toEqual(['completed', 'neutral']);
  const suite = stage.double.repository(desk.name).suites.get(run.suiteId);
  if (suite === undefined) throw new Error('there is no suite');
  await people.rerequestSuite(desk.name, suite, 'mara');
  await stage.rest();
  expect([desk.begun().length, desk.comments(number).length, desk.checkRuns(sha).length]).toEqual([3, 1, 1]);
  expect((await desk.failures()).map(({ state, hits }) => [state, hits])).toEqual([['open', 1]]);
});

it('does not for people without triage, nor for checks of others, and not without limit', async () => {
  const desk = await stage.desk('corner/limited');
  const { people } = stage.double;
  const { sha } = await desk.pull();
  await desk.run(sha, { test: COUPONS });
  const { run } = desk.checkRun(sha);
  await people.rerequestCheck(desk.name, run, 'ola');
  const others = [...stage.double.repository(desk.name).checkRuns.values()].filter(({ id }) => id !== run.id);
  for (const other of others) await people.rerequestCheck(desk.name, other, 'mara');
  await stage.rest();
  expect(desk.begun()).toHaveLength(1);
  // As many as red checks may begin in a day.
  const before = writes(desk).length;
  const columns = `run_id, account_id, project_id, origin, reference, text, guidance, callback_url, state, outcome,
    created_at, ended_at, thread_id, is_trusted, settings, verdict`;
  for (let more = 1; more < 20; more++) {
    await storedRows(
      stage.dataDir,
      `insert into investigations (id, ${columns}) select 'inv_more${more}', ${columns} from investigations
        where project_id = (select id from projects where name = $1) order by seq limit 1`,
      [desk.name],
    );
  }
  await people.rerequestCheck(desk.name, run, 'mara');
  await stage.rest();
  // GitHub waits for our check run: it is completed again, with the old answer.
  expect(writes(desk).length).toBeGreaterThan(before);
  expect(desk.begun()).toHaveLength(1);
});

it('reads the checks again, and writes the check run that GitHub waits for, where they pass by now', async () => {
  const desk = await stage.desk('corner/read-again');
  const sha = await desk.push('main');
  await desk.run(sha, { test: COUPONS });
  const before = [desk.begun().length, writes(desk).length] as const;
  await desk.report(sha, { test: 'success' });
  await stage.double.people.rerequestCheck(desk.name, desk.checkRun(sha).run, 'mara');
  await stage.rest();
  expect(desk.begun()).toHaveLength(before[0]);
  expect(writes(desk).length).toBeGreaterThan(before[1]);
  expect(desk.checkRun(sha).status).toBe('completed');
});

it('analyses a failure of the default branch again by a call, in its check run', async () => {
  const desk = await stage.desk('corner/main-again');
  const sha = await desk.push('main');
  await desk.run(sha, { test: COUPONS });
  const api = await stage.api('mara');
  const [id = ''] = (await api.project(desk.name)).issueIds;
  const answer = await api.post(`/api/v1/issues/${id}/retry/`, { guidance: 'Only the lookup.' });
  expect(answer.status).toBe(202);
  await stage.rest();
  expect(desk.begun()).toHaveLength(2);
  expect(desk.begun()[1]).toContain('## Guidance from mara\n\nOnly the lookup.');
  const [newer = ''] = (await api.project(desk.name)).issueIds;
  expect(newer).not.toBe(id);
  expect(desk.checkRuns(sha).map(({ status }) => status)).toEqual(['completed']);
  const [failure] = await desk.failures();
  const shown = await storedRows<{ id: string }>(
    stage.dataDir,
    `select id from issues where investigation_id = '${failure?.investigation_id}'`,
  );
  expect(shown).toEqual([{ id: newer }]);
  expect((await api.post(`/api/v1/issues/${id}/retry/`, {})).status).toBe(409);
  const green = await desk.push('main');
  await desk.run(green, { test: 'success' });
  const closed = await api.post(`/api/v1/issues/${newer}/retry/`, {});
  expect([closed.status, ((await closed.json()) as { detail: string }).detail]).toEqual([
    409,
    expect.stringContaining('passes again'),
  ]);
});
