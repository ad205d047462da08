// Which of its modes the service runs in: local, GitHub, or set-up on the way to GitHub.
import type { AppCredentials, Config } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import { type KeptApp, readKeptApp } from './kept-app.ts';
import { isLoopback, requireLocalMode } from './local-mode.ts';

export type ServiceMode =
  | { readonly kind: 'local' }
  | { readonly kind: 'setup' }
  | { readonly kind: 'github'; readonly credentials: AppCredentials; readonly publicUrl: string };

/**
 * LOCAL_MODE insists; then credentials, of the environment before those that set-up has kept; then an address that others can
 * reach asks for set-up. Throws `usage` naming whatever is missing of half a set of credentials.
 */
export function chooseMode(config: Config): ServiceMode {
  if (config.localMode) return localMode(config);
  const { app, publicUrl } = config;
  if (app.kind === 'faulty') throw new CausewayError('usage', faultyApp(app));
  if (app.kind === 'given') return { kind: 'github', credentials: app.credentials, publicUrl };
  const kept = readKeptApp(config);
  if (kept !== null) return githubMode(config, kept);
  return isForOthers(config) ? { kind: 'setup' } : localMode(config);
}

/** What is set now is newer than what was said at set-up. */
export function githubMode(config: Pick<Config, 'publicUrl'>, kept: KeptApp): ServiceMode & { kind: 'github' } {
  return { kind: 'github', credentials: kept.credentials, publicUrl: config.publicUrl || kept.publicUrl };
}

function localMode(config: Config): ServiceMode {
  requireLocalMode(config);
  return { kind: 'local' };
}

function isForOthers({ host, publicUrl }: Config): boolean {
  return !isLoopback(host) || (publicUrl !== '' && !isLoopback(new URL(publicUrl).hostname));
}

function faultyApp({ variables, faults }: { readonly variables: readonly string[]; readonly faults: string }): string {
  const [verb, them] = variables.length === 1 ? ['asks', 'it'] : ['ask', 'them'];
  return `${faults}\n${variables.join(', ')} ${verb} for a GitHub App: for local mode remove ${them}, or set LOCAL_MODE=1.`;
}
