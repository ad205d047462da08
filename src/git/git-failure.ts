// From what git said to what a person can do about it.
import { CausewayError, NO_SPACE } from '../core/errors.ts';
import type { Ending } from './run-git.ts';

interface Cause {
  readonly sign: RegExp;
  readonly repair: string;
}

/** What begins with "remote:" is the other side's disk. */
const DISK_FULL = /^(?!remote:).*(?:no space left|disk quota exceeded)/im;

const CAUSES: readonly Cause[] = [
  // First, since git often adds a cause that is none, such as a broken transfer.
  { sign: DISK_FULL, repair: NO_SPACE },
  {
    sign: /authentication failed|could not read (?:username|password)|terminal prompts disabled|returned error: 40[13]/i,
    repair: 'Access was refused: give Causeway credentials that may read this repository.',
  },
  {
    sign: /repository .{0,2000}not found|returned error: 404/i,
    repair: 'It does not exist there, or the credentials may not see it: check the address and the access.',
  },
  {
    sign: /unable to update url base from redirection|returned error: 30\d|redirect/i,
    repair:
      'It has moved: use its new address. With credentials no redirect is followed, so that they reach no other host.',
  },
  {
    sign: /could not resolve (?:host|proxy)/i,
    repair: 'The name does not resolve: check the address, DNS and HTTPS_PROXY.',
  },
  {
    sign: /certificate|ssl|tls/i,
    repair: 'The certificate was not accepted: if it is from an own authority, name its file in NODE_EXTRA_CA_CERTS.',
  },
  {
    sign: /failed to connect|connection (?:refused|reset|timed out)|couldn't connect|empty reply|returned error: 5\d\d/i,
    repair: 'The server did not answer: check that it is up and can be reached from here, then send the report again.',
  },
  {
    sign: /permission denied|access denied/i,
    repair: 'The files may not be read: give the user of this service read access.',
  },
  {
    sign: /pack-objects died|missing (?:blob|tree|object|necessary objects)|did not send all necessary|unable to read [0-9a-f]{40}/i,
    repair: 'Objects are missing or damaged in it: "git fsck" there says which, a new clone repairs it.',
  },
  {
    sign: /not a git repository|does not appear to be a git repository/i,
    repair: 'There is no git repository: check the path or address.',
  },
];

/** `what` names the repository without any credential, such as `The repository of acme/shop (https://…)`. The cause says where our disk is full: see `isDiskFull`. */
export function unreachable(what: string, ending: Ending, stderr: string): CausewayError {
  const message = `${what} could not be read. ${repair(ending, stderr)}`;
  const isFull = ending.kind !== 'timeout' && DISK_FULL.test(stderr);
  const cause = isFull ? Object.assign(new Error('no space left'), { code: 'ENOSPC' }) : undefined;
  return new CausewayError('repository_unreachable', message, { cause });
}

function repair(ending: Ending, stderr: string): string {
  if (ending.kind === 'timeout') {
    return 'Git took too long and was ended: check the connection, or fetch a smaller repository.';
  }
  const known =
    CAUSES.find((cause) => cause.sign.test(stderr))?.repair ?? 'Check that git can fetch it from this machine.';
  const said = lastWords(stderr);
  return said === '' ? known : `${known} Git said: ${said}`;
}

/** The line that tells most, ≤ 300 characters. */
function lastWords(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((each) => /^(?:fatal|error):/.test(each)) ?? lines.at(-1) ?? '';
  return line.trim().slice(0, 300);
}
