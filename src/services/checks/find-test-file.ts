// The file of a flaky test, and who owns it: for the people who have to look at it.

import { isSafePath } from 'causeway-paths';
import type { CheckRules, Finding } from '../../core/check/index.ts';
import { classifyFile } from '../../triage/index.ts';
import { createOwnersReader } from '../find-ownership.ts';
import { createSourceReader } from '../read-source.ts';
import type { Look } from './look.ts';
import type { Recorded } from './sightings.ts';

/** The first fetch of a large repository may take longer; the finding does without it. */
const OWNERS_MS = 20_000;

/** The findings of flaky failures with the file of their test, once it is known. */
export async function addTestFiles(
  look: Look,
  rules: CheckRules,
  recorded: readonly Recorded[],
): Promise<readonly Recorded[]> {
  const { services, project, signal } = look;
  const readSource = createSourceReader(services, project, { ms: OWNERS_MS, signal });
  const readOwners = createOwnersReader(readSource, rules.settings.scopes);
  const added: Recorded[] = [];
  for (const one of recorded) {
    const { finding, failure } = one;
    const isFlaky = finding.verdict === 'flaky' || failure.flakyHits > 0;
    const path = isFlaky && finding.testFile === undefined ? findTestFile(finding) : null;
    const owners = path === null ? [] : await readOwners(path);
    const testFile = path === null ? null : await services.redactor.redactJson({ path, owners });
    added.push(testFile === null ? one : { ...one, finding: { ...finding, testFile } });
  }
  return added;
}

/** As the test's name begins, or else the first test among the places that the log names. */
export function findTestFile({ excerpt, places }: Pick<Finding, 'excerpt' | 'places'>): string | null {
  const named = (excerpt.tests[0] ?? '').split('::')[0] ?? '';
  const paths = [named, ...places.map(({ path }) => path)];
  return paths.find((path) => isSafePath(path) && classifyFile(path) === 'test') ?? null;
}
