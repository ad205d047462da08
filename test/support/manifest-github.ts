// GitHub's part in making an App from a manifest: the page that confirms it, and the exchange of the code, which works once.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnLoopback } from './loopback.ts';
import { APP_KEY } from './new-key.ts';

export interface ManifestGithub extends AsyncDisposable {
  /** For people; the API is below /api/v3. */
  readonly url: string;
  /** What was asked to be made, in order. */
  readonly manifests: readonly { readonly path: string; readonly manifest: Record<string, unknown> }[];
  /** What it has given away. */
  readonly secrets: readonly string[];
}

export async function manifestGithub(): Promise<ManifestGithub> {
  const manifests: { path: string; manifest: Record<string, unknown> }[] = [];
  const codes = new Set<string>();
  const made = {
    ...{ id: 4711, slug: 'causeway-octo', pem: APP_KEY, client_id: 'Iv1.0123456789abcdef' },
    ...{ webhook_secret: randomBytes(20).toString('hex'), client_secret: randomBytes(20).toString('hex') },
    ...{ owner: { login: 'octo', id: 1 }, html_url: 'https://elsewhere.example/apps/x', name: 'Causeway' },
  };
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const code = /^\/api\/v3\/app-manifests\/(\w+)\/conversions$/.exec(pathname)?.[1];
    if (request.method === 'POST' && pathname.endsWith('/settings/apps/new')) {
      const manifest = JSON.parse(new URLSearchParams(await textOf(request)).get('manifest') ?? '{}');
      manifests.push({ path: pathname, manifest });
      const next = randomBytes(8).toString('hex');
      codes.add(next);
      const back = new URL(manifest.redirect_url);
      back.searchParams.set('code', next);
      back.searchParams.set('state', searchParams.get('state') ?? '');
      const page = `<!doctype html><title>Create GitHub App</title><a href="${back.href.replaceAll('&', '&amp;')}">Create GitHub App</a>`;
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(page);
    } else if (request.method === 'POST' && code !== undefined && codes.delete(code)) {
      response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify(made));
    } else {
      response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"message":"Not Found"}');
    }
  });
  const { url, close } = await listenOnLoopback(server);
  return {
    url,
    manifests,
    secrets: [made.webhook_secret, made.client_secret],
    [Symbol.asyncDispose]: close,
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}
