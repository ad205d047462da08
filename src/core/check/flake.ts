// A flaky failure as maintainers work on it: how often, since when, whose it is, and how its test can be skipped.
import type { Failure } from './failure.ts';
import type { Finding } from './head.ts';

export interface Flake {
  /** Red checks with this failure, and how many of them passed on the same commit. */
  readonly of: number;
  readonly hits: number;
  /** ISO 8601. */
  readonly since: string;
  /** The first failed test, as its runner names it; "" if unknown. */
  readonly test: string;
  /** Path of the test; "" if unknown. */
  readonly file: string;
  /** Of the file; empty: none, or unknown. */
  readonly owners: readonly string[];
  /** Null: it is not flaky enough, or no way to skip it is known. */
  readonly quarantine: Quarantine | null;
}

/**
 * How to skip a test for some time. `expired`: the failure was not seen for so long that it is fixed, or its test was
 * skipped and has to be looked at again.
 */
export interface Quarantine {
  readonly state: 'proposed' | 'expired';
  /** The last day, such as `2026-12-24`. */
  readonly until: string;
  /** What to write, and where; both "" once it has expired. */
  readonly code: string;
  readonly where: string;
}

const DAY_MS = 24 * 60 * 60_000;
const QUARANTINE_DAYS = 30;
/** As for the verdict `flaky`: fewer may be mere chance. */
const LEAST_HITS = 2;

/** `last`: what was found when it was last seen. `address`: its page. Null: it never passed on the same commit. */
export function describeFlake(
  { hits: of, flakyHits: hits, firstSeen, lastSeen }: Failure,
  last: Pick<Finding, 'excerpt' | 'testFile'> | undefined,
  { address, now }: { readonly address: string; readonly now: Date },
): Flake | null {
  if (hits === 0) return null;
  const [test = ''] = last?.excerpt.tests ?? [];
  const { path: file = '', owners = [] } = last?.testFile ?? {};
  const isKnown = hits >= LEAST_HITS && hits * 2 > of;
  const until = new Date(Date.parse(lastSeen.at) + QUARANTINE_DAYS * DAY_MS);
  const day = until.toISOString().slice(0, 10);
  const skip = isKnown ? findSkip(file, test, `flaky until ${day}: ${address}`) : null;
  const isExpired = now >= until;
  const proposed = { state: 'proposed', until: day, ...(skip ?? { code: '', where: '' }) } as const;
  const expired = { state: 'expired', until: day, code: '', where: '' } as const;
  return {
    of,
    hits,
    since: firstSeen.at,
    test,
    file,
    owners,
    quarantine: skip === null ? null : isExpired ? expired : proposed,
  };
}

type Skip = Pick<Quarantine, 'code' | 'where'>;

/** By the ending of the test's file. */
const SKIPS: readonly { readonly file: RegExp; readonly write: (reason: string, test: string) => Skip }[] = [
  {
    file: /\.py$/,
    write: (reason, test) => ({
      // pytest names the file, unittest does not.
      code: test.includes('::') ? `@pytest.mark.skip(reason="${reason}")` : `@unittest.skip("${reason}")`,
      where: 'above the test',
    }),
  },
  {
    file: /\.[cm]?[jt]sx?$/,
    write: (reason) => ({ code: `// ${reason}\nit.skip(`, where: 'instead of `it(`; `test.skip(` instead of `test(`' }),
  },
  { file: /_test\.go$/, write: (reason) => ({ code: `t.Skip("${reason}")`, where: 'as the first line of the test' }) },
  { file: /\.rs$/, write: (reason) => ({ code: `#[ignore = "${reason}"]`, where: 'above the test' }) },
  { file: /\.(?:java|kt)$/, write: (reason) => ({ code: `@Disabled("${reason}")`, where: 'above the test' }) },
  { file: /\.rb$/, write: (reason) => ({ code: `skip "${reason}"`, where: 'as the first line of the test' }) },
  {
    file: /\.php$/,
    write: (reason) => ({ code: `$this->markTestSkipped('${reason}');`, where: 'as the first line of the test' }),
  },
];

function findSkip(file: string, test: string, reason: string): Skip | null {
  if (test === '') return null;
  return SKIPS.find((skip) => skip.file.test(file))?.write(reason, test) ?? null;
}
