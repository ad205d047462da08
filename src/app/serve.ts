// `serve`: the service in the mode that the configuration asks for, until it is told to stop.

import type { ExitCode } from '../cli/io.ts';
import { createTelemetry } from '../telemetry/telemetry.ts';
import { readKeptApp } from './kept-app.ts';
import type { ServeOptions } from './serve-options.ts';
import { chooseMode, githubMode } from './service-mode.ts';
import { VERSION } from './version.ts';

/** Serves until the signal aborts; then stops taking work, finishes requests, hands running investigations back. */
export async function serve(options: ServeOptions, signal: AbortSignal): Promise<ExitCode> {
  const { config } = options;
  const mode = chooseMode(config);
  switch (mode.kind) {
    case 'local':
      return await (await import('./serve-local.ts')).serveLocal(options, signal);
    case 'github':
      return await (await import('./serve-github.ts')).serveGithub(options, mode, signal);
    case 'setup': {
      // Loaded while somebody fills in the page: from then on they wait.
      const next = import('./serve-github.ts');
      // What was counted meanwhile is shown by the service that comes of it.
      const { log, now } = options;
      const telemetry = createTelemetry({ version: VERSION, log, now });
      const port = await (await import('./serve-setup.ts')).serveSetup({ ...options, telemetry }, signal);
      const kept = readKeptApp(config);
      if (signal.aborted || kept === null) return 0;
      return await (await next).serveGithub(
        { ...options, telemetry, config: { ...config, port } },
        githubMode(config, kept),
        signal,
      );
    }
  }
}
