// `red-day`: a made day of red checks, played through the double against the real service; prints what it has cost.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { OWNER } from '../support/app-settings.ts';
import { type ModelEndpoint, modelEndpoint } from '../support/model-endpoint.ts';
import { modelSettings } from '../support/model-service.ts';
import { plays } from '../support/played-model.ts';
import { type BenchStage, openBenchStage } from './bench-stage.ts';
import { load, say } from './figures.ts';
import { gitRequests } from './label.ts';
import { type MadeRepository, makeRepository } from './made-repository.ts';
import { ALL_GREEN, EPISODES, type Episode, type Place } from './red-day-episodes.ts';
import { type Day, printDay } from './red-day-figures.ts';
import { KINDS, type Kind, MIX, REPOSITORIES } from './red-day-mix.ts';
import { RED_TURNS } from './red-model.ts';
import { redRepository } from './red-repository.ts';
import { rest } from './rest.ts';

export const RED_DAY_USAGE = `red-day: what a day of red checks costs in questions to the model and calls to GitHub
  --checks 1000        how many red checks
  --minutes 60         after so many no further work is begun: the mix is the same, the day is shorter
`;

const OPTIONS = {
  checks: { type: 'string', default: '1000' },
  minutes: { type: 'string', default: '60' },
} as const;
/** Files of each repository. */
const FILES = 400;

export async function redDayBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  await using owned = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'causeway-bench-'));
  owned.defer(() => rm(folder, { recursive: true, force: true }));
  const made = await makeRepository(folder, FILES);
  const model = owned.use(await modelEndpoint(plays(RED_TURNS)));
  const stage = owned.use(await openDay(made, model, folder));
  const [before, started] = [load(), performance.now()];
  const from = { calls: stage.seen.length, git: gitRequests(stage), told: stage.told.length };
  const red = await playDay(stage, { checks: Number(values.checks), minutes: Number(values.minutes) });
  await stage.quiet();
  const seconds = (performance.now() - started) / 1_000;
  say(`\n## A day of red checks\n\nPlayed in ${seconds.toFixed(0)} s; before: ${before}; after: ${load()}.\n`);
  printDay(stage, { from, red, questions: model.requests });
}

async function openDay(made: MadeRepository, model: ModelEndpoint, folder: string): Promise<BenchStage> {
  return openBenchStage({
    env: await modelSettings(model, folder),
    prepare: async (double) => {
      const { people } = double;
      people.user('ola');
      for (const name of names()) {
        await people.openRepository(name, { from: made.gitDir });
        people.grant(name, 'mara', 'write');
        await people.fork(name, 'ola');
        const sha = await people.push(name, { by: 'mara', files: { 'DAY.md': `${name} in the morning\n` } });
        await redRepository(double, name).run(sha, ALL_GREEN);
      }
    },
  });
}

function names(): readonly string[] {
  return Array.from({ length: REPOSITORIES }, (_, at) => `${OWNER}/repository-${at + 1}`);
}

/** All repositories make one step at a time, then the service rests: how much of it comes at once does not change what it costs. */
async function playDay(stage: BenchStage, plan: Plan): Promise<Day['red']> {
  const end = Date.now() + plan.minutes * 60_000;
  const red: Day['red'][number][] = [];
  const total = () => red.reduce((sum, one) => sum + one.checks, 0);
  const missing = (kind: Kind) => {
    const have = red.reduce((sum, one) => sum + (one.kind === kind ? one.checks : 0), 0);
    return (MIX[kind].share / 100) * Math.min(plan.checks, total() + AHEAD) - have;
  };
  const places = names().map((name, at): Place => {
    const note: Place['note'] = (sha, kind, checks) => void red.push({ head: `${name} ${sha}`, kind, checks });
    const repository = redRepository(stage.double, name, 7 * at);
    return { double: stage.double, repository, note, wants: (kind) => missing(kind) > 0 };
  });
  const current = new Map<Place, Begun>();
  for (let isGoing = true; isGoing; isGoing = current.size > 0) {
    for (const place of places.filter((one) => !current.has(one))) {
      if (total() >= plan.checks || Date.now() > end) break;
      const kind = nextKind(missing, [...current.values()]);
      current.set(place, { kind, episode: EPISODES[kind](place) });
    }
    const steps = [...current].map(async ([place, { episode }]) => (await episode.next()).done && place);
    for (const place of await Promise.all(steps)) if (place) current.delete(place);
    await rest(stage);
    process.stderr.write(`${total()} red checks, ${load()}\n`);
  }
  return red;
}

interface Plan {
  readonly checks: number;
  readonly minutes: number;
}

interface Begun {
  readonly kind: Kind;
  readonly episode: Episode;
}

/** The mix is kept at any time, so that a day that is cut short has it too: what comes next is chosen with a view of so many checks. */
const AHEAD = 60;
/** So many checks an episode that is under way may still bring. */
const TO_COME = 5;

/** The kind that lacks most, with what the others that are under way will bring. */
function nextKind(missing: (kind: Kind) => number, current: readonly Begun[]): Kind {
  const lacking = KINDS.map((kind) => {
    const coming = current.filter((one) => one.kind === kind).length * TO_COME;
    return { kind, lacks: missing(kind) - coming };
  });
  return lacking.toSorted((one, other) => other.lacks - one.lacks)[0]?.kind ?? 'new';
}
