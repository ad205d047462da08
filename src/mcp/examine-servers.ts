// Does each monitoring server answer, and has it the tools that the configuration names: asked once, and ended.
import type { Log } from '../log.ts';
import type { MonitoringConfig, ServerConfig } from './config.ts';
import { openLink } from './link.ts';
import { type Environment, type Given, giveVariables } from './variables.ts';
import type { Wire } from './wire.ts';

export interface ExaminedServer {
  readonly name: string;
  /** Why it could not be asked, as `it …` without a full stop; "" where it answered. */
  readonly fault: string;
  /** Tools that the configuration names and the server has not. */
  readonly missingTools: readonly string[];
  /** Whether its entry lets anybody ask it anything. */
  readonly isUsed: boolean;
}

const CONNECT_MS = 15_000;
const GRACE_MS = 1_000;

/** Programs are started as for an investigation, and ended. Throws `usage` naming every variable that is missing. */
export async function examineServers(
  { servers }: MonitoringConfig,
  { log, environment }: { readonly log: Log; readonly environment: Environment },
  signal: AbortSignal,
): Promise<readonly ExaminedServer[]> {
  const given = giveVariables({ servers }, environment);
  return await Promise.all(
    servers.map(async (server) => {
      const values = given.get(server.name);
      const isUsed = server.projects.length > 0 && server.tools.length > 0;
      const found = values === undefined ? { fault: '', tools: [] } : await ask(server, values, log, signal);
      const missingTools = found.fault === '' ? server.tools.filter((name) => !found.tools.includes(name)) : [];
      return { name: server.name, fault: found.fault, missingTools, isUsed };
    }),
  );
}

async function ask(
  server: ServerConfig,
  given: Given,
  log: Log,
  signal: AbortSignal,
): Promise<{ readonly fault: string; readonly tools: readonly string[] }> {
  const wires = new Set<Wire>();
  try {
    const onWire = (wire: Wire) => void wires.add(wire);
    const link = await openLink({ server, given, log, connectMs: CONNECT_MS, graceMs: GRACE_MS, onWire }, signal);
    await link.end();
    return { fault: '', tools: link.tools.map(({ name }) => name) };
  } catch (error) {
    signal.throwIfAborted();
    return { fault: error instanceof Error ? error.message : 'it did not answer', tools: [] };
  } finally {
    for (const wire of wires) wire.killNow();
  }
}
