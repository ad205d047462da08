// Twenty red jobs of two causes: two investigations, one check run, one comment, and nothing before the last job has ended.
import { expect, it } from 'vitest';
import { redStage, resultOf } from '../../support/github-red-desk.ts';
import { COUPONS, DELIVERY, type Failing } from '../../support/github-red-model.ts';

const stage = redStage();

/** Twenty jobs: on ten systems the coupons break, on ten the delivery does. */
const MATRIX = new Map<string, Failing>(
  ['ubuntu', 'windows'].flatMap((system) =>
    Array.from({ length: 10 }, (_, at) => [`test (${system}, ${at + 13})`, at % 2 === 0 ? COUPONS : DELIVERY] as const),
  ),
);

it('tells of both causes once, after the last of twenty red jobs, and asks the model for two', async () => {
  const desk = await stage.desk('corner/matrix');
  const { people } = stage.double;
  const { number, sha } = await desk.pull();
  const run = await people.startRun(desk.name, { sha, jobs: [...MATRIX.keys()] });
  const [last = '', ...others] = [...MATRIX.keys()].toReversed();
  for (const job of others) await people.finishJob(desk.name, run, job, resultOf(MATRIX.get(job) ?? COUPONS));
  // Another workflow ends meanwhile, so that the commit is looked at.
  await desk.run(sha, { lint: 'success' }, { workflow: 'Lint' });
  expect([desk.writes(), desk.begun()]).toEqual([[], []]);

  await people.finishJob(desk.name, run, last, resultOf(MATRIX.get(last) ?? COUPONS));
  await stage.rest();
  expect(desk.begun()).toHaveLength(2);
  expect(desk.begun().filter((text) => text.includes(DELIVERY.test))).toHaveLength(1);
  const shown = desk.checkRun(sha);
  expect([shown.status, shown.conclusion]).toEqual(['completed', 'neutral']);
  expect(shown.title).toMatch(
    /^20 checks failed because of this change · test \(ubuntu, 13\) and 9 more: your change; test \(ubuntu, 14\) and 9 more: your change$/,
  );
  expect(shown.words).toContain(COUPONS.test);
  expect(shown.words).toContain(DELIVERY.test);
  expect(shown.places).toEqual(expect.arrayContaining(['src/coupons.js:14', 'src/delivery.js:8']));
  const [comment, ...more] = desk.comments(number);
  expect(more).toEqual([]);
  expect(comment?.text).toContain('src/coupons.js');
  expect(comment?.text).toContain('src/delivery.js');
  expect((await desk.failures()).map(({ hits }) => hits)).toEqual([10, 10]);
});
