// `serve`: the service in the mode that the configuration asks for, until it is told to stop.
import type { ExitCode } from '../cli/terminal.ts';
import { createMetrics } from '../metrics.ts';
import { serveGithub } from './github.ts';
import { serveLocal } from './local.ts';
import { chooseMode, readKeptApp, type ServeOptions, toGithubMode } from './mode.ts';
import { VERSION } from './services.ts';
import { serveSetup } from './setup.ts';

/** Serves until the signal aborts; then stops taking work, finishes requests, hands running investigations back. */
export async function serve(options: ServeOptions, signal: AbortSignal): Promise<ExitCode> {
  const { config, log, now } = options;
  const mode = chooseMode(config);
  if (mode.kind === 'local') return await serveLocal(options, signal);
  if (mode.kind === 'github') return await serveGithub(options, mode, signal);
  // What was counted during set-up is shown by the service that follows it.
  const metrics = createMetrics({ version: VERSION, log, now });
  const port = await serveSetup({ ...options, metrics }, signal);
  const kept = readKeptApp(config);
  if (signal.aborted || kept === null) return 0;
  return await serveGithub({ ...options, metrics, config: { ...config, port } }, toGithubMode(config, kept), signal);
}
