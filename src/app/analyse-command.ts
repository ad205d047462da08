// `analyse` and `demo`: an investigation in the terminal, in a house that lives as long as the command.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { analyse, type InvestigateDeps } from '../cli/analyse.ts';
import type { AnalyseCommand, DemoCommand } from '../cli/command.ts';
import { demo } from '../cli/demo.ts';
import type { ExitCode, Io } from '../cli/io.ts';
import type { Launcher } from '../cli/launcher.ts';
import type { Config, ModelConfig } from '../config.ts';
import { createAddressReader } from '../github/read-address.ts';
import type { Log } from '../log.ts';
import { openSession } from './analysis-session.ts';
import { repositoryAround } from './local-projects.ts';
import { DEMO_SCRIPT, shippedDemo } from './shipped-demo.ts';
import { VERSION } from './version.ts';

export interface AnalyseCommandDeps {
  readonly config: Config;
  readonly io: Io;
  readonly log: Log;
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

/** Investigates the bug that ships with Causeway; its records are gone afterwards, so that it needs no folder of its own. */
export async function demoCommand(
  command: DemoCommand,
  deps: AnalyseCommandDeps & { readonly launcher: Launcher },
  signal: AbortSignal,
): Promise<ExitCode> {
  const { config, io, launcher } = deps;
  const dataDir = await mkdtemp(path.join(tmpdir(), 'causeway-demo-'));
  try {
    const asking = (model: ModelConfig) => investigateDeps({ ...deps, config: { ...config, dataDir, model } });
    const { model } = config;
    const parts = {
      facts: asking({ kind: 'none', hint: '' }),
      answer: asking(model.kind === 'none' ? { kind: 'scripted', file: DEMO_SCRIPT } : model),
      model: model.kind === 'endpoint' ? model.name : null,
    };
    return await demo(command, io, { ...parts, demo: shippedDemo(), launcher }, signal);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** In the terminal the steps are the log; only what goes wrong inside is said beside them. */
function investigateDeps({ config, io, log, now }: AnalyseCommandDeps): InvestigateDeps {
  const quiet = config.logLevel === 'info' ? log.child({}, { level: 'fatal' }) : log;
  return {
    open: (subject) => openSession({ config, log: quiet, now, say: io.err }, subject),
    writeFile: (file, text) => writeFile(file, text),
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
