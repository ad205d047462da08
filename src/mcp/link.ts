// One connection to one server: opened, its tools listed, calls made, ended. It offers the server nothing and answers none of its requests.
import { type CallToolResult, Client, type Tool as ServerTool } from '@modelcontextprotocol/client';
import type { Log } from '../log.ts';
import type { ServerConfig } from './config.ts';
import { faultInWords, isAnswer, isRefusal, isSilence, isStaleSession } from './faults.ts';
import type { Given } from './variables.ts';
import type { Wire, WireContext } from './wire.ts';
import { wireAddress } from './wire-address.ts';
import { wireProgram } from './wire-program.ts';

const MAX_PAGES = 10;
/** A program that was silent so often in a row is taken for hung. */
const MAX_SILENCES = 2;

export interface Link {
  readonly tools: readonly ServerTool[];
  /** Aborted, with the reason in words, when the connection cannot be used any more. */
  readonly lost: AbortSignal;
  /** Throws only where `signal` is aborted. */
  readonly call: (tool: string, given: Record<string, unknown>, signal: AbortSignal) => Promise<Outcome>;
  readonly killNow: () => void;
  readonly end: () => Promise<void>;
}

/** `stale`: the server has forgotten us and did nothing; the call may be made again over a new connection. */
export type Outcome =
  | { readonly kind: 'answered'; readonly result: CallToolResult }
  | { readonly kind: 'failed' | 'stale'; readonly reason: string };

export interface LinkContext {
  readonly server: ServerConfig;
  readonly given: Given;
  readonly log: Log;
  readonly connectMs: number;
  readonly graceMs: number;
  /** Told of the wire before it is opened, so that it can be ended whatever happens. */
  readonly onWire: (wire: Wire) => void;
}

/** Opens a connection. Throws an Error whose message is the reason in words; then nothing is left behind. */
export async function openLink(context: LinkContext, signal: AbortSignal): Promise<Link> {
  try {
    return await openAs('legacy', context, signal);
  } catch (error) {
    // Most servers know the older handshake; one that does not says so. For a program the SDK would start a second one to find out.
    const isNewer = error instanceof Error && isRefusal(error.cause) && context.server.reach.kind === 'address';
    if (!isNewer || signal.aborted) throw error;
    return openAs('auto', context, signal);
  }
}

async function openAs(mode: 'legacy' | 'auto', context: LinkContext, signal: AbortSignal): Promise<Link> {
  const { server, given, log, connectMs, graceMs } = context;
  const lost = new AbortController();
  let broken: string | null = null;
  const wire = wireTo(server, {
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
  tellChanges(client, log);
  const deadline = AbortSignal.timeout(connectMs);
  const options = { signal: AbortSignal.any([signal, lost.signal, deadline]), timeout: 2 * connectMs };
  try {
    await client.connect(wire.transport, options);
    const tools = await listTools(client, options);
    wire.answered();
    return linkOver({ ...context, client, lost, wire }, tools);
  } catch (error) {
    // A connection that fails is closed as well, which says less than why; one that closes first is reported by the SDK as silent.
    const closed = isSilence(error) && !deadline.aborted ? reasonOf(lost.signal) : null;
    const reason = broken ?? closed ?? faultInWords(error, connectMs / 1_000, given.withoutSecrets);
    await wire.end(graceMs);
    throw new Error(reason, { cause: error });
  }
}

function wireTo({ reach }: ServerConfig, context: WireContext): Wire {
  return reach.kind === 'program' ? wireProgram(reach, context) : wireAddress(reach, context);
}

/** Told once a connection; what really changed is seen when the tools are listed again. */
function tellChanges(client: Client, log: Log): void {
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    log.warn(
      'the monitoring server says that its tools changed; those first seen stay until Causeway is started again',
    );
    client.removeNotificationHandler('notifications/tools/list_changed');
  });
}

async function listTools(client: Client, options: { signal: AbortSignal; timeout: number }): Promise<ServerTool[]> {
  // Asked without this, the SDK says so on standard output, which is for answers.
  if (!client.getServerCapabilities()?.tools) return [];
  return (await client.listTools(undefined, options)).tools;
}

interface OpenLink extends LinkContext {
  readonly client: Client;
  readonly lost: AbortController;
  readonly wire: Wire;
}

function linkOver(open: OpenLink, tools: readonly ServerTool[]): Link {
  const { client, lost, wire, graceMs, server } = open;
  let silences = 0;
  let ended: Promise<void> | null = null;
  const judge = (error: unknown): void => {
    silences = isSilence(error) ? silences + 1 : 0;
    const hung = silences >= MAX_SILENCES;
    if (hung || !(isSilence(error) || isAnswer(error))) lost.abort(hung ? 'it stopped answering' : describe(error));
  };
  const describe = (error: unknown): string =>
    faultInWords(error, server.callTimeoutMs / 1_000, open.given.withoutSecrets);
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
        const reason = reasonOf(lost.signal) ?? describe(error);
        judge(error);
        return { kind: isStaleSession(error) ? 'stale' : 'failed', reason };
      }
    },
  };
}

function reasonOf(lost: AbortSignal): string | null {
  return lost.aborted ? String(lost.reason) : null;
}
