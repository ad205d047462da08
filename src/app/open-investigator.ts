// The model, its tools and its budgets as the configuration asks for them; null where there is no model.
import type { Config, ModelConfig } from '../config.ts';
import type { Holds } from '../core/holds.ts';
import type { Project } from '../core/project.ts';
import type { Log } from '../log.ts';
import { parseMonitoringConfig } from '../mcp/config.ts';
import { type Monitoring, openMonitoring } from '../mcp/monitoring.ts';
import type { Investigator } from '../services/investigator.ts';
import { createSpentBudgets } from '../services/spent-budgets.ts';
import { watchTool } from '../telemetry/watched-ports.ts';
import { stillParses } from '../tools/syntax.ts';
import { createToolbox } from '../tools/toolbox.ts';
import { fileNamed, openModels } from './open-model.ts';

/** Questions of one run; runs on real reports took 4 to 11 (docs/measurements.md). */
const TURNS = 30;
const NO_MONITORING: Monitoring = { toolsFor: async () => [], [Symbol.asyncDispose]: async () => {} };

export interface OpenInvestigator extends AsyncDisposable {
  readonly investigator: Investigator | null;
}

export interface InvestigatorOptions {
  /** Absent: nobody else asks the endpoint. */
  readonly holds?: Holds;
  readonly config: Pick<Config, 'model' | 'budget' | 'monitoringFile' | 'environment'>;
  readonly log: Log;
  readonly now: () => Date;
  /** Milliseconds that a model out of reach is waited for. */
  readonly patienceMs: number;
}

/** Throws `usage` for a file that cannot be read or understood. Nothing is connected yet. */
export function openInvestigator({ config, log, now, patienceMs, holds }: InvestigatorOptions): OpenInvestigator {
  const { environment } = config;
  const [model, ...others] = openModels(config.model, { environment, now, ...(holds && { holds }) });
  const monitoring = model === undefined ? NO_MONITORING : monitoringOf(config, log);
  return {
    investigator:
      model === undefined
        ? null
        : {
            model,
            others,
            openWorkbench: async ({ project, isTrusted, reportText, ...ground }, signal) => {
              const { tools, overlay } = createToolbox({ ...ground, ciLog: reportText });
              const asked = await monitoring.toolsFor(
                { project: project.name, isPublic: isPublic(project), isTrusted },
                signal,
              );
              return { tools: [...tools, ...asked].map(watchTool), changeSet: overlay.changeSet };
            },
            stillParses: async (path, before, after) => (await stillParses(path, before, after)).ok,
            limits: { turns: TURNS, usd: config.budget, patienceMs },
            onSpent: createSpentBudgets(log),
          },
    [Symbol.asyncDispose]: () => monitoring[Symbol.asyncDispose](),
  };
}

/** The names of the models that repositories may choose among. */
export function offeredModels(investigator: Investigator | null) {
  const otherModels = (investigator?.others ?? []).map(({ name }) => name);
  return { operatorModel: investigator?.model.name ?? null, otherModels };
}

/** It decides, with who wrote the report, which monitoring systems may be asked. An address that is read without the App may be anybody's. */
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

/** What an operator should know of the model's settings; "" for nothing. */
export function modelHint(config: ModelConfig, investigator: Investigator | null): string {
  if (config.kind === 'none') return config.hint;
  const isUnpriced = config.kind === 'endpoint' && investigator?.model.prices === null;
  return isUnpriced ? 'No price configured (MODEL_PRICES); counting $0.50 per million tokens.' : '';
}

function monitoringOf({ monitoringFile, environment }: InvestigatorOptions['config'], log: Log): Monitoring {
  if (monitoringFile === null) return NO_MONITORING;
  return openMonitoring(parseMonitoringConfig(fileNamed('MCP_CONFIG', monitoringFile)), { log, environment });
}
