// What a repository's configuration comes to under the operator's limits: each value with where it is from, and what it does not count for. Pure.
import { type GithubProject, getRepository } from '../../core/project.ts';
import type { EffectiveConfiguration, EffectiveValue, ValueSource } from '../../core/settings.ts';
import { CONFIG_FILE } from './fetch-config.ts';
import { chosenModel } from './investigation-settings.ts';
import { MODES, type Mode, type ReadConfig, type RepositoryConfig } from './repository-config.ts';

/** What the operator sets, and no file goes beyond. */
export interface OperatorLimits {
  readonly ceiling: Mode;
  /** Name of the model that is offered; null: none. */
  readonly model: string | null;
  /** Those that a repository may choose instead. */
  readonly otherModels?: readonly string[];
  /** US dollars: of one investigation, of a repository in a month, of everything in a month. */
  readonly budget: { readonly run: number; readonly repository: number; readonly all: number };
}

/** `webUrl`: base address for people, without a slash at its end. */
export function effectiveConfiguration(
  project: GithubProject,
  read: ReadConfig,
  { operator, webUrl }: { readonly operator: OperatorLimits; readonly webUrl: string },
): EffectiveConfiguration {
  const holder = read.heldBy === undefined ? project.name : `${getRepository(project).owner}/.github`;
  const source: ValueSource = read.heldBy === undefined ? { kind: 'file' } : { kind: 'owner', repository: holder };
  const values = effectiveValues(read, operator, source);
  return {
    values: read.heldBy?.isPrivate ? values.map((value) => withheld(value, holder)) : values,
    problem: problemOf(read),
    url: read.given === undefined ? '' : pageOf(webUrl, holder),
  };
}

/** `holder`: where the values of the file are from. */
export function effectiveValues(
  read: ReadConfig,
  operator: OperatorLimits,
  holder: ValueSource,
): readonly EffectiveValue[] {
  return CONFIGURATION_KEYS.map(({ name, means, value }) => {
    const from: ValueSource = read.given?.has(name) ? holder : { kind: 'default' };
    const plain = { name, means, value: value(read.config), from, limit: '' };
    return { ...plain, ...underOperator(plain, read, operator) };
  });
}

/** What everybody sees Causeway do. */
const SEEN_ANYWAY = new Set(['mode', 'comments']);

/** Of a file that stands in a private repository: that it decides, and not what it says. */
function withheld(value: EffectiveValue, holder: string): EffectiveValue {
  if (SEEN_ANYWAY.has(value.name)) return value;
  const limit = `what stands in ${holder}, which is private: it is not shown here`;
  if (value.from.kind === 'owner') return { ...value, value: '', limit };
  // The file's budgets are a reason to ask no model.
  return value.limit.includes(' budget.') ? { ...value, limit } : value;
}

/** What becomes of a value under the operator's limits. */
function underOperator(
  plain: EffectiveValue,
  { config, problem }: ReadConfig,
  operator: OperatorLimits,
): Partial<EffectiveValue> {
  const { budget } = operator;
  switch (plain.name) {
    case 'mode':
      return { limit: ceilingOf(config.mode, operator.ceiling) || carefulness(problem) };
    case 'comments':
      return { limit: carefulness(problem) };
    case 'budget.run':
      return amount(config.budget.run, budget.run, 'BUDGET_RUN');
    case 'budget.month':
      return amount(config.budget.month, budget.repository, 'BUDGET_REPOSITORY_MONTH');
    case 'model':
      return config.model === '' ? offered(config, operator) : { limit: unasked(config, operator) };
    default:
      return {};
  }
}

function ceilingOf(mode: Mode, ceiling: Mode): string {
  if (MODES.indexOf(mode) <= MODES.indexOf(ceiling)) return '';
  return `${ceiling}, since MAX_MODE allows no more`;
}

function carefulness(problem: ReadConfig['problem']): string {
  return problem === null ? '' : 'the careful choice, until the file is mended';
}

/** The lower of the two counts. */
function amount(wish: number | null, most: number, variable: string): Partial<EffectiveValue> {
  if (wish === null) return { value: dollars(most), from: { kind: 'operator', variable } };
  return wish > most ? { limit: `${dollars(most)}, since ${variable} allows no more` } : {};
}

function offered(config: RepositoryConfig, operator: OperatorLimits): Partial<EffectiveValue> {
  const from: ValueSource = { kind: 'operator', variable: 'MODEL' };
  return { value: operator.model ?? 'none', from, limit: unasked(config, operator) };
}

/** Why no model is asked although something else was said; "" where one is, or where `none` was said here. */
function unasked(config: RepositoryConfig, { model: offer, otherModels = [], budget }: OperatorLimits): string {
  const { model, budget: wish } = config;
  if (model.toLowerCase() === 'none') return '';
  if (offer === null) return 'none, since the operator offers no model: facts only';
  if (chosenModel(config, { operatorModel: offer, otherModels }) === null) {
    return otherModels.length === 0
      ? `none, since the operator's model is ${offer} and another one is never asked: facts only`
      : `none, since it is not one of the operator's models (${[offer, ...otherModels].join(', ')}): facts only`;
  }
  const spendable = {
    'budget.run': wish.run,
    'budget.month': wish.month,
    BUDGET_RUN: budget.run,
    BUDGET_REPOSITORY_MONTH: budget.repository,
    BUDGET_MONTH: budget.all,
  };
  const [empty] = Object.entries(spendable).find(([, usd]) => usd === 0) ?? [];
  return empty === undefined ? '' : `none, since ${empty} is $0: facts only`;
}

/** A fault quotes what stands in the file. */
function problemOf({ problem, heldBy }: ReadConfig): string {
  if (problem === null) return '';
  const what = heldBy?.isPrivate ? 'What stands there cannot be used.' : problem.message;
  const line = problem.line > 0 ? `, line ${problem.line}` : '';
  return `${problem.file}${line}: ${what} Until it is mended on the default branch, no pull requests are opened, and comments are made only where somebody asks.`;
}

/** On the default branch, whatever it is called. */
function pageOf(webUrl: string, repository: string): string {
  return `${webUrl}/${repository.split('/').map(encodeURIComponent).join('/')}/blob/HEAD/${CONFIG_FILE}`;
}

interface ConfigurationKey {
  /** As the file calls it. */
  readonly name: string;
  /** One sentence. */
  readonly means: string;
  /** In words; "" for nothing. */
  readonly value: (config: RepositoryConfig) => string;
}

/** In the order of the documentation. */
const CONFIGURATION_KEYS: readonly ConfigurationKey[] = [
  {
    name: 'mode',
    means:
      'How far Causeway goes: observe writes nothing on GitHub, comment opens no pull requests, fix does everything.',
    value: ({ mode }) => mode,
  },
  {
    name: 'labels',
    means: 'Labels that start an analysis when somebody with the right puts them on an issue.',
    value: ({ labels }) => listed(labels),
  },
  {
    name: 'checks.include',
    means: 'Failed checks that are looked at.',
    value: ({ checks }) => listed(checks.include, 'all'),
  },
  {
    name: 'checks.exclude',
    means: 'Failed checks that are never looked at, whatever checks.include says.',
    value: ({ checks }) => listed(checks.exclude),
  },
  {
    name: 'checks.branches',
    means: 'Branches whose failed checks are looked at; of a pull request it is its base that counts.',
    value: ({ checks }) => listed(checks.branches, 'all'),
  },
  {
    name: 'pull_request.attempts',
    means: "Further attempts when the checks of Causeway's own pull request are red.",
    value: ({ pullRequest }) => String(pullRequest.attempts),
  },
  {
    name: 'pull_request.draft',
    means: 'Whether pull requests are opened as drafts.',
    value: ({ pullRequest }) => yesOrNo(pullRequest.draft),
  },
  {
    name: 'pull_request.ready',
    means: 'Whether a draft is marked ready when its checks are green, which asks code owners for a review.',
    value: ({ pullRequest }) => yesOrNo(pullRequest.ready),
  },
  {
    name: 'pull_request.base',
    means: 'The branch that pull requests are made for.',
    value: ({ pullRequest }) => pullRequest.base || 'the default branch',
  },
  {
    name: 'pull_request.reviewers',
    means: 'Who is asked for a review once a pull request is no draft.',
    value: ({ pullRequest }) => listed(pullRequest.reviewers),
  },
  {
    name: 'paths.allow',
    means: 'The only paths that a change may touch.',
    value: ({ paths }) => listed(paths.allow, 'all'),
  },
  {
    name: 'paths.block',
    means: 'Paths that a change never touches, whatever paths.allow says.',
    value: ({ paths }) => listed(paths.block),
  },
  {
    name: 'budget.run',
    means: 'What one investigation may cost.',
    value: ({ budget }) => (budget.run === null ? '' : dollars(budget.run)),
  },
  {
    name: 'budget.month',
    means: 'What this repository may cost in a calendar month.',
    value: ({ budget }) => (budget.month === null ? '' : dollars(budget.month)),
  },
  {
    name: 'comments',
    means: 'Where Causeway comments: everywhere that it has something to say, or only where a person asked.',
    value: ({ comments }) => comments,
  },
  {
    name: 'language',
    means: 'The language of what the analysis says.',
    value: ({ language }) => language || 'English',
  },
  {
    name: 'model',
    means: 'The language model that is asked; without one an investigation gives facts only.',
    value: ({ model }) => model,
  },
  {
    name: 'instructions',
    means: 'What is to be heeded in this repository, as context for the analysis.',
    value: ({ instructions }) => instructions,
  },
];

/** Such as `$25` or `$0.50`; a smaller part of a cent is shown whole. */
export function dollars(usd: number): string {
  if (Number.isInteger(usd)) return `$${usd}`;
  return `$${Number(usd.toFixed(2)) === usd ? usd.toFixed(2) : usd}`;
}

function listed(names: readonly string[], ofNone = ''): string {
  return names.length === 0 ? ofNone : names.join(', ');
}

function yesOrNo(is: boolean): string {
  return is ? 'yes' : 'no';
}
