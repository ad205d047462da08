// The tools of a monitoring server as the model sees and calls them. Descriptions that change later are ignored.
import { createHash } from 'node:crypto';
import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { ToolDescription } from 'causeway-models';
import type { LookupFinding, Tool } from '../core/report/index.ts';
import type { Log } from '../log.ts';
import type { Given, ServerConfig } from './config.ts';
import type { CallOutcome, Line } from './connection.ts';
import { toFindingText, toPlainLine } from './result-text.ts';

const MAX_QUERY = 600;

const MAX_ARGUMENTS = 20_000;

interface ToolContext {
  readonly server: ServerConfig;
  readonly given: Given;
  readonly line: Line;
}

export function defineMonitoringTool({ tool, name, description, parameters }: ShownTool, context: ToolContext): Tool {
  const { server, given } = context;
  return {
    source: 'monitoring',
    name,
    description,
    parameters,
    async run(rawArguments, signal) {
      signal.throwIfAborted();
      const read = readToolArguments(rawArguments);
      const query = 'value' in read ? JSON.stringify(read.value) : rawArguments;
      const action = `${name} ${toPlainLine(given.withoutSecrets(query), MAX_QUERY)} on monitoring server ${server.name}`;
      if ('fault' in read) return { action, finding: { status: 'failed', text: read.fault } };
      const outcome = await callServer(context, { tool, args: read.value }, signal);
      return { action, finding: toLookupFinding(outcome, context) };
    },
  };
}

interface ToolQuestion {
  readonly tool: string;
  readonly args: Record<string, unknown>;
}

async function callServer(context: ToolContext, question: ToolQuestion, signal: AbortSignal): Promise<CallOutcome> {
  const first = await callOnce(context, question, signal);
  return first.kind === 'stale' ? callOnce(context, question, signal) : first;
}

async function callOnce(
  { line, server }: ToolContext,
  { tool, args }: ToolQuestion,
  signal: AbortSignal,
): Promise<CallOutcome> {
  const reached = await line.reach(server.callTimeoutMs, signal);
  if ('reason' in reached) return { kind: 'failed', reason: reached.reason };
  const outcome = await reached.link.call(tool, args, signal);
  if (outcome.kind === 'answered') line.works();
  return outcome;
}

function toLookupFinding(outcome: CallOutcome, { server, given }: ToolContext): LookupFinding {
  if (outcome.kind !== 'answered') {
    return {
      status: 'failed',
      text: `The monitoring server ${server.name} gave no answer: ${outcome.reason}. Go on without it, and say so if it matters.`,
    };
  }
  const finding = toFindingText(outcome.result, server.maxResultBytes, given.withoutSecrets);
  if (finding.status !== 'failed') return finding;
  return { status: 'failed', text: `The monitoring server ${server.name} says: ${finding.text}` };
}

function readToolArguments(raw: string): { readonly value: Record<string, unknown> } | { readonly fault: string } {
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

const MAX_DESCRIPTION = 500;

const MAX_TOLD = 40;

interface ShownTool extends ToolDescription {
  /** As the server names it. */
  readonly tool: string;
}

export interface ShownTools {
  /** Takes the server's own descriptions after it was connected. */
  readonly learn: (tools: readonly ServerTool[]) => void;
  /**
   * The configured tools in their order: those that the server has, or all without descriptions before it was reached.
   */
  readonly all: () => readonly ShownTool[];
}

export function keepShownTools({ name: server, tools: allowed }: ServerConfig, log: Log): ShownTools {
  const names = assignToolNames(server, allowed);
  const seen = new Map<string, { readonly shown: ShownTool; readonly print: string }>();
  const told = new Set<string>();
  let wasReached = false;
  const tellOnce = (key: string, tell: () => void): void => {
    if (!told.has(key) && told.size < MAX_TOLD * 4) tell();
    told.add(key);
  };
  const learnOne = (found: ServerTool): void => {
    const print = computeFingerprint(found);
    const known = seen.get(found.name);
    if (!known) seen.set(found.name, { shown: showTool(server, names.get(found.name) ?? '', found), print });
    else if (known.print !== print) {
      tellOnce(`${found.name} ${print}`, () =>
        log.warn(
          { tool: found.name },
          'a monitoring tool changed; it stays as first seen until Causeway is started again',
        ),
      );
    }
    if (found.annotations?.destructiveHint === true && found.annotations.readOnlyHint !== true) {
      tellOnce(`${found.name} destroys`, () =>
        log.warn(
          { tool: found.name },
          'the server says that this tool can destroy; it is offered because the configuration names it',
        ),
      );
    }
  };
  return {
    learn(tools) {
      wasReached = true;
      const first = new Map(tools.toReversed().map((tool) => [tool.name, tool]));
      for (const tool of allowed) {
        const found = first.get(tool);
        if (found) learnOne(found);
        else if (!seen.has(tool))
          tellOnce(`${tool} absent`, () =>
            log.warn(
              { tool, has: listToolNames(tools) },
              'the monitoring server has no such tool; correct the configuration',
            ),
          );
      }
    },
    all: () =>
      allowed.flatMap((tool) => {
        const shown = seen.get(tool)?.shown;
        if (shown) return [shown];
        return wasReached ? [] : [removeDescriptions(server, tool, names.get(tool) ?? '')];
      }),
  };
}

function showTool(
  server: string,
  name: string,
  { name: tool, description, title, inputSchema }: ServerTool,
): ShownTool {
  const { schema, isWhole } = simplifySchema(inputSchema);
  const note = isWhole ? '' : ' (The description of its arguments is shortened.)';
  const words = toPlainLine(description ?? title ?? 'no description', MAX_DESCRIPTION);
  const line = `Monitoring (${server}): ${words}`;
  return { tool, name, description: `${toPlainLine(line, MAX_DESCRIPTION - note.length)}${note}`, parameters: schema };
}

function removeDescriptions(server: string, tool: string, name: string): ShownTool {
  const words = `Monitoring (${server}): ${toPlainLine(tool, 128)}. The server did not answer when this investigation began, so the tool is not described; a call tries it again and says why if it fails.`;
  return { tool, name, description: words, parameters: ANY_ARGUMENTS };
}

function listToolNames(tools: readonly ServerTool[]): readonly string[] {
  return tools.slice(0, MAX_TOLD).map(({ name }) => toPlainLine(name, 128));
}

function computeFingerprint({ name, description, inputSchema, annotations }: ServerTool): string {
  const text = JSON.stringify(sortKeys([name, description ?? null, inputSchema, annotations ?? null]));
  return createHash('sha256').update(text).digest('hex');
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sortKeys(item)]));
}

const MAX_TOOL_NAME = 64;

const MARK = 7;

/** `server__tool` for each tool in order: of `[a-zA-Z0-9_-]`, at most 64 characters, all different. */
export function assignToolNames(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
  const plain = tools.map((tool) => `${server}__${tool.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`);
  const names = tools.map((tool, at) => {
    const name = plain[at] ?? '';
    const stands =
      name.length <= MAX_TOOL_NAME &&
      (name.endsWith(`__${tool}`) || plain.filter((other) => other === name).length === 1);
    return [tool, stands ? name : markName(name, tool)] as const;
  });
  return new Map(names);
}

/** A changed name that is taken or too long ends in a hash of the original. */
function markName(name: string, tool: string): string {
  const mark = createHash('sha256')
    .update(tool)
    .digest('hex')
    .slice(0, MARK - 1);
  return `${name.slice(0, MAX_TOOL_NAME - MARK)}_${mark}`;
}

type ToolSchema = Readonly<Record<string, unknown>>;

/** Bytes of JSON: with forty tools this is already most of a prompt. */
const MAX_SCHEMA_BYTES = 4_096;

const MAX_WORDS = 200;

const MAX_DEPTH = 8;

const MAX_ITEMS = 100;

const MAX_NAME = 64;

/** Keywords that a model does not need for a call. */
const IDLE = new Set(['$schema', '$id', '$comment', 'title', 'examples', 'readOnly', 'writeOnly', 'deprecated']);

const WORDY = new Set([...IDLE, 'description', 'default', 'pattern', 'format']);

const ANY_ARGUMENTS: ToolSchema = { type: 'object', properties: {} };

/** The schema, whole or simplified until it fits. */
export function simplifySchema(inputSchema: unknown): { readonly schema: ToolSchema; readonly isWhole: boolean } {
  const whole = cleanSchema(inputSchema, IDLE);
  if (fitsLimit(whole)) return { schema: whole, isWhole: true };
  const terse = cleanSchema(inputSchema, WORDY);
  if (fitsLimit(terse)) return { schema: terse, isWhole: false };
  const names = keepNamesOnly(terse);
  return { schema: fitsLimit(names) ? names : ANY_ARGUMENTS, isWhole: false };
}

function fitsLimit(schema: ToolSchema): boolean {
  return Buffer.byteLength(JSON.stringify(schema)) <= MAX_SCHEMA_BYTES;
}

function cleanSchema(schema: unknown, without: ReadonlySet<string>): ToolSchema {
  const value = clean(schema, without, 0);
  return isToolSchema(value)
    ? { ...value, type: 'object', properties: isToolSchema(value['properties']) ? value['properties'] : {} }
    : ANY_ARGUMENTS;
}

function keepNamesOnly({ properties, required }: ToolSchema): ToolSchema {
  const entries = Object.entries(isToolSchema(properties) ? properties : {});
  const typed = entries.map(([name, property]) => {
    const type = isToolSchema(property) ? property['type'] : undefined;
    return [name, typeof type === 'string' ? { type } : {}] as const;
  });
  return { type: 'object', properties: Object.fromEntries(typed), ...(Array.isArray(required) ? { required } : {}) };
}

/**
 * Sorts keys, since their order may change between starts, and drops the keywords of `without`, but not arguments of
 * the same name.
 */
function clean(value: unknown, without: ReadonlySet<string>, depth: number, areNames = false): unknown {
  if (typeof value === 'string') return toPlainLine(value, MAX_WORDS);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return {};
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => clean(item, without, depth + 1));
  const entries = Object.entries(value).filter(
    ([key, item]) => isToolVisible(key) && (areNames || !(without.has(key) || isExternalReference(key, item))),
  );
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([key, item]) => [key, clean(item, without, depth + 1, !areNames && key === 'properties')]),
  );
}

/** A name that would have to be changed to be shown could not be used in a call. */
function isToolVisible(name: string): boolean {
  return name.length <= MAX_NAME && toPlainLine(name, MAX_NAME) === name;
}

/** A reference to another document: some endpoints refuse it, and it must not be fetched. */
function isExternalReference(key: string, value: unknown): boolean {
  return key.startsWith('$') && key.endsWith('ef') && !(typeof value === 'string' && value.startsWith('#'));
}

function isToolSchema(value: unknown): value is ToolSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
