// One tool of one server as the agent calls it: arguments read, the server asked, everything that goes wrong told as a finding.
import type { Finding } from '../core/evidence.ts';
import type { Tool } from '../core/tool.ts';
import type { ServerConfig } from './config.ts';
import type { Line } from './line.ts';
import type { Outcome } from './link.ts';
import { plainLine } from './outside-text.ts';
import { findingOf } from './result-text.ts';
import type { ShownTool } from './shown-tools.ts';
import type { Given } from './variables.ts';

const MAX_QUERY = 600;
const MAX_ARGUMENTS = 20_000;

export interface ToolContext {
  readonly server: ServerConfig;
  readonly given: Given;
  readonly line: Line;
}

export function monitoringTool({ tool, name, description, parameters }: ShownTool, context: ToolContext): Tool {
  const { server, given } = context;
  return {
    name,
    description,
    parameters,
    async run(rawArguments, signal) {
      signal.throwIfAborted();
      const read = readArguments(rawArguments);
      const query = 'value' in read ? JSON.stringify(read.value) : rawArguments;
      const action = `${name} ${plainLine(given.withoutSecrets(query), MAX_QUERY)} on monitoring server ${server.name}`;
      if ('fault' in read) return { action, finding: { status: 'failed', text: read.fault } };
      const outcome = await ask(context, { tool, args: read.value }, signal);
      return { action, finding: toFinding(outcome, context) };
    },
  };
}

interface Question {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

async function ask(context: ToolContext, question: Question, signal: AbortSignal): Promise<Outcome> {
  const first = await askOnce(context, question, signal);
  return first.kind === 'stale' ? askOnce(context, question, signal) : first;
}

async function askOnce({ line, server }: ToolContext, { tool, args }: Question, signal: AbortSignal): Promise<Outcome> {
  const reached = await line.reach(server.callTimeoutMs, signal);
  if ('reason' in reached) return { kind: 'failed', reason: reached.reason };
  const outcome = await reached.link.call(tool, args, signal);
  if (outcome.kind === 'answered') line.works();
  return outcome;
}

function toFinding(outcome: Outcome, { server, given }: ToolContext): Finding {
  if (outcome.kind !== 'answered') {
    return {
      status: 'failed',
      text: `The monitoring server ${server.name} gave no answer: ${outcome.reason}. Go on without it, and say so if it matters.`,
    };
  }
  const finding = findingOf(outcome.result, server.maxResultBytes, given.withoutSecrets);
  if (finding.status !== 'failed') return finding;
  return { status: 'failed', text: `The monitoring server ${server.name} says: ${finding.text}` };
}

function readArguments(raw: string): { readonly value: Record<string, unknown> } | { readonly fault: string } {
  if (raw.length > MAX_ARGUMENTS)
    return { fault: `The arguments are longer than ${MAX_ARGUMENTS} characters; ask for less.` };
  try {
    const value: unknown = raw.trim() === '' ? {} : JSON.parse(raw);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value: { ...value } };
  } catch {
    return { fault: 'The arguments are not JSON; write one JSON object.' };
  }
  return { fault: 'The arguments must be one JSON object.' };
}
