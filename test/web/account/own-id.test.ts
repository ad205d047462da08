// Identifiers in the addresses of an account's pages: what else stands there never reaches the store.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/core/ids.ts';
import { isOwnId } from '../../../src/web/account/own-id.ts';

describe('an identifier of what an account owns', () => {
  it.each(['tok', 'ses', 'evt'] as const)('is one that was made with the prefix %s', (prefix) => {
    expect(isOwnId(newId(prefix))).toBe(true);
  });

  it.each(['', 'tok_', 'iss_1', 'tok_1\0', 'tok_1\n', ' tok_1', 'tok_é', `evt_${'1'.repeat(33)}`])(
    'is not %j',
    (text) => {
      expect(isOwnId(text)).toBe(false);
    },
  );
});
