// A job prints the same error whenever it runs, red or green: the check run shows what only the red one says, which is read off the green log.
import type { ReportedJob } from 'causeway-github-double';
import { expect, it } from 'vitest';
import { minutesAgo, type RedDesk, redStage } from '../../support/github-red-desk.ts';
import { jobLog } from '../../support/github-red-model.ts';

const stage = redStage();

const CAUSE = 'ERROR: no price for a coupon in src/coupons.js:14:11';
const ALWAYS = 'ERROR: the price list of yesterday is stale';

function printed(first: readonly string[]): readonly string[] {
  const pages = Array.from({ length: 100 }, (_, page) => `page ${page} is drawn`);
  return [...first, ...pages, ALWAYS, '    at src/prices.js:7:1', ...pages];
}

const RED: ReportedJob = { conclusion: 'failure', failedStep: 'make', log: jobLog('make', printed([CAUSE])) };

function greenOf(log: string | null): ReportedJob {
  return { conclusion: 'success', log };
}

/** So often the log of a job was asked for. */
function logsAsked({ name }: RedDesk): number {
  return stage.double.requests.filter(({ path }) => new RegExp(`/repos/${name}/actions/jobs/\\d+/logs$`).test(path))
    .length;
}

/** A draft, so that the check run says what is known without an analysis, on a base that was green with that log. */
async function redAfter(name: string, log: string | null) {
  const desk = await stage.desk(name);
  await desk.run(await desk.tip(), { site: greenOf(log) }, { at: minutesAgo(9) });
  expect(logsAsked(desk)).toBe(0);
  const { sha } = await desk.pull({ draft: true });
  await desk.run(sha, { site: RED });
  return { desk, sha };
}

it('shows the error that the last green run of the default branch did not print', async () => {
  const { desk, sha } = await redAfter('corner/beside', jobLog('make', printed([]), ''));
  const { words } = desk.checkRun(sha);
  expect(words).toContain(CAUSE);
  expect(words).not.toContain(ALWAYS);
  expect((await desk.failures()).map(({ headline }) => headline)).toEqual([CAUSE]);
  expect(logsAsked(desk)).toBe(2);

  // Of the same again people were told: one log, of the red job.
  const next = await desk.push('coupons');
  await desk.run(next, { site: RED });
  expect((await desk.failures()).map(({ headline, hits }) => [headline, hits])).toEqual([[CAUSE, 2]]);
  expect(logsAsked(desk)).toBe(3);
});

it('shows what there is where the log of the green run is not kept any more', async () => {
  const { desk, sha } = await redAfter('corner/expired', null);
  const shown = desk.checkRun(sha);
  expect([shown.status, shown.conclusion]).toEqual(['completed', 'neutral']);
  expect(shown.words).toContain(ALWAYS);
});
