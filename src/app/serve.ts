// `serve`: the service in the mode that the configuration asks for, until it is told to stop.
import { createTelemetry } from '../telemetry/telemetry.ts';
import type { ExitCode } from '../terminal/io.ts';
import { readKeptApp } from './kept-app.ts';
import { serveGithub } from './serve-github.ts';
import { serveLocal } from './serve-local.ts';
import type { ServeOptions } from './serve-options.ts';
import { serveSetup } from './serve-setup.ts';
import { chooseMode, githubMode } from './service-mode.ts';
import { VERSION } from './version.ts';

/** Serves until the signal aborts; then stops taking work, finishes requests, hands running investigations back. */
export async function serve(options: ServeOptions, signal: AbortSignal): Promise<ExitCode> {
  const { config } = options;
  const mode = chooseMode(config);
  switch (mode.kind) {
    case 'local':
      return await serveLocal(options, signal);
    case 'github':
      return await serveGithub(options, mode, signal);
    case 'setup': {
      // What was counted meanwhile is shown by the service that comes of it.
      const { log, now } = options;
      const telemetry = createTelemetry({ version: VERSION, log, now });
      const port = await serveSetup({ ...options, telemetry }, signal);
      const kept = readKeptApp(config);
      if (signal.aborted || kept === null) return 0;
      return await serveGithub(
        { ...options, telemetry, config: { ...config, port } },
        githubMode(config, kept),
        signal,
      );
    }
  }
}
