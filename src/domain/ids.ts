// Opaque identifiers: a prefix that says what it names, and 119 random bits.
import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export type IdPrefix =
  | 'iss'
  | 'prj'
  | 'inv'
  | 'tok'
  | 'evt'
  | 'acc'
  | 'run'
  | 'job'
  | 'req'
  | 'thr'
  | 'hed'
  | 'fal'
  | 'ses';

/** `length` base62 characters, each uniform (bytes ≥ 248 are thrown away, so there is no modulo bias). */
export function randomBase62(length: number): string {
  let out = '';
  while (out.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < 248 && out.length < length) out += ALPHABET[byte % 62];
    }
  }
  return out;
}

/** A new identifier such as `iss_3kTMd…`: 20 base62 characters = 119 random bits. */
export function newId<P extends IdPrefix>(prefix: P): `${P}_${string}` {
  return `${prefix}_${randomBase62(20)}`;
}
