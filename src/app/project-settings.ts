// What the API needs to know of a project's own configuration on GitHub, under the operator's ceiling.

import type { ApiDeps } from '../api/api-deps.ts';
import type { MaxMode } from '../config.ts';
import { isGithubProject } from '../core/project.ts';
import { DEFAULT_SETTINGS } from '../core/settings.ts';
import { investigationSettings } from '../github/configuration/investigation-settings.ts';
import type { ConfigurationReader } from '../github/configuration/read-configuration.ts';
import type { Mode } from '../github/configuration/repository-config.ts';

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
