// Opaque identifiers: a prefix that names the kind, and 119 random bits.
import { createHash, randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

type IdPrefix =
  | 'iss'
  | 'prj'
  | 'inv'
  | 'tok'
  | 'evt'
  | 'acc'
  | 'run'
  | 'rpl'
  | 'evl'
  | 'job'
  | 'req'
  | 'thr'
  | 'hed'
  | 'fal'
  | 'ses'
  | 'out'
  | 'sub'
  | 'kno'
  | 'rev'
  | 'prf';

/** `length` uniform base62 characters (bytes ≥ 248 are discarded to avoid modulo bias). */
export function createBase62(length: number): string {
  let out = '';
  while (out.length < length) {
    for (const byte of randomBytes(length - out.length)) if (byte < 248) out += ALPHABET[byte % 62];
  }
  return out;
}

/** The identifier that follows from what it names: the same for the same parts, in every process. */
export function deriveId<P extends IdPrefix>(prefix: P, parts: readonly string[]): `${P}_${string}` {
  let rest = BigInt(
    `0x${createHash('sha256')
      .update(JSON.stringify([prefix, ...parts]))
      .digest('hex')}`,
  );
  let out = '';
  for (; out.length < 20; rest /= 62n) out += ALPHABET[Number(rest % 62n)];
  return `${prefix}_${out}`;
}

/** A new identifier such as `iss_3kTMd…`: 20 base62 characters = 119 random bits. */
export function createId<P extends IdPrefix>(prefix: P): `${P}_${string}` {
  return `${prefix}_${createBase62(20)}`;
}
