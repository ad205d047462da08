// The monitoring systems of the configuration: who is served by which, and one shared connection to each.

import type { Tool } from '../core/tool.ts';
import type { Log } from '../log.ts';
import type { MonitoringConfig, ServerConfig } from './config.ts';
import { type Line, openLine, TIMING, type Timing } from './line.ts';
import { monitoringTool } from './monitoring-tool.ts';
import { keepShownTools, type ShownTools } from './shown-tools.ts';
import { type Environment, type Given, giveVariables } from './variables.ts';

/** What an investigation is about; in local mode projects are the operator's own: not public, trusted. */
interface Subject {
  /** `owner/name`, or `local/folder`. */
  readonly project: string;
  readonly isPublic: boolean;
  /** No part of the report is by somebody without write access. */
  readonly isTrusted: boolean;
}

export interface Monitoring extends AsyncDisposable {
  /**
   * The tools of every server that serves the subject, in the order of the configuration; [] where none does. A server that cannot be
   * reached is offered all the same, and says why when it is called. Throws only where `signal` is aborted.
   */
  toolsFor(subject: Subject, signal: AbortSignal): Promise<readonly Tool[]>;
}

export interface MonitoringOptions {
  readonly log: Log;
  /** PATH and the variables that the configuration names are taken from here. */
  readonly environment: Environment;
  readonly timing?: Partial<Timing>;
}

interface Station {
  readonly server: ServerConfig;
  readonly given: Given;
  readonly line: Line;
  readonly shown: ShownTools;
}

/** Nothing is started or connected before it is needed. Throws `usage` naming every variable that is missing. */
export function openMonitoring(config: MonitoringConfig, options: MonitoringOptions): Monitoring {
  const given = giveVariables(config, options.environment);
  const stations = config.servers.flatMap((server) => {
    const values = given.get(server.name);
    return values ? [openStation(server, values, options)] : [];
  });
  // Where the house ends without disposing: what we started must not outlive it.
  const onExit = (): void => stations.forEach(({ line }) => void line.killNow());
  process.once('exit', onExit);
  return {
    async toolsFor(subject, signal) {
      signal.throwIfAborted();
      const serving = stations.filter(({ server }) => serves(server, subject));
      const waitMs = options.timing?.listWaitMs ?? TIMING.listWaitMs;
      await Promise.all(serving.map(({ line }) => line.reach(waitMs, signal)));
      return serving.flatMap((station) => station.shown.all().map((tool) => monitoringTool(tool, station)));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(stations.map(({ line }) => line[Symbol.asyncDispose]()));
      process.off('exit', onExit);
    },
  };
}

function openStation(server: ServerConfig, given: Given, options: MonitoringOptions): Station {
  const log = options.log.child({ monitoring: server.name });
  if (server.projects.length === 0 || server.tools.length === 0) {
    log.warn('the monitoring server is used by nobody: its entry names no projects, or no tools');
  }
  const shown = keepShownTools(server, log);
  const timing = { ...TIMING, ...options.timing };
  const line = openLine({ server, given, log, timing, onLink: ({ tools }) => shown.learn(tools) });
  return { server, given, line, shown };
}

/** By name only; and neither a public repository nor a stranger's words unless the entry says so. */
function serves(server: ServerConfig, { project, isPublic, isTrusted }: Subject): boolean {
  return (
    server.tools.length > 0 &&
    server.projects.includes(project.toLowerCase()) &&
    (!isPublic || server.allowPublic) &&
    (isTrusted || server.allowUntrustedReports)
  );
}
