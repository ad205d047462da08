// Objects that a mirror ought to have and has not: the mirror is made anew once, then the words say whose fault it is.
import { join } from 'node:path';
import { CausewayError } from '../core/errors.ts';
import { isPartialClone } from './object-seed.ts';
import type { RepositoryAccess } from './repository.ts';

const SIGN =
  /missing|corrupt|unable to (?:read|find|parse|unpack|stream)|could not (?:read|parse|get)|bad (?:object|tree)|inflate|not a (?:valid object|tree object)|failed to (?:read|unpack|traverse)|invalid object/i;

/** An object is missing or damaged. Never leaves this room. */
export class DamagedObjects extends Error {
  override readonly name: string = 'DamagedObjects';
}

/** Git has no such object, or several by that prefix: an ordinary answer where nobody said that it must be there. Never leaves this room. */
export class MissingObject extends DamagedObjects {
  override readonly name = 'MissingObject';
}

/** Whether git spoke of objects that it could not read. */
export function tellsOfDamage(stderr: string): boolean {
  return SIGN.test(stderr);
}

/** The error for a git process that failed: damage where it says so, else a fault of our own. */
export function failed(what: string, stderr: string): Error {
  return tellsOfDamage(stderr) ? new DamagedObjects(stderr) : new CausewayError('internal', `${what} ${stderr}`);
}

/**
 * Does `work`, and where objects turn out to be missing or damaged once more over a mirror made anew.
 * Throws `absent` where they are missing still, or where the source is a partial clone that never had them.
 */
export async function withRenewal<T>(
  access: RepositoryAccess,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DamagedObjects)) throw error;
  }
  if (!(await renewed(access, signal))) throw lacking();
  try {
    return await work();
  } catch (error) {
    throw error instanceof DamagedObjects ? stillDamaged(error) : error;
  }
}

/** Has the mirror made anew, unless that cannot help: false for a partial clone. */
export async function renewed(access: RepositoryAccess, signal: AbortSignal): Promise<boolean> {
  if (await isPartialClone(join(access.mirror.gitDir, 'objects'))) return false;
  await access.renew(signal);
  return true;
}

function lacking(): CausewayError {
  return new CausewayError(
    'absent',
    'The content of this file is not there: the repository is a partial clone. Fetch the file in it with git, then try again.',
  );
}

function stillDamaged(cause: DamagedObjects): CausewayError {
  return new CausewayError(
    'absent',
    'What was asked for is missing or damaged in the repository itself: a new copy of it lacks it too. "git fsck" there says more; a new clone repairs it.',
    { cause },
  );
}
