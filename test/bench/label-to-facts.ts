// How long people wait after a label: to 👀 and to facts, with nothing known yet and with everything at hand, beside plain git.
import { setTimeout as wait } from 'node:timers/promises';
import { OWNER } from '../support/app-settings.ts';
import { type Baselines, baselines } from './baselines.ts';
import { type BenchStage, openBenchStage } from './bench-stage.ts';
import { label, type Timing } from './label.ts';
import type { MadeRepository } from './made-repository.ts';

/** A label, and plain things in the same minute. */
interface Sample extends Timing {
  readonly plain: Baselines;
}

export interface Occasion {
  readonly name: string;
  readonly samples: readonly Sample[];
}

export interface Measured {
  readonly files: number;
  readonly delayMs: number;
  readonly occasions: readonly Occasion[];
}

export interface Plan {
  readonly rounds: number;
  /** Added to every answer of the API. */
  readonly delayMs: number;
  /** Also a second label after what is remembered for a minute has been forgotten. */
  readonly later: boolean;
}

/** Longer than configuration and roles are believed. */
const FORGOTTEN_MS = 61_000;

export async function measure(made: MadeRepository, plan: Plan): Promise<Measured> {
  const first: Sample[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    await using stage = await open(made, plan, ['first']);
    first.push(await ask(stage, made, `${OWNER}/first`));
  }
  const occasions = [{ name: 'first label of a service just set up', samples: first }, ...(await running(made, plan))];
  return { files: made.files, delayMs: plan.delayMs, occasions };
}

/** Of one service that goes on: every round has a repository of its own. */
async function running(made: MadeRepository, plan: Plan): Promise<readonly Occasion[]> {
  const names = Array.from({ length: plan.rounds + 1 }, (_, round) => `repository-${round}`);
  await using stage = await open(made, plan, names);
  const [warming = '', ...measured] = names.map((name) => `${OWNER}/${name}`);
  await ask(stage, made, warming);
  const fresh: Sample[] = [];
  const again: Sample[] = [];
  for (const name of measured) {
    fresh.push(await ask(stage, made, name));
    again.push(await ask(stage, made, name));
  }
  const occasions = [
    { name: 'first label in a repository', samples: fresh },
    { name: 'next label there, at once', samples: again },
  ];
  if (!plan.later) return occasions;
  await wait(FORGOTTEN_MS);
  const later: Sample[] = [];
  for (const name of measured) {
    await stage.double.people.push(name, { by: 'mara', files: { 'NEWS.md': `News of ${name}\n` } });
    later.push(await ask(stage, made, name));
  }
  return [...occasions, { name: 'next label after a push, a minute later', samples: later }];
}

function open(made: MadeRepository, { delayMs }: Plan, names: readonly string[]): Promise<BenchStage> {
  return openBenchStage({
    delayMs,
    prepare: async ({ people }) => {
      for (const short of names) {
        const name = `${OWNER}/${short}`;
        await people.openRepository(name, { from: made.gitDir });
        people.grant(name, 'mara', 'write');
        people.makeLabel(name, 'analyse');
      }
      people.user('ola');
    },
  });
}

let asked = 0;

/** Never the same report twice, which would be answered from the first. */
async function ask(stage: BenchStage, made: MadeRepository, name: string): Promise<Sample> {
  asked += 1;
  const { number } = stage.double.people.openIssue(name, { by: 'ola', ...made.report(asked) });
  // In turns before and after, so that neither always finds a warmer machine.
  const before = asked % 2 === 0 ? await baselines(stage, name) : null;
  const timing = await label(stage, name, number);
  return { ...timing, plain: before ?? (await baselines(stage, name)) };
}
