// What people do in one repository of the made day, one episode after the other. After each `yield` the service may rest.
import type { GithubDouble } from '../github-double/double.ts';
import { logCutOff, logOfCause, logOfChance, logOfMachine, type MadeCause, RUNNER_LOST } from './made-failures.ts';
import { GREEN_PER_RED, JOBS, type Kind, RED_OF_BASE, RED_OF_JOBS } from './red-day-mix.ts';
import type { Matrix, Red, RedRepository } from './red-repository.ts';

/** Told of each red head: of what kind it is, and how many checks are red there. */
type Note = (sha: string, kind: Kind, red: number) => void;

export interface Place {
  readonly double: GithubDouble;
  readonly repository: RedRepository;
  readonly note: Note;
  /** Whether there are too few red checks of that kind yet. */
  readonly wants: (kind: Kind) => boolean;
}

export type Episode = AsyncGenerator<void, void, void>;

/** Some begin kinds that others tell of: a red base is seen on pull requests, a new cause again after the next push. */
export const EPISODES: Readonly<Record<Kind, (place: Place) => Episode>> = {
  new: work,
  again: work,
  base: redBase,
  default: redBase,
  flaky: chance,
  machine,
  known: shared,
  fork: stranger,
  draft,
  status: otherCi,
  branch: lonely,
};

/** The default branch runs every job that any pull request has: what is red there is known to be green on the base. */
export const ALL_GREEN: Matrix = { jobs: Math.max(...JOBS), red: 0 };

function matrixOf({ repository }: Place, share?: number): Matrix {
  const number = repository.next();
  const jobs = JOBS[number % JOBS.length] ?? 4;
  const part = share ?? RED_OF_JOBS[number % RED_OF_JOBS.length] ?? 1;
  return { jobs, red: Math.max(1, Math.round(jobs * part)) };
}

function redOf({ repository }: Place, cause: MadeCause): Red {
  return { log: logOfCause(cause, repository.short, repository.next()) };
}

const files = (causes: readonly MadeCause[], is: 'broken' | 'mended') =>
  Object.fromEntries(causes.map((cause) => [cause.path, cause[is]]));

async function* work(place: Place): Episode {
  const { repository, note, wants, double } = place;
  const causes = repository.next() % 3 === 0 ? [repository.cause(), repository.cause()] : [repository.cause()];
  const branch = `work-${repository.next()}`;
  const matrix = matrixOf(place);
  let sha = await repository.push(branch, files(causes, 'broken'));
  const number = await repository.open(branch);
  await green(place, sha);
  for (let push = 0; push === 0 || (push < 4 && wants('again')); push++) {
    if (push > 0) sha = await repository.push(branch, { 'NOTES.md': `Attempt ${push} of ${branch}\n` });
    const reds = causes.map((cause) => redOf(place, cause));
    await repository.run(sha, matrix, reds);
    note(sha, push === 0 ? 'new' : 'again', matrix.red);
    yield;
  }
  sha = await repository.push(branch, files(causes, 'mended'));
  await repository.run(sha, matrix);
  yield;
  await repository.run(await double.people.merge(repository.name, number, 'mara'), ALL_GREEN);
  yield;
}

/** As many commits as are to be green from the start, on a branch of their own. */
async function green({ repository }: Place, of: string): Promise<void> {
  for (let count = 0; count < GREEN_PER_RED; count++) {
    const number = repository.next();
    const sha = await repository.push(`green-${number}`, { 'GREEN.md': `Beside ${of}: ${number}\n` });
    await repository.open(`green-${number}`);
    await repository.run(sha, { jobs: JOBS[number % JOBS.length] ?? 4, red: 0 });
  }
}

async function* redBase(place: Place): Episode {
  const { repository, note } = place;
  const cause = repository.cause();
  const matrix = { jobs: ALL_GREEN.jobs, red: RED_OF_BASE[repository.next() % RED_OF_BASE.length] ?? 1 };
  const sha = await repository.push('main', { [cause.path]: cause.broken });
  await repository.run(sha, matrix, [redOf(place, cause)]);
  note(sha, 'default', matrix.red);
  yield;
  for (let seen = 0; seen < 2; seen++) {
    const branch = `beside-${repository.next()}`;
    const head = await repository.push(branch, { 'BESIDE.md': `${branch}\n` });
    await repository.open(branch);
    await repository.run(head, matrix, [redOf(place, cause)]);
    note(head, 'base', matrix.red);
    yield;
  }
  await repository.run(await repository.push('main', { [cause.path]: cause.mended }), ALL_GREEN);
  yield;
}

async function* chance(place: Place): Episode {
  const { repository, note } = place;
  const branch = `chance-${repository.next()}`;
  const test = repository.next() % 2 === 0 ? 'queueOrder' : 'socketOrder';
  const sha = await repository.push(branch, { 'CHANCE.md': `${branch}\n` });
  await repository.open(branch);
  const matrix = { jobs: matrixOf(place).jobs, red: 1 + (repository.next() % 2) };
  const run = await repository.run(sha, matrix, [{ log: logOfChance(test, repository.next()) }]);
  note(sha, 'flaky', matrix.red);
  yield;
  await repository.rerunGreen(run);
  yield;
}

async function* machine(place: Place): Episode {
  const { repository, note } = place;
  const number = repository.next();
  const branch = `machine-${number}`;
  const sha = await repository.push(branch, { 'MACHINE.md': `${branch}\n` });
  await repository.open(branch);
  const matrix = matrixOf(place, number % 2 === 0 ? 0.5 : 0.1);
  const lost = {
    log: logCutOff(number),
    annotations: [{ path: '.github', startLine: 1, message: RUNNER_LOST }],
  };
  const run = await repository.run(sha, matrix, [number % 4 === 0 ? lost : { log: logOfMachine(number) }]);
  note(sha, 'machine', matrix.red);
  yield;
  if (number % 2 === 0) await repository.rerunGreen(run);
  yield;
}

async function* shared(place: Place): Episode {
  const { repository, note } = place;
  const cause = repository.cause();
  for (let seen = 0; seen < 3; seen++) {
    const branch = `shared-${repository.next()}`;
    const sha = await repository.push(branch, { [cause.path]: cause.broken, 'SHARED.md': `${branch}\n` });
    await repository.open(branch);
    const matrix = matrixOf(place, 0.5);
    await repository.run(sha, matrix, [redOf(place, cause)]);
    note(sha, seen === 0 ? 'new' : 'known', matrix.red);
    yield;
  }
}

async function* stranger(place: Place): Episode {
  const { repository, note, double } = place;
  const { people } = double;
  const cause = repository.cause();
  const fork = `ola/${repository.short}`;
  const branch = `theirs-${repository.next()}`;
  const sha = await people.push(fork, { by: 'ola', branch, files: { [cause.path]: cause.broken } });
  await people.openPull(repository.name, { by: 'ola', title: 'A change', head: branch, headRepository: fork });
  const matrix = matrixOf(place, 0.5);
  await repository.run(sha, matrix, [redOf(place, cause)]);
  note(sha, 'fork', matrix.red);
  yield;
}

async function* draft(place: Place): Episode {
  const { repository, note } = place;
  const cause = repository.cause();
  const branch = `draft-${repository.next()}`;
  const sha = await repository.push(branch, { [cause.path]: cause.broken });
  await repository.open(branch, true);
  const matrix = matrixOf(place, 0.5);
  await repository.run(sha, matrix, [redOf(place, cause)]);
  note(sha, 'draft', matrix.red);
  yield;
}

const CONTEXTS = ['ci/deploy-preview', 'ci/coverage', 'ci/nightly-stack'];

async function* otherCi(place: Place): Episode {
  const { repository, note, double } = place;
  const number = repository.next();
  const sha = await repository.push(`status-${number}`, { 'STATUS.md': `${number}\n` });
  await repository.open(`status-${number}`);
  const context = CONTEXTS[number % CONTEXTS.length] ?? '';
  const of = { sha, context, targetUrl: `https://ci.example.com/builds/${number}` };
  await double.people.reportStatus(repository.name, { ...of, state: 'pending' });
  await double.people.reportStatus(repository.name, { ...of, state: 'failure', description: 'The build failed' });
  note(sha, 'status', 1);
  yield;
}

async function* lonely(place: Place): Episode {
  const { repository, note } = place;
  const cause = repository.cause();
  const sha = await repository.push(`lonely-${repository.next()}`, { [cause.path]: cause.broken });
  const matrix = matrixOf(place, 0.5);
  await repository.run(sha, matrix, [redOf(place, cause)]);
  note(sha, 'branch', matrix.red);
  yield;
}
