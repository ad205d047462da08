// A shop on the stage whose checks go red, as the people in front of it see it: our check run, our comments, what the model was asked.
import { branchSha } from '../github-double/git/read-objects.ts';
import { repository } from '../github-double/lookup.ts';
import { type Rendered, renderMarkdown } from '../github-double/page/markdown.ts';
import type { CheckRun, Issue } from '../github-double/state.ts';

import type { RedModel } from './github-red-model.ts';
import { type RedRuns, redRuns } from './github-red-runs.ts';
import { openShop, type ShopOptions } from './github-shop.ts';
import type { GithubStage } from './github-stage.ts';
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
export interface RedPull extends Pick<Issue, 'number' | 'pull'> {
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
  const { people, app, state } = double;
  await openShop(double, { ...options, name });
  await stage.rest();
  const found = repository(state, name);
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
    tip: async (branch = found.defaultBranch) => (await branchSha(found.gitDir, branch)) ?? '',
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

export function redPull({ number, pull }: Issue): RedPull {
  return { number, pull, sha: pull?.headSha ?? '' };
}

/** Throws where there is none, or more. */
export function only<T>(all: readonly T[], what: string): T {
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
