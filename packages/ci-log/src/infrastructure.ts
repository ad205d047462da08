// What machines and services say when they fail: a table, and whether such a failure is what ended a step.
import type { Cause } from './find-cause.ts';
import type { LogLine } from './log-lines.ts';

interface InfrastructurePattern {
  /** In words: what failed. */
  readonly what: string;
  /**
   * Who says so, which decides where it counts: `runner`: the CI itself. `machine`: the system under every program.
   * `fetcher`: a tool that fetches, on a line that only it writes. `any`: any program, so only where a step does
   * nothing but fetch, or where every frame of its stack is a dependency's.
   */
  readonly said: 'runner' | 'machine' | 'fetcher' | 'any';
  readonly pattern: RegExp;
  /** What the same line must match as well: who writes it. */
  readonly by?: RegExp;
}

/** Of a connection or an answer that is not the asker's fault. */
const NETWORK =
  /ECONNRESET|ECONNREFUSED|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ESOCKETTIMEDOUT|ERR_SOCKET_TIMEOUT|socket hang up|Connection (?:reset|refused|timed out|closed)|connection (?:reset|refused|timed out)|[Nn]etwork is unreachable|Temporary failure in name resolution|Could(?: not|n.t) resolve host: (?!https?\b)|no such host|i\/o timeout|TLS handshake timeout|context deadline exceeded|[Rr]ead timed out|[Oo]peration timed out|[Uu]nexpected EOF|stream error|Too Many Requests|toomanyrequests|Service Unavailable|Bad Gateway|Gateway Time-?out|Internal Server Error|(?:status|code|error|HTTP|HTTP\/[\d.]{1,3}|returned|response|ERR!|:)[ :=]{1,3}(?:code )?(?:429|500|502|503|504)\b/;

function matchFetcher(what: string, by: RegExp): InfrastructurePattern {
  return { what, said: 'fetcher', pattern: NETWORK, by };
}

const INFRASTRUCTURE_PATTERNS: readonly InfrastructurePattern[] = [
  {
    what: 'the runner was shut down or lost',
    said: 'runner',
    pattern:
      /runner has received a shutdown signal|lost communication with the server|The (?:hosted )?runner (?:encountered an error|has lost)|self-hosted runner.{0,60}(?:lost|offline)|OrderlyShutdown|hudson\.remoting\.(?:ChannelClosed|RequestAbortedException)|Agent went offline|agent was removed|slave went offline|^ERROR: Job failed \(system failure\)/i,
  },
  {
    what: 'no machine for the job came up',
    said: 'runner',
    pattern:
      /pod failed to come online|Failed to (?:initialize container|start container|create pod)|is unhealthy with phase status|No runner matching|Runner provisioning failed|^prepare environment: |Cannot connect to the Docker daemon/i,
  },
  {
    what: "GitHub's own service failed",
    said: 'runner',
    pattern:
      /Failed to download (?:archive|action) 'https:\/\/|GitHub Actions has encountered an internal error|We were unable to (?:acquire|start)|Our services aren't available right now|Failed to (?:FinalizeArtifact|CreateArtifact|GetCacheEntry).{0,200}(?:5\d\d|ETIMEDOUT|non-retryable)/i,
  },
  {
    what: 'the disk of the machine was full',
    said: 'machine',
    pattern:
      /no space left on device|\bENOSPC\b(?!: System limit)|There is not enough space on the disk|disk quota exceeded/i,
  },
  {
    what: 'the machine ran out of memory',
    said: 'machine',
    pattern:
      /\bOOMKilled\b|out of memory: Kill|oom-kill|Cannot allocate memory|signal: killed\b|exit(?:ed)? (?:with )?(?:code|status) ?137\b|Gradle build daemon disappeared|insufficient memory for the Java Runtime|CUDA out of memory|heap out of memory/i,
  },
  // Rate limits come first: the tools below report them as a failed answer.
  {
    what: 'the registry of container images limits how often it is asked',
    said: 'fetcher',
    pattern: /toomanyrequests: |You have reached your (?:unauthenticated )?pull rate limit/,
  },
  {
    what: 'GitHub limits how often it is asked',
    said: 'fetcher',
    pattern: /API rate limit exceeded for (?:user ID|installation|[\d.]{7,})/,
  },
  {
    what: 'the job got no credentials for its cloud',
    said: 'fetcher',
    pattern:
      /Credentials could not be loaded, please check your action inputs|Could not load credentials from any providers/,
  },
  matchFetcher('the source could not be fetched', /fatal: |RPC failed|error: fetching/),
  {
    what: 'the source could not be fetched',
    said: 'fetcher',
    pattern: /fatal: (?:the remote end hung up unexpectedly|early EOF)|error: RPC failed/,
  },
  matchFetcher(
    'a package registry did not answer',
    /^\s{0,4}(?:npm (?:ERR!|error)|error An unexpected error|ERR_PNPM_|➤ YN|yarn )/,
  ),
  matchFetcher(
    'a package registry did not answer',
    /\bpip\b|urllib3|HTTPSConnectionPool\(host='(?:files\.)?py|ERROR: (?:Could not|HTTP)|error: (?:Failed to (?:fetch|download)|Error while fetching|Request failed)/,
  ),
  matchFetcher(
    'a package repository did not answer',
    /Could not (?:transfer|resolve|GET|HEAD|download)|Failed to (?:transfer|collect|download|read artifact)|Received status code/,
  ),
  matchFetcher('a package mirror did not answer', /^(?:E: |Err:|W: Failed)|Failed to fetch|APKINDEX|fetch https?:/),
  matchFetcher(
    'a package registry did not answer',
    /^go: |proxy\.golang\.org|proxy-golang-org|crates\.io|spurious network error|Gem::|rubygems\.org|Bundler::|NU1301|packagist|curl error|^curl: \(/,
  ),
  matchFetcher(
    'the registry of container images did not answer',
    /Error response from daemon|failed to (?:copy|do request|solve|pull|resolve)|^#\d+ ERROR|error pulling image|httpReadSeeker/,
  ),
  {
    what: 'a download failed',
    said: 'fetcher',
    pattern:
      /^curl: \((?:5|7|18|28|35|52|56|92)\) |^wget: (?:unable to resolve|bad address)|: Error while fetching remote/,
  },
  { what: 'a service that the set-up needs did not answer', said: 'any', pattern: NETWORK },
];

/** A failure of the machine or a service, not of the code: what it is in words, and the line that says so. */
export interface InfrastructureFault {
  readonly what: string;
  readonly line: string;
}

const REFUSED = /refused|ECONNREFUSED|[Ff]ailed (?:to )?connect|[Cc]ould(?: not|n.t) connect/;
/** The machine of the job itself; a resolver of names that listens there is the machine's. */
const LOOPBACK =
  /(?<![\w.])127\.\d{1,3}\.\d{1,3}\.\d{1,3}(?!\w|:53\b)|\blocalhost\b|(?<![\w:])::1(?!\w)|(?<![\w.])0\.0\.0\.0(?!\w)/;
const RESOLVER = /\blookup \S{1,300} on /;

interface FoundFault extends InfrastructureFault {
  /** Index of the line. */
  readonly at: number;
}

const MAX_FAULT_LINE = 300;

/** Lines between a fault and the end that it brought about. */
const NEAR = 80;

/**
 * The fault that ended the step; null: none did. A test that failed, or a line that does not compile, is the code's
 * own.
 */
export function findFault(lines: readonly LogLine[], cause: Cause): FoundFault | null {
  const end = cause.step?.to ?? lines.length;
  const isFetching = cause.step?.phase === 'setup' || isOfDependencies(lines, cause);
  const faults = cause.errorLines.flatMap(({ at }) => {
    const line = lines[at];
    const sign = line ? matchInfrastructure(line, { isFetching, beforeEnd: end - at }) : undefined;
    return line && sign ? [{ at, sign, text: line.text }] : [];
  });
  const first = faults[0];
  if (!first || isCodesOwn(cause, new Set(faults.map(({ at }) => at)))) return null;
  return { what: first.sign.what, line: first.text.trim().slice(0, MAX_FAULT_LINE), at: first.at };
}

interface Where {
  readonly isFetching: boolean;
  /** Lines to the end of the step. */
  readonly beforeEnd: number;
}

function matchInfrastructure(line: LogLine, where: Where): InfrastructurePattern | undefined {
  const { text } = line;
  return INFRASTRUCTURE_PATTERNS.find(
    (sign) => sign.pattern.test(text) && sign.by?.test(text) !== false && isBelieved(sign, line, where),
  );
}

const FRAME = /^\s*(?:at |File ")/;
const DEPENDENCY = /[\\/](?:node_modules|site-packages|dist-packages|gems|vendor)[\\/]/;
const RUNTIME = /\bnode:|[\\/]lib[\\/]python\d|<frozen /;

/** Whether a program stopped that is not the project's own: no test failed, and no frame is in the project's files. */
function isOfDependencies(lines: readonly LogLine[], { step, tests }: Cause): boolean {
  if (step === null || tests.length > 0) return false;
  const frames = lines
    .slice(step.from, step.to)
    .filter(({ text }) => FRAME.test(text) && /[\\/]/.test(text) && !RUNTIME.test(text));
  return frames.length > 0 && frames.every(({ text }) => DEPENDENCY.test(text));
}

function isBelieved(
  { said }: InfrastructurePattern,
  { text, mark }: LogLine,
  { isFetching, beforeEnd }: Where,
): boolean {
  if (said === 'runner') return mark === 'error' || beforeEnd <= NEAR;
  if (said === 'machine') return true;
  if (isOwnService(text)) return false;
  return beforeEnd <= NEAR && (said === 'fetcher' || isFetching);
}

/** What refuses a connection on the machine of the job is a service of the project, which is not up. */
function isOwnService(text: string): boolean {
  return REFUSED.test(text) && LOOPBACK.test(text) && !RESOLVER.test(text);
}

/** Whether a tool found fault with the code as well. */
function isCodesOwn(cause: Cause, faults: ReadonlySet<number>): boolean {
  return cause.errorLines.some(({ kind, at, isHeading }) => kind === 'verdict' && !isHeading && !faults.has(at));
}
