// Opaque identifiers: a prefix that names the kind, and 119 random bits.
import { randomBytes } from 'node:crypto';

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
  | 'sub';

/** `length` uniform base62 characters (bytes ≥ 248 are discarded to avoid modulo bias). */
export function createBase62(length: number): string {
  let out = '';
  while (out.length < length) {
    for (const byte of randomBytes(length - out.length)) if (byte < 248) out += ALPHABET[byte % 62];
  }
  return out;
}

/** A new identifier such as `iss_3kTMd…`: 20 base62 characters = 119 random bits. */
export function createId<P extends IdPrefix>(prefix: P): `${P}_${string}` {
  return `${prefix}_${createBase62(20)}`;
}
