// A repository with red checks on the GitHub double: what people push and CI reports, and what is read of it.
import {
  type ActionsRun,
  type CheckRun,
  type Comment,
  type GithubIssue,
  type Rendered,
  type ReportedJob,
  type ReportedRun,
  type Review,
  type ReviewRemark,
  renderMarkdown,
} from 'causeway-github-double';
import { afterAll, beforeAll } from 'vitest';
import { type Failing, type RedModel, type RedTurns, redModel, testLog } from './github-red-model.ts';
import { openShop, type ShopOptions } from './github-shop.ts';
import { type GithubStage, openGithubStage, type StageOptions } from './github-stage.ts';
import { storedRows } from './records.ts';

/** Of the ledger, as the database has it. */
interface FailureRow {
  readonly id: string;
  readonly headline: string;
  readonly state: 'open' | 'closed';
  readonly opening: number;
  readonly hits: number;
  readonly flaky_hits: number;
  readonly investigation_id: string | null;
}

interface ShownCheckRun {
  readonly title: string;
  /** Summary and text as people read them. */
  readonly words: string;
  readonly summary: Rendered;
  readonly text: Rendered;
  readonly status: string;
  readonly conclusion: string | null;
  /** Such as `src/coupons.js:14`. */
  readonly places: readonly string[];
  readonly buttons: readonly string[];
  readonly run: CheckRun;
}

/** As it was opened; `pull` goes on with GitHub. */
interface RedPull extends Pick<GithubIssue, 'number' | 'pull'> {
  /** The commit that it was opened with. */
  readonly sha: string;
}

export interface RedDesk extends RedRuns {
  readonly name: string;
  /** A commit on a branch, made where missing; its sha. Default: by `mara`, tests that fail as `COUPONS` and `DELIVERY` do. */
  push(branch: string, change?: { by?: string; files?: Readonly<Record<string, string>> }): Promise<string>;
  /** Pushes a branch and opens its pull request. */
  pull(made?: {
    by?: string;
    branch?: string;
    draft?: boolean;
    files?: Readonly<Record<string, string>>;
  }): Promise<RedPull>;
  /** The commit at a branch, default the default branch. */
  tip(branch?: string): Promise<string>;
  /** Our check runs on that commit. */
  checkRuns(sha: string): readonly ShownCheckRun[];
  /** The only one; throws where there is none, or more. */
  checkRun(sha: string): ShownCheckRun;
  /** Our comments on a pull request. */
  comments(number: number): readonly (Rendered & { readonly body: string; readonly minimized: string | null })[];
  /** One text for each investigation that the model was asked for. */
  begun(): readonly string[];
  /** What GitHub took from us here, without our check runs. */
  writesBeside(): readonly string[];
  writes(): readonly string[];
  failures(): Promise<readonly FailureRow[]>;
}

/** What a change does by default: tests more than the shop can do, in the files that the failures name. */
export const CHANGED_TESTS: Readonly<Record<string, string>> = {
  'test/coupons.test.js': testFile('discountFor', 'coupons', 'a coupon may be typed in lower case'),
  'test/delivery.test.js': testFile('deliveryFee', 'delivery', 'express delivery has its price whatever is bought'),
};

function testFile(tested: string, file: string, name: string): string {
  return [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    `import { ${tested} } from '../src/${file}.js';`,
    ...Array.from({ length: 8 }, (_, at) => `// ${at + 1} of the tests that stood here`),
    `test('${name}', () => {`,
    `  assert.ok(${tested}('welcome10', 1000));`,
    '});',
    '',
  ].join('\n');
}

/** `model`: null where the stage has none. */
export async function openRedDesk(
  stage: GithubStage,
  model: RedModel | null,
  name: string,
  options: Omit<ShopOptions, 'name'> = {},
): Promise<RedDesk> {
  const { double } = stage;
  const { people, app } = double;
  await openShop(double, { ...options, name });
  await stage.rest();
  const found = double.repository(name);
  const shown = (body: string) => renderMarkdown(body, { repository: name, webUrl: double.webUrl });
  let pushes = 0;
  const desk: RedDesk = {
    name,
    push: (branch, { by = 'mara', files = CHANGED_TESTS } = {}) =>
      people.push(name, { by, branch, files: { ...files, 'CHANGES.md': `Change ${++pushes}\n` } }),
    pull: async ({ by = 'mara', branch = 'coupons', draft = false, ...change } = {}) => {
      await desk.push(branch, { by, ...change });
      return redPull(await people.openPull(name, { by, title: 'Coupons in lower case', head: branch, draft }));
    },
    tip: async (branch) => (await double.tip(name, branch)) ?? '',
    ...redRuns(stage, model, name),
    checkRuns: (sha) =>
      [...found.checkRuns.values()]
        .filter(({ appId, headSha }) => appId === app.id && headSha === sha)
        .map((run) => shownCheckRun(run, shown)),
    checkRun: (sha) => only(desk.checkRuns(sha), `check run of ours at ${sha} in ${name}`),
    comments: (number) =>
      stage.ourComments(name, number).map(({ body, minimized }) => ({ ...shown(body), body, minimized })),
    begun: () => model?.begun(name) ?? [],
    writes: () => stage.writes(name),
    writesBeside: () => stage.writes(name).filter((write) => !/\/check-runs(\/\d+)?$/.test(write)),
    failures: () => failuresOf(stage.dataDir, name),
  };
  return desk;
}

function redPull({ number, pull }: GithubIssue): RedPull {
  return { number, pull, sha: pull?.headSha ?? '' };
}

/** Throws where there is none, or more. */
function only<T>(all: readonly T[], what: string): T {
  const [first] = all;
  if (first === undefined || all.length > 1) throw new Error(`expected one ${what}, found ${all.length}`);
  return first;
}

function shownCheckRun(run: CheckRun, shown: (body: string) => Rendered): ShownCheckRun {
  const summary = shown(run.output.summary ?? '');
  const text = shown(run.output.text ?? '');
  return {
    ...{ title: run.output.title ?? '', summary, text, words: `${summary.text}\n${text.text}` },
    ...{ status: run.status, conclusion: run.conclusion, run },
    places: run.annotations.map(({ path: file, startLine }) => `${file}:${startLine}`),
    buttons: run.actions.map(({ label }) => label),
  };
}

function failuresOf(dataDir: string, name: string): Promise<readonly FailureRow[]> {
  return storedRows<FailureRow>(
    dataDir,
    `select failures.* from failures join projects on projects.id = failures.project_id
      where projects.name = $1 order by failures.seq`,
    [name],
  );
}

/** A change beside the shop's bug, so that its repair lies within the diff of the pull request that makes it. */
export const BESIDE_THE_BUG: Readonly<Record<string, string>> = {
  'src/coupons.js': `${[
    "import { percentOf } from './money.js';",
    '',
    'const COUPONS = new Map([',
    "  ['WELCOME10', { percent: 10, minimum: 0 }],",
    "  ['SPRING15', { percent: 15, minimum: 2000 }],",
    "  ['STAFF30', { percent: 30, minimum: 0 }],",
    ']);',
    '',
    'export function isCoupon(code) {',
    '  return COUPONS.has(code.trim().toUpperCase());',
    '}',
    '',
    'export function discountFor(code, cents) {',
    '  const { percent, minimum } = COUPONS.get(code);',
    '  if (cents <= minimum) return 0;',
    '  return percentOf(cents, percent);',
    '}',
  ].join('\n')}\n`,
};

interface RedActs {
  /** Says something on a pull request, seconds after everything before, and waits for rest. */
  say(number: number, by: string, body: string): Promise<Comment>;
  /** Presses a button of our check run on that commit, and waits for rest. */
  press(sha: string, by: string, identifier?: string): Promise<void>;
  /** A fork of `ola`'s with a commit on it, and its pull request. */
  forkPull(
    files?: Readonly<Record<string, string>>,
    named?: { readonly branch: string; readonly title: string },
  ): Promise<RedPull>;
  /** Our only comment there. */
  onlyComment(number: number): Comment;
  /** Pull requests of our bot, oldest first. */
  pulls(): readonly GithubIssue[];
  /** Of our bot, oldest first. */
  reviews(number: number): readonly Review[];
  suggestions(number: number): readonly ReviewRemark[];
  /** What our bot answered a comment with, such as `eyes`. */
  reactions(to: Comment): readonly string[];
}

function redActs(stage: GithubStage, { name }: Pick<RedDesk, 'name'>): RedActs {
  const { people, app, state } = stage.double;
  /** GitHub's times are whole seconds: within one, nobody has seen what came before. */
  const later = () => state.clock.advance(2_000);
  const own = ({ authorId }: { readonly authorId: number | null }) => authorId === app.botId;
  return {
    say: async (number, by, body) => {
      later();
      const said = people.comment(name, number, { by, body });
      await stage.rest();
      return said;
    },
    press: async (sha, by, identifier = 'open_fix') => {
      later();
      const runs = [...stage.double.repository(name).checkRuns.values()];
      const run = runs.find(({ appId, headSha }) => appId === app.id && headSha === sha);
      if (run === undefined) throw new Error(`${name} has no check run of ours at ${sha}`);
      await people.pressAction(name, run, identifier, by);
      await stage.rest();
    },
    forkPull: async (files = { 'NOTES.md': 'From afar.\n' }, named = { branch: 'afar', title: 'From afar' }) => {
      const { branch, title } = named;
      const fork = await people.fork(name, 'ola');
      const headRepository = `ola/${fork.name}`;
      await people.push(headRepository, { by: 'ola', branch, files });
      return redPull(await people.openPull(name, { by: 'ola', title, head: branch, headRepository }));
    },
    onlyComment: (number) => only(stage.ourComments(name, number), `comment of ours on ${name}#${number}`),
    pulls: () => people.pulls(name).filter(own),
    reviews: (number) => people.reviews(name, number).filter(own),
    suggestions: (number) => people.reviewComments(name, number).filter(own),
    reactions: (to) => to.reactions.filter(({ userId }) => userId === app.botId).map(({ content }) => content),
  };
}

/** For runs of the past: GitHub's times are whole seconds, in which much happens here. */
export function minutesAgo(minutes: number): string {
  return `${new Date(Date.now() - minutes * 60_000).toISOString().slice(0, 19)}Z`;
}

interface DeskOptions extends Omit<ShopOptions, 'name'> {
  /** Checks that passed on the default branch three minutes ago; default none. */
  readonly green?: readonly string[];
}

interface RedStage extends GithubStage {
  readonly model: RedModel;
  /** Opens a shop of that name, and all that can be done there. */
  desk(name: string, options?: DeskOptions): Promise<RedDesk & RedActs>;
}

interface RedStageOptions extends Omit<StageOptions, 'script'> {
  /** Causes that the model knows besides. */
  readonly turns?: readonly RedTurns[];
}

/** Called at the head of a file: the stage of all its tests, opened before them and closed after them; empty until then. */
export function redStage(options: RedStageOptions = {}): RedStage {
  const stage = {} as RedStage;
  const opened = new AsyncDisposableStack();
  beforeAll(async () => {
    Object.assign(stage, opened.use(await openRedStage(options)));
  });
  afterAll(() => opened.disposeAsync());
  return stage;
}

/** One that the caller closes. */
async function openRedStage({ turns = [], ...options }: RedStageOptions = {}): Promise<RedStage> {
  await using opening = new AsyncDisposableStack();
  const model = opening.use(await redModel(turns));
  const stage = opening.use(await openGithubStage({ ...options, env: { ...model.env, ...options.env } }));
  const opened = opening.move();
  return {
    ...stage,
    model,
    desk: async (name, { green = [], ...shop } = {}) => {
      const desk = await openRedDesk(stage, model, name, shop);
      const passed = Object.fromEntries(green.map((check) => [check, 'success' as const]));
      if (green.length > 0) await desk.run(await desk.tip(), passed, { at: minutesAgo(3) });
      return { ...desk, ...redActs(stage, desk) };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** How a job ends: green, red of a cause of the shop's, or as it is given. */
type JobEnd = 'success' | Failing | ReportedJob;

export type JobEnds = Readonly<Record<string, JobEnd>>;

interface RedRuns {
  /** A run of Actions on that commit whose jobs end so, in their order. */
  report(sha: string, jobs: JobEnds, more?: Partial<Omit<ReportedRun, 'jobs' | 'sha'>>): Promise<ActionsRun>;
  /** The same, then rest. */
  readonly run: RedRuns['report'];
  /** The same up to the first question to the model, whose answers wait until they are let go; then rest. */
  runHeld(sha: string, jobs: JobEnds): Promise<{ readonly run: ActionsRun; release(): Promise<void> }>;
}

/** `model`: null where the stage has none, and nothing can be held. */
function redRuns(stage: GithubStage, model: RedModel | null, name: string): RedRuns {
  const runs: RedRuns = {
    report: (sha, jobs, more = {}) => {
      const ends = Object.entries(jobs).map(([job, end]) => ({ name: job, ...resultOf(end) }));
      return stage.double.people.reportWorkflowRun(name, { ...more, sha, jobs: ends });
    },
    run: async (...reported) => {
      const run = await runs.report(...reported);
      await stage.rest();
      return run;
    },
    runHeld: async (sha, jobs) => {
      if (model === null) throw new Error('no model, no question that can be held');
      const { asked, release } = model.hold(`Repository ${name}, commit`);
      const [run] = await Promise.all([runs.report(sha, jobs), asked]);
      const rest = () => {
        release();
        return stage.rest();
      };
      return { run, release: rest };
    },
  };
  return runs;
}

export function resultOf(end: JobEnd): ReportedJob {
  if (end === 'success') return { conclusion: 'success', log: 'ok\n' };
  if ('conclusion' in end) return end;
  return { conclusion: 'failure', failedStep: 'npm test', log: testLog(end) };
}
