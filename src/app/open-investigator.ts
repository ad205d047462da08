// The model, its tools and its budgets as the configuration asks for them; null where there is no model.
import { readFileSync } from 'node:fs';
import type { Config, ModelConfig } from '../config.ts';
import { CausewayError } from '../domain/errors.ts';
import type { Project } from '../domain/project.ts';
import type { Investigator } from '../jobs/investigator.ts';
import { createSpentBudgets } from '../jobs/spent-budgets.ts';
import { type Log, registerSecret } from '../log.ts';
import { createOpenAiModel } from '../model/openai-model.ts';
import { readPrices } from '../model/prices.ts';
import { readScript } from '../model/script.ts';
import { createScriptedModel } from '../model/scripted-model.ts';
import { parseMonitoringConfig } from '../monitoring/config.ts';
import { type Monitoring, openMonitoring } from '../monitoring/open-monitoring.ts';
import type { Holds } from '../ports/holds.ts';
import type { Model } from '../ports/model.ts';
import { watchTool } from '../telemetry/watched-ports.ts';

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
  const model = openModel(config.model, now, holds);
  const monitoring = model === null ? NO_MONITORING : monitoringOf(config, log);
  return {
    investigator: model && {
      model,
      openWorkbench: async ({ project, isTrusted, reportText, ...ground }, signal) => {
        const { createToolbox } = await import('../tools/toolbox.ts');
        const { tools, overlay } = createToolbox({ ...ground, ciLog: reportText });
        const asked = await monitoring.toolsFor(
          { project: project.name, isPublic: isPublic(project), isTrusted },
          signal,
        );
        return { tools: [...tools, ...asked].map(watchTool), changeSet: overlay.changeSet };
      },
      stillParses: async (path, before, after) => {
        const { stillParses } = await import('../tools/syntax.ts');
        return (await stillParses(path, before, after)).ok;
      },
      limits: { turns: TURNS, usd: config.budget, patienceMs },
      onSpent: createSpentBudgets(log),
    },
    [Symbol.asyncDispose]: () => monitoring[Symbol.asyncDispose](),
  };
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

function openModel(config: ModelConfig, now: () => Date, holds: Holds | undefined): Model | null {
  switch (config.kind) {
    case 'none':
      return null;
    case 'scripted':
      return createScriptedModel(readScript(fileNamed('MODEL=scripted:', config.file)));
    case 'endpoint': {
      const { name, apiKey, pricesFile } = config;
      if (apiKey !== '') registerSecret(apiKey);
      const prices = pricesFile === null ? null : readPrices(fileNamed('MODEL_PRICES', pricesFile), name);
      return createOpenAiModel({ ...config, prices, now, random: Math.random, ...(holds && { holds }) });
    }
  }
}

function monitoringOf({ monitoringFile, environment }: InvestigatorOptions['config'], log: Log): Monitoring {
  if (monitoringFile === null) return NO_MONITORING;
  return openMonitoring(parseMonitoringConfig(fileNamed('MCP_CONFIG', monitoringFile)), { log, environment });
}

function fileNamed(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new CausewayError('usage', `${setting} names ${file}, which cannot be read (${code}).`);
  }
}
