// The same tools over standard input and output, for one person's own machine.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createAnalysisCounter } from './analysis-counter.ts';
import type { ApiFetch } from './api-call.ts';
import { createMcpServer } from './server.ts';

export interface McpStdioOptions {
  readonly api: ApiFetch;
  readonly token: string;
  readonly scopes: readonly string[];
  readonly version: string;
  readonly now: () => Date;
  readonly onFault: (error: unknown) => void;
}

/** Serves until the client closes standard input or `signal` aborts. Standard output has nothing but the protocol. */
export async function serveMcpOnStdio(
  { api, token, scopes, version, now, onFault }: McpStdioOptions,
  signal: AbortSignal,
): Promise<void> {
  const counter = createAnalysisCounter(now);
  const ended = new AbortController();
  const closed = AbortSignal.any([signal, ended.signal]);
  const caller = { authorization: `Bearer ${token}`, scopes, countAnalysis: () => counter.take('') };
  const handle = serveStdio(
    () => createMcpServer({ api, version, hasLedger: false, stopping: closed, onFault }, caller),
    {
      onerror: onFault,
    },
  );
  process.stdin.once('end', () => ended.abort()).once('close', () => ended.abort());
  await new Promise<void>((resolve) => closed.addEventListener('abort', () => resolve(), { once: true }));
  await handle.close();
}
