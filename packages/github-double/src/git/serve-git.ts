// Git over http at `web/owner/name.git`: fetch with tokens whose scope is enforced, push by people, with its consequences.
import { execFileSync, spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { canSee, effectivePermissions, isEnough } from '../access.ts';
import { readCaller } from '../credentials.ts';
import { afterMove } from '../deeds/pulls.ts';
import { grantOf, mayAtLeast, repositoryByName } from '../lookup.ts';
import { type ApiCaller, actorId } from '../route.ts';
import type { GithubRepository, State } from '../state.ts';
import { listRefs } from './read-objects.ts';
import { GIT_ENVIRONMENT } from './run-git.ts';

let backendPath: string | undefined;

/** git's own server program. */
function backend(): string {
  backendPath ??= join(execFileSync('git', ['--exec-path']).toString().trim(), 'git-http-backend');
  return backendPath;
}

export interface GitRequest {
  readonly name: string;
  readonly rest: string;
  readonly isPush: boolean;
}

/** Null: no request of git. */
export function readGitRequest(url: URL): GitRequest | null {
  const match = /^\/([^/]+\/[^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(
    decodeURIComponent(url.pathname),
  );
  if (match === null) return null;
  const isPush = `${url.search} ${match[2]}`.includes('git-receive-pack');
  return { name: match[1] ?? '', rest: `/${match[2]}`, isPush };
}

/** Answers, and returns the status that git was given. */
export async function serveGit(
  state: State,
  asked: GitRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<{ readonly status: number; readonly caller: ApiCaller | null }> {
  const caller = readCaller(state, request.headers.authorization);
  if ('status' in caller) {
    return {
      status: refuseGit(response, caller.status === 403 ? 403 : 401, 'Invalid username or token.'),
      caller: null,
    };
  }
  const moved = state.repositories.get(state.redirects.get(asked.name.toLowerCase()) ?? 0);
  const found = repositoryByName(state, asked.name) ?? moved;
  const verdict = judgeGitAccess(state, caller, found, asked.isPush);
  if (verdict !== 200 || found === undefined)
    return { status: refuseGit(response, verdict, 'Repository not found.'), caller };
  const before = asked.rest === '/git-receive-pack' ? await refMap(found) : null;
  await runBackend(found, asked, request, response);
  if (before !== null) await tellMoves(state, found, before, actorId(caller));
  return { status: 200, caller };
}

/** Without credentials GitHub asks for some even where nothing is there; with them, what may not be seen is not there. */
function judgeGitAccess(state: State, caller: ApiCaller, found: GithubRepository | undefined, isPush: boolean): number {
  if (found !== undefined && caller.kind === 'none' && !isPush && !found.isPrivate) return 200;
  if (caller.kind === 'none') return 401;
  if (found === undefined || !canSee(state, caller, found)) return 404;
  if (found.isBlocked) return 403;
  if (caller.kind === 'installation') {
    return isEnough(effectivePermissions(caller)['contents'], isPush ? 'write' : 'read') ? 200 : 403;
  }
  if (caller.kind !== 'user') return 403;
  const mayPush = mayAtLeast(grantOf(state, found, caller.account), 'push') && !found.isArchived;
  return isPush && !mayPush ? 403 : 200;
}

function refuseGit(response: ServerResponse, status: number, message: string): number {
  const headers = status === 401 ? { 'www-authenticate': 'Basic realm="GitHub"' } : {};
  response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(message);
  return status;
}

async function refMap(found: GithubRepository): Promise<ReadonlyMap<string, string>> {
  const refs = await listRefs(found.gitDir);
  return new Map(refs.filter((ref) => !ref.name.startsWith('refs/pull/')).map((ref) => [ref.name, ref.sha]));
}

async function tellMoves(
  state: State,
  found: GithubRepository,
  before: ReadonlyMap<string, string>,
  byId: number,
): Promise<void> {
  const after = await refMap(found);
  for (const ref of new Set([...before.keys(), ...after.keys()])) {
    const [from, to] = [before.get(ref) ?? null, after.get(ref) ?? null];
    if (from !== to) await afterMove(state, found, { ref, from, to }, byId);
  }
}

/** Runs the CGI program for one request and turns its header lines into ours. */
function runBackend(
  found: GithubRepository,
  asked: GitRequest,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn(backend(), [], {
    env: {
      ...GIT_ENVIRONMENT,
      GIT_PROJECT_ROOT: dirname(found.gitDir),
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: `${found.gitDir.slice(dirname(found.gitDir).length)}${asked.rest}`,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
      REMOTE_USER: 'double',
    },
  });
  child.stdin.on('error', () => undefined);
  child.stderr.resume();
  request.pipe(child.stdin);
  response.on('close', () => child.kill());
  child.stdout.on('data', cgi(response));
  return new Promise((resolve) =>
    child.on('close', () => {
      response.end();
      resolve();
    }),
  );
}

/** Takes what a CGI program prints: header lines, an empty line, the body. */
function cgi(response: ServerResponse): (chunk: Buffer) => void {
  let head = Buffer.alloc(0);
  return (chunk) => {
    if (response.headersSent) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    const lines = head.toString('latin1', 0, end).split('\r\n');
    const headers = lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 2),
    ]);
    const status = headers.find(([name]) => name.toLowerCase() === 'status')?.[1] ?? '200';
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(headers.filter(([name]) => name !== 'Status')));
    response.write(head.subarray(end + 4));
  };
}
