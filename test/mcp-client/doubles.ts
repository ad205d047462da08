// Monitoring servers that behave as told: the program next to this file, and one over HTTP.
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Tool, ToolResult } from '../../src/core/report/evidence.ts';
import type { Log } from '../../src/log.ts';
import { createLog } from '../../src/log.ts';
import { parseMonitoringConfig } from '../../src/mcp-client/config.ts';
import { type Monitoring, type MonitoringOptions, openMonitoring } from '../../src/mcp-client/monitoring.ts';

const PROGRAM = path.join(import.meta.dirname, 'fake-server.mjs');
export const SUBJECT = { project: 'acme/shop', isPublic: false, isTrusted: true };
const NEVER = new AbortController().signal;
const QUICK = { connectMs: 5_000, listWaitMs: 5_000, pauseMs: 1, maxPauseMs: 5, graceMs: 50 };

/** The entry of a server that is the fake program, started in this mode. */
export function program(mode: string, entry: Record<string, unknown> = {}): Record<string, unknown> {
  const [name = '', ...rest] = mode.split(' ');
  return { command: process.execPath, args: [PROGRAM, name, ...rest], projects: ['acme/shop'], ...entry };
}

export interface Opened extends AsyncDisposable {
  readonly monitoring: Monitoring;
  readonly logged: () => string;
  readonly tools: () => Promise<readonly Tool[]>;
  /** Asks the tool of that name. */
  readonly ask: (name: string, args?: Record<string, unknown>) => Promise<ToolResult>;
}

export function open(servers: Record<string, unknown>, options: Partial<MonitoringOptions> = {}): Opened {
  const lines: string[] = [];
  const log: Log = createLog({ level: 'debug', destination: { write: (line) => void lines.push(line) } });
  const environment = { PATH: process.env['PATH'], HOME: '/home/nobody' };
  const timing = { ...QUICK, ...options.timing };
  const config = parseMonitoringConfig(JSON.stringify({ servers }));
  const monitoring = openMonitoring(config, { log, environment, ...options, timing });
  const tools = (): Promise<readonly Tool[]> => monitoring.toolsFor(SUBJECT, NEVER);
  return {
    monitoring,
    logged: () => lines.join(''),
    tools,
    async ask(name, args = {}) {
      const tool = (await tools()).find((each) => each.name === name);
      if (!tool) throw new Error(`no tool ${name}`);
      return tool.run(JSON.stringify(args), NEVER);
    },
    [Symbol.asyncDispose]: () => monitoring[Symbol.asyncDispose](),
  };
}

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly arguments?: Record<string, unknown> };
}

export interface WebServer extends AsyncDisposable {
  readonly url: string;
  /** Each request as `METHOD /path method-of-the-protocol`. */
  readonly seen: string[];
  readonly authorizations: (string | undefined)[];
  /** What a call is answered with; the rest of the protocol is answered as it should be. */
  onCall: (response: http.ServerResponse, reply: (result: unknown) => void) => void;
  /** Looks at a request before everything else; true: it has answered. */
  first: (request: http.IncomingMessage, response: http.ServerResponse, message: Message | null) => boolean;
}

export async function webServer(): Promise<WebServer> {
  const listener = http.createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const message = body === '' ? null : (JSON.parse(body) as Message);
    server.seen.push(`${request.method} ${request.url} ${message?.method ?? ''}`.trim());
    server.authorizations.push(request.headers.authorization);
    if (server.first(request, response, message)) return;
    if (message?.id === undefined) return void response.writeHead(202).end();
    const reply = (result: unknown): void => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    };
    if (message.method in KNOWN) reply(KNOWN[message.method]);
    else server.onCall(response, reply);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const server: WebServer = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`,
    seen: [],
    authorizations: [],
    onCall: (_, reply) => reply({ content: [{ type: 'text', text: 'fine' }] }),
    first: () => false,
    async [Symbol.asyncDispose]() {
      listener.close();
      listener.closeAllConnections();
    },
  };
  return server;
}

const TOOLS = [{ name: 'query', inputSchema: { type: 'object' } }];
/** The handshakes of both revisions of the protocol, and the list of tools in a form that both know. */
const KNOWN: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'web', version: '1' },
  },
  'server/discover': {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'web', version: '1' } },
  },
  'tools/list': { resultType: 'complete', tools: TOOLS, ttlMs: 0, cacheScope: 'private' },
};
