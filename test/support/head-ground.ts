// A project of GitHub with its checks in memory and its store in SQLite, for tests of what judges red checks.

import { createRedactor } from 'causeway-redact';
import type { Check, CheckOutput } from '../../src/core/check/check.ts';
import type { Head, HeadPlace } from '../../src/core/check/head.ts';
import { createId } from '../../src/core/ids.ts';
import type { PastReader } from '../../src/core/past.ts';
import type { GithubProject } from '../../src/core/project/project.ts';
import type { JobResult } from '../../src/core/queue.ts';
import type { Store } from '../../src/db/store.ts';
import { createLog } from '../../src/log.ts';
import { createCheckReader } from '../../src/services/checks/check-texts.ts';
import { createChanges } from '../../src/services/follow.ts';
import { createHeadHandler } from '../../src/services/judge-head.ts';
import type { CheckServices } from '../../src/services/services.ts';
import type { Opened } from '../contract/engine.ts';
import { openSqlite } from '../contract/sqlite-place.ts';
import { createMemoryChecks, type MemoryWorld, memoryWorld } from './memory-checks.ts';
import { testLexicons } from './memory-source.ts';
import { at, githubGround, inPullRequest, type PullRequestPlace } from './store-samples.ts';

export const HEAD = 'c'.repeat(40);
export const BASE = 'b'.repeat(40);

export const CODE_LOG = [
  '##[group]Run pytest',
  'Traceback (most recent call last):',
  '  File "src/cart.py", line 12, in total',
  '    return cart["sum"]',
  "KeyError: 'sum'",
  '##[error]Process completed with exit code 1.',
].join('\n');
/** What names the file of `CODE_LOG` as one of the repository. */
export const CODE_WORDS: Partial<CheckOutput> = {
  annotations: [
    { path: 'src/cart.py', line: 12, endLine: 12, title: '', message: "KeyError: 'sum'", level: 'failure' },
  ],
};
export const OTHER_LOG = [
  '##[group]Run pytest',
  'Traceback (most recent call last):',
  '  File "src/till.py", line 40, in close',
  '    raise ValueError("till is not empty")',
  'ValueError: till is not empty',
  '##[error]Process completed with exit code 1.',
].join('\n');
export const DISK_LOG = [
  '##[group]Run npm ci',
  'npm ERR! code ENOSPC',
  'npm ERR! errno -28',
  'npm ERR! nospc ENOSPC: no space left on device, write',
  '##[error]Process completed with exit code 228.',
].join('\n');

/** The log of a distinct failure. */
export function logOf(number: number): string {
  const name =
    String.fromCharCode(97 + (number % 26)).repeat(3) + String.fromCharCode(97 + Math.floor(number / 26)).repeat(3);
  return CODE_LOG.replaceAll('cart', name).replaceAll('sum', `${name}_key`);
}

export function pullRequestPlace(changes: Partial<PullRequestPlace> = {}): HeadPlace {
  return inPullRequest(5, { branch: 'feature', sha: HEAD, ...changes });
}

interface RunOptions extends Partial<Check> {
  readonly sha?: string;
  readonly log?: string;
  readonly words?: Partial<CheckOutput>;
  readonly branch?: string;
  readonly pullRequest?: number | null;
  readonly isFork?: boolean;
}

export interface HeadGround extends AsyncDisposable {
  readonly opened: Opened;
  readonly store: Store;
  readonly project: GithubProject;
  readonly world: MemoryWorld;
  readonly deps: CheckServices & { readonly checks: PastReader };
  /** Seconds after `NOW`. */
  seconds: number;
  /** One more run of a check at `HEAD`, ended now. */
  run(name: string, state: Check['state'], options?: RunOptions): Check;
  /** A look at that commit, with what became of its job. */
  look(sha?: string, deps?: Partial<CheckServices>): Promise<{ readonly head: Head; readonly result: JobResult }>;
  /** The report of an investigation, as its run reads it. */
  reportOf(investigationId: string | null): Promise<string>;
}

/** Without a `file`, the database is one of its own. */
export async function headGround(file?: string): Promise<HeadGround> {
  await using stack = new AsyncDisposableStack();
  const opened = stack.use(await openSqlite(file));
  const redactor = stack.use(createRedactor({ exactValues: () => ['hunter2-hunter2'] }));
  const { readCheck } = stack.use(createCheckReader());
  const { store } = opened;
  const { project } = await githubGround(store);
  const world = memoryWorld();
  const now = () => new Date(at(self.seconds));
  const deps: HeadGround['deps'] = {
    ...{ store, redactor, readCheck, now, isPaused: () => false },
    checks: createMemoryChecks(world),
    source: {
      open: () => Promise.reject(new Error('this project has no repository')),
      forget: async () => {},
    },
    lexicons: stack.use(testLexicons()),
    changes: createChanges(),
    log: createLog({ level: 'silent' }),
  };
  const owned = stack.move();
  const self: HeadGround = {
    ...{ opened, store, project, world, deps, seconds: 0 },
    run: (name, state, options = {}) => {
      const { sha = HEAD, log = '', words, branch = '', pullRequest = null, isFork = false, ...changes } = options;
      const check: Check = {
        ...{
          name,
          app: 'github-actions',
          runId: 1_000 + world.runs.length,
          state,
          url: `https://github.test/run/${name}`,
        },
        conclusion: state === 'red' ? 'failure' : state === 'green' ? 'success' : '',
        startedAt: at(self.seconds - 60),
        endedAt: state === 'waiting' ? '' : at(self.seconds),
        ...{ title: '', summary: '', text: '', annotations: 0 },
        ...changes,
      };
      world.runs.push({
        sha,
        branch,
        pullRequest,
        isFork,
        check,
        words: { log, noLog: '', annotations: [], ...words },
      });
      return check;
    },
    look: async (sha = HEAD, changes = {}) => {
      greenBefore(world);
      const noted = { id: createId('hed'), projectId: project.id, sha, branch: '' };
      const { id } = await store.ensureHead(noted, { runAt: at(self.seconds), now: at(self.seconds) });
      const handler = createHeadHandler({ ...deps, ...changes });
      const job = { id: 'job_1', kind: 'head', subject: id, attempt: 1 } as const;
      const result = await handler.handle(job, new AbortController().signal);
      const head = await store.findHead(id);
      if (head === null) throw new Error('the head is gone');
      return { head, result };
    },
    reportOf: async (investigationId) => {
      const investigation = await store.findInvestigation(investigationId ?? '');
      const run = await store.startRun(investigation?.runId ?? '', at(self.seconds));
      if (run === null) throw new Error(`no run of ${investigationId}`);
      return run.text;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
  return self;
}

/** What the base was not told to say is green there, long ago. */
function greenBefore({ runs }: MemoryWorld): void {
  const said = new Set(runs.filter(({ sha }) => sha === BASE).map(({ check }) => check.name));
  for (const { check } of runs.filter(({ sha, check: { name } }) => sha !== BASE && !said.has(name))) {
    if (said.has(check.name)) continue;
    said.add(check.name);
    const times = { startedAt: at(-7_200), endedAt: at(-7_100) };
    const green = { ...check, ...times, state: 'green', conclusion: 'success', runId: 100_000 + said.size } as const;
    const words = { log: '', noLog: '', annotations: [] };
    runs.unshift({ sha: BASE, branch: 'main', pullRequest: null, isFork: false, check: green, words });
  }
}
