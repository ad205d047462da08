// The models, their tools and their budgets as the configuration asks for them; null where there is no model.
import { createEndpointModel, type EndpointModel, findShippedPrices, type Model, type Prices } from 'causeway-models';
import type { Config, EndpointConfig, Environment, ModelConfig } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import type { Holds } from '../core/holds.ts';
import type { Project } from '../core/project/index.ts';
import { checkSyntax, createToolbox } from '../investigate/index.ts';
import { type Log, registerSecret } from '../log.ts';
import { type Monitoring, openMonitoring, parseMonitoringConfig } from '../mcp-client/index.ts';
import { createBudgetLog, type Investigator } from '../services/index.ts';
import { traceTool } from '../tracing.ts';
import { openScriptedModel, readNamedFile, readPricesFile } from './model-files.ts';

/** Requests to the model in one run; runs on real reports took 4 to 11 (docs/evaluation.md). */
const TURNS = 30;
/** After that the facts are the answer. */
export const PATIENCE_MS = 2 * 60 * 60 * 1_000;
const NO_MONITORING: Monitoring = { toolsFor: async () => [], [Symbol.asyncDispose]: async () => {} };

export interface OpenInvestigator extends AsyncDisposable {
  readonly investigator: Investigator | null;
}

export interface InvestigatorOptions {
  readonly config: Pick<Config, 'model' | 'budget' | 'monitoringFile' | 'environment'>;
  readonly log: Log;
  readonly now: () => Date;
  /** Absent: no other process asks the endpoint. */
  readonly holds?: Holds;
  /** Milliseconds that a model out of reach is waited for. */
  readonly patienceMs: number;
}

/** Throws `usage` for a file that cannot be read or understood. Nothing is connected yet. */
export function openInvestigator({ config, log, now, patienceMs, holds }: InvestigatorOptions): OpenInvestigator {
  const { environment } = config;
  const [model, ...others] = openModels(config.model, { environment, now, ...(holds && { holds }) });
  if (model === undefined) return { investigator: null, [Symbol.asyncDispose]: async () => {} };
  const second = openSecondModel(config.model, { environment, now, ...(holds && { holds }) });
  const monitoring = openConfiguredMonitoring(config, log);
  const investigator: Investigator = {
    model,
    others,
    ...(second && { second }),
    openWorkbench: async ({ project, isTrusted, reportText, ...rest }, signal) => {
      const { tools, overlay } = createToolbox({ ...rest, ciLog: reportText });
      const about = { project: project.name, isPublic: isPublic(project), isTrusted };
      const monitoringTools = await monitoring.toolsFor(about, signal);
      return { tools: [...tools, ...monitoringTools].map(traceTool), changeSet: overlay.changeSet };
    },
    isParsable: async (path, before, after) => (await checkSyntax(path, before, after)).ok,
    limits: { turns: TURNS, usd: config.budget, patienceMs },
    onSpent: createBudgetLog(log),
  };
  return { investigator, [Symbol.asyncDispose]: () => monitoring[Symbol.asyncDispose]() };
}

function openConfiguredMonitoring(
  { monitoringFile, environment }: InvestigatorOptions['config'],
  log: Log,
): Monitoring {
  if (monitoringFile === null) return NO_MONITORING;
  return openMonitoring(parseMonitoringConfig(readNamedFile('MCP_CONFIG', monitoringFile)), { log, environment });
}

/**
 * Decides, together with who wrote the report, which monitoring systems may be used. A repository that is read without
 * the App may be public.
 */
function isPublic({ source }: Project): boolean {
  switch (source.kind) {
    case 'path':
      return false;
    case 'url':
      return true;
    case 'github':
      return !source.isPrivate;
  }
}

/** The names of the models that repositories may choose among. */
export function listModels(investigator: Investigator | null) {
  const otherModels = (investigator?.others ?? []).map(({ name }) => name);
  return { operatorModel: investigator?.model.name ?? null, otherModels };
}

/**
 * What the start says of the model: its name, or null, and what an operator should know of its settings; "" for
 * nothing.
 */
export function describeModel(config: ModelConfig, investigator: Investigator | null) {
  const model = investigator?.model.name ?? null;
  if (config.kind === 'none') return { model, modelHint: config.hint };
  const isUnpriced = config.kind === 'endpoint' && investigator?.model.prices === null;
  const modelHint = isUnpriced ? 'No price configured (MODEL_PRICES); counting $0.50 per million tokens.' : '';
  return { model, modelHint };
}

/** The model that a name on the command line means. Throws `usage` for one that is not configured. */
export function chooseModel(name: string, configured: ModelConfig): ModelConfig {
  if (name === 'none') return { kind: 'none', hint: '' };
  if (name.startsWith('scripted:')) return { kind: 'scripted', file: name.slice('scripted:'.length) };
  if (configured.kind === 'endpoint') return { ...configured, name, others: [] };
  throw new CausewayError(
    'usage',
    `No model is configured that could be asked as "${name}": set MODEL and its key, as "causeway doctor" says.`,
  );
}

interface ModelOptions {
  readonly holds?: Holds;
  readonly now: () => Date;
  /** What the key command is run with. */
  readonly environment: Environment;
}

/**
 * The operator's own model first, then those that repositories may choose. Throws `usage` for a file that cannot be
 * read or understood.
 */
function openModels(config: ModelConfig, options: ModelOptions): readonly Model[] {
  switch (config.kind) {
    case 'none':
      return [];
    case 'scripted':
      return [openScriptedModel(config.file)];
    case 'endpoint':
      return [config.name, ...config.others].map((name) => openEndpointModel({ ...config, name }, options));
  }
}

function openSecondModel(config: ModelConfig, options: ModelOptions): Model | null {
  const name = config.kind === 'endpoint' ? config.second : null;
  return config.kind === 'endpoint' && name !== null ? openEndpointModel({ ...config, name }, options) : null;
}

/** The model of `config.name`. */
export function openEndpointModel(config: EndpointConfig, options: ModelOptions): EndpointModel {
  for (const { apiKey } of [config.openai, config.anthropic]) if (apiKey !== '') registerSecret(apiKey);
  for (const [, value] of config.headers) registerSecret(value);
  return createEndpointModel({
    ...options,
    settings: config,
    prices: findPrices(config),
    timeoutMs: config.timeoutMs,
    idleMs: config.idleMs,
    random: Math.random,
    onKey: registerSecret,
  });
}

function findPrices({ pricesFile, name }: EndpointConfig): Prices | null {
  const own = pricesFile === null ? null : readPricesFile(pricesFile, name);
  return own ?? findShippedPrices(name);
}
