// A label on an issue where one process takes deliveries, and others, which come and go, do the work, over PostgreSQL.
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { deskOf } from '../../support/github-desk.ts';
import { openShop, reportBug, SHOP_NAME, shopScript } from '../../support/github-shop.ts';
import { openGithubStage } from '../../support/github-stage.ts';
import { emptyDatabase } from '../../support/postgres.ts';

it('is taken by one process and worked on by another, and what a killed one began a third brings to its end once', async () => {
  await using database = await emptyDatabase();
  await using stage = await openGithubStage({
    script: await shopScript(),
    prepare: (double) => openShop(double),
    serve: ['serve', '--no-worker'],
    ownProcess: true,
    env: { DATABASE_URL: database.url, ENCRYPTION_KEY: randomBytes(32).toString('hex') },
  });
  const desk = deskOf(stage, SHOP_NAME, await reportBug(stage.double));
  desk.label('mara');
  const taken = async () => (await database.query('select id from deliveries')).length > 0;
  await stage.until('the delivery', taken);
  expect(desk.writes()).toEqual([]);

  await using first = await stage.beside('worker', '--concurrency', '1');
  await desk.comment('Investigating');
  await first.end('SIGKILL');
  await using _second = await stage.beside('worker', '--concurrency', '2');
  await desk.pull();
  await stage.until('the link to the pull request', () => desk.ours()[0]?.body.includes('#2') === true);
  expect(desk.ours()).toHaveLength(1);
  expect(desk.writes().filter((write) => write.startsWith('POST /repos/corner/shop/pulls'))).toHaveLength(1);
  expect(await database.query("select state from investigations where state != 'concluded'")).toEqual([]);
});
