// What a project's configuration on GitHub comes to, read as every analysis reads it, for the account area.
import type { Config } from '../config.ts';
import { isGithubProject } from '../core/project.ts';
import type { ConfigurationOf } from '../core/settings.ts';
import { effectiveConfiguration } from '../github/configuration/effective.ts';
import type { ConfigurationReader } from '../github/configuration/read-configuration.ts';
import { localConfiguration, operatorLimits } from './local-configuration.ts';

export interface GithubConfigurationOptions {
  readonly configuration: Pick<ConfigurationReader, 'of'>;
  readonly config: Pick<Config, 'maxMode' | 'budget' | 'githubWebUrl'>;
  /** Name of the model that the operator offers; null: none. */
  readonly operatorModel: string | null;
  /** Those that a repository may choose instead. */
  readonly otherModels?: readonly string[];
}

export function githubConfiguration({
  configuration,
  config,
  operatorModel,
  otherModels = [],
}: GithubConfigurationOptions): ConfigurationOf {
  const operator = { ...operatorLimits(config, operatorModel), otherModels };
  const local = localConfiguration(config, operatorModel);
  return async (project, signal) => {
    if (!isGithubProject(project)) return await local(project, signal);
    const read = await configuration.of(project, signal);
    return effectiveConfiguration(project, read, { operator, webUrl: config.githubWebUrl });
  };
}
