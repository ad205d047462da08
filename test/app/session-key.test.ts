// The key of browsers' sessions: whose it follows, and what it never is.
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { sessionKey } from '../../src/app/session-key.ts';

const KEY = Buffer.alloc(32, 7);
const SECRET = 'a session secret of more than 32 characters';

it('is 32 bytes, and the same at every start', () => {
  expect(sessionKey(null, KEY)).toHaveLength(32);
  expect(sessionKey(null, KEY)).toEqual(sessionKey(null, Buffer.from(KEY)));
  expect(sessionKey(SECRET, KEY)).toHaveLength(32);
});

it('follows the secret where there is one, whatever the encryption key', () => {
  expect(sessionKey(SECRET, KEY)).toEqual(sessionKey(SECRET, randomBytes(32)));
  expect(sessionKey(SECRET, KEY)).not.toEqual(sessionKey(`${SECRET}!`, KEY));
  expect(sessionKey(SECRET, KEY)).not.toEqual(sessionKey(null, KEY));
});

it('without one follows the encryption key, and is not that key', () => {
  expect(sessionKey(null, KEY)).not.toEqual(sessionKey(null, randomBytes(32)));
  expect(sessionKey(null, KEY)).not.toEqual(KEY);
});
