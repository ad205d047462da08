// What a project wants to be done with its red checks: its configuration, below the operator's word and what the installation was granted.
import type { CheckRules } from '../../core/check.ts';
import { investigationSettings } from '../configuration/investigation-settings.ts';
import type { Asking } from './ask.ts';

const NEEDED = ['contents', 'pull_requests'];

/** Throws GithubFailure. */
export async function checkRules({ deps, project, signal }: Asking): Promise<CheckRules> {
  const { config } = await deps.configuration.of(project, signal);
  const installation = await deps.store.installation(project.source.installationId);
  const granted = new Map(Object.entries(installation?.permissions ?? {}));
  return {
    ...config.checks,
    opens: config.mode === 'fix' && deps.ceiling === 'fix' && NEEDED.every((name) => isWrite(granted.get(name))),
    settings: investigationSettings(config, deps),
  };
}

function isWrite(level: string | undefined): boolean {
  return level !== undefined && level !== 'read';
}
