// `start`: from the start of the service over GitHub to `/readyz`, and its memory when nothing happens, beside Probot's own server.
import { setTimeout as wait } from 'node:timers/promises';
import { openShop } from '../../support/github-shop.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { residentMemory } from '../../support/process-figures.ts';
import type { Comparison, Round } from '../comparison.ts';
import { startProbot } from '../probot-server.ts';

/** After which memory is looked at. */
const IDLE_MS = 5_000;

interface Started {
  readonly ms: number;
  /** MB, resident. */
  readonly memory: number;
}

export const START: Comparison = {
  name: 'start',
  about: 'from the start of the service to ready, and its idle memory',
  async *measure({ rounds }) {
    await using stage = await openGithubStage({ prepare: (double) => openShop(double) });
    await stage.service().end('SIGTERM');
    // Once before: what the code compiles to is kept in the data folder from the second start on, and a newcomer's first one waits for npm.
    await startOurs(stage);
    const both: { readonly ours: Started; readonly other: Started }[] = [];
    for (let round = 0; round < rounds; round++) {
      both.push({ ours: await startOurs(stage), other: await startBare(stage) });
    }
    const of = (figure: keyof Started): readonly Round[] =>
      both.map(({ ours, other }) => ({ ours: ours[figure], other: other[figure] }));
    const against = "Probot's own server with an empty handler";
    yield {
      ...{ what: 'start of the service until `/readyz` is 200', against, unit: 'ms', rounds: of('ms') },
      aim: { kind: 'at-most', limit: 1_500 },
    };
    yield {
      ...{ what: 'resident memory 5 s after that, nothing to do', against, unit: 'MB', rounds: of('memory') },
      aim: { kind: 'ratio-at-most', limit: 1.5 },
    };
  },
};

async function startOurs(stage: GithubStage): Promise<Started> {
  const begun = performance.now();
  const { address, process: child, end } = await stage.restart();
  const answer = await fetch(`${address}/readyz`);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`/readyz answers ${answer.status}: ${text}`);
  const ms = performance.now() - begun;
  await wait(IDLE_MS);
  const memory = await residentMemory(child.pid);
  await end('SIGTERM');
  return { ms, memory: memory ?? Number.NaN };
}

async function startBare({ double }: GithubStage): Promise<Started> {
  const begun = performance.now();
  await using probot = await startProbot(double.app);
  const ms = performance.now() - begun;
  await wait(IDLE_MS);
  return { ms, memory: (await probot.memory()) ?? Number.NaN };
}
