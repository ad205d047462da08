// The port of checks in memory: commits with their runs, places and words, as a test sets them; nothing else decides what is answered.
import {
  ALL_OUTPUT,
  type ChangedFiles,
  type Check,
  type CheckOutput,
  type CheckRules,
  type Checks,
  type NamedCheck,
  toCheckKey,
} from '../../src/core/check/check.ts';
import type { HeadPlace } from '../../src/core/check/head.ts';
import type { IssueState } from '../../src/core/check/known-issue.ts';
import type { PastReader } from '../../src/core/past.ts';
import type { Person } from '../../src/core/project/person.ts';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';

const BOT: Person = { id: 900, login: 'causeway[bot]' };

interface MemoryRun {
  readonly sha: string;
  readonly branch: string;
  readonly pullRequest: number | null;
  readonly isFork: boolean;
  readonly check: Check;
  readonly words: CheckOutput;
}

/** To be changed by tests as the world changes. */
export interface MemoryWorld {
  rules: CheckRules;
  /** Of all commits, the oldest first: of one name the last counts. */
  readonly runs: MemoryRun[];
  /** What each commit is the head of; one that is not named is the head of nothing. */
  readonly places: Map<string, HeadPlace>;
  readonly changed: Map<string, ChangedFiles>;
  /** Commits of the default branch, the oldest first. */
  readonly history: string[];
  /** Issues by their numbers; one that is not named is gone. */
  readonly issues: Map<number, IssueState>;
  /** Jobs that were run again. */
  readonly reruns: number[];
  /** What listing the past costs. */
  pastCalls: number;
  /** What was asked so far: the verb, and of what. */
  readonly asked: string[];
  /** Called before each answer; throw to fail. */
  before: (verb: string) => void;
}

export function memoryWorld(): MemoryWorld {
  return {
    rules: {
      ...{ include: [], exclude: [], branches: [], bots: 'verdict', opens: true, rerun: 'off' },
      settings: DEFAULT_SETTINGS,
    },
    ...{
      runs: [],
      places: new Map(),
      changed: new Map(),
      history: [],
      issues: new Map(),
      reruns: [],
      asked: [],
      before: () => {},
    },
    pastCalls: 1,
  };
}

export function createMemoryChecks(world: MemoryWorld): Checks & PastReader {
  const ask = (verb: string, of: string, signal: AbortSignal) => {
    signal.throwIfAborted();
    world.asked.push(`${verb} ${of}`.trim());
    world.before(verb);
  };
  return {
    findSelf: async (signal) => {
      ask('self', '', signal);
      return BOT;
    },
    readRules: async (_, signal) => {
      ask('rules', '', signal);
      return world.rules;
    },
    listAll: async (_, sha, signal) => {
      ask('of', sha, signal);
      return namedChecks(world.runs.filter((run) => run.sha === sha).map(({ check }) => check));
    },
    locate: async (_, { sha }, signal) => {
      ask('place', sha, signal);
      return world.places.get(sha) ?? null;
    },
    readOutput: async (_, check, signal, { logBytes } = ALL_OUTPUT) => {
      ask('said', check.name, signal);
      const found = world.runs.find(
        (run) => run.check === check || (check.runId !== null && run.check.runId === check.runId),
      );
      const words = found?.words ?? { log: '', noLog: 'GitHub has no log of it any more.', annotations: [] };
      return { ...words, log: words.log.slice(-logBytes) };
    },
    listChangedFiles: async (_, { sha }, signal) => {
      ask('changed', sha, signal);
      return world.changed.get(sha) ?? null;
    },
    leadsTo: async (_, { from, to }, signal) => {
      ask('leads', `${from}..${to}`, signal);
      return isLed(world, from, to);
    },
    readRange: async (_, { from, to }, signal) => {
      ask('range', `${from}..${to}`, signal);
      if (!isLed(world, from, to)) return null;
      const [first, last] = [world.history.indexOf(from), world.history.indexOf(to)];
      const commits = world.history.slice(first + 1, last + 1).toReversed();
      const listed = commits.slice(0, 20).map((sha) => ({ sha, author: 'mona', subject: `Commit ${sha.slice(0, 7)}` }));
      return { from, to, total: commits.length, commits: listed };
    },
    rerunJobs: async (_, { jobIds }, signal) => {
      ask('rerun', jobIds.join(' '), signal);
      if (jobIds.some((id) => world.reruns.includes(id))) return { kind: 'started_before' };
      world.reruns.push(...jobIds);
      return { kind: 'started' };
    },
    readIssue: async (_, number, signal) => {
      ask('issue', String(number), signal);
      return world.issues.get(number) ?? { kind: 'gone' };
    },
    listPast: async (_, { since }, signal) => {
      ask('past', '', signal);
      const young = world.runs.filter(({ check }) => check.endedAt >= since).toReversed();
      const again = (run: MemoryRun) =>
        young.some((one) => one.sha === run.sha && one.check.name === run.check.name && one.check.state === 'green');
      const checks = young
        .filter(({ check }) => check.state === 'red')
        .map((run) => {
          const { words: _words, isFork, ...past } = run;
          return { ...past, isTrusted: !isFork, passedAgain: again(run), base: { state: 'unknown' } as const };
        });
      const issues = { labels: ['analyse'], opened: 0, labelled: [] };
      return { checks, runs: young.length, unreadRuns: 0, from: since, issues, calls: world.pastCalls };
    },
  };
}

function isLed({ history }: MemoryWorld, from: string, to: string): boolean {
  return history.includes(from) && history.indexOf(from) < history.indexOf(to);
}

function namedChecks(checks: readonly Check[]): readonly NamedCheck[] {
  const named = new Map<string, NamedCheck>();
  for (const check of checks) {
    const before = named.get(toCheckKey(check));
    named.set(toCheckKey(check), {
      latest: check,
      earlier: before === undefined ? [] : [before.latest, ...before.earlier],
    });
  }
  return [...named.values()];
}
