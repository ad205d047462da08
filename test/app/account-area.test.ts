// Links from GitHub to the account area: only where somebody could sign in there.
import { expect, it } from 'vitest';
import { accountAreaUrl } from '../../src/app/account-area.ts';

const ADDRESS = 'https://causeway.example';

it.each([
  ['both', { clientId: 'Iv1.x', clientSecret: 'y' }, ADDRESS],
  ['no id', { clientId: '', clientSecret: 'y' }, ''],
  ['no secret', { clientId: 'Iv1.x', clientSecret: '' }, ''],
])('with %s of what signing in needs', (_what, credentials, expected) => {
  expect(accountAreaUrl(credentials, ADDRESS)).toBe(expected);
});
