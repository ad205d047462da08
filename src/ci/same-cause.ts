// Whether two changes have the same failure for the same reason, as far as their files say.
import type { Finding } from '../core/check/index.ts';
import { isTest } from './touches.ts';

/**
 * Whether what is found for the other change explains the failure of this one: the same test fails, and both changed a
 * file that it reaches. What only this change did to what the test is for comes first.
 */
export function sharesCause(
  { reached = [], excerpt }: Pick<Finding, 'reached' | 'excerpt'>,
  other: Pick<Finding, 'changed' | 'excerpt'>,
): boolean {
  const { tests } = excerpt;
  const isSameTest =
    tests.length === 0 ? other.excerpt.tests.length === 0 : tests.some((name) => other.excerpt.tests.includes(name));
  const isCommon = ({ path }: { readonly path: string }) => other.changed?.includes(path) === true;
  // The test fails there without this change's version of it.
  const isOwn = reached.some((file) => file.isCertain && !isTest(file.path) && !isCommon(file));
  return isSameTest && !isOwn && reached.some(isCommon);
}
