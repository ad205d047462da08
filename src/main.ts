// Start and stop: understands the command line, runs the command, ends with its exit code.
import { runCommand } from './app/run-command.ts';
import { parseCommandLine } from './cli/command-line.ts';
import { findColumns, type Io, printError } from './cli/terminal.ts';
import { dropClientHeaders } from './config.ts';
import { describeUncaught } from './log.ts';

/** A stop that takes longer is forced; what is stored is safe at any moment. */
const LONGEST_STOP_MS = 9_000;
/** Ctrl-C can reach us twice, from the terminal and from the launcher; a later signal forces the end. */
const COPIES_MS = 1_000;

const io: Io = {
  stdin: process.stdin,
  stdinIsTerminal: process.stdin.isTTY === true,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  errIsTerminal: process.stderr.isTTY === true,
  colour: { out: canColour(process.stdout), err: canColour(process.stderr) },
  columns: {
    out: findColumns(process.env['COLUMNS'], process.stdout, process.stderr),
    err: findColumns(process.env['COLUMNS'], process.stderr, process.stdout),
  },
  cwd: process.env['INIT_CWD'] && process.env['npm_lifecycle_event'] ? process.env['INIT_CWD'] : process.cwd(),
};
for (const stream of [process.stdout, process.stderr]) stream.on('error', outliveReader);
process.on('uncaughtException', endBadly);
process.exitCode = await main(stopSignal());

async function main(signal: AbortSignal): Promise<number> {
  dropClientHeaders();
  try {
    const command = parseCommandLine(process.argv.slice(2));
    return await runCommand(command, { io, environment: process.env, now: () => new Date() }, signal);
  } catch (error) {
    return printError(error, io, signal);
  }
}

/** The reader of our output may go away (`| head`, a log's `tee`); the service continues. */
function outliveReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/**
 * Unhandled rejections come here too. After such a fault memory cannot be trusted; the next start continues from the
 * store.
 */
function endBadly(error: unknown): void {
  io.err(describeUncaught(error, new Date()));
  process.exit(1);
}

/** NO_COLOR: https://no-color.org. */
function canColour(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
}

/**
 * Aborts at the first signal to stop, or when the launcher that started us is gone, so that no orphan keeps the port.
 */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  let begun = 0;
  const begin = () => {
    begun = Date.now();
    stop.abort();
    // A read from a terminal or an open pipe may never end, and would keep the process.
    process.stdin.destroy();
    setTimeout(forceEnd, LONGEST_STOP_MS).unref();
  };
  const onSignal = () => {
    if (!stop.signal.aborted) begin();
    else if (Date.now() - begun > COPIES_MS) forceEnd();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, onSignal);
  const launcher = process.ppid;
  if (process.env['CAUSEWAY_LAUNCHER'] === String(launcher)) {
    setInterval(() => {
      if (process.ppid !== launcher && !stop.signal.aborted) begin();
    }, 500).unref();
  }
  return stop.signal;
}

function forceEnd(): void {
  process.kill(process.pid, 'SIGKILL');
}
