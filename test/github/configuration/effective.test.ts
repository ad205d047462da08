// What a configuration comes to: each value with where it is from, and what the operator's limits leave of it.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { GithubProject } from '../../../src/core/project/project.ts';
import type { EffectiveValue } from '../../../src/core/project/settings.ts';
import {
  dollars,
  effectiveConfiguration,
  investigationSettings,
  type OperatorLimits,
} from '../../../src/github/configuration/effective.ts';
import { parseRepositoryConfig } from '../../../src/github/configuration/parse-repository-config.ts';
import { DEFAULT_CONFIG, FILE_SCHEMA, type ReadConfig } from '../../../src/github/configuration/repository-config.ts';

const FILE = '.github/causeway.yml';
const WEB = 'https://github.example';
const OPERATOR: OperatorLimits = { ceiling: 'fix', model: 'gpt-x', budget: { run: 1, repository: 25, all: 200 } };
const NOTHING: ReadConfig = { config: DEFAULT_CONFIG, problem: null };

function project(isPrivate = true): GithubProject {
  const source = { repositoryId: 1, installationId: 2, url: '', isPrivate, isArchived: false, defaultBranch: 'main' };
  return {
    id: 'prj_1',
    name: 'octo/shop',
    source: { kind: 'github', ...source },
    createdAt: '2026-11-20T10:00:00.000Z',
  };
}

function effective(
  read: ReadConfig | string,
  operator: Partial<OperatorLimits & { readonly mayRerun: boolean }> = {},
  isPrivate = true,
) {
  const given = typeof read === 'string' ? parseRepositoryConfig(read, FILE) : read;
  return effectiveConfiguration(project(isPrivate), given, {
    operator: { ...OPERATOR, ...operator },
    mayRerun: operator.mayRerun ?? true,
    webUrl: WEB,
  });
}

/** The value, where it is from, and its limit. */
function row(
  name: string,
  read: ReadConfig | string,
  operator: Parameters<typeof effective>[1] = {},
): readonly string[] {
  const found = effective(read, operator).values.find((value) => value.name === name);
  return found === undefined ? [] : [found.value, origin(found), found.limit];
}

/** In the owner's `.github`. */
function held(text: string, isPrivate: boolean): ReadConfig {
  return { ...parseRepositoryConfig(text, `octo/.github: ${FILE}`), heldBy: { projectId: 'prj_9', isPrivate } };
}

function origin({ from }: EffectiveValue): string {
  switch (from.kind) {
    case 'operator':
      return from.variable;
    case 'owner':
      return from.repository;
    default:
      return from.kind;
  }
}

/** Names of all keys of the file, such as `pull_request.draft`. */
function keysOf(): string[] {
  return Object.entries(FILE_SCHEMA.shape).flatMap(([key, schema]) => {
    const inner = schema.unwrap();
    return inner instanceof z.ZodObject ? Object.keys(inner.shape).map((each) => `${key}.${each}`) : [key];
  });
}

const FULL = `mode: comment
labels: [look, "Please look"]
checks: {include: ["build *"], exclude: [lint], branches: [main], rerun: once, bots: investigate}
pull_request: {attempts: 0, proof: off, draft: false, ready: true, base: develop, reviewers: ["@mona"], threshold: 0.9, of_strangers: label}
paths: {allow: ["src/**"], block: [vendor/**, dist/**]}
budget: {run: 0.25, month: 10}
limits: {ci_runs_day: 2}
comments: asked
language: de
model: gpt-x
instructions: Heed the style.
scopes: [{paths: [packages/api/**, lib/*]}, {paths: [web/**]}]
context: [octo/lib, octo/schema]
`;

describe('the values', () => {
  it('are those of every key that the file can have, each with an explanation', () => {
    const { values } = effective(NOTHING);
    expect(values.map(({ name }) => name)).toEqual(keysOf());
    for (const { name, means } of values) expect(means, name).toMatch(/\w.*\.$/);
  });

  it('are the defaults and the operator’s where there is no file', () => {
    const { values, problem, url } = effective(NOTHING);
    expect([problem, url]).toEqual(['', '']);
    expect(Object.fromEntries(values.map((value) => [value.name, `${value.value} (${origin(value)})`]))).toEqual({
      mode: 'fix (default)',
      labels: 'analyse, analyze (default)',
      'checks.include': 'all (default)',
      'checks.exclude': ' (default)',
      'checks.branches': 'all (default)',
      'checks.rerun': 'off (default)',
      'checks.bots': 'verdict (default)',
      'pull_request.attempts': '1 (default)',
      'pull_request.proof': 'auto (default)',
      'pull_request.draft': 'yes (default)',
      'pull_request.ready': 'no (default)',
      'pull_request.base': 'the default branch (default)',
      'pull_request.reviewers': ' (default)',
      'pull_request.threshold': 'by evidence (default)',
      'pull_request.of_strangers': 'ask in public, label in private (default)',
      'paths.allow': 'all (default)',
      'paths.block': ' (default)',
      'budget.run': '$1 (BUDGET_RUN)',
      'budget.month': '$25 (BUDGET_REPOSITORY_MONTH)',
      'limits.ci_runs_day': '6 (default)',
      comments: 'all (default)',
      language: 'English (default)',
      model: 'gpt-x (MODEL)',
      instructions: ' (default)',
      scopes: ' (default)',
      context: ' (default)',
    });
    expect(values.filter(({ limit }) => limit !== '')).toEqual([]);
  });

  it('are those of the file, key by key, with its page', () => {
    const { values, url } = effective(FULL);
    expect(values.filter(({ from }) => from.kind !== 'file')).toEqual([]);
    expect(values.filter(({ limit }) => limit !== '')).toEqual([]);
    expect(values.map(({ value }) => value)).toEqual([
      ...[
        'comment',
        'look, Please look',
        'build *',
        'lint',
        'main',
        'once',
        'investigate',
        '0',
        'off',
        'no',
        'yes',
        'develop',
        'mona',
        '0.9',
        'label',
        'src/**',
      ],
      ...[
        'vendor/**, dist/**',
        '$0.25',
        '$10',
        '2',
        'asked',
        'de',
        'gpt-x',
        'Heed the style.',
        'packages/api/** lib/*, web/**',
        'octo/lib, octo/schema',
      ],
    ]);
    expect(url).toBe('https://github.example/octo/shop/blob/HEAD/.github/causeway.yml');
  });

  it('say that nothing is run again where that was not granted', () => {
    const limit = 'off, since the App may not write Actions here';
    expect(row('checks.rerun', FULL, { mayRerun: false })).toEqual(['once', 'file', limit]);
  });

  it('name the owner’s repository where its file is the one that holds', () => {
    const read = held('labels: []\n', false);
    expect(row('labels', read)).toEqual(['', 'octo/.github', '']);
    expect(row('mode', read)).toEqual(['fix', 'default', '']);
    expect(effective(read).url).toBe('https://github.example/octo/.github/blob/HEAD/.github/causeway.yml');
  });
});

describe("the values of an owner's private repository", () => {
  const WITHHELD = 'set in octo/.github, which is private: it is not shown here';

  it.each([true, false])('are not shown, but for what everybody sees Causeway do (private: %s)', (isPrivate) => {
    const { values } = effective(held(FULL, true), { budget: { run: 0.1, repository: 5, all: 200 } }, isPrivate);
    const shown = values.filter(({ value }) => value !== '');
    expect(shown.map(({ name, value }) => [name, value])).toEqual([
      ['mode', 'comment'],
      ['comments', 'asked'],
    ]);
    const others = values.filter((value) => !shown.includes(value));
    expect(others).toHaveLength(keysOf().length - 2);
    expect(new Set(others.map(({ limit }) => limit))).toEqual(new Set([WITHHELD]));
    expect(new Set(values.map(origin))).toEqual(new Set(['octo/.github']));
  });

  it('are shown where that repository is public', () => {
    expect(effective(held(FULL, false)).values.map(({ value }) => value)).toEqual(
      effective(FULL).values.map(({ value }) => value),
    );
  });

  it('are no reason that is told for asking no model', () => {
    expect(row('model', held('budget: {month: 0}\n', true))).toEqual(['gpt-x', 'MODEL', WITHHELD]);
  });
});

describe("under the operator's limits", () => {
  it.each([
    ['fix', 'comment', 'comment, since MAX_MODE allows no more'],
    ['fix', 'observe', 'observe, since MAX_MODE allows no more'],
    ['comment', 'observe', 'observe, since MAX_MODE allows no more'],
    ['comment', 'comment', ''],
    ['observe', 'comment', ''],
    ['comment', 'fix', ''],
  ] as const)('mode %s below the ceiling %s: "%s"', (mode, ceiling, limit) => {
    expect(row('mode', `mode: ${mode}\n`, { ceiling })).toEqual([mode, 'file', limit]);
  });

  it.each([
    ['budget.run', 'run', 0.5, '$0.50', ''],
    ['budget.run', 'run', 1, '$1', ''],
    ['budget.run', 'run', 4, '$4', '$1, since BUDGET_RUN allows no more'],
    ['budget.month', 'month', 24.5, '$24.50', ''],
    ['budget.month', 'month', 26, '$26', '$25, since BUDGET_REPOSITORY_MONTH allows no more'],
  ])('%s of a file counts up to that of the operator (%s: %s)', (name, key, usd, value, limit) => {
    expect(row(name, `budget: {${key}: ${usd}}\n`)).toEqual([value, 'file', limit]);
  });

  it.each<[string, string, Partial<OperatorLimits>, readonly string[]]>([
    [
      'the operator has none',
      '',
      { model: null },
      ['none', 'MODEL', 'none, since the operator offers no model: facts only'],
    ],
    ['the file wants none', 'model: none', {}, ['none', 'file', '']],
    ['the file names it, in other letters', 'model: GPT-X', {}, ['GPT-X', 'file', '']],
    [
      'the file names another',
      'model: other',
      {},
      ['other', 'file', "none, since the operator's model is gpt-x and no other is used: facts only"],
    ],
    [
      'the file names one, the operator none',
      'model: other',
      { model: null },
      ['other', 'file', 'none, since the operator offers no model: facts only'],
    ],
    [
      'the file pays for nothing',
      'budget: {run: 0}',
      {},
      ['gpt-x', 'MODEL', 'none, since budget.run is $0: facts only'],
    ],
    [
      'the operator pays for nothing',
      '',
      { budget: { run: 1, repository: 25, all: 0 } },
      ['gpt-x', 'MODEL', 'none, since BUDGET_MONTH is $0: facts only'],
    ],
  ])('model, where %s', (_, text, operator, expected) => {
    expect(row('model', text, operator)).toEqual(expected);
  });

  it.each(['', 'model: none', 'model: gpt-x', 'model: other', 'budget: {run: 0}', 'mode: [', 'budget: {run: 3}'])(
    'what is said of the model is what an analysis goes by: %j',
    (text) => {
      for (const model of ['gpt-x', null]) {
        const [value, , limit] = row('model', text, { model });
        const settings = investigationSettings(parseRepositoryConfig(text, FILE).config, {
          operatorModel: model,
        });
        expect(value !== 'none' && limit === '', `${model}`).toBe(settings.useModel && model !== null);
      }
    },
  );
});

describe('all settings as a file', () => {
  it.each(['', FULL])('says the same as the file that it is of: %j', (text) => {
    const { yaml } = effective(text);
    const again = parseRepositoryConfig(yaml, FILE);
    expect(again.problem).toBeNull();
    const { scopes: _, context: __, ...wanted } = parseRepositoryConfig(text, FILE).config;
    expect(again.config).toMatchObject(wanted);
  });

  it('is left out where it is in a private repository of the owner', () => {
    expect(effective(held('language: German', true)).yaml).toBe('');
    expect(effective(held('language: German', false)).yaml).toContain('language: German');
  });
});

describe('a file with a fault', () => {
  const text = 'model: none\nbudget: {run: 0.5}\nlabel: [x]\n';

  it('is named with its line, and what holds until it is mended is said at each value', () => {
    const { problem, url } = effective(text);
    expect(problem).toMatch(
      /^\.github\/causeway\.yml, line 3: `label` is not known, did you mean `labels`\? Until it is corrected /,
    );
    expect(url).not.toBe('');
    expect(row('mode', text)).toEqual(['comment', 'file', 'the careful choice, until the file is corrected']);
    expect(row('comments', text)).toEqual(['asked', 'file', 'the careful choice, until the file is corrected']);
    expect(row('model', text)).toEqual(['none', 'file', '']);
    expect(row('budget.run', text)).toEqual(['$0.50', 'file', '']);
    expect(row('budget.month', text)).toEqual(['$25', 'BUDGET_REPOSITORY_MONTH', '']);
    expect(row('labels', text)).toEqual(['analyse, analyze', 'default', '']);
  });

  it.each([true, false])(
    'of a private repository of the owner is not quoted, whoever may read this one (private: %s)',
    (isPrivate) => {
      expect(effective(held(text, false), {}, isPrivate).problem).toContain('`label`');
      expect(effective(held(text, true), {}, isPrivate).problem).toMatch(
        /^octo\/\.github: .*, line 3: The file cannot be used\. /,
      );
    },
  );
});

it.each([
  [0, '$0'],
  [25, '$25'],
  [0.5, '$0.50'],
  [0.125, '$0.125'],
])('%s dollars are %s', (usd, words) => {
  expect(dollars(usd)).toBe(words);
});
