// Local mode is for this machine: what the configuration may ask of it.
import type { Config } from '../config.ts';
import { CausewayError } from '../core/errors.ts';

/** Throws `usage` where the configuration asks for something that is not local mode, naming every such variable. */
export function requireLocalMode({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>): void {
  const faults: string[] = [];
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

export function isLoopback(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host);
}
