// A repository's configuration under the operator's limits: each value and its source, and what investigations use.
import { stringify } from 'yaml';
import {
  type EffectiveConfiguration,
  type EffectiveMode,
  type EffectiveValue,
  type GithubProject,
  getRepository,
  type InvestigationSettings,
  nameScopes,
  type ScopeNames,
  type ValueSource,
} from '../../core/project/index.ts';
import { CONFIG_FILE } from './read-configuration.ts';
import { FILE_SCHEMA, MODES, type Mode, type ReadConfig, type RepositoryConfig } from './repository-config.ts';

/** The models that the operator offers. */
export interface OfferedModels {
  /** The one that is used where the repository names none; null: no model is offered. */
  readonly operatorModel: string | null;
  /** Those that a repository may choose instead. */
  readonly otherModels?: readonly string[];
}

/**
 * What a configuration says about investigations. A repository that names a model which is not offered gets facts only:
 * its code is sent nowhere else. One that lets an investigation cost nothing uses no model either.
 */
export function investigationSettings(
  config: RepositoryConfig,
  offered: OfferedModels,
  names: ScopeNames = {},
): InvestigationSettings {
  const model = chooseEffectiveModel(config, offered);
  const { budget, language, instructions, paths, context } = config;
  return {
    useModel: model !== null && budget.run !== 0,
    // The operator's own is not named, so that a change of MODEL counts for reports that wait.
    model: model === null || model === offered.operatorModel ? '' : model,
    budget,
    language,
    instructions,
    paths,
    context,
    scopes: nameScopes(
      config.scopes.map(({ base: _, ...scope }) => scope),
      names,
    ),
  };
}

function chooseEffectiveModel(
  { model }: RepositoryConfig,
  { operatorModel, otherModels = [] }: OfferedModels,
): string | null {
  const wanted = model.toLowerCase();
  if (operatorModel === null || wanted === 'none') return null;
  if (wanted === '') return operatorModel;
  return [operatorModel, ...otherModels].find((name) => name.toLowerCase() === wanted) ?? null;
}

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

/**
 * `webUrl`: base address for people, without a slash at its end. `mayRerun`: whether the installation may write Actions.
 */
export function effectiveConfiguration(
  project: GithubProject,
  read: ReadConfig,
  {
    operator,
    mayRerun,
    webUrl,
  }: { readonly operator: OperatorLimits; readonly mayRerun: boolean; readonly webUrl: string },
): EffectiveConfiguration {
  const holder = read.heldBy === undefined ? project.name : `${getRepository(project).owner}/.github`;
  const source: ValueSource = read.heldBy === undefined ? { kind: 'file' } : { kind: 'owner', repository: holder };
  const values = effectiveValues(read, { ...operator, mayRerun }, source);
  // HEAD is the default branch, even if it is renamed.
  const page = `${webUrl}/${holder.split('/').map(encodeURIComponent).join('/')}/blob/HEAD/${CONFIG_FILE}`;
  return {
    values: read.heldBy?.isPrivate ? values.map((value) => withholdValue(value, holder)) : values,
    problem: describeProblem(read),
    url: read.given === undefined ? '' : page,
    mode: capMode(read.config.mode, operator.ceiling),
    yaml: writeYaml(read),
  };
}

/** Without lists of parts, such as scopes: a project that has some has a file already. */
function writeYaml({ config, heldBy }: ReadConfig): string {
  if (heldBy?.isPrivate) return '';
  const file: Record<string, unknown> = {};
  for (const [name] of KEYS) {
    const value = readValue(config, name);
    const isSet = Array.isArray(value) ? value.length > 0 : value !== null && value !== '' && value !== undefined;
    if (!isSet || (Array.isArray(value) && value.some((item) => typeof item !== 'string'))) continue;
    const [first = '', second] = name.split('.');
    if (second === undefined) file[first] = value;
    else file[first] = { ...Object(file[first]), [second]: value };
  }
  return stringify(file);
}

/** `holder`: where the values of the file are from. */
export function effectiveValues(
  read: ReadConfig,
  operator: GrantedLimits,
  holder: ValueSource,
): readonly EffectiveValue[] {
  return KEYS.map(([name, whenEmpty]) => {
    const from: ValueSource = read.given?.has(name) ? holder : { kind: 'default' };
    const value = formatValue(readValue(read.config, name), name, whenEmpty);
    const plain = { name, means: describeKey(name), value, from, limit: '' };
    return { ...plain, ...applyOperator(name, read, operator) };
  });
}

/** The file of a private repository decides, but its values are not shown, but for what everybody sees Causeway do. */
function withholdValue(value: EffectiveValue, holder: string): EffectiveValue {
  if (value.name === 'mode' || value.name === 'comments') return value;
  const limit = `set in ${holder}, which is private: it is not shown here`;
  if (value.from.kind === 'owner') return { ...value, value: '', limit };
  // The file's budgets can be the reason why no model is used.
  return value.limit.includes(' budget.') ? { ...value, limit } : value;
}

/** What the operator sets, and what the installation grants. */
type GrantedLimits = OperatorLimits & { readonly mayRerun?: boolean };

/** What becomes of a value under the operator's limits. */
function applyOperator(
  name: string,
  { config, problem }: ReadConfig,
  operator: GrantedLimits,
): Partial<EffectiveValue> {
  const { budget, ceiling } = operator;
  const careful = problem === null ? '' : 'the careful choice, until the file is corrected';
  switch (name) {
    case 'checks.rerun': {
      const isRefused = config.checks.rerun === 'once' && operator.mayRerun !== true;
      return { limit: isRefused ? 'off, since the App may not write Actions here' : '' };
    }
    case 'mode': {
      const { isCapped } = capMode(config.mode, ceiling);
      return { limit: isCapped ? `${ceiling}, since MAX_MODE allows no more` : careful };
    }
    case 'comments':
      return { limit: careful };
    case 'budget.run':
      return capAmount(config.budget.run, budget.run, 'BUDGET_RUN');
    case 'budget.month':
      return capAmount(config.budget.month, budget.repository, 'BUDGET_REPOSITORY_MONTH');
    case 'model': {
      const limit = explainNoModel(config, operator);
      if (config.model !== '') return { limit };
      return { value: operator.model ?? 'none', from: { kind: 'operator', variable: 'MODEL' }, limit };
    }
    default:
      return {};
  }
}

function capMode(wanted: Mode, ceiling: Mode): EffectiveMode {
  const isCapped = MODES.indexOf(wanted) > MODES.indexOf(ceiling);
  return { mode: isCapped ? ceiling : wanted, isCapped };
}

/** The lower of the two counts. */
function capAmount(wanted: number | null, most: number, variable: string): Partial<EffectiveValue> {
  if (wanted === null) return { value: dollars(most), from: { kind: 'operator', variable } };
  return wanted > most ? { limit: `${dollars(most)}, since ${variable} allows no more` } : {};
}

/** Why no model is used although the file does not say `none`; "" where one is, or where it does. */
function explainNoModel(config: RepositoryConfig, { model, otherModels = [], budget }: OperatorLimits): string {
  if (config.model.toLowerCase() === 'none') return '';
  if (model === null) return 'none, since the operator offers no model: facts only';
  if (chooseEffectiveModel(config, { operatorModel: model, otherModels }) === null) {
    return otherModels.length === 0
      ? `none, since the operator's model is ${model} and no other is used: facts only`
      : `none, since it is not one of the operator's models (${[model, ...otherModels].join(', ')}): facts only`;
  }
  const spendable = {
    'budget.run': config.budget.run,
    'budget.month': config.budget.month,
    BUDGET_RUN: budget.run,
    BUDGET_REPOSITORY_MONTH: budget.repository,
    BUDGET_MONTH: budget.all,
  };
  const [empty] = Object.entries(spendable).find(([, usd]) => usd === 0) ?? [];
  return empty === undefined ? '' : `none, since ${empty} is $0: facts only`;
}

/** A fault quotes the file. */
function describeProblem({ problem, heldBy }: ReadConfig): string {
  if (problem === null) return '';
  const what = heldBy?.isPrivate ? 'The file cannot be used.' : problem.message;
  const line = problem.line > 0 ? `, line ${problem.line}` : '';
  const effect = 'no pull requests are opened, and comments are posted only on request';
  return `${problem.file}${line}: ${what} Until it is corrected on the default branch, ${effect}.`;
}

/** Keys as the file calls them, in the order of the documentation, and what is shown for an empty value. */
const KEYS: readonly (readonly [name: string, whenEmpty: string])[] = [
  ['mode', ''],
  ['labels', ''],
  ['checks.include', 'all'],
  ['checks.exclude', ''],
  ['checks.branches', 'all'],
  ['checks.rerun', ''],
  ['checks.bots', ''],
  ['pull_request.attempts', ''],
  ['pull_request.proof', ''],
  ['pull_request.draft', ''],
  ['pull_request.ready', ''],
  ['pull_request.base', 'the default branch'],
  ['pull_request.reviewers', ''],
  ['pull_request.threshold', 'by evidence'],
  ['pull_request.of_strangers', 'ask in public, label in private'],
  ['paths.allow', 'all'],
  ['paths.block', ''],
  ['budget.run', ''],
  ['budget.month', ''],
  ['limits.ci_runs_day', ''],
  ['comments', ''],
  ['language', 'English'],
  ['model', ''],
  ['instructions', ''],
  ['scopes', ''],
  ['context', ''],
];

function readValue(config: RepositoryConfig, name: string): unknown {
  const path = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()).split('.');
  return path.reduce<unknown>((at, key) => Reflect.get(Object(at), key), config);
}

function formatValue(value: unknown, name: string, whenEmpty: string): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return name.startsWith('budget.') ? dollars(value) : String(value);
  const items = Array.isArray(value) ? value.map((item) => item?.paths?.join(' ') ?? item) : [value ?? ''];
  return items.join(', ') || whenEmpty;
}

/** As the schema of the file says it. */
function describeKey(name: string): string {
  const [first = '', second] = name.split('.');
  const schema = Reflect.get(FILE_SCHEMA.shape, first);
  const key = second === undefined ? schema : Reflect.get(schema.unwrap().shape, second);
  return key.description ?? '';
}

/** Such as `$25` or `$0.50`; a smaller part of a cent is shown whole. */
export function dollars(usd: number): string {
  if (Number.isInteger(usd)) return `$${usd}`;
  return `$${Number(usd.toFixed(2)) === usd ? usd.toFixed(2) : usd}`;
}
