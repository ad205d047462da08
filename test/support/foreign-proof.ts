// A shop with workflows of its own that really run, and pull requests of people, whose tests can be proven.
import { type GithubIssue, startCi } from 'causeway-github-double';
import { afterAll, beforeAll } from 'vitest';
import { openShop } from './github-shop.ts';
import { type GithubStage, openGithubStage } from './github-stage.ts';

export const CI = `name: CI
on:
  push: { branches: [main] }
  pull_request:
permissions: { contents: read }
jobs:
  test:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v4
      - run: node --test --test-reporter=spec
`;

const LOOKUP = '  const { percent, minimum } = COUPONS.get(code);';
const MENDED = '  const { percent, minimum } = COUPONS.get(code.trim().toUpperCase());';

export const SHOWS = "assert.equal(discountFor('welcome10', 1000), 100);";
export const HOLDS = "assert.equal(discountFor('WELCOME10', 1000), 100);";

/** Called at the head of a file: the stage of all its tests; empty until it is opened before them. */
export function provingStage(): GithubStage {
  const stage = {} as GithubStage;
  const opened = new AsyncDisposableStack();
  beforeAll(async () => {
    Object.assign(stage, opened.use(await openGithubStage()));
  });
  afterAll(() => opened.disposeAsync());
  return stage;
}

/** Where the pull requests of these stories have their tests. */
export const TEST_FILE = 'test/lower-case.test.js';

/** The commit that a pull request has now. */
export function headOf({ pull }: Pick<GithubIssue, 'pull'>): string {
  return pull?.headSha ?? '';
}

/** A test file with one test for each title and assertion. */
export function writeTests(tests: Readonly<Record<string, string>>): string {
  return [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    "import { discountFor } from '../src/coupons.js';",
    ...Object.entries(tests).map(([title, body]) => `\ntest('${title}', () => {\n  ${body}\n});`),
    '',
  ].join('\n');
}

export interface ProvingShop {
  readonly name: string;
  /** Events that have started runs of Actions, in order. */
  started(): readonly string[];
  /** Until nothing runs any more, neither ours nor CI. */
  settle(): Promise<void>;
  /** Opens a pull request, and waits for its checks. */
  pull(
    files: Readonly<Record<string, string | null>>,
    more?: { readonly by?: string; readonly branch?: string },
  ): Promise<GithubIssue>;
  /** The mended file. */
  mended(): Promise<string>;
  /** \`/analyse prove\` and all that follows. */
  prove(number: number, by?: string): Promise<void>;
  /** Our check run on a commit: conclusion, title and summary; null: there is none. */
  proofAt(sha: string): { readonly conclusion: string | null; readonly title: string; readonly summary: string } | null;
  /** Names of our branches. */
  branches(): Promise<readonly string[]>;
  /** Pull requests that our bot has opened. */
  drafts(): readonly GithubIssue[];
  /** Acts while GitHub answers a request of ours, such as `POST` to `/pulls`, which it has carried out. */
  meanwhile(method: string, below: string, act: () => Promise<unknown> | unknown): void;
}

export async function openProvingShop(
  stage: GithubStage,
  name: string,
  {
    workflows = { 'ci.yml': CI },
    config,
    command = ['node', '--test', '--test-reporter=spec'],
  }: {
    readonly workflows?: Readonly<Record<string, string>>;
    readonly config?: string;
    /** Of its job. */
    readonly command?: readonly string[];
  } = {},
): Promise<ProvingShop> {
  const { double } = stage;
  const { people } = double;
  await openShop(double, { name, ...(config === undefined ? {} : { config }) });
  const files = Object.fromEntries(
    Object.entries(workflows).map(([file, text]) => [`.github/workflows/${file}`, text]),
  );
  const ci = startCi(double, name, { jobs: { test: command } });
  await people.push(name, { by: 'mara', files });
  const settle = async () => {
    do await stage.rest();
    while (await ci.settled());
  };
  await settle();
  const meanwhile: ProvingShop['meanwhile'] = (method, below, act) => {
    const path = new RegExp(`^/repos/${name}${below}$`);
    const fault = { kind: 'meanwhile', moment: 'carried_out', act: async () => void (await act()) } as const;
    double.faults.add({ method, path, fault });
  };
  const runs = () => [...double.repository(name).checkRuns.values()];
  return {
    name,
    meanwhile,
    started: () => [...double.repository(name).workflowRuns.values()].map(({ event }) => event),
    settle,
    pull: async (changed, { by = 'mara', branch = 'change' } = {}) => {
      await people.push(name, { by, branch, files: changed });
      const pull = await people.openPull(name, { by, title: 'Take coupons in any case', head: branch });
      await settle();
      return pull;
    },
    mended: async () => {
      const text = await double.git(name, 'show', 'refs/heads/main:src/coupons.js');
      return `${text.replace(LOOKUP, MENDED)}\n`;
    },
    prove: async (number, by = 'mara') => {
      people.comment(name, number, { by, body: '/analyse prove' });
      await settle();
    },
    proofAt: (sha) => {
      const run = runs().findLast((one) => one.headSha === sha && one.name === 'Causeway / proof');
      if (run === undefined) return null;
      return { conclusion: run.conclusion, title: run.output.title ?? '', summary: run.output.summary ?? '' };
    },
    branches: async () =>
      (await double.git(name, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/causeway/'))
        .split('\n')
        .filter(Boolean),
    drafts: () =>
      [...double.repository(name).issues.values()].filter(
        ({ authorId, pull }) => pull !== null && authorId === double.app.botId,
      ),
  };
}
