// From a command that was understood to the room that does it, of which alone the code is loaded.

import type { Command } from '../cli/command.ts';
import { helpText } from '../cli/help.ts';
import type { ExitCode, Io } from '../cli/io.ts';
import { type Launcher, launcherOf } from '../cli/launcher.ts';
import { readableLog } from '../cli/readable-log.ts';
import { modelText } from '../cli/start-words.ts';
import { style } from '../cli/style.ts';
import { DEFAULT_DATA_DIR, INSTALLATION } from '../config/data-dir.ts';
import { type Config, readConfig } from '../config.ts';
import { createLog, type Log, registerSecret } from '../log.ts';
import { VERSION } from './version.ts';

export interface CommandContext {
  readonly io: Io;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
}

/** Commands that ask a model where there is one. */
const ASKING: ReadonlySet<Command['kind']> = new Set(['analyse', 'demo']);

/** Runs one command to its end. Throws CausewayError for what the commands themselves do not say (configuration, data folder). */
export async function runCommand(command: Command, context: CommandContext, signal: AbortSignal): Promise<ExitCode> {
  const { io, environment } = context;
  if (command.kind === 'help') return say(io, helpText(command.topic));
  if (command.kind === 'version') return say(io, `causeway ${VERSION}\n`);
  // It says itself what is wrong with the settings.
  if (command.kind === 'doctor') {
    const { doctor } = await import('./doctor/examine-house.ts');
    return await doctor(command.json, context, signal);
  }
  const config = readConfig(environment);
  for (const secret of config.secrets) registerSecret(secret);
  if (ASKING.has(command.kind)) sayWithoutModel(config, command.kind, io);
  return await runConfigured(command, { config, context }, signal);
}

/** On the first line, before the work begins. The demo brings a model of its own, so there only a half-configured one is news. */
function sayWithoutModel({ model }: Config, command: Command['kind'], io: Io): void {
  if (model.kind !== 'none' || (command === 'demo' && model.hint === '')) return;
  const words = modelText({ model: null, modelHint: model.hint });
  io.err(`${model.hint === '' ? words : style(io.colour.err).yellow(words)}\n`);
}

type Configured = Exclude<Command, { readonly kind: 'help' | 'version' | 'doctor' }>;

interface Situation {
  readonly config: Config;
  readonly context: CommandContext;
}

async function runConfigured(
  command: Configured,
  { config, context }: Situation,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { io, now } = context;
  const deps = { config, io, now, log: logOn(io, config.logLevel) };
  switch (command.kind) {
    case 'serve': {
      const { serve } = await import('./serve.ts');
      return await serve({ ...deps, worker: command.worker, launcher: launcher(config, io) }, signal);
    }
    case 'worker': {
      const { serveWorker } = await import('./serve-worker.ts');
      const concurrency = command.concurrency ?? config.concurrency;
      return await serveWorker({ ...deps, config: { ...config, concurrency } }, signal);
    }
    case 'migrate':
      return await (await import('./records-commands.ts')).migrateCommand(deps);
    case 'backup':
      return await (await import('./records-commands.ts')).backupCommand(command, deps);
    case 'restore':
      return await (await import('./restore-command.ts')).restoreCommand(command, deps, signal);
    case 'redrive':
      return await (await import('./records-commands.ts')).redriveCommand(command.jobs, deps);
    case 'erase':
      return await (await import('./erase-command.ts')).eraseCommand(command, deps, signal);
    case 'move':
      return await (await import('./move-command.ts')).moveCommand(command, deps, signal);
    case 'analyse':
      return await (await import('./analyse-command.ts')).analyseCommand(command, deps, signal);
    case 'demo': {
      const { demoCommand } = await import('./analyse-command.ts');
      return await demoCommand(command, { ...deps, launcher: launcher(config, io) }, signal);
    }
    case 'token-create':
    case 'token-list':
    case 'token-revoke':
    case 'webhook-secret-show':
    case 'webhook-secret-rotate':
      return await (await import('./account-command.ts')).accountCommand(command, { config, context }, signal);
    case 'sign-in':
      return await (await import('./account-command.ts')).signInCommand({ config, context }, signal);
    case 'pause':
    case 'resume':
      return await (await import('./pause-command.ts')).pauseCommand(command.kind, deps);
  }
}

/** JSON where a program reads it: the stream that decides is the one that the log is written to. */
function logOn(io: Io, level: string): Log {
  return createLog(io.errIsTerminal ? { level, destination: readableLog(io.err, io.colour.err) } : { level });
}

function say(io: Io, text: string): ExitCode {
  io.out(text);
  return 0;
}

function launcher(config: Config, io: Io): Launcher {
  const dataDir = config.dataDir === DEFAULT_DATA_DIR ? null : config.dataDir;
  return launcherOf({ installation: INSTALLATION, cwd: io.cwd, dataDir });
}
