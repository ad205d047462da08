// `acknowledgement`: how long GitHub waits for the answer to a delivery that is verified and kept, beside Probot's own server, which keeps nothing.
import path from 'node:path';
import { serveWithoutWorker } from '../../support/github-no-worker.ts';
import { storedQueue } from '../../support/github-queue.ts';
import { openShop } from '../../support/github-shop.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { fillQueue } from '../../support/long-queue.ts';
import type { Comparison, Round } from '../comparison.ts';
import { type Letter, letterOf, type Plan, streamedTo, WARM_UP } from '../delivery-stream.ts';
import { sortedSyncTimes } from '../fsync-times.ts';
import { startProbot } from '../probot-server.ts';

const PLAN: Plan = { rate: 200, seconds: 4 };
const WAITING = 10_000;

export const ACKNOWLEDGEMENT: Comparison = {
  name: 'acknowledgement',
  about: 'the answer to a delivery of GitHub, 200 a second, 10,000 jobs waiting',
  async *measure({ rounds: count }) {
    await using stage = await openGithubStage({ prepare: (double) => openShop(double) });
    const letter = await letterOf(stage);
    const rounds: Round[] = [];
    for (let round = 0; round < count; round++) {
      rounds.push({ ours: await ours(stage, letter, round), other: await bare(stage, letter) });
    }
    yield {
      what: 'answer to a delivery, verified and kept, 200 a second, 10,000 jobs waiting: p99',
      against: "p99 of Probot's own server, which keeps nothing, and p99 of one `fdatasync`",
      ...{ unit: 'ms', rounds, aim: { kind: 'ratio-at-most', limit: 1 } },
    };
  },
};

/** Milliseconds. Every delivery must be accepted, and kept with a job of its own. */
async function ours(stage: GithubStage, letter: Letter, round: number): Promise<number> {
  const { app } = stage.double;
  // The first waiting ones; from then on there are those of the rounds before.
  if (round === 0) await fillTheQueue(stage);
  const before = await kept(stage);
  await using receiving = await serveWithoutWorker(stage);
  const target = { name: 'Causeway', url: app.webhookUrl ?? '', ...receiving };
  const { took, accepted } = await streamedTo(target, { app, letter, plan: PLAN });
  const after = await kept(stage);
  const more = { deliveries: after.deliveries - before.deliveries, jobs: after.jobs - before.jobs };
  const sent = took.length + WARM_UP;
  if (accepted !== took.length || more.deliveries !== sent || more.jobs !== sent) {
    throw new Error(
      `${sent} were sent, ${accepted + WARM_UP} accepted, ${more.deliveries} kept with ${more.jobs} jobs`,
    );
  }
  return at99(took);
}

async function fillTheQueue(stage: GithubStage): Promise<void> {
  await stage.service().end('SIGTERM');
  const file = path.join(stage.dataDir, 'causeway.db');
  fillQueue({ file, kind: 'delivery', jobs: WAITING, groups: 1_000, runAt: new Date(Date.now() - 1e6) });
}

async function kept({ dataDir }: GithubStage): Promise<{ readonly deliveries: number; readonly jobs: number }> {
  const { deliveries, jobs } = await storedQueue(dataDir);
  return { deliveries: deliveries['waiting'] ?? 0, jobs: jobs.filter(({ kind }) => kind === 'delivery').length };
}

async function bare({ double: { app }, dataDir }: GithubStage, letter: Letter): Promise<number> {
  await using probot = await startProbot(app);
  const { took, accepted } = await streamedTo({ name: 'Probot', ...probot }, { app, letter, plan: PLAN });
  if (accepted !== took.length) throw new Error(`Probot accepted ${accepted} of ${took.length}`);
  return at99(took) + at99(sortedSyncTimes(dataDir));
}

function at99(sorted: readonly number[]): number {
  return sorted[Math.floor((sorted.length - 1) * 0.99)] ?? Number.NaN;
}
