// Starts git: no shell, no configuration but ours, a limit on time and output, and an end that takes the whole process
// group.
import { accessSync, constants, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { getCACertificates } from 'node:tls';
import { GitFailure } from './git-failure.ts';
import { createStarter, endProcessGroup, type ProcessToStart, type StartedProcess, spawnGroup } from './starter.ts';

export type GitEnvironment = Readonly<Record<string, string | undefined>>;

export type Protocol = 'file' | 'http' | 'https';

/** One configuration entry, passed in the environment: it overrides every file and is never in the process list. */
export type ConfigEntry = readonly [key: string, value: string];

export interface GitCall {
  readonly args: readonly string[];
  /** Repository to work on; absent: the one found from `folder` upwards. */
  readonly gitDir?: string;
  /** Working folder of the process; absent: `gitDir`. */
  readonly folder?: string;
  /** Transports that this call may use; git itself refuses every other one. */
  readonly protocols?: readonly Protocol[];
  readonly config?: readonly ConfigEntry[];
  readonly variables?: Readonly<Record<string, string>>;
  /** Values that must not show in `stderr`. */
  readonly secrets?: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /**
   * Whether it is over soon and its output is read as it comes, so that a small process may start it: what it prints is
   * not held back by a slow reader. Absent: no.
   */
  readonly isBrief?: boolean;
}

/** Why a process ended. `stopped`: we had read enough. */
export type Ending =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'aborted' };

export interface GitProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Rejects only where git itself cannot be started. `stderr` is short and free of credentials. */
  readonly ended: Promise<{ readonly ending: Ending; readonly stderr: string }>;
  stop(): void;
  /** Lets the program end although this process is still running (it ends with its standard input). */
  unref(): void;
  ref(): void;
}

export interface Git {
  start(call: GitCall): GitProcess;
  /** Runs to the end. Output beyond `maxBytes` ends it with `stopped`. Throws the signal's reason when aborted. */
  run(
    call: GitCall & { readonly maxBytes: number; readonly input?: string },
  ): Promise<{ readonly ending: Ending; readonly stdout: Buffer; readonly stderr: string }>;
}

/** `certificates`: path of a CA bundle, or "". Aborting `lifetime` ends every process that is still running. */
export function createGit(options: {
  readonly environment: GitEnvironment;
  readonly certificates: () => string;
  readonly lifetime: AbortSignal;
}): Git {
  let program: string | null = null;
  const starter = createStarter();
  options.lifetime.addEventListener('abort', () => starter[Symbol.dispose](), { once: true });
  const start: Git['start'] = (call) => {
    const signal = AbortSignal.any([call.signal, options.lifetime]);
    signal.throwIfAborted();
    if (call.args.some((argument) => argument.includes('\0'))) {
      throw new GitFailure('invalid', 'A name or pattern contains a NUL character; remove it.');
    }
    program ??= findExecutable('git', options.environment);
    if (program === null) throw toNotStarted();
    const env = createEnvironment(
      options.environment,
      call,
      call.protocols?.includes('https') ? options.certificates() : '',
    );
    const what = {
      program,
      args: ['--no-pager', ...call.args],
      folder: call.folder ?? call.gitDir ?? process.cwd(),
      env,
    };
    const child = (call.isBrief === true ? starter.start(what) : null) ?? startHere(what);
    return supervise(child, { ...call, signal });
  };
  return {
    start,
    async run(call) {
      const child = start({ isBrief: true, ...call });
      child.stdin.end(call.input ?? '');
      const chunks: Buffer[] = [];
      let size = 0;
      child.stdout.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= call.maxBytes) chunks.push(chunk);
        else child.stop();
      });
      const { ending, stderr } = await child.ended;
      if (ending.kind === 'aborted') AbortSignal.any([call.signal, options.lifetime]).throwIfAborted();
      return { ending, stdout: Buffer.concat(chunks), stderr };
    },
  };
}

export function isSuccess(ending: Ending): boolean {
  return ending.kind === 'exited' && ending.code === 0;
}

function startHere(what: ProcessToStart): StartedProcess {
  const child = spawnGroup(what);
  const { stdin, stdout, stderr } = child;
  return {
    stdin,
    stdout,
    stderr,
    closed: new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve(code ?? 128));
    }),
    kill: (signal) => endProcessGroup(child, signal),
    // The pipes of a child process are sockets, which hold the event loop as the process itself does.
    setReferenced(verb) {
      for (const one of [child, stdin as Socket, stdout as Socket, stderr as Socket]) one[verb]();
    },
  };
}

function supervise(child: StartedProcess, call: GitCall): GitProcess {
  const { stdin, stdout, stderr } = child;
  let messages = '';
  let early: Ending | null = null;
  let killTimer: NodeJS.Timeout | undefined;
  let isOver = false;
  /** SIGTERM first, so that git removes its temporary files; SIGKILL two seconds later. */
  const end = (ending: Ending) => {
    if (early !== null || isOver) return;
    early = ending;
    child.kill('SIGTERM');
    killTimer = setTimeout(() => child.kill('SIGKILL'), 2_000).unref();
  };
  const onAbort = () => end({ kind: 'aborted' });
  const timer = setTimeout(() => end({ kind: 'timeout' }), call.timeoutMs);
  call.signal.addEventListener('abort', onAbort, { once: true });
  stderr.on('data', (chunk: Buffer) => {
    messages = keepTail(messages + chunk.toString('utf8'));
  });
  // Git may end before it has read all of its input: EPIPE says nothing that `ended` does not.
  stdin.on('error', () => undefined);
  const closed = child.closed
    .catch((cause) => {
      throw toNotStarted(cause);
    })
    .finally(() => {
      isOver = true;
      clearTimeout(timer);
      clearTimeout(killTimer);
      call.signal.removeEventListener('abort', onAbort);
    });
  const setReferenced = (verb: 'ref' | 'unref') => {
    child.setReferenced(verb);
    timer[verb]();
  };
  return {
    stdin,
    stdout,
    ended: closed.then((code) => ({
      ending: early ?? { kind: 'exited', code },
      stderr: cleanMessages(messages, call.secrets ?? []),
    })),
    stop: () => end({ kind: 'stopped' }),
    unref: () => setReferenced('unref'),
    ref: () => setReferenced('ref'),
  };
}

const KEPT_STDERR = 16_384;
// The folder that git clones into is an inner path of the server, and its name could be taken for a cause.
const PROGRESS =
  /^(?:remote: )?(?:Cloning into|Enumerating|Counting|Compressing|Receiving|Resolving|Writing|Unpacking|Updating|Finding|Total|Filtering)\b/;

/** The end of what git printed, from the beginning of a line: a line without its beginning cannot be recognised. */
function keepTail(text: string): string {
  return text.length > KEPT_STDERR ? text.slice(-KEPT_STDERR).replace(/^[^\r\n]*[\r\n]/, '') : text;
}

/** Stands where a credential was. */
const HIDDEN = '[redacted]';

/** At most 2,000 characters, without progress, secrets, and credentials between `//` and `@`. */
function cleanMessages(text: string, secrets: readonly string[]): string {
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '' && !PROGRESS.test(line));
  const known = secrets.filter((secret) => secret !== '');
  const without = known.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), lines.join('\n'));
  return without.replaceAll(/\/\/[^/@\s'"]+@/g, `//${HIDDEN}@`).slice(-2_000);
}

function toNotStarted(cause?: unknown): GitFailure {
  return new GitFailure(
    'unreachable',
    'Git could not be started. Install git 2.39 or newer in an absolute folder of PATH.',
    { cause },
  );
}

/** The version, such as `2.47.1`; null where git is absent or does not start. */
export async function findGitVersion(environment: GitEnvironment, signal: AbortSignal): Promise<string | null> {
  const git = createGit({ environment, certificates: () => '', lifetime: signal });
  try {
    const { stdout } = await git.run({
      args: ['--version'],
      folder: tmpdir(),
      timeoutMs: 5_000,
      maxBytes: 1_000,
      signal,
    });
    return /git version (\d+(?:\.\d+)*)/.exec(stdout.toString('utf8'))?.[1] ?? null;
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

/** The program's path in the absolute folders of PATH: `.` and empty entries would mean the working folder. */
function findExecutable(name: string, from: GitEnvironment): string | null {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  const candidates = toAbsolutePath(from)
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, file));
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function toAbsolutePath(from: GitEnvironment): string {
  const entries = (from['PATH'] ?? from['Path'] ?? '').split(delimiter);
  return entries.filter((entry) => isAbsolute(entry)).join(delimiter);
}

// Git for Windows maps this name to its own null device, so it works everywhere.
const NOTHING = '/dev/null';

const INHERITED = [
  ...['TMPDIR', 'TEMP', 'TMP', 'SYSTEMROOT', 'SystemRoot', 'COMSPEC', 'PATHEXT', 'WINDIR'],
  ...['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'NO_PROXY', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR'],
];

const FIXED: Readonly<Record<string, string>> = {
  // curl would read ~/.netrc, git ~/.config/git/attributes.
  HOME: NOTHING,
  // English messages; expressions see characters, not bytes.
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_GLOBAL: NOTHING,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_OPTIONAL_LOCKS: '0',
  // A partial clone would fetch missing objects over any transport that its configuration names (CVE-2024-32004).
  GIT_NO_LAZY_FETCH: '1',
  GIT_PROTOCOL_FROM_USER: '0',
};

const HARDENING: readonly ConfigEntry[] = [
  ['core.hooksPath', NOTHING],
  ['core.fsmonitor', 'false'],
  ['core.attributesFile', NOTHING],
  ['core.excludesFile', NOTHING],
  ['core.useReplaceRefs', 'false'],
  ['core.quotePath', 'false'],
  ['core.askPass', ''],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['fetch.unpackLimit', '1'],
  ['fetch.writeCommitGraph', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['transfer.bundleURI', 'false'],
  ['color.ui', 'false'],
  ['log.showSignature', 'false'],
  ['i18n.logOutputEncoding', 'UTF-8'],
  // A server that sends less than 1 kB/s for a minute has stalled.
  ['http.lowSpeedLimit', '1000'],
  ['http.lowSpeedTime', '60'],
  // Reading a repository of another user is safe here: nothing that its configuration could name is ever started.
  ['safe.directory', '*'],
];

/** The complete environment of one git process: chosen variables of `from`, our fixed ones, and the configuration. */
function createEnvironment(from: GitEnvironment, call: GitCall, certificates: string): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => (from[name] ? [[name, from[name]] as const] : []));
  const allowed = (call.protocols ?? []).map((protocol): ConfigEntry => [`protocol.${protocol}.allow`, 'always']);
  const config = [...HARDENING, ...allowed, ...(call.config ?? [])];
  return {
    ...FIXED,
    PATH: toAbsolutePath(from),
    ...Object.fromEntries(inherited),
    ...(certificates === '' ? {} : { GIT_SSL_CAINFO: certificates }),
    GIT_CONFIG_COUNT: String(config.length),
    ...Object.fromEntries(
      config.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
    ...(call.gitDir === undefined ? {} : { GIT_DIR: call.gitDir }),
    ...call.variables,
  };
}

/**
 * Writes a bundle in `folder` with NODE_EXTRA_CA_CERTS added to the usual authorities and returns its path; "" without
 * such a file. Git replaces its bundle rather than extending it, so the extra file without the others would shut out
 * every public host.
 */
export function createCertificates(folder: string, extraFile: string | undefined): () => string {
  let written = '';
  return () => {
    if (!extraFile || written !== '') return written;
    const bundle = [...getCACertificates('bundled'), ...getCACertificates('system'), readExtra(extraFile)];
    written = join(folder, 'certificates.pem');
    writeFileSync(written, bundle.join('\n'));
    return written;
  };
}

function readExtra(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new GitFailure(
      'unreachable',
      `No repository can be fetched: NODE_EXTRA_CA_CERTS names ${file}, which cannot be read. Correct or unset it.`,
      { cause },
    );
  }
}
