// A configuration file: what it may say, and the one complaint about what it may not.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { investigationSettings } from '../../../src/github/configuration/effective.ts';
import { parseRepositoryConfig } from '../../../src/github/configuration/parse-repository-config.ts';
import { DEFAULT_CONFIG } from '../../../src/github/configuration/repository-config.ts';
import '../../support/property-seed.ts';
import { ANY_CHARACTER } from '../../support/any-character.ts';

const FILE = '.github/causeway.yml';

function complaint(text: string): string {
  const { problem } = parseRepositoryConfig(text, FILE);
  return problem === null ? '' : `${problem.line}: ${problem.message}`;
}

describe('a configuration file', () => {
  it.each(['', '\n', '# nothing yet\n', '---\n', '\ufeff', '~\n'])(
    'that holds nothing means the defaults: %j',
    (text) => {
      expect(parseRepositoryConfig(text, FILE)).toEqual({ config: DEFAULT_CONFIG, problem: null, given: new Set() });
    },
  );

  it('says what it says, and leaves the rest as it is', () => {
    const text =
      'mode: comment\r\nlabels: [bug]\r\npull_request:\r\n  ready: true\r\n  reviewers: ["@mona", octo/team]\r\nbudget: {run: 0}\r\n';
    expect(parseRepositoryConfig(text, FILE)).toEqual({
      config: {
        ...DEFAULT_CONFIG,
        mode: 'comment',
        labels: ['bug'],
        pullRequest: { ...DEFAULT_CONFIG.pullRequest, ready: true, reviewers: ['mona', 'octo/team'] },
        budget: { run: 0, month: null },
      },
      problem: null,
      given: new Set(['mode', 'labels', 'pull_request.ready', 'pull_request.reviewers', 'budget.run']),
    });
  });

  it.each([
    ['mode: fix\nlabel: [bug]\n', '2: `label` is not known, did you mean `labels`?'],
    ['pull-request: {}\n', '1: `pull-request` is not known, did you mean `pull_request`?'],
    [
      'pull_request:\n  draft: true\n  reviewer: []\n',
      '3: `reviewer` is not known in `pull_request`, did you mean `reviewers`?',
    ],
    [
      'scopes:\n  - paths: [a/**]\n    owner: ["@mona"]\n',
      '3: `owner` is not known in `scopes[1]`, did you mean `owners`?',
    ],
    [
      'scopes:\n  - paths: [a/**]\n    budget: {month: 3}\n',
      '3: `month` is not known in `scopes[1].budget`. Known are `run`.',
    ],
    [
      'scopes:\n  - labels: [area]\n',
      '2: `scopes[1].paths` must be a list of path patterns, such as `["packages/api/**"]`; it is empty.',
    ],
    ['budget:\n  weekly: 3\n', '2: `weekly` is not known in `budget`. Known are `run`, `month`.'],
    ['mode: fixx\n', '1: `mode` must be `observe`, `comment` or `fix`; it is `fixx`.'],
    ['mode:\n', '1: `mode` must be `observe`, `comment` or `fix`; it is empty.'],
    ['labels: analyse\n', '1: `labels` must be a list of names of labels, such as `[analyse]`; it is `analyse`.'],
    ['labels:\n  - ok\n  - 12\n', '3: `labels[2]` must be the name of a label, of at most 50 characters; it is `12`.'],
    ['pull_request:\n  attempts: 4\n', '2: `pull_request.attempts` must be a whole number from 0 to 3; it is `4`.'],
    ['pull_request:\n  draft: yes\n', '2: `pull_request.draft` must be `true` or `false`; it is `yes`.'],
    [
      'pull_request: soon\n',
      '1: `pull_request` must be a group of the keys `attempts`, `proof`, `draft`, `ready`, `base`, `reviewers`, `threshold` and `of_strangers`; it is `soon`.',
    ],
    [
      'paths:\n  allow: [../x]\n',
      '2: `paths.allow[1]` must be a path pattern within the repository, such as `docs/**`, without a leading `/`, `!` or `..`; it is `../x`.',
    ],
    ['limits:\n  ci_runs_day: 51\n', '2: `limits.ci_runs_day` must be a whole number from 0 to 50; it is `51`.'],
    [
      'budget: {run: -1}\n',
      '1: `budget.run` must be a number of US dollars from 0 to 100000, such as `0.5`; it is `-1`.',
    ],
    ['- mode\n', '1: The file must be a group of keys, such as `mode: comment`; it is a list.'],
    ['just words\n', '1: The file must be a group of keys, such as `mode: comment`; it is `just words`.'],
    ['mode: fix\nmode: comment\n', '2: This key is here for the second time. Each may be given once.'],
    ['paths:\n\tallow: []\n', '2: It is indented with a tab. YAML wants spaces.'],
    ['a: &a [x]\nb: *a\n', '1: Anchors and aliases (`&` and `*`) are not accepted. Write the value out, or in quotes.'],
    ['labels: !!js/function "x"\n', '1: Tags (`!…`) are not accepted. Write the value as it is.'],
    ['mode: !!str fix\n', '1: Tags (`!…`) are not accepted. Write the value as it is.'],
    ['mode: fix\n---\nmode: observe\n', '2: A second document begins here (`---`). There may be one.'],
    [
      '__proto__: {mode: fix}\n',
      '1: `__proto__` is not known. Known are `mode`, `labels`, `checks`, `pull_request`, `paths`, `budget`, `limits`, `comments`, `language`, `model`, `instructions`, `scopes`, `context`.',
    ],
    [
      `instructions: ${'x'.repeat(8_001)}\n`,
      `1: \`instructions\` must be text of at most 8000 characters; it is \`${'x'.repeat(40)}…\`.`,
    ],
  ])('is complained about once, with its line: %j', (text, expected) => {
    expect(complaint(text)).toBe(expected);
  });

  it('that is no YAML is complained about where it breaks', () => {
    expect(complaint('mode: fix\nlabels: [a, b\nmodel: none\n')).toMatch(/^[23]: This is not YAML: /);
    expect(complaint('mode: "fix\n')).toMatch(/^\d: This is not YAML: /);
  });

  it('with a fault gives no more than its author can have meant', () => {
    const careful = { ...DEFAULT_CONFIG, mode: 'comment', comments: 'asked' };
    expect(parseRepositoryConfig('modes: fix\n', FILE).config).toEqual(careful);
    expect(parseRepositoryConfig('mode: observe\nlabel: x\n', FILE).config).toEqual({ ...careful, mode: 'observe' });
    expect(parseRepositoryConfig('mode: observe\nlabels: [\n', FILE).config.mode).toBe('observe');
    const spending = parseRepositoryConfig('model: none\nbudget: {month: 5}\npath: {}\n', FILE).config;
    expect(spending).toEqual({ ...careful, model: 'none', budget: { run: null, month: 5 } });
  });

  it('has a digest that is equal for equal files alone', () => {
    const digest = (text: string) => parseRepositoryConfig(text, FILE).problem?.digest;
    expect(digest('a: 1\n')).toBe(digest('a: 1\n'));
    expect(digest('a: 1\n')).not.toBe(digest('a: 2\n'));
  });

  it.each([
    '['.repeat(60_000),
    '{a: '.repeat(15_000),
    '- '.repeat(30_000),
    `a:\n${Array.from({ length: 300 }, (_, at) => `${' '.repeat(at + 1)}a:\n`).join('')}`,
    '? '.repeat(30_000),
    `${'[\n'.repeat(30_000)}`,
    'a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\n',
  ])('that is a bomb is refused: %#', (text) => {
    expect(complaint(text)).not.toBe('');
  });

  it('never throws, and never gives more than comments with a fault', () => {
    const part = fc.constantFrom(
      'mode',
      'labels',
      ': ',
      ':',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '&a',
      '*a',
      '!!x',
      '|',
      '>',
      '"',
      "'",
      '#',
      '---',
      '\t',
      '? ',
      'fix',
      '%',
      '~',
      '<<',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(part, fc.string({ unit: ANY_CHARACTER, maxLength: 3 }))), (parts) => {
        const { config, problem } = parseRepositoryConfig(parts.join(''), FILE);
        if (problem !== null) {
          expect(config.mode).not.toBe('fix');
          expect(problem.message).toMatch(/\S/);
          expect(problem.message).not.toContain('\n');
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('settings of an investigation', () => {
  const settings = (model: string, operator: string | null, otherModels: readonly string[] = []) =>
    investigationSettings({ ...DEFAULT_CONFIG, model }, { operatorModel: operator, otherModels });

  it('use the model unless the repository wants none, or another one', () => {
    expect(settings('', 'gpt-test').useModel).toBe(true);
    expect(settings('GPT-Test', 'gpt-test').useModel).toBe(true);
    expect(settings('none', 'gpt-test').useModel).toBe(false);
    expect(settings('None', 'none').useModel).toBe(false);
    expect(settings('dearer', 'gpt-test').useModel).toBe(false);
    expect(settings('gpt-test', null).useModel).toBe(false);
  });

  it('choose among the models of the operator, who may offer several', () => {
    const chosen = (model: string) => {
      const { useModel, model: name } = settings(model, 'gpt-test', ['claude-test']);
      return useModel ? name : null;
    };
    expect(['', 'gpt-test', 'Claude-Test', 'dearer'].map(chosen)).toEqual(['', '', 'claude-test', null]);
  });

  it('use no model where an investigation may cost nothing', () => {
    const useModel = (run: number | null) =>
      investigationSettings({ ...DEFAULT_CONFIG, budget: { run, month: null } }, { operatorModel: 'gpt-test' })
        .useModel;
    expect([null, 0, 0.01].map(useModel)).toEqual([true, false, true]);
  });
});
