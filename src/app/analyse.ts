// `analyse` and `demo`: an investigation in the terminal, with services in memory that live as long as the command.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { condenseLog } from 'causeway-ci-log';
import { type AnalysisOpener, analyse, runDemo } from '../cli/analyse.ts';
import type { AnalyseCommand, DemoCommand } from '../cli/command-line.ts';
import type { ExitCode, Io, Launcher } from '../cli/terminal.ts';
import type { Config, ModelConfig } from '../config.ts';
import { createAddressReader } from '../github/index.ts';
import type { Log } from '../log.ts';
import { nameProject, openAnalysisSession } from './analysis-session.ts';
import { DEMO_SCRIPT, DEMO_SOURCE, findRepositoryAround, readDemoReport } from './local.ts';
import { USER_AGENT } from './services.ts';

export interface CommandDeps {
  readonly config: Config;
  readonly io: Io;
  readonly log: Log;
  readonly now: () => Date;
}

/** Investigates the report that the arguments name. */
export function runAnalyse(command: AnalyseCommand, deps: CommandDeps, signal: AbortSignal): Promise<ExitCode> {
  const { githubToken: token, githubApiUrl: apiUrl, githubWebUrl: webUrl } = deps.config;
  const readAddress = createAddressReader({ token, apiUrl, webUrl, userAgent: USER_AGENT, shortenLog: condenseLog });
  const subjectDeps = { readAddress, repositoryAround: findRepositoryAround, shortenLog: condenseLog };
  return analyse(command, deps.io, { ...createInvestigation(deps), ...subjectDeps }, signal);
}

/** Investigates the bug that ships with Causeway. Its records are removed afterwards. */
export async function analyseDemo(
  command: DemoCommand,
  deps: CommandDeps & { readonly launcher: Launcher },
  signal: AbortSignal,
): Promise<ExitCode> {
  const { config, io, launcher } = deps;
  const dataDir = await mkdtemp(path.join(tmpdir(), 'causeway-demo-'));
  try {
    const askModel = (model: ModelConfig) => createInvestigation({ ...deps, config: { ...config, dataDir, model } });
    const { model } = config;
    const parts = {
      search: askModel({ kind: 'none', hint: '' }),
      answer: askModel(model.kind === 'none' ? { kind: 'scripted', file: DEMO_SCRIPT } : model),
      model: model.kind === 'endpoint' ? model.name : null,
      source: DEMO_SOURCE,
      report: readDemoReport(),
      launcher,
    };
    return await runDemo(command, io, parts, signal);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The steps are printed instead of the log, and only fatal lines remain. */
function createInvestigation({ config, io, log, now }: CommandDeps): AnalysisOpener {
  const quiet = config.logLevel === 'info' ? log.child({}, { level: 'fatal' }) : log;
  return {
    open: ({ source, isOwn }) =>
      // The person at the terminal is the operator.
      openAnalysisSession({ config, log: quiet, now, onWait: io.err }, { ...nameProject(source), isTrusted: isOwn }),
  };
}
