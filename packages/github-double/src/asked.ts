// One request as it came: read to its end, as a form where it is one, and as it is remembered.
import type { IncomingMessage } from 'node:http';
import { effectivePermissions } from './access.ts';
import type { SeenRequest } from './exchange.ts';
import type { Answer, ApiCaller } from './route.ts';

export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** A form, or the same as JSON. */
export function formOf(body: string, type: string): URLSearchParams {
  if (!type.includes('json')) return new URLSearchParams(body);
  const given = JSON.parse(body) as Record<string, unknown>;
  return new URLSearchParams(Object.entries(given).map(([name, value]): [string, string] => [name, String(value)]));
}

export async function readRequest(request: IncomingMessage, basePath: string): Promise<Asked> {
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
  // GitHub Enterprise has its GraphQL beside the versioned API, not below it.
  const path = url.pathname === '/api/graphql' ? '/graphql' : url.pathname.slice(basePath.length);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return { method: request.method ?? 'GET', url, path, body: await readBody(request), headers };
}

export function seenOf(asked: Asked, caller: ApiCaller | Answer, status: number): SeenRequest {
  const isKnown = !('status' in caller);
  const isInstallation = isKnown && caller.kind === 'installation';
  return {
    method: asked.method,
    path: `${asked.path}${asked.url.search}`,
    tokenKind: isKnown ? caller.kind : 'bad',
    permissions: isInstallation ? effectivePermissions(caller) : {},
    repositoryIds: isInstallation ? caller.token.repositoryIds && [...caller.token.repositoryIds] : null,
    headers: asked.headers,
    body: asked.body,
    status,
  };
}
