// Requests to one build host of the operator: the token goes to its API alone, and no redirect is followed.
import type { BuildHost } from './config.ts';

/** `other`: the build names another repository or commit. `storage`: its output is stored at an origin not named. */
export type BuildFaultCode =
  | 'address'
  | 'other'
  | 'library'
  | 'no_log'
  | 'storage'
  | 'redirect'
  | 'refused'
  | 'gone'
  | 'busy'
  | 'invalid';

export class BuildFault extends Error {
  readonly code: BuildFaultCode;
  /** The header `Retry-After`; null: the host does not say how long it wants to be left alone. */
  readonly retryAfter: string | null;

  constructor(code: BuildFaultCode, detail: string, retryAfter: string | null = null) {
    super(detail);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

export interface BuildClient {
  /** `path` begins with a slash. Throws BuildFault. */
  readonly readJson: (path: string) => Promise<unknown>;
  readonly openText: (path: string) => Promise<AsyncIterable<Uint8Array>>;
  /** Of another origin, without the token; JSON. */
  readonly readStored: (url: URL) => Promise<unknown>;
}

const MOST_JSON_BYTES = 16 * 1_024 * 1_024;
const NOTHING = new Uint8Array();

export function createBuildClient(host: BuildHost, signal: AbortSignal, userAgent: string): BuildClient {
  const open = (path: string, accept: string) => {
    const url = new URL(`${host.api}${path}`);
    // A path that begins like a host would lead elsewhere.
    if (url.origin !== host.api) throw new BuildFault('address', 'the address leaves the API');
    return sendBuildRequest(url, { ...authorise(host), accept, 'user-agent': userAgent }, signal);
  };
  return {
    readJson: async (path) => parseAnswerJson(await readAnswerBytes(await open(path, 'application/json'))),
    openText: async (path) => (await open(path, 'text/plain')).body ?? splitIntoChunks(NOTHING),
    readStored: async (url) =>
      parseAnswerJson(
        await readAnswerBytes(
          await sendBuildRequest(url, { accept: 'application/json', 'user-agent': userAgent }, signal),
        ),
      ),
  };
}

function authorise({ kind, token, user }: BuildHost): Readonly<Record<string, string>> {
  if (kind === 'buildkite') return { authorization: `Bearer ${token}` };
  if (kind === 'circleci') return { 'circle-token': token };
  return { authorization: `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}` };
}

async function sendBuildRequest(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> {
  const answer = await fetch(url, { headers, redirect: 'manual', signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new BuildFault('busy', describeNetwork(error));
  });
  if (answer.ok) return answer;
  await answer.body?.cancel();
  throw toStatusFault(answer);
}

/** Codes such as ECONNREFUSED: fixed words, never what the host wrote. */
function describeNetwork(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer';
  return code.slice(0, 100);
}

function toStatusFault({ status, headers }: Response): BuildFault {
  const detail = `status ${status}`;
  if (status >= 300 && status < 400) return new BuildFault('redirect', detail);
  if (status === 401 || status === 403) return new BuildFault('refused', detail);
  if (status === 404 || status === 410) return new BuildFault('gone', detail);
  if (status === 429 || status >= 500) return new BuildFault('busy', detail, headers.get('retry-after'));
  return new BuildFault('invalid', detail);
}

async function readAnswerBytes({ body }: Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? splitIntoChunks(NOTHING)) {
    bytes += part.byteLength;
    if (bytes > MOST_JSON_BYTES) throw new BuildFault('invalid', `more than ${MOST_JSON_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function parseAnswerJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new BuildFault('invalid', 'no JSON');
  }
}

async function* splitIntoChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Calls that need nothing but a token that is accepted. */
const WHO: Readonly<Record<BuildHost['kind'], string>> = {
  buildkite: '/v2/access-token',
  circleci: '/api/v2/me',
  jenkins: '/me/api/json?tree=id',
};

/** Whether the host takes the token: null, or what is wrong. */
export async function examineBuildHost(
  host: BuildHost,
  userAgent: string,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    await createBuildClient(host, signal, userAgent).readJson(`${host.path}${WHO[host.kind]}`);
    return null;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof BuildFault)) throw error;
    return error.code === 'refused' ? 'refuses the token' : `gives no usable answer (${error.message})`;
  }
}
