// What git printed when it failed, as errors: what to do about it, and whether the mirror is damaged.
import { createNoSpace, GitFailure, type GitFailureCode } from './git-failure.ts';
import type { Ending } from './process.ts';

interface FailureCause {
  /** Absent: `unreachable`. */
  readonly code?: GitFailureCode;
  readonly pattern: RegExp;
  readonly repair: string;
}

/** What begins with "remote:" is the other side's disk. */
const DISK_FULL = /^(?!remote:).*(?:no space left|disk quota exceeded)/im;

const CAUSES: readonly FailureCause[] = [
  {
    code: 'refused',
    pattern:
      /authentication failed|could not read (?:username|password)|terminal prompts disabled|returned error: 40[13]/i,
    repair: 'Access was refused: give credentials that may read this repository.',
  },
  {
    code: 'not_found',
    pattern: /repository .{0,2000}not found|returned error: 404/i,
    repair: 'It does not exist there, or the credentials may not see it: check the address and the access.',
  },
  {
    pattern: /unable to update url base from redirection|returned error: 30\d|redirect/i,
    repair:
      'It has moved: use its new address. With credentials no redirect is followed, so that they reach no other host.',
  },
  {
    pattern: /could not resolve (?:host|proxy)/i,
    repair: 'The name does not resolve: check the address, DNS and HTTPS_PROXY.',
  },
  {
    pattern: /certificate|ssl|tls/i,
    repair: 'The certificate was not accepted: if it is from your own authority, name its file in NODE_EXTRA_CA_CERTS.',
  },
  {
    pattern:
      /failed to connect|connection (?:refused|reset|timed out)|couldn't connect|empty reply|returned error: 5\d\d/i,
    repair: 'The server did not answer: check that it is up and can be reached from here, then try again.',
  },
  {
    code: 'refused',
    pattern: /permission denied|access denied/i,
    repair: 'The files may not be read: give the user of this service read access.',
  },
  {
    pattern:
      /pack-objects died|missing (?:blob|tree|object|necessary objects)|did not send all necessary|unable to read [0-9a-f]{40}/i,
    repair: 'Objects are missing or damaged in it: "git fsck" there says which, a new clone repairs it.',
  },
  {
    code: 'not_found',
    pattern: /not a git repository|does not appear to be a git repository/i,
    repair: 'There is no git repository: check the path or address.',
  },
];

/** `what` names the repository without any credential, such as `The repository of acme/shop (https://…)`. */
export function toUnreachable(what: string, ending: Ending, stderr: string): GitFailure {
  const fail = (code: GitFailureCode, repair: string) =>
    new GitFailure(code, `${what} could not be read. ${repair}`, { what });
  if (ending.kind === 'timeout') {
    return fail('timeout', 'Git took too long and was stopped: check the connection, or fetch a smaller repository.');
  }
  // First, since git often adds a cause that is none, such as a broken transfer.
  if (DISK_FULL.test(stderr))
    return createNoSpace(what, Object.assign(new Error(findMessage(stderr)), { code: 'ENOSPC' }));
  const known = CAUSES.find(({ pattern }) => pattern.test(stderr));
  const repair = known?.repair ?? 'Check that git can fetch it from this machine.';
  const message = findMessage(stderr);
  return fail(known?.code ?? 'unreachable', message === '' ? repair : `${repair} Git said: ${message}`);
}

/** The most informative line, ≤ 300 characters. */
function findMessage(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((each) => /^(?:fatal|error):/.test(each)) ?? lines.at(-1) ?? '';
  return line.trim().slice(0, 300);
}

const DAMAGE =
  /missing|corrupt|unable to (?:read|find|parse|unpack|stream)|could not (?:read|parse|get)|bad (?:object|tree)|inflate|not a (?:valid object|tree object)|failed to (?:read|unpack|traverse)|invalid object/i;

/** An object is missing or damaged; see `withRenewal`. */
export class DamagedObjects extends Error {
  override readonly name: string = 'DamagedObjects';
}

/** Git has no such object, or several by that prefix: an ordinary answer unless a ref names it. */
export class MissingObject extends DamagedObjects {
  override readonly name = 'MissingObject';
}

export function isDamage(stderr: string): boolean {
  return DAMAGE.test(stderr);
}

/** The error for a git process that failed: damage where it says so, else a fault of our own. */
export function toError(what: string, stderr: string): Error {
  return isDamage(stderr) ? new DamagedObjects(stderr) : new GitFailure('internal', `${what} ${stderr}`);
}

/** A mirror that can be made again from its source. */
export interface Renewable {
  /** Replaces the mirror with a new copy, once. */
  renew(signal: AbortSignal): Promise<void>;
}

/**
 * Does `work`; where objects turn out to be missing or damaged, does it again over a new mirror.
 * Throws `absent` where they are missing in the source too.
 */
export async function withRenewal<T>(mirror: Renewable, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DamagedObjects)) throw error;
  }
  await mirror.renew(signal);
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DamagedObjects)) throw error;
    throw new GitFailure(
      'absent',
      'This object is missing or damaged in the repository itself. A partial clone lacks some contents: fetch them there with git. Otherwise "git fsck" there says more, and a new clone repairs it.',
      { cause: error },
    );
  }
}
