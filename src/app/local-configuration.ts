// What counts for a repository on this disk: there is no file for it, so that all of it is the operator's.
import type { Config } from '../config.ts';
import type { ConfigurationOf, EffectiveConfiguration } from '../core/settings.ts';
import { effectiveValues, type OperatorLimits } from '../github/configuration/effective.ts';
import { DEFAULT_CONFIG } from '../github/configuration/repository-config.ts';

type OperatorConfig = Pick<Config, 'maxMode' | 'budget'>;

/** The rest is about what is posted on GitHub. */
const COUNTING = new Set(['budget.run', 'budget.month', 'model']);

/** `model`: name of the model that the operator offers; null: none. */
export function localConfiguration(config: OperatorConfig, model: string | null): ConfigurationOf {
  const read = { config: DEFAULT_CONFIG, problem: null };
  const values = effectiveValues(read, operatorLimits(config, model), { kind: 'default' });
  const all: EffectiveConfiguration = {
    values: values.filter(({ name }) => COUNTING.has(name)),
    problem: '',
    url: '',
  };
  return async () => all;
}

export function operatorLimits({ maxMode, budget }: OperatorConfig, model: string | null): OperatorLimits {
  return { ceiling: maxMode, model, budget };
}
