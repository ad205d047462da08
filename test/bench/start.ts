// `start`: how long an operator waits for the service on GitHub to be ready, and what it occupies when nothing happens.
import { setTimeout as wait } from 'node:timers/promises';
import { openShop } from '../support/github-shop.ts';
import { type GithubStage, openGithubStage } from '../support/github-stage.ts';
import { residentMemory } from '../support/process-figures.ts';
import { startProbot } from './probot-server.ts';
import type { Measurement } from './row.ts';

const IDLE_MS = 15_000;
const OTHER = "Probot's own server with an empty handler";

interface Started {
  readonly ms: number;
  /** Resident, in MB. */
  readonly memory: number;
}

export const START: Measurement = {
  name: 'start',
  about: 'from the start of the service to ready, and its idle memory',
  async *measure(rounds) {
    await using stage = await openGithubStage({ prepare: (double) => openShop(double) });
    await stage.service().end('SIGTERM');
    const ours: Started[] = [];
    const other: Started[] = [];
    for (let round = 0; round < rounds; round++) {
      ours.push(await startOurs(stage));
      other.push(await startOther(stage));
    }
    yield {
      ...{ what: 'start until `/readyz` is 200', unit: 'ms', aim: 2_000 },
      ours: ours.map(({ ms }) => ms),
      other: { what: OTHER, figures: other.map(({ ms }) => ms) },
    };
    yield {
      ...{ what: 'memory when idle', unit: 'MB', aim: 200 },
      ours: ours.map(({ memory }) => memory),
      other: { what: OTHER, figures: other.map(({ memory }) => memory) },
    };
  },
};

async function startOurs(stage: GithubStage): Promise<Started> {
  const begun = performance.now();
  const { address, process: child, end } = await stage.restart();
  const answer = await fetch(`${address}/readyz`);
  if (answer.status !== 200) throw new Error(`/readyz answers ${answer.status}: ${await answer.text()}`);
  const ms = performance.now() - begun;
  await wait(IDLE_MS);
  const memory = await residentMemory(child.pid);
  await end('SIGTERM');
  return { ms, memory: memory ?? Number.NaN };
}

async function startOther({ double }: GithubStage): Promise<Started> {
  const begun = performance.now();
  await using probot = await startProbot(double.app);
  const ms = performance.now() - begun;
  await wait(IDLE_MS);
  return { ms, memory: (await probot.memory()) ?? Number.NaN };
}
