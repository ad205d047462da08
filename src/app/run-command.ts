// From a command that was understood to the module that does it. Only that module is loaded: `--help` need not wait for
// the service.
import { homedir } from 'node:os';
import type { Command } from '../cli/command-line.ts';
import { getHelpText } from '../cli/help.ts';
import { formatModel } from '../cli/start-text.ts';
import { createLauncher, createReadableLog, createStyle, type ExitCode, type Io } from '../cli/terminal.ts';

import { type Config, readConfig } from '../config.ts';
import { findDefaultDataDir, INSTALLATION } from '../installation.ts';
import { createLog, type Log, registerSecret } from '../log.ts';
import type { CommandContext } from './command-context.ts';

/** Runs one command to its end. Throws CausewayError for faults of the configuration and the data folder. */
export async function runCommand(command: Command, context: CommandContext, signal: AbortSignal): Promise<ExitCode> {
  const { io, environment, now } = context;
  if (command.kind === 'help') return print(io, getHelpText(command.topic));
  if (command.kind === 'version') {
    const { VERSION } = await import('./services.ts');
    return print(io, `causeway ${VERSION}\n`);
  }
  // It reports faults of the settings itself.
  if (command.kind === 'doctor') {
    const { runDoctor } = await import('./doctor/doctor.ts');
    return await runDoctor(command.json, context, signal);
  }
  if (command.kind === 'action') {
    const { runAction } = await import('./action.ts');
    return await runAction(context, signal);
  }
  if (command.kind === 'init') return (await import('./repository-files.ts')).runInit(command, io, signal);
  if (command.kind === 'check-config') return (await import('./repository-files.ts')).runCheckConfig(command, io);
  const config = readConfig(environment);
  for (const secret of config.secrets) registerSecret(secret);
  const deps = { config, io, now, log: openLog(io, config.logLevel) };
  const dataDir = config.dataDir === findDefaultDataDir(environment, homedir()) ? null : config.dataDir;
  const launcher = createLauncher(INSTALLATION, io.cwd, dataDir);
  switch (command.kind) {
    case 'serve': {
      const { serve } = await import('./serve.ts');
      return await serve({ ...deps, worker: command.worker, launcher }, signal);
    }
    case 'worker': {
      const { serveWorker } = await import('./worker.ts');
      const concurrency = command.concurrency ?? config.concurrency;
      return await serveWorker({ ...deps, config: { ...config, concurrency } }, signal);
    }
    case 'analyse': {
      const { runAnalyse } = await import('./analyse.ts');
      sayWithoutModel(config, command.kind, io);
      return await runAnalyse(command, deps, signal);
    }
    case 'demo': {
      const { analyseDemo } = await import('./analyse.ts');
      sayWithoutModel(config, command.kind, io);
      return await analyseDemo(command, { ...deps, launcher }, signal);
    }
    case 'replay':
      return await (await import('./replay.ts')).runReplay(command, deps, signal);
    case 'eval':
      return await (await import('./evaluate.ts')).runEval(command, deps, signal);
    case 'forecast':
      return await (await import('./forecast.ts')).runForecast(command, deps, signal);
    case 'verify-proof':
      return await (await import('./verify-proof.ts')).verifyProofCommand(command, deps, signal);
    case 'mcp':
      return await (await import('./mcp.ts')).runMcp(command, deps, signal);
    case 'token-create':
    case 'token-list':
    case 'token-revoke':
    case 'webhook-secret-show':
    case 'webhook-secret-rotate':
      return await (await import('./accounts.ts')).executeAccountCommand(command, deps, signal);
    case 'sign-in':
      return await (await import('./accounts.ts')).runSignIn(deps, signal);
  }
  const records = await import('./records-commands.ts');
  switch (command.kind) {
    case 'migrate':
      return await records.runMigrate(deps);
    case 'backup':
      return await records.runBackup(command, deps);
    case 'restore':
      return await records.runRestore(command, deps, signal);
    case 'redrive':
      return await records.runRedrive(command.jobs, deps);
    case 'erase':
      return await records.runErase(command, deps, signal);
    case 'move':
      return await records.runMove(command, deps, signal);
    case 'pause':
    case 'resume':
      return await records.runPause(command.kind, deps);
  }
}

/**
 * On the first line, before the work begins. The demo brings a model of its own, so there only a half-configured one is
 * news.
 */
function sayWithoutModel({ model }: Config, command: Command['kind'], io: Io): void {
  if (model.kind !== 'none' || (command === 'demo' && model.hint === '')) return;
  const words = formatModel({ model: null, modelHint: model.hint });
  io.err(`${model.hint === '' ? words : createStyle(io.colour.err).yellow(words)}\n`);
}

/** JSON where a program reads it: the stream that decides is the one that the log is written to. */
function openLog(io: Io, level: string): Log {
  const destination = io.errIsTerminal ? createReadableLog(io.err, io.colour.err) : { write: io.err };
  return createLog({ level, destination });
}

function print(io: Io, text: string): ExitCode {
  io.out(text);
  return 0;
}
