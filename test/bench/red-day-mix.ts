// The made day of red checks: what share of them is of what kind, and why that much. Assumptions, not counts of any real organisation.

export interface Share {
  /** Of all red checks, in per cent. */
  readonly share: number;
  readonly what: string;
  readonly why: string;
}

/** Together 100. */
export const MIX = {
  new: {
    share: 30,
    what: 'pull request of somebody with write: new cause (of every third, two causes)',
    why: 'what CI is for; most red checks are of work that is not yet done',
  },
  again: {
    share: 22,
    what: 'the same cause after a further push to that pull request',
    why: 'the first attempt to mend it often fails, and matrices multiply it',
  },
  base: {
    share: 10,
    what: 'pull requests that are red because the default branch is',
    why: 'everybody who pushes meanwhile sees it',
  },
  default: {
    share: 5,
    what: 'the default branch itself',
    why: 'rarer where pull requests are checked, but it happens: changes that pass alone and not together',
  },
  flaky: {
    share: 12,
    what: 'a test that fails now and then; a person runs it again, and it passes',
    why: 'few tests, often: two in each repository here, one or two jobs at a time',
  },
  machine: {
    share: 7,
    what: 'runner lost, disk full, registry down; half of them are run again',
    why: 'hosted runners and registries have bad hours, and whole matrices are hit',
  },
  known: {
    share: 4,
    what: 'a cause that another open pull request has shown already; the base is green',
    why: 'a dependency was released, or two people copied the same line',
  },
  fork: {
    share: 3,
    what: 'pull request from a fork of a stranger, new cause',
    why: 'few where most work is done by members',
  },
  draft: { share: 3, what: 'draft pull request, new cause', why: 'work that its author knows to be unfinished' },
  status: {
    share: 3,
    what: 'other CI, by commit statuses with one line of words',
    why: 'deployments, coverage, older systems beside Actions',
  },
  branch: { share: 1, what: 'branch without a pull request', why: 'most projects run CI on these seldom' },
} as const satisfies Readonly<Record<string, Share>>;

export type Kind = keyof typeof MIX;

export const KINDS = Object.keys(MIX) as readonly Kind[];

/** Jobs of a run, one after the other: most are small, some large. */
export const JOBS = [4, 6, 8, 4, 12, 6, 20, 8, 10, 16];

/** How many of the jobs are red of a cause in code: all that run the tests, or the ones of one system. */
export const RED_OF_JOBS = [1, 0.25, 0.5, 1, 0.1];

/** Red jobs of a broken default branch. */
export const RED_OF_BASE = [2, 5, 1, 8];

/** Each repository has a matrix of its own, work of its own, and its turn. */
export const REPOSITORIES = 8;

/** Pushes whose checks are green from the start, for each that is red: they cost deliveries, and should cost no call. */
export const GREEN_PER_RED = 1;
