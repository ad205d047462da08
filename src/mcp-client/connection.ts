// Connections to monitoring servers: opened when first needed and shared, opened again after a failure, later each
// time.
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallToolResult,
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Tool as ServerTool,
} from '@modelcontextprotocol/client';
import type { Log } from '../log.ts';
import type { Given, ServerConfig } from './config.ts';
import { toPlainLine } from './result-text.ts';
import { type McpWire, openHttpWire, openProgramWire, type WireContext, waitAtMost } from './wires.ts';

const MAX_PAGES = 10;

/** After so many unanswered calls in a row a program counts as hung. */
const MAX_SILENCES = 2;

interface ServerLink {
  readonly tools: readonly ServerTool[];
  /** Aborted, with the reason in words, when the connection cannot be used any more. */
  readonly lost: AbortSignal;
  /** Throws only where `signal` is aborted. */
  readonly call: (tool: string, given: Record<string, unknown>, signal: AbortSignal) => Promise<CallOutcome>;
  readonly killNow: () => void;
  readonly end: () => Promise<void>;
}

/** `stale`: the session has expired and nothing was done; the call may be repeated over a new connection. */
export type CallOutcome =
  | { readonly kind: 'answered'; readonly result: CallToolResult }
  | { readonly kind: 'failed' | 'stale'; readonly reason: string };

interface LinkContext {
  readonly server: ServerConfig;
  readonly given: Given;
  readonly log: Log;
  readonly connectMs: number;
  readonly graceMs: number;
  /** Called before the wire is opened, so that it can always be ended. */
  readonly onWire: (wire: McpWire) => void;
}

/** Opens a connection, or throws an Error with the reason as text and leaves nothing behind. */
export async function openConnection(context: LinkContext, signal: AbortSignal): Promise<ServerLink> {
  try {
    return await openWithVersion('legacy', context, signal);
  } catch (error) {
    // Most servers know the older handshake, and others refuse it. For a program the SDK would start a second process
    // to find out.
    const isNewer = error instanceof Error && isRefusal(error.cause) && context.server.reach.kind === 'address';
    if (!isNewer || signal.aborted) throw error;
    return openWithVersion('auto', context, signal);
  }
}

async function openWithVersion(
  mode: 'legacy' | 'auto',
  context: LinkContext,
  signal: AbortSignal,
): Promise<ServerLink> {
  const { server, given, log, connectMs, graceMs } = context;
  const lost = new AbortController();
  let broken: string | null = null;
  const wire = openWire(server, {
    given,
    log,
    maxExchangeMs: Math.max(connectMs, server.callTimeoutMs) + 5_000,
    onBroken: (reason) => {
      broken ??= reason;
      lost.abort(reason);
    },
  });
  context.onWire(wire);
  const client = new Client(
    { name: 'causeway', version: '1' },
    { capabilities: {}, listMaxPages: MAX_PAGES, versionNegotiation: { mode } },
  );
  client.onclose = () => lost.abort('it ended or closed the connection');
  client.onerror = ({ name }) => log.debug({ fault: name }, 'the monitoring server caused a fault of the protocol');
  watchChanges(client, log);
  const deadline = AbortSignal.timeout(connectMs);
  const options = { signal: AbortSignal.any([signal, lost.signal, deadline]), timeout: 2 * connectMs };
  try {
    await client.connect(wire.transport, options);
    const tools = await listTools(client, options);
    wire.answered();
    return createConnection({ ...context, client, lost, wire }, tools);
  } catch (error) {
    // A failed connection is closed as well, which says less than the cause; one that closes first is reported as a
    // timeout.
    const closed = isSilence(error) && !deadline.aborted ? describeLostReason(lost.signal) : null;
    const reason = broken ?? closed ?? describeServerFault(error, connectMs / 1_000, given.withoutSecrets);
    await wire.end(graceMs);
    throw new Error(reason, { cause: error });
  }
}

function openWire({ reach }: ServerConfig, context: WireContext): McpWire {
  return reach.kind === 'program' ? openProgramWire(reach, context) : openHttpWire(reach, context);
}

/** Logged once for each connection. */
function watchChanges(client: Client, log: Log): void {
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    log.warn(
      'the monitoring server says that its tools changed; those first seen stay until Causeway is started again',
    );
    client.removeNotificationHandler('notifications/tools/list_changed');
  });
}

async function listTools(client: Client, options: { signal: AbortSignal; timeout: number }): Promise<ServerTool[]> {
  // Without the capability the SDK would print a warning on standard output.
  if (!client.getServerCapabilities()?.tools) return [];
  return (await client.listTools(undefined, options)).tools;
}

interface OpenLink extends LinkContext {
  readonly client: Client;
  readonly lost: AbortController;
  readonly wire: McpWire;
}

function createConnection(open: OpenLink, tools: readonly ServerTool[]): ServerLink {
  const { client, lost, wire, graceMs, server } = open;
  let silences = 0;
  let ended: Promise<void> | null = null;
  const judge = (error: unknown): void => {
    silences = isSilence(error) ? silences + 1 : 0;
    const hung = silences >= MAX_SILENCES;
    if (hung || !(isSilence(error) || isAnswer(error))) lost.abort(hung ? 'it stopped answering' : describe(error));
  };
  const describe = (error: unknown): string =>
    describeServerFault(error, server.callTimeoutMs / 1_000, open.given.withoutSecrets);
  return {
    tools,
    lost: lost.signal,
    killNow: wire.killNow,
    end() {
      lost.abort('it was ended');
      ended ??= wire.end(graceMs);
      return ended;
    },
    async call(name, given, signal) {
      const stop = AbortSignal.any([signal, lost.signal]);
      const params = { name, arguments: given };
      try {
        // Not `callTool`, which would run the server's own output schema as a program of regular expressions.
        const result = await client.request(
          { method: 'tools/call', params },
          { signal: stop, timeout: server.callTimeoutMs },
        );
        silences = 0;
        return { kind: 'answered', result };
      } catch (error) {
        signal.throwIfAborted();
        const reason = describeLostReason(lost.signal) ?? describe(error);
        judge(error);
        return { kind: isStaleSession(error) ? 'stale' : 'failed', reason };
      }
    },
  };
}

function describeLostReason(lost: AbortSignal): string | null {
  return lost.aborted ? String(lost.reason) : null;
}

export interface Timing {
  /** To start, shake hands and list the tools; npx may have to download first. */
  readonly connectMs: number;
  /** How long a run waits at its start for servers that are not connected. */
  readonly listWaitMs: number;
  /** The first pause after a failure; it doubles up to `maxPauseMs`. */
  readonly pauseMs: number;
  readonly maxPauseMs: number;
  /** For a program to end by itself before it is killed. */
  readonly graceMs: number;
}

export const TIMING: Timing = {
  connectMs: 60_000,
  listWaitMs: 10_000,
  pauseMs: 1_000,
  maxPauseMs: 60_000,
  graceMs: 1_000,
};

/** A pause with no more left than this is waited for. */
const SHORT_PAUSE_MS = 2_000;

type Reached = { readonly link: ServerLink } | { readonly reason: string };

export interface Line extends AsyncDisposable {
  /** The connection, waited for at most so long; or why there is none. Throws only where `signal` is aborted. */
  readonly reach: (waitMs: number, signal: AbortSignal) => Promise<Reached>;
  /** A call was answered: the failure count starts at 0 again. */
  readonly works: () => void;
  /** Ends at once every program of this server. */
  readonly killNow: () => void;
}

type LineContext = Omit<LinkContext, 'onWire' | 'connectMs' | 'graceMs'> & {
  readonly timing: Timing;
  readonly onLink: (link: ServerLink) => void;
};

interface ConnectionState {
  /** The connection, open or being opened; null: the next caller opens it. */
  attempt: Promise<Reached> | null;
  failures: number;
  /** Why it failed last. */
  reason: string;
  notBefore: number;
  /** All that have not ended: the current connection, and former ones that are being closed. */
  readonly wires: Set<McpWire>;
  readonly ends: Set<Promise<void>>;
  readonly ending: AbortController;
}

export function openSharedConnection(context: LineContext): Line {
  const state: ConnectionState = {
    attempt: null,
    failures: 0,
    reason: '',
    notBefore: 0,
    wires: new Set(),
    ends: new Set(),
    ending: new AbortController(),
  };
  return {
    reach: (waitMs, signal) => getConnection(context, state, { waitMs, signal }),
    works() {
      state.failures = 0;
    },
    killNow: () => state.wires.forEach((wire) => void wire.killNow()),
    async [Symbol.asyncDispose]() {
      state.ending.abort();
      const reached = await state.attempt;
      if (reached && 'link' in reached) await reached.link.end();
      await Promise.all(state.ends);
    },
  };
}

interface Waiting {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

async function getConnection(
  context: LineContext,
  state: ConnectionState,
  { waitMs, signal }: Waiting,
): Promise<Reached> {
  signal.throwIfAborted();
  const left = state.attempt ? 0 : state.notBefore - Date.now();
  if (left > Math.min(SHORT_PAUSE_MS, waitMs)) {
    return { reason: `${state.reason}; it is tried again in ${Math.ceil(left / 1_000)} s` };
  }
  if (left > 0) await delay(left, null, { signal });
  if (state.ending.signal.aborted) return { reason: 'Causeway is being stopped' };
  state.attempt ??= connectServer(context, state);
  const late = { reason: `it is still starting (waited ${Math.ceil(waitMs / 1_000)} s)` };
  return waitAtMost(state.attempt, waitMs, late, signal);
}

async function connectServer(context: LineContext, state: ConnectionState): Promise<Reached> {
  const opened: McpWire[] = [];
  const onWire = (wire: McpWire): void => {
    opened.push(wire);
    state.wires.add(wire);
  };
  const forget = (): void => opened.forEach((wire) => void state.wires.delete(wire));
  try {
    const link = await openConnection({ ...context, ...context.timing, onWire }, state.ending.signal);
    context.log.info({ tools: link.tools.length }, 'connected to the monitoring server');
    context.onLink(link);
    const onLost = (): void => dropConnection(context, state, { link, forget });
    if (link.lost.aborted) onLost();
    else link.lost.addEventListener('abort', onLost, { once: true });
    return { link };
  } catch (error) {
    forget();
    const reason = error instanceof Error ? error.message : String(error);
    noteFailure(context, state, reason);
    return { reason };
  }
}

function dropConnection(
  context: LineContext,
  state: ConnectionState,
  { link, forget }: { link: ServerLink; forget: () => void },
): void {
  noteFailure(context, state, String(link.lost.reason));
  const end = link.end().finally(() => {
    forget();
    state.ends.delete(end);
  });
  state.ends.add(end);
}

function noteFailure({ log, timing }: LineContext, state: ConnectionState, reason: string): void {
  state.attempt = null;
  if (state.ending.signal.aborted) return;
  const pause = Math.min(timing.maxPauseMs, timing.pauseMs * 2 ** state.failures);
  state.failures += 1;
  state.reason = reason;
  state.notBefore = Date.now() + pause;
  log.warn({ reason, nextTryInS: Math.ceil(pause / 1_000) }, 'the monitoring server cannot be used');
}

const MAX_WORDS = 300;

/** `it …`, without a full stop. `seconds`: how long was waited. */
function describeServerFault(error: unknown, seconds: number, withoutSecrets: (text: string) => string): string {
  const words = (text: string): string => toPlainLine(withoutSecrets(text), MAX_WORDS);
  if (error instanceof SdkHttpError) return describeHttpFault(error);
  if (error instanceof SdkError) return describeSdkFault(error, seconds);
  if (error instanceof ProtocolError) return `it refused: ${words(error.message)} (code ${error.code})`;
  const code = findErrorCode(error);
  if (code === 'ENOENT') return 'its program was not found: the operator should check command and PATH';
  if (code === 'EACCES') return 'its program may not be executed: the operator should check its permissions';
  if (code !== null) return `it could not be reached (${words(code)})`;
  if (error instanceof Error && error.name === 'TimeoutError') return describeSilence(seconds);
  return `it did not speak the protocol (${words(error instanceof Error ? error.name : typeof error)})`;
}

function isStaleSession(error: unknown): boolean {
  return error instanceof SdkHttpError && error.status === 404;
}

/** The server was reached and refused the request. */
function isRefusal(error: unknown): boolean {
  return error instanceof ProtocolError || (error instanceof SdkHttpError && error.status === 400);
}

function isSilence(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

/** The server answered, so the connection itself works. */
function isAnswer(error: unknown): boolean {
  return error instanceof ProtocolError || (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult);
}

function describeHttpFault({ status }: SdkHttpError): string {
  if (status >= 300 && status < 400) {
    return `it sent us to another address (HTTP ${status}), which was not followed: the operator should write the final address`;
  }
  const repair = status === 401 || status === 403 ? ': the operator should check the headers of its entry' : '';
  return `it answered with HTTP ${status}${repair}`;
}

function describeSdkFault({ code }: SdkError, seconds: number): string {
  switch (code) {
    case SdkErrorCode.RequestTimeout:
      return describeSilence(seconds);
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
      return 'it ended or closed the connection';
    case SdkErrorCode.InvalidResult:
      return 'its answer was no valid result of the protocol';
    default:
      return `it did not speak the protocol as expected (${code})`;
  }
}

function describeSilence(seconds: number): string {
  return `it did not answer within ${seconds} s`;
}

function findErrorCode(error: unknown): string | null {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 4; inner = inner.cause, depth += 1) {
    const code: unknown = Reflect.get(inner, 'code');
    if (typeof code === 'string' && /^[A-Z_0-9]{3,60}$/.test(code)) return code;
  }
  return null;
}
