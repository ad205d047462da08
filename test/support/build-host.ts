// A CI on loopback, as its API answers: Buildkite, CircleCI or Jenkins, with one answer for each path.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { listenOnLoopback } from './loopback.ts';

interface Answered {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: unknown;
  /** Sends part of it and then cuts the connection, or nothing ever. */
  readonly how?: 'cut' | 'hang';
}

export interface BuildServer extends AsyncDisposable {
  readonly origin: string;
  /** By path with query. */
  readonly answers: Map<string, Answered>;
  /** What was requested, oldest first. */
  readonly seen: { readonly path: string; readonly headers: IncomingHttpHeaders }[];
}

export async function startBuildServer(): Promise<BuildServer> {
  const answers = new Map<string, Answered>();
  const seen: BuildServer['seen'][number][] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    seen.push({ path, headers: request.headers });
    const { status = 200, headers = {}, body = '', how } = answers.get(path) ?? { status: 404 };
    if (how === 'hang') return;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, headers);
    if (how !== 'cut') return void response.end(text);
    response.write(text.slice(0, text.length / 2), () => response.destroy());
  });
  const { url, close } = await listenOnLoopback(server);
  return {
    origin: url,
    answers,
    seen,
    [Symbol.asyncDispose]: close,
  };
}

interface Made {
  readonly repository: string;
  readonly sha: string;
  readonly log: string;
}

/** Build 7 with one job that failed; its address. */
export function addBuildkite({ origin, answers }: BuildServer, { repository, sha, log }: Made, org = 'acme'): string {
  const id = '0190b0a1-1111-4222-8333-444455556666';
  const build = `/v2/organizations/${org}/pipelines/shop/builds/7`;
  const jobs = [
    { id, type: 'script', name: 'tests', state: 'failed' },
    { id: '0190b0a1-2222-4222-8333-444455556666', type: 'script', name: 'lint', state: 'passed' },
    { type: 'waiter', id: '0190b0a1-3333-4222-8333-444455556666' },
  ];
  answers.set(build, { body: { commit: sha, pipeline: { repository }, jobs } });
  const stamped = log.replaceAll(/^/gm, '\u001b_bk;t=1700000000000\u0007');
  answers.set(`${build}/jobs/${id}/log.txt`, { body: stamped });
  return `${origin}/${org}/shop/builds/7#${id}`;
}

/** Job 12 with one step that failed, whose output lies at `storage`; its address. */
export function addCircleci(server: BuildServer, storage: BuildServer, { repository, sha, log }: Made): string {
  const action = { name: 'npm test', status: 'failed', failed: true, exit_code: 1 };
  const steps = [
    { name: 'Checkout', actions: [{ name: 'Checkout', status: 'success', output_url: `${storage.origin}/none` }] },
    { name: 'npm test', actions: [{ ...action, output_url: `${storage.origin}/output?sig=a` }] },
  ];
  server.answers.set('/api/v1.1/project/github/acme/shop/12', {
    body: { vcs_revision: sha, vcs_url: repository, steps },
  });
  storage.answers.set('/output?sig=a', { body: [{ type: 'out', message: log }] });
  return `${server.origin}/gh/acme/shop/12`;
}

/** Build 3 of a branch in a folder; its address. */
export function addJenkins(
  { origin, answers }: BuildServer,
  { repository, sha, log }: Made,
  {
    job = '/job/acme/job/shop/job/main',
    libraries = [] as readonly string[],
    tests = [] as readonly object[],
    others = [] as readonly object[],
  } = {},
): string {
  const data = (url: string, SHA1: string) => ({ remoteUrls: [url], lastBuiltRevision: { SHA1 } });
  const actions = [{}, null, ...libraries.map((url) => data(url, 'f'.repeat(40))), data(repository, sha), ...others];
  answers.set(`${job}/3/api/json?tree=actions[remoteUrls,lastBuiltRevision[SHA1]]`, { body: { actions } });
  answers.set(`${job}/3/consoleText`, { body: log });
  const fields = 'className,name,status,errorDetails,errorStackTrace';
  if (tests.length > 0) {
    answers.set(`${job}/3/testReport/api/json?tree=suites[cases[${fields}]]`, { body: { suites: [{ cases: tests }] } });
  }
  return `${origin}${job}/3/display/redirect`;
}
