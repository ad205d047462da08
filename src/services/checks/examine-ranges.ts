// What is found out about the commits that broke the default branch: how likely each is, and how to bisect them.

import { type CommitRange, type Finding, type HeadPlace, mayNameCommits } from '../../core/check/index.ts';
import { createSourceReader, type SourceReader } from '../read-source.ts';
import { compareWithFailure } from './compare-with-failure.ts';
import { findLoneTest } from './find-lone-test.ts';
import type { Look } from './look.ts';
import type { Recorded } from './sightings.ts';

/** The first fetch of a large repository may take longer; the range does without it until the next look. */
const EXAMINE_MS = 60_000;

/** Once for each range; a finding of an earlier opening keeps what it has. */
export async function examineRanges(
  look: Look,
  place: HeadPlace,
  recorded: readonly Recorded[],
): Promise<readonly Recorded[]> {
  const { services, project, signal } = look;
  const readSource = createSourceReader(services, project, { ms: EXAMINE_MS, signal });
  const examined: Recorded[] = [];
  for (const one of recorded) {
    const { failure, finding } = one;
    const { range } = failure;
    const isOpen = finding.opening === failure.opening && place.kind === 'default';
    const isWanted = isOpen && range !== null && range.total > 1 && range.ranks === undefined;
    const found =
      isWanted && mayNameCommits(finding.verdict) ? await examineRange(readSource, { range, finding }) : null;
    const saved =
      found === null || range === null
        ? null
        : await services.store.examineRange(failure.id, {
            from: range.from,
            to: range.to,
            ...(await services.redactor.redactJson(found)),
          });
    examined.push(
      saved === null ? one : { ...one, failure: { ...failure, range: saved }, finding: { ...finding, range: saved } },
    );
  }
  return examined;
}

type ExaminedFacts = Pick<CommitRange, 'ranks' | 'likeliest' | 'test'>;

interface RangeOf {
  readonly range: CommitRange;
  readonly finding: Finding;
}

/** Null: the source could not be read in time. */
async function examineRange(readSource: SourceReader, { range, finding }: RangeOf): Promise<ExaminedFacts | null> {
  return await readSource(async (repository, until) => {
    const isThere = await repository.ensureCommit(range.to, until);
    if (!isThere || !(await repository.ensureCommit(range.from, until))) return null;
    const { ranks, likeliest, touched } = await compareWithFailure(repository, range, finding, until);
    const trees = { red: repository.tree(range.to), green: repository.tree(range.from) };
    const { firstTest = null } = finding;
    const test = firstTest === null ? null : await findLoneTest(firstTest, trees, touched, until);
    return { ranks, test, ...(likeliest !== null && { likeliest }) };
  }, null);
}
