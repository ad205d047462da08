// `red-check`: how long people wait after the last check's end: to our check run, to what it says at last, to the comment; beside plain things.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { repository } from '../github-double/lookup.ts';
import { OWNER } from '../support/app-settings.ts';
import { modelEndpoint } from '../support/model-endpoint.ts';
import { modelSettings } from '../support/model-service.ts';
import { plays } from '../support/played-model.ts';
import { type Baselines, baselines } from './baselines.ts';
import { type BenchStage, openBenchStage } from './bench-stage.ts';
import { load, say, spread, table } from './figures.ts';
import { logOfCause } from './made-failures.ts';
import { makeRepository } from './made-repository.ts';
import { QUICK_TURNS } from './red-model.ts';
import { type RedRepository, redRepository } from './red-repository.ts';
import { rest } from './rest.ts';

export const RED_CHECK_USAGE = `red-check: from the end of the last check to our check run and comment
  --files 3000         size of the made repository, in files
  --rounds 10          how many pull requests, each with a cause of its own
  --delay 0            milliseconds added to every answer of the API
`;

const OPTIONS = {
  files: { type: 'string', default: '3000' },
  rounds: { type: 'string', default: '10' },
  delay: { type: 'string', default: '0' },
} as const;
const NAME = `${OWNER}/measured`;
const JOBS = 6;
const RED = 2;
const LIMIT_MS = 120_000;

/** Milliseconds after the double announced that the suite of the last job has ended. */
interface Waited {
  /** Our check run was made. It says the verdict from then on. */
  readonly appeared: number;
  /** It says what the investigation has brought. */
  readonly final: number;
  readonly comment: number;
  readonly plain: Baselines;
}

export async function redCheckBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const [files, rounds, delayMs] = [Number(values.files), Number(values.rounds), Number(values.delay)];
  await using owned = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'causeway-bench-'));
  owned.defer(() => rm(folder, { recursive: true, force: true }));
  const made = await makeRepository(folder, files);
  const model = owned.use(await modelEndpoint(plays(QUICK_TURNS)));
  const stage = owned.use(
    await openBenchStage({
      delayMs,
      env: await modelSettings(model, folder),
      prepare: async ({ people }) => {
        await people.openRepository(NAME, { from: made.gitDir });
        people.grant(NAME, 'mara', 'write');
      },
    }),
  );
  const before = load();
  const red = redRepository(stage.double, NAME);
  const first = await goRed(stage, red);
  const others: Waited[] = [];
  for (let round = 0; round < rounds; round++) others.push(await goRed(stage, red));
  const delay = delayMs === 0 ? '' : `, ${delayMs} ms added to every answer of the API`;
  say(`\n## From the last check's end, ${files} files${delay}\n`);
  say(`${JOBS} jobs, ${RED} red of one new cause; median (least–most); before: ${before}; after: ${load()}.\n`);
  print(first, others);
}

/** A new pull request whose jobs end one after the other; the service has nothing else to do. */
async function goRed(stage: BenchStage, red: RedRepository): Promise<Waited> {
  const { people } = stage.double;
  const plain = await baselines(stage, NAME);
  const cause = red.cause();
  const sha = await red.push(`work-${cause.name}`, { [cause.path]: cause.broken });
  const number = await red.open(`work-${cause.name}`);
  const jobs = Array.from({ length: JOBS }, (_, at) => `test (${at})`);
  const run = await people.startRun(NAME, { sha, jobs });
  const end = (job: string, isRed: boolean) =>
    people.finishJob(NAME, run, job, {
      conclusion: isRed ? 'failure' : 'success',
      log: isRed ? logOfCause(cause, red.short, red.next()) : '',
      failedStep: isRed ? 'Run npm test' : '',
    });
  for (const [at, job] of jobs.slice(0, -1).entries()) await end(job, at < RED - 1);
  await stage.quiet();
  const told = stage.told.length;
  await end(jobs.at(-1) ?? '', true);
  const start = stage.told.slice(told).find(({ event, payload }) => event === 'check_suite' && isEnd(payload))?.at;
  if (start === undefined) throw new Error('the double announced no end of the suite');
  const ours = () =>
    [...repository(stage.double.state, NAME).checkRuns.values()].find((one) => isOurs(stage, one, sha));
  const appeared = await moment(stage, () => ours() !== undefined);
  const commented = moment(stage, () => people.comments(NAME, number).length > 0);
  const final = await moment(stage, () => ours()?.status === 'completed');
  const waited = { appeared: appeared - start, final: final - start, comment: (await commented) - start, plain };
  await rest(stage);
  return waited;
}

function isEnd(payload: object): boolean {
  return 'action' in payload && payload.action === 'completed';
}

function isOurs(
  { double }: BenchStage,
  run: { readonly appId: number; readonly headSha: string },
  sha: string,
): boolean {
  return run.appId === double.app.id && run.headSha === sha;
}

/** When the double has it, to two milliseconds. */
async function moment({ output }: BenchStage, has: () => boolean): Promise<number> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await wait(2)) if (has()) return performance.now();
  throw new Error(`It did not come about. The service said:\n${output()}`);
}

function print(first: Waited, others: readonly Waited[]): void {
  const head = ['', 'our check run appears, ms', 'it says all, ms', 'comment, ms'];
  const row = (name: string, waits: readonly Waited[]) => [
    name,
    spread(waits.map(({ appeared }) => appeared)),
    spread(waits.map(({ final }) => final)),
    spread(waits.map(({ comment }) => comment)),
  ];
  say(table(head, [row('first pull request of a service just set up', [first]), row(`${others.length} more`, others)]));
  const plain = [first, ...others].map((one) => one.plain);
  const [get, fetch, clone] = [
    plain.map((one) => one.get),
    plain.map((one) => one.fetch),
    plain.map((one) => one.clone),
  ];
  say(`\nIn the same run: GET ${spread(get, 1)} ms, fetch of nothing ${spread(fetch)} ms, clone ${spread(clone)} ms.`);
}
