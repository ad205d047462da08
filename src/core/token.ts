// The form of an access token: `cwy_` + 30 random base62 characters + 6 base62 characters of their CRC32.
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomBase62 } from './ids.ts';

const FORM = /^cwy_[0-9A-Za-z]{36}$/;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A new token; 178 random bits. The caller shows it once and keeps only `hashToken` of it. */
export function newToken(): string {
  const body = randomBase62(30);
  return `cwy_${body}${checksum(body)}`;
}

/** Whether the checksum is right: a mistyped or invented token is refused here, without a database read. */
export function isTokenForm(token: string): boolean {
  return FORM.test(token) && checksum(token.slice(4, 34)) === token.slice(34);
}

/** What is stored of a token: SHA-256 in hex. No salt or stretching: 178 random bits cannot be guessed. */
export function hashToken(token: string): string {
  return hash('sha256', token);
}

function checksum(body: string): string {
  let rest = crc32(body);
  let out = '';
  for (let i = 0; i < 6; i++) {
    out = DIGITS[rest % 62] + out;
    rest = Math.floor(rest / 62);
  }
  return out;
}
