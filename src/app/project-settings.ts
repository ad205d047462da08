// What the API needs to know of a project's own configuration on GitHub, under the operator's ceiling.
import type { MaxMode } from '../config.ts';
import { isGithubProject } from '../domain/project.ts';
import { DEFAULT_SETTINGS } from '../domain/settings.ts';
import { investigationSettings } from '../github/configuration/investigation-settings.ts';
import type { ConfigurationReader } from '../github/configuration/read-configuration.ts';
import type { Mode } from '../github/configuration/repository-config.ts';
import type { ApiDeps } from '../http/api-deps.ts';

export function projectSettings(options: {
  readonly configuration: Pick<ConfigurationReader, 'of'>;
  readonly ceiling: MaxMode;
  readonly operatorModel: string | null;
  readonly otherModels?: readonly string[];
}): ApiDeps['settingsOf'] {
  const { configuration, ceiling } = options;
  return async (project, signal) => {
    if (!isGithubProject(project)) return { investigation: DEFAULT_SETTINGS, noPullRequests: '' };
    const { config } = await configuration.of(project, signal);
    return {
      investigation: investigationSettings(config, options),
      noPullRequests: noPullRequests(config.mode, ceiling),
    };
  };
}

function noPullRequests(mode: Mode, ceiling: MaxMode): string {
  if (ceiling !== 'fix') return `The operator of this service lets it open no pull requests (mode ${ceiling} at most).`;
  if (mode !== 'fix') return `The repository opens no pull requests: .github/causeway.yml says "mode: ${mode}".`;
  return '';
}
