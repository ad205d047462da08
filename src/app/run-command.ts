// From a command that was understood to the room that does it.
import { writeFile } from 'node:fs/promises';
import { type Config, DEFAULT_DATA_DIR, INSTALLATION, readConfig } from '../config.ts';
import { createAddressReader } from '../github/read-address.ts';
import { createLog, type Log, registerSecret } from '../log.ts';
import { analyse, type InvestigateDeps } from '../terminal/analyse.ts';
import type { Command } from '../terminal/command.ts';
import { demo } from '../terminal/demo.ts';
import { helpText } from '../terminal/help.ts';
import type { ExitCode, Io } from '../terminal/io.ts';
import { type Launcher, launcherOf } from '../terminal/launcher.ts';
import { accountCommand, signInCommand } from './account-command.ts';
import { openSession } from './analysis-session.ts';
import { doctor } from './doctor/examine-house.ts';
import { eraseCommand } from './erase-command.ts';
import { repositoryAround } from './local-projects.ts';
import { moveCommand } from './move-command.ts';
import { pauseCommand } from './pause-command.ts';
import { backupCommand, migrateCommand, redriveCommand } from './records-commands.ts';
import { serve } from './serve.ts';
import { serveWorker } from './serve-worker.ts';
import { shippedDemo } from './shipped-demo.ts';
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
  const { io, environment, now } = context;
  if (command.kind === 'help') return say(io, helpText(command.topic));
  if (command.kind === 'version') return say(io, `causeway ${VERSION}\n`);
  // It says itself what is wrong with the settings.
  if (command.kind === 'doctor') return await doctor(command.json, context, signal);
  const config = readConfig(environment);
  for (const secret of config.secrets) registerSecret(secret);
  const log = createLog({ level: config.logLevel });
  if (config.model.kind === 'none' && config.model.hint !== '' && ASKING.has(command.kind)) {
    io.err(`Facts only: ${config.model.hint}\n`);
  }
  switch (command.kind) {
    case 'serve':
      return await serve({ config, io, log, now, worker: command.worker, launcher: launcher(config, io) }, signal);
    case 'worker':
      return await serveWorker(
        { config: { ...config, concurrency: command.concurrency ?? config.concurrency }, io, log, now },
        signal,
      );
    case 'migrate':
      return await migrateCommand({ config, io, log, now });
    case 'backup':
      return await backupCommand(command, { config, io, log, now });
    case 'redrive':
      return await redriveCommand(command.jobs, { config, io, log, now });
    case 'erase':
      return await eraseCommand(command, { config, io, log, now }, signal);
    case 'move':
      return await moveCommand(command, { config, io, log, now }, signal);
    case 'analyse':
      return await analyse(command, io, { ...investigateDeps(config, context), ...subjectDeps(config) }, signal);
    case 'demo':
      return await demo(
        command,
        io,
        { ...investigateDeps(config, context), demo: shippedDemo(), launcher: launcher(config, io) },
        signal,
      );
    case 'token-create':
    case 'token-list':
    case 'token-revoke':
    case 'webhook-secret-show':
    case 'webhook-secret-rotate':
      return await accountCommand(command, { config, context }, signal);
    case 'sign-in':
      return await signInCommand({ config, context }, signal);
    case 'pause':
    case 'resume':
      return await pauseCommand(command.kind, { config, io, log, now });
  }
}

function say(io: Io, text: string): ExitCode {
  io.out(text);
  return 0;
}

function launcher(config: Config, io: Io): Launcher {
  const dataDir = config.dataDir === DEFAULT_DATA_DIR ? null : config.dataDir;
  return launcherOf({ installation: INSTALLATION, cwd: io.cwd, dataDir });
}

/** In the terminal the steps are the log; only what goes wrong inside is said beside them. */
function investigateDeps(config: Config, { io, now }: CommandContext): InvestigateDeps {
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
