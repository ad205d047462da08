// `analyse` and `demo`: an investigation in the terminal, in a house that lives as long as the command.
import { writeFile } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { createAddressReader } from '../github/read-address.ts';
import { createLog, type Log } from '../log.ts';
import { analyse, type InvestigateDeps } from '../terminal/analyse.ts';
import type { AnalyseCommand, DemoCommand } from '../terminal/command.ts';
import { demo } from '../terminal/demo.ts';
import type { ExitCode, Io } from '../terminal/io.ts';
import type { Launcher } from '../terminal/launcher.ts';
import { openSession } from './analysis-session.ts';
import { repositoryAround } from './local-projects.ts';
import { shippedDemo } from './shipped-demo.ts';
import { VERSION } from './version.ts';

export interface AnalyseCommandDeps {
  readonly config: Config;
  readonly io: Io;
  readonly now: () => Date;
}

/** Investigates the report that the arguments name. */
export function analyseCommand(
  command: AnalyseCommand,
  deps: AnalyseCommandDeps,
  signal: AbortSignal,
): Promise<ExitCode> {
  return analyse(command, deps.io, { ...investigateDeps(deps), ...subjectDeps(deps.config) }, signal);
}

/** Investigates the bug that ships with Causeway. */
export function demoCommand(
  command: DemoCommand,
  deps: AnalyseCommandDeps & { readonly launcher: Launcher },
  signal: AbortSignal,
): Promise<ExitCode> {
  const { io, launcher } = deps;
  return demo(command, io, { ...investigateDeps(deps), demo: shippedDemo(), launcher }, signal);
}

/** In the terminal the steps are the log; only what goes wrong inside is said beside them. */
function investigateDeps({ config, io, now }: AnalyseCommandDeps): InvestigateDeps {
  const log: Log = createLog({ level: config.logLevel === 'info' ? 'fatal' : config.logLevel });
  return {
    open: (subject) => openSession({ config, log, now, say: io.err }, subject),
    writeFile: (path, text) => writeFile(path, text),
    now,
  };
}

function subjectDeps(config: Config) {
  const readAddress = createAddressReader({
    token: config.githubToken,
    apiUrl: config.githubApiUrl,
    webUrl: config.githubWebUrl,
    userAgent: `causeway/${VERSION}`,
  });
  return { readAddress, repositoryAround };
}
