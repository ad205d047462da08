// The monitoring systems of the configuration: which projects each serves, and one shared connection to each.
import type { Tool } from '../core/report/index.ts';
import type { Log } from '../log.ts';
import {
  type Given,
  type MonitoringConfig,
  type ProgramEnvironment,
  resolveVariables,
  type ServerConfig,
} from './config.ts';
import { type Line, openConnection, openSharedConnection, TIMING, type Timing } from './connection.ts';
import { defineMonitoringTool, keepShownTools, type ShownTools } from './tools.ts';
import type { McpWire } from './wires.ts';

/** What an investigation is about; in local mode projects are the operator's own: not public, trusted. */
interface MonitoredSubject {
  /** `owner/name`, or `local/folder`. */
  readonly project: string;
  readonly isPublic: boolean;
  /** Every part of the report was written by someone with write access. */
  readonly isTrusted: boolean;
}

export interface Monitoring extends AsyncDisposable {
  /**
   * The tools of every server that serves the subject, in the order of the configuration; [] where none does. A server
   * that cannot be reached is offered all the same, and says why when it is called. Throws only where `signal` is
   * aborted.
   */
  toolsFor(subject: MonitoredSubject, signal: AbortSignal): Promise<readonly Tool[]>;
}

export interface MonitoringOptions {
  readonly log: Log;
  /** PATH and the variables that the configuration names are taken from here. */
  readonly environment: ProgramEnvironment;
  readonly timing?: Partial<Timing>;
}

interface Station {
  readonly server: ServerConfig;
  readonly given: Given;
  readonly line: Line;
  readonly shown: ShownTools;
}

/** Connects only when needed. Throws `usage` naming every variable that is missing. */
export function openMonitoring(config: MonitoringConfig, options: MonitoringOptions): Monitoring {
  const given = resolveVariables(config, options.environment);
  const stations = config.servers.flatMap((server) => {
    const values = given.get(server.name);
    return values ? [openServer(server, values, options)] : [];
  });
  // Also where the process exits without disposing: programs must not outlive it.
  const onExit = (): void => stations.forEach(({ line }) => void line.killNow());
  process.once('exit', onExit);
  return {
    async toolsFor(subject, signal) {
      signal.throwIfAborted();
      const serving = stations.filter(({ server }) => isServed(server, subject));
      const waitMs = options.timing?.listWaitMs ?? TIMING.listWaitMs;
      await Promise.all(serving.map(({ line }) => line.reach(waitMs, signal)));
      return serving.flatMap((station) => station.shown.all().map((tool) => defineMonitoringTool(tool, station)));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(stations.map(({ line }) => line[Symbol.asyncDispose]()));
      process.off('exit', onExit);
    },
  };
}

function openServer(server: ServerConfig, given: Given, options: MonitoringOptions): Station {
  const log = options.log.child({ monitoring: server.name });
  if (server.projects.length === 0 || server.tools.length === 0) {
    log.warn('the monitoring server is not used: its entry names no projects, or no tools');
  }
  const shown = keepShownTools(server, log);
  const timing = { ...TIMING, ...options.timing };
  const line = openSharedConnection({ server, given, log, timing, onLink: ({ tools }) => shown.learn(tools) });
  return { server, given, line, shown };
}

/** By name only; public repositories and untrusted reports only where the entry allows them. */
function isServed(server: ServerConfig, { project, isPublic, isTrusted }: MonitoredSubject): boolean {
  return (
    server.tools.length > 0 &&
    server.projects.includes(project.toLowerCase()) &&
    (!isPublic || server.allowPublic) &&
    (isTrusted || server.allowUntrustedReports)
  );
}

export interface ExaminedServer {
  readonly name: string;
  /** Why it could not be reached, as `it …` without a full stop; "" where it answered. */
  readonly fault: string;
  /** Tools that the configuration names and the server has not. */
  readonly missingTools: readonly string[];
  /** Whether its entry names projects and tools. */
  readonly isUsed: boolean;
}

const CONNECT_MS = 15_000;

const GRACE_MS = 1_000;

/** Programs are started as for an investigation, and ended. Throws `usage` naming every variable that is missing. */
export async function examineServers(
  { servers }: MonitoringConfig,
  { log, environment }: { readonly log: Log; readonly environment: ProgramEnvironment },
  signal: AbortSignal,
): Promise<readonly ExaminedServer[]> {
  const given = resolveVariables({ servers }, environment);
  return await Promise.all(
    servers.map(async (server) => {
      const values = given.get(server.name);
      const isUsed = server.projects.length > 0 && server.tools.length > 0;
      const found = values === undefined ? { fault: '', tools: [] } : await askServer(server, values, log, signal);
      const missingTools = found.fault === '' ? server.tools.filter((name) => !found.tools.includes(name)) : [];
      return { name: server.name, fault: found.fault, missingTools, isUsed };
    }),
  );
}

async function askServer(
  server: ServerConfig,
  given: Given,
  log: Log,
  signal: AbortSignal,
): Promise<{ readonly fault: string; readonly tools: readonly string[] }> {
  const wires = new Set<McpWire>();
  try {
    const onWire = (wire: McpWire) => void wires.add(wire);
    const link = await openConnection({ server, given, log, connectMs: CONNECT_MS, graceMs: GRACE_MS, onWire }, signal);
    await link.end();
    return { fault: '', tools: link.tools.map(({ name }) => name) };
  } catch (error) {
    signal.throwIfAborted();
    return { fault: error instanceof Error ? error.message : 'it did not answer', tools: [] };
  } finally {
    for (const wire of wires) wire.killNow();
  }
}
