// `.github/causeway.yml`: its schema, with the limits of every key, and what the rest of Causeway reads from it.

import { z } from 'zod';
import { MAX_CONTEXT } from '../../core/issue/index.ts';
import { LEAST_THRESHOLD, MOST_THRESHOLD } from '../../core/outcome/index.ts';
import type { Scope } from '../../core/project/index.ts';

/** `observe`: writes nothing. `comment`: no pull requests. `fix`: everything. Ascending. */
export const MODES = ['observe', 'comment', 'fix'] as const;
export type Mode = (typeof MODES)[number];

export interface RepositoryConfig {
  readonly mode: Mode;
  /** Names of labels that start an analysis, compared ignoring case. */
  readonly labels: readonly string[];
  readonly checks: {
    readonly include: readonly string[];
    readonly exclude: readonly string[];
    readonly branches: readonly string[];
    /** `once`: a failed job whose failure is known to be flaky is run once more before anything is said. */
    readonly rerun: 'off' | 'once';
    /** Pull requests of bots: `ignore` them, show the `verdict`, or `investigate` a few a day. */
    readonly bots: 'ignore' | 'verdict' | 'investigate';
  };
  readonly pullRequest: {
    /** Further attempts on its own red checks: 0 to 3. */
    readonly attempts: number;
    /** `auto`: the repository's own CI runs the new tests before the fix is pushed. */
    readonly proof: 'auto' | 'off';
    readonly draft: boolean;
    /** Marked ready for review when its checks are green: it asks code owners for a review. */
    readonly ready: boolean;
    /** "": the default branch. */
    readonly base: string;
    readonly reviewers: readonly string[];
    /** The confidence from which a fix of the default branch is opened unasked; null: what the evidence says. */
    readonly threshold: number | null;
    /** What opens that of an issue with text by somebody without write; null: `ask` in public, `label` in private. */
    readonly ofStrangers: 'ask' | 'label' | null;
  };
  readonly paths: { readonly allow: readonly string[]; readonly block: readonly string[] };
  /** US dollars, below the operator's own limits; null: those. */
  readonly budget: { readonly run: number | null; readonly month: number | null };
  /** Runs of CI in 24 hours that requested proofs and reverts may cause together; 0: none. */
  readonly limits: { readonly ciRunsDay: number };
  /** `asked`: comments only where a person requested an analysis. */
  readonly comments: 'all' | 'asked';
  readonly language: string;
  /** One of the operator's models by its name, or `none`; "": the one that the operator asks by default. */
  readonly model: string;
  readonly instructions: string;
  readonly scopes: readonly ConfiguredScope[];
  /** Other repositories that investigations read, `owner/name`. */
  readonly context: readonly string[];
}

export interface ConfiguredScope extends Scope {
  /** "": as for the whole repository. */
  readonly base: string;
}

export const DEFAULT_CONFIG: RepositoryConfig = {
  mode: 'fix',
  labels: ['analyse', 'analyze'],
  checks: { include: [], exclude: [], branches: [], rerun: 'off', bots: 'verdict' },
  pullRequest: {
    attempts: 1,
    proof: 'auto',
    draft: true,
    ready: false,
    base: '',
    reviewers: [],
    threshold: null,
    ofStrangers: null,
  },
  paths: { allow: [], block: [] },
  budget: { run: null, month: null },
  limits: { ciRunsDay: 6 },
  comments: 'all',
  language: '',
  model: '',
  instructions: '',
  scopes: [],
  context: [],
};

export interface ReadConfig {
  readonly config: RepositoryConfig;
  /** What is wrong with the file; null: nothing. With a fault the configuration is the careful one. */
  readonly problem: ConfigProblem | null;
  /**
   * Keys that the file decides, such as `checks.exclude`, with a fault those of the careful one; absent where there is
   * no file.
   */
  readonly given?: ReadonlySet<string>;
  /**
   * The project that holds the file, where that is the owner's `.github`, which readers of the repository may not see.
   */
  readonly heldBy?: { readonly projectId: string; readonly isPrivate: boolean };
}

export interface ConfigProblem {
  /** Such as `.github/causeway.yml` or `octo/.github: .github/causeway.yml`. */
  readonly file: string;
  /** From 1; 0 where no line is to blame. */
  readonly line: number;
  readonly message: string;
  /** Equal for equal files: each is reported once. */
  readonly digest: string;
}

/** Whether one of the labels has that name. */
export function includesLabel(labels: readonly string[], name: string): boolean {
  return labels.some((label) => label.toLowerCase() === name.toLowerCase());
}

const MAX_INSTRUCTIONS = 8_000;
const MAX_ITEMS = 100;

/** Each pattern is matched with the path of every file. */
const MAX_SCOPES = 30;
const MAX_SCOPE_PATHS = 10;

/** Text of one line. Each error says what is expected, to be read after "must be". */
function describeText(error: string, max: number, pattern = /^[^\r\n\0]*$/) {
  return z.string({ error }).trim().min(1, { error }).max(max, { error }).regex(pattern, { error });
}

function describeList(error: string, item: z.ZodString, max = MAX_ITEMS) {
  return z.array(item, { error }).max(max, { error: `${error}, at most ${max} of them` });
}

function describeSwitch(description: string) {
  return z.boolean({ error: '`true` or `false`' }).optional().describe(description);
}

function describeDollars(description: string) {
  const error = 'a number of US dollars from 0 to 100000, such as `0.5`';
  return z.number({ error }).min(0, { error }).max(100_000, { error }).optional().describe(description);
}

const NAME = describeText('a name of at most 200 characters in quotes or plain, such as `build`', 200);
const GLOB = describeText(
  'a path pattern within the repository, such as `docs/**`, without a leading `/`, `!` or `..`',
  500,
  /^(?![/!])(?!(?:.*\/)?\.\.(?:\/|$))[^\\\r\n\0]+$/,
);
const BRANCH = describeText(
  'the name of a branch, such as `develop`',
  250,
  /^(?![-/.])(?!.*(?:\.\.|\/\/|@\{))[^\s~^:?*[\\\0]+(?<![/.])$/,
);
const REVIEWER = describeText(
  'the login of a person or `organisation/team`, such as `mona` or `octo/backend`',
  140,
  /^@?[A-Za-z0-9][A-Za-z0-9_-]{0,60}(?:\/[A-Za-z0-9_.-]{1,70})?$/,
);

const REPOSITORY = describeText(
  'the name of a repository with its owner, such as `octo/lib`',
  140,
  /^[A-Za-z0-9][A-Za-z0-9_.-]{0,38}\/[A-Za-z0-9._-]{1,100}$/,
);

const CHECKS = z
  .strictObject(
    {
      include: describeList('a list of names of checks, such as `[build, "test *"]`', NAME)
        .optional()
        .describe('Only these failed checks; `*` stands for anything. Empty: all.'),
      exclude: describeList('a list of names of checks, such as `["lint *"]`', NAME)
        .optional()
        .describe('Never these failed checks; stronger than include. `*` stands for anything.'),
      branches: describeList('a list of names of branches, such as `[main, "release/*"]`', NAME)
        .optional()
        .describe(
          'Only these branches (for pull requests: the base branch); `*` stands for anything. Empty: all. Investigations start without a request only for the default branch and pull requests.',
        ),
      rerun: z
        .enum(['off', 'once'], { error: '`off` or `once`' })
        .optional()
        .describe(
          'once: the only failed job of a commit is run once more before anything is said, where its failure is known to be flaky; the App needs the permission Actions: write (default off).',
        ),
      bots: z
        .enum(['ignore', 'verdict', 'investigate'], { error: '`ignore`, `verdict` or `investigate`' })
        .optional()
        .describe(
          'Pull requests of bots, such as Renovate and Dependabot. ignore: their failed checks are not looked at. verdict: the check run says what broke, no model is asked (default). investigate: also the cause, of branches of this repository, at most five times in 24 hours.',
        ),
    },
    { error: 'a group of the keys `include`, `exclude`, `branches`, `rerun` and `bots`' },
  )
  .optional()
  .describe('Which failed checks are looked at.');

const PULL_REQUEST = z
  .strictObject(
    {
      attempts: z
        .int({ error: 'a whole number from 0 to 3' })
        .min(0, { error: 'a whole number from 0 to 3' })
        .max(3, { error: 'a whole number from 0 to 3' })
        .optional()
        .describe('Further attempts when the checks of its own pull request are red (default 1).'),
      proof: z
        .enum(['auto', 'off'], { error: '`auto` or `off`' })
        .optional()
        .describe(
          'auto: where the change has a test, CI runs that alone before the fix is pushed, so that both can be compared (default). off: one commit.',
        ),
      draft: describeSwitch('Whether pull requests are opened as drafts (default true).'),
      ready: describeSwitch(
        'Whether a draft is marked ready when its checks are green, which asks code owners for a review (default false).',
      ),
      base: BRANCH.optional().describe('The branch that pull requests are made for (default: the default branch).'),
      reviewers: describeList('a list of logins or teams, such as `[mona, octo/backend]`', REVIEWER, 15)
        .optional()
        .describe('Who is asked for a review.'),
      threshold: z
        .number({ error: 'a number from 0.7 to 0.95' })
        .min(LEAST_THRESHOLD, { error: 'a number from 0.7 to 0.95' })
        .max(MOST_THRESHOLD, { error: 'a number from 0.7 to 0.95' })
        .optional()
        .describe(
          'The confidence from which a fix of the default branch is opened unasked (default: 0.78, moved by what became of earlier answers).',
        ),
      of_strangers: z
        .enum(['ask', 'label'], { error: '`ask` or `label`' })
        .optional()
        .describe(
          'Where somebody without write access wrote part of an issue. ask: its pull request is opened only when somebody with write requests it after the answer (default in public repositories). label: the label or command of somebody with write is enough (default in private ones).',
        ),
    },
    {
      error:
        'a group of the keys `attempts`, `proof`, `draft`, `ready`, `base`, `reviewers`, `threshold` and `of_strangers`',
    },
  )
  .optional()
  .describe('How pull requests are opened.');

const PATHS = z
  .strictObject(
    {
      allow: describeList('a list of path patterns, such as `["src/**"]`', GLOB)
        .optional()
        .describe(
          'A change touches only these paths; `*` stays within a folder, `**` spans folders. Empty: everything.',
        ),
      block: describeList('a list of path patterns, such as `["vendor/**"]`', GLOB)
        .optional()
        .describe('A change never touches these paths; stronger than allow.'),
    },
    { error: 'a group of the keys `allow` and `block`' },
  )
  .optional()
  .describe('What a change may touch. Some paths, such as workflows, are never touched, whatever is set here.');

const BUDGET = z
  .strictObject(
    {
      run: describeDollars('US dollars that one investigation may cost.'),
      month: describeDollars('US dollars that this repository may cost in a calendar month.'),
    },
    { error: 'a group of the keys `run` and `month`' },
  )
  .optional()
  .describe("What may be spent, below the operator's own limits.");

const RUNS_A_DAY = 'a whole number from 0 to 50';

const LIMITS = z
  .strictObject(
    {
      ci_runs_day: z
        .int({ error: RUNS_A_DAY })
        .min(0, { error: RUNS_A_DAY })
        .max(50, { error: RUNS_A_DAY })
        .optional()
        .describe(
          'Runs of CI in 24 hours that `/analyse prove` and requested reverts may cause together; 0: neither is made (default 6).',
        ),
    },
    { error: 'a group of the key `ci_runs_day`' },
  )
  .optional()
  .describe('What may be caused in this repository on request.');

const LABEL = describeText('the name of a label, of at most 50 characters', 50);

const OWNER = describeText(
  'a login or team in quotes, such as `"@mona"` or `"@octo/backend"`',
  140,
  /^@?[A-Za-z0-9][A-Za-z0-9_-]{0,60}(?:\/[A-Za-z0-9_.-]{1,70})?$/,
);

const SCOPE = z.strictObject(
  {
    paths: describeList('a list of path patterns, such as `["packages/api/**"]`', GLOB, MAX_SCOPE_PATHS)
      .min(1, { error: 'a list of path patterns, such as `["packages/api/**"]`' })
      .describe('What belongs to the scope; a file belongs to the first scope that has it.'),
    labels: describeList('a list of names of labels, such as `[area-api]`', LABEL, 20)
      .optional()
      .describe('An issue with one of these labels, or a check with one in its name, is looked for here first.'),
    owners: describeList('a list of logins or teams, such as `["@octo/api"]`', OWNER, 15)
      .optional()
      .describe('Named in answers instead of those in CODEOWNERS; no one is notified.'),
    budget: z
      .strictObject(
        { run: describeDollars('US dollars that one investigation in this scope may cost.') },
        { error: 'a group of the key `run`' },
      )
      .optional()
      .describe('What may be spent on one investigation, below that of the whole repository.'),
    base: BRANCH.optional().describe('The branch that pull requests are made for whose files are all in this scope.'),
    context: describeList('a list of repositories of the same owner, such as `[octo/lib]`', REPOSITORY, MAX_CONTEXT)
      .optional()
      .describe('Other repositories that an investigation of a report about this scope reads as well.'),
  },
  { error: 'a group of the keys `paths`, `labels`, `owners`, `budget`, `base` and `context`' },
);

export const FILE_SCHEMA = z.strictObject(
  {
    mode: z
      .enum(MODES, { error: '`observe`, `comment` or `fix`' })
      .optional()
      .describe(
        'observe: nothing is written. comment: no pull requests. fix: everything (default). Never more than the operator allows.',
      ),
    labels: describeList('a list of names of labels, such as `[analyse]`', LABEL, 20)
      .optional()
      .describe('Labels that start an analysis, whatever the case (default analyse, analyze).'),
    checks: CHECKS,
    pull_request: PULL_REQUEST,
    paths: PATHS,
    budget: BUDGET,
    limits: LIMITS,
    comments: z
      .enum(['all', 'asked'], { error: '`all` or `asked`' })
      .optional()
      .describe('asked: comments only where a person asked for an analysis (default all).'),
    language: describeText(
      'the name or code of a language, such as `de` or `Portuguese`',
      40,
      /^[\p{L}][\p{L}\p{M} ()-]*$/u,
    )
      .optional()
      .describe('Language of what people read (default English).'),
    model: describeText("`none`, or the name of one of the operator's models", 100, /^[\w.:/@+-]+$/)
      .optional()
      .describe(
        "none: facts only, no model is asked. Or one of the operator's models by its name (MODEL, MODELS); another one is never asked.",
      ),
    instructions: z
      .string({ error: 'text' })
      .max(MAX_INSTRUCTIONS, { error: `text of at most ${MAX_INSTRUCTIONS} characters` })
      .optional()
      .describe('What the analysis should know of this repository, such as conventions. Context, not permission.'),
    scopes: z
      .array(SCOPE, { error: 'a list of scopes, each with `paths`' })
      .max(MAX_SCOPES, { error: `a list of scopes, at most ${MAX_SCOPES} of them` })
      .optional()
      .describe('Parts of a monorepo: their labels, owners, budgets and base branches.'),
    context: describeList('a list of repositories of the same owner, such as `[octo/lib]`', REPOSITORY, MAX_CONTEXT)
      .optional()
      .describe(
        'Other repositories of the same owner that an investigation reads as well, where the App is installed and everybody who can read this repository can read them; submodules of the same owner are read without being named. Only in the repository itself, not in the `.github` repository of its owner.',
      ),
  },
  { error: 'a group of keys, such as `mode: comment`' },
);

export type FileContent = z.output<typeof FILE_SCHEMA>;
