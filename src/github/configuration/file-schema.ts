// What may stand in `.github/causeway.yml`: every key with its limits, and in words what it expects. Editors get it as a JSON Schema.
import { z } from 'zod';
import { MODES } from './repository-config.ts';

const MAX_INSTRUCTIONS = 8_000;
const MAX_ITEMS = 100;

/** Each error says what is expected, to be read after "must be". */
function words(error: string, max: number, pattern = /^[^\r\n\0]*$/) {
  return z.string({ error }).trim().min(1, { error }).max(max, { error }).regex(pattern, { error });
}

function list(error: string, item: z.ZodString, max = MAX_ITEMS) {
  return z.array(item, { error }).max(max, { error: `${error}, at most ${max} of them` });
}

function yesOrNo(description: string) {
  return z.boolean({ error: '`true` or `false`' }).optional().describe(description);
}

function dollars(description: string) {
  const error = 'a number of US dollars from 0 to 100000, such as `0.5`';
  return z.number({ error }).min(0, { error }).max(100_000, { error }).optional().describe(description);
}

const NAME = words('a name of at most 200 characters in quotes or plain, such as `build`', 200);
const GLOB = words(
  'a path pattern within the repository, such as `docs/**`, without a leading `/`, `!` or `..`',
  500,
  /^(?![/!])(?!(?:.*\/)?\.\.(?:\/|$))[^\\\r\n\0]+$/,
);
const BRANCH = words(
  'the name of a branch, such as `develop`',
  250,
  /^(?![-/.])(?!.*(?:\.\.|\/\/|@\{))[^\s~^:?*[\\\0]+(?<![/.])$/,
);
const REVIEWER = words(
  'the login of a person or `organisation/team`, such as `mona` or `octo/backend`',
  140,
  /^@?[A-Za-z0-9][A-Za-z0-9_-]{0,60}(?:\/[A-Za-z0-9_.-]{1,70})?$/,
);

const CHECKS = z
  .strictObject(
    {
      include: list('a list of names of checks, such as `[build, "test *"]`', NAME)
        .optional()
        .describe('Only these failed checks are looked at; `*` stands for anything. Empty: all.'),
      exclude: list('a list of names of checks, such as `["lint *"]`', NAME)
        .optional()
        .describe('These failed checks are never looked at; stronger than include. `*` stands for anything.'),
      branches: list('a list of names of branches, such as `[main, "release/*"]`', NAME)
        .optional()
        .describe(
          'Failed checks are looked at on these branches alone, of a pull request on its base; `*` stands for anything. Empty: all; an investigation starts unasked only for the default branch and pull requests.',
        ),
    },
    { error: 'a group of the keys `include`, `exclude` and `branches`' },
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
      draft: yesOrNo('Whether pull requests are opened as drafts (default true).'),
      ready: yesOrNo(
        'Whether a draft is marked ready when its checks are green, which asks code owners for a review (default false).',
      ),
      base: BRANCH.optional().describe('The branch that pull requests are made for (default: the default branch).'),
      reviewers: list('a list of logins or teams, such as `[mona, octo/backend]`', REVIEWER, 15)
        .optional()
        .describe('Who is asked for a review.'),
    },
    { error: 'a group of the keys `attempts`, `draft`, `ready`, `base` and `reviewers`' },
  )
  .optional()
  .describe('How pull requests are opened.');

const PATHS = z
  .strictObject(
    {
      allow: list('a list of path patterns, such as `["src/**"]`', GLOB)
        .optional()
        .describe(
          'A change touches only these paths; `*` stays within a folder, `**` spans folders. Empty: everything.',
        ),
      block: list('a list of path patterns, such as `["vendor/**"]`', GLOB)
        .optional()
        .describe('A change never touches these paths; stronger than allow.'),
    },
    { error: 'a group of the keys `allow` and `block`' },
  )
  .optional()
  .describe('What a change may touch. Some paths, such as workflows, are never touched, whatever stands here.');

const BUDGET = z
  .strictObject(
    {
      run: dollars('US dollars that one investigation may cost.'),
      month: dollars('US dollars that this repository may cost in a calendar month.'),
    },
    { error: 'a group of the keys `run` and `month`' },
  )
  .optional()
  .describe("What may be spent, below the operator's own limits.");

export const FILE_SCHEMA = z.strictObject(
  {
    mode: z
      .enum(MODES, { error: '`observe`, `comment` or `fix`' })
      .optional()
      .describe(
        'observe: nothing is written. comment: no pull requests. fix: everything (default). Never more than the operator allows.',
      ),
    labels: list(
      'a list of names of labels, such as `[analyse]`',
      words('the name of a label, of at most 50 characters', 50),
      20,
    )
      .optional()
      .describe('Labels that start an analysis, whatever the case (default analyse, analyze).'),
    checks: CHECKS,
    pull_request: PULL_REQUEST,
    paths: PATHS,
    budget: BUDGET,
    comments: z
      .enum(['all', 'asked'], { error: '`all` or `asked`' })
      .optional()
      .describe('asked: comments only where a person asked for an analysis (default all).'),
    language: words('the name or code of a language, such as `de` or `Portuguese`', 40, /^[\p{L}][\p{L}\p{M} ()-]*$/u)
      .optional()
      .describe('Language of what people read (default English).'),
    model: words("`none`, or the name of one of the operator's models", 100, /^[\w.:/@+-]+$/)
      .optional()
      .describe(
        "none: facts only, no model is asked. Or one of the operator's models by its name (MODEL, MODELS); another one is never asked.",
      ),
    instructions: z
      .string({ error: 'text' })
      .max(MAX_INSTRUCTIONS, { error: `text of at most ${MAX_INSTRUCTIONS} characters` })
      .optional()
      .describe(
        'What is to be heeded in this repository, such as conventions. Context for the analysis, not permission.',
      ),
  },
  { error: 'a group of keys, such as `mode: comment`' },
);

export type FileContent = z.output<typeof FILE_SCHEMA>;
