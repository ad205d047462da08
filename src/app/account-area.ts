// Where people open the account area, for links on GitHub that lead there.
import type { AppCredentials } from '../config.ts';

/** "" where its address is not known, or where nobody could sign in there: no link is better than one that ends at a closed door. */
export function accountAreaUrl(
  { clientId, clientSecret }: Pick<AppCredentials, 'clientId' | 'clientSecret'>,
  publicUrl: string,
): string {
  return clientId === '' || clientSecret === '' ? '' : publicUrl;
}
