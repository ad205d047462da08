// Local mode is for this machine: what the configuration may ask of it.
import type { Config } from '../config.ts';
import { CausewayError } from '../domain/errors.ts';

/** Throws `usage` where the configuration asks for something that is not local mode, naming every such variable. */
export function requireLocalMode(config: Pick<Config, 'appVariables' | 'localMode' | 'host' | 'publicUrl'>): void {
  const { appVariables, host, publicUrl } = config;
  const faults: string[] = [];
  if (appVariables.length > 0 && !config.localMode) {
    const [verb, them] = appVariables.length === 1 ? ['asks', 'it'] : ['ask', 'them'];
    faults.push(
      `${appVariables.join(', ')} ${verb} for a GitHub App, which this version does not run yet: remove ${them}, or set LOCAL_MODE=1 for local mode.`,
    );
  }
  if (!isLoopback(host)) {
    faults.push(`HOST=${host} is not a loopback address, and local mode listens on loopback only: set HOST=127.0.0.1.`);
  }
  if (publicUrl !== '' && !isLoopback(new URL(publicUrl).hostname)) {
    faults.push(
      `PUBLIC_URL=${publicUrl} is not a loopback address, and local mode answers on loopback only: remove it, or name 127.0.0.1.`,
    );
  }
  if (faults.length > 0) throw new CausewayError('usage', faults.join('\n'));
}

function isLoopback(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host);
}
