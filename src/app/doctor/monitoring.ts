// The monitoring systems that the operator named: does each answer, with the tools that may be called.
import { readFileSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { createLog } from '../../log.ts';
import { parseMonitoringConfig } from '../../mcp/config.ts';
import { type ExaminedServer, examineServers } from '../../mcp/monitoring.ts';
import { fail, ok, type Probe, type Verdict, warn } from './probe.ts';

const BOUND_MS = 40_000;

/** Null: none is configured. */
export function monitoringProbe({
  monitoringFile,
  environment,
}: Pick<Config, 'monitoringFile' | 'environment'>): Probe | null {
  if (monitoringFile === null) return null;
  return {
    check: 'monitoring',
    boundMs: BOUND_MS,
    async ask(signal) {
      const text = textOf(monitoringFile);
      if (text === null)
        return fail(`${monitoringFile} cannot be read`, 'Correct MCP_CONFIG, or the rights of the file.');
      const log = createLog({ level: 'silent' });
      const servers = await examineServers(parseMonitoringConfig(text), { log, environment }, signal);
      return servers.length === 0
        ? warn('MCP_CONFIG names no server', 'Take MCP_CONFIG out, or add an entry.')
        : servers.map(judge);
    },
  };
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function judge({ name, fault, missingTools, isUsed }: ExaminedServer): Verdict {
  if (fault !== '')
    return fail(
      `${name}: ${fault}`,
      'Investigations go on without it: correct its entry in MCP_CONFIG, or the server.',
    );
  if (missingTools.length > 0)
    return warn(`${name} has no tool ${missingTools.join(', ')}`, 'Correct "tools" of its entry in MCP_CONFIG.');
  if (!isUsed)
    return warn(`${name} answers, but is used by nobody`, 'Its entry in MCP_CONFIG names no projects, or no tools.');
  return ok(`${name} answers`);
}
