// One label, from the delivery that was accepted to 👀 and facts, and what GitHub was asked meanwhile.
import { setTimeout as wait } from 'node:timers/promises';
import type { BenchStage } from './bench-stage.ts';
import { callsIn } from './routes.ts';

export interface Timing {
  /** Milliseconds after the label: the delivery was answered with 202; the others count from there. */
  readonly accepted: number;
  readonly eyes: number;
  readonly facts: number;
  /** Requests to the API in between, and until everything rested, by method and class of route. */
  readonly calls: ReadonlyMap<string, number>;
  /** Requests of git over HTTP. */
  readonly git: number;
}

const LIMIT_MS = 120_000;

/** `mara` labels the issue. Throws where nothing came of it within two minutes. */
export async function label(stage: BenchStage, name: string, number: number): Promise<Timing> {
  const { double, sender, seen } = stage;
  await stage.quiet();
  const [from, gitFrom, start] = [seen.length, gitRequests(stage), performance.now()];
  double.people.label(name, number, 'analyse', 'mara');
  await sender.settled();
  const accepted = performance.now();
  const eyes = await moment(stage, from, `/repos/${name}/issues/${number}/reactions`);
  const facts = await moment(stage, from, `/repos/${name}/issues/${number}/comments`);
  await stage.quiet();
  return {
    accepted: accepted - start,
    eyes: eyes - accepted,
    facts: facts - accepted,
    calls: callsIn(seen.slice(from)),
    git: gitRequests(stage) - gitFrom,
  };
}

/** When something was first made there. */
async function moment({ seen, output }: BenchStage, from: number, path: string): Promise<number> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await wait(5)) {
    const found = seen.slice(from).find((one) => one.method === 'POST' && one.path === path && one.status < 300);
    if (found !== undefined) return found.at;
  }
  throw new Error(`Nothing was posted to ${path}. The service said:\n${output()}`);
}

/** Requests of git over HTTP so far. */
export function gitRequests({ double }: Pick<BenchStage, 'double'>): number {
  return double.requests.filter(({ path }) => /\/(info\/refs|git-upload-pack)(\?|$)/.test(path)).length;
}
