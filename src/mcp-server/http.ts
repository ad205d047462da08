// `/mcp`: streamable HTTP without sessions. Each request is one caller's, whose token is looked up again for it.
import { createMcpHandler } from '@modelcontextprotocol/server';
import { isLoopbackAuthority } from '../core/loopback.ts';
import { createAnalysisCounter } from './analysis-counter.ts';
import type { ApiFetch } from './api-call.ts';
import { createMcpServer } from './server.ts';

export interface McpEndpoint extends AsyncDisposable {
  fetch(request: Request, stopping: AbortSignal): Promise<Response>;
}

export interface McpEndpointOptions {
  readonly api: ApiFetch;
  /** Whose token it is; or the refusal. */
  readonly authenticate: (
    request: Request,
  ) => Promise<Response | { readonly scopes: readonly string[]; readonly tokenId: string }>;
  /** Address of the service as callers reach it. */
  readonly baseUrl: () => string;
  readonly version: string;
  readonly now: () => Date;
  readonly onFault: (error: unknown) => void;
}

/** A report of 1 MiB, every character of which is escaped. */
const MAX_BODY_BYTES = 8 * 1_024 * 1_024;
/** Nothing here changes what a client has listed. */
const MAX_SUBSCRIPTIONS = 1;

export function createMcpEndpoint({
  api,
  authenticate,
  baseUrl,
  version,
  now,
  onFault,
}: McpEndpointOptions): McpEndpoint {
  const counter = createAnalysisCounter(now);
  const handler = createMcpHandler(
    ({ authInfo, requestInfo }) => {
      if (authInfo === undefined) throw new Error('a request reached the tools before its token was looked up');
      const { tokenId, stopping } = authInfo.extra as { readonly tokenId: string; readonly stopping: AbortSignal };
      return createMcpServer(
        { api, version, hasLedger: true, stopping, onFault },
        {
          authorization: requestInfo?.headers.get('Authorization') ?? '',
          scopes: authInfo.scopes,
          countAnalysis: () => counter.take(tokenId),
        },
      );
    },
    { maxRequestBodySize: MAX_BODY_BYTES, maxSubscriptions: MAX_SUBSCRIPTIONS },
  );
  return {
    fetch: async (request, stopping) => {
      const refusal = checkPlace(request, baseUrl());
      if (refusal !== null) return refusal;
      const caller = await authenticate(request);
      if (caller instanceof Response) return caller;
      const { scopes, tokenId } = caller;
      return await handler.fetch(request, {
        authInfo: { token: '', clientId: tokenId, scopes: [...scopes], extra: { tokenId, stopping } },
      });
    },
    [Symbol.asyncDispose]: () => handler.close(),
  };
}

/** A page of another site must not use a browser's way to this service, and no other name may lead here. */
function checkPlace({ url, headers }: Request, baseUrl: string): Response | null {
  const own = new URL(baseUrl);
  const origin = headers.get('Origin');
  if (origin !== null && URL.parse(origin)?.host !== own.host) {
    return refusePlace(403, 'Pages of other sites may not call this service.');
  }
  const { host } = new URL(url);
  const isLoopback = isLoopbackAuthority(own.host) && isLoopbackAuthority(host);
  if (host !== own.host && !isLoopback) {
    return refusePlace(421, `This service answers to ${own.host} only: have the proxy pass the header Host on.`);
  }
  return null;
}

function refusePlace(status: number, detail: string): Response {
  const body = { type: 'about:blank', status, detail };
  return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/problem+json' } });
}
