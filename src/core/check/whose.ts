// Whose a red check of a pull request is: the first thing that people ask, before the reason.
import { formatCounted } from '../counted.ts';
import { toCheckKey } from './check.ts';
import type { Failure } from './failure.ts';
import type { Finding } from './head.ts';

/**
 * `likely_this_change`: it passes on the base, and nothing shows how the change gets to what fails; or the base is unknown,
 * and the failing test uses the change.
 */
export type Whose = 'this_change' | 'likely_this_change' | 'not_this_change' | 'unknown';

type JudgedFinding = Pick<
  Finding,
  'known' | 'verdict' | 'reasons' | 'isTouched' | 'base' | 'sharedFrom' | 'override' | 'leaning'
>;

/** What a person with write said comes first. `failure`: null where it was deleted. Of a default branch there is no change to answer for. */
export function judgeWhose(finding: JudgedFinding, failure: Pick<Failure, 'flakyHits'> | null): Whose {
  const { override } = finding;
  if (override !== undefined) return override.whose === 'mine' ? 'this_change' : 'not_this_change';
  // People tied it to an issue, and the change touches nothing of it.
  if (finding.known?.code === 'known') return 'not_this_change';
  return judgeUnanswered(finding, failure);
}

/** What the checks say, where no person said anything. */
function judgeUnanswered(
  { verdict, reasons, isTouched = false, base, sharedFrom = null, leaning }: JudgedFinding,
  failure: Pick<Failure, 'flakyHits'> | null,
): Whose {
  switch (verdict) {
    case 'base_broken':
      return isMoreThanOnBase(reasons) ? 'unknown' : 'not_this_change';
    case 'infrastructure':
      return 'not_this_change';
    case 'flaky':
      // A test that the change brings may be what fails by chance.
      return isTouched && !reasons.some(({ code }) => code === 'seen_before') ? 'unknown' : 'not_this_change';
    case 'inconclusive':
      if (reasons.some(({ code }) => code === 'only_documentation')) return 'not_this_change';
      return leaning === undefined || sharedFrom !== null ? 'unknown' : 'likely_this_change';
    case 'code':
      if (isTouched) return 'this_change';
      // What failed elsewhere too and passed there on a re-run, or has one cause with another pull request.
      if (sharedFrom !== null || (failure !== null && failure.flakyHits > 0)) return 'unknown';
      return base === 'green' || isNewBesideBase(reasons) ? 'likely_this_change' : 'unknown';
  }
}

/** The same tests fail on the base, and the change may have broken more in them. */
export function isMoreThanOnBase(reasons: JudgedFinding['reasons']): boolean {
  return reasons.some((reason) => reason.code === 'red_on_base' && reason.isMore === true);
}

/** Some of the failed tests failed on the base already: so the others ran there, and passed or are new. */
function isNewBesideBase(reasons: JudgedFinding['reasons']): boolean {
  const hasOwn = reasons.some(({ code }) => code === 'test_failed');
  const hasShared = reasons.some((reason) => reason.code === 'red_on_base' && reason.cause === 'other' && reason.tests);
  return hasOwn && hasShared;
}

/** Red checks by whose they are; a check with several causes counts for the one that is most this change's. */
export type WhoseCount = Readonly<Record<Whose, number>>;

const MOST_OWN_FIRST: readonly Whose[] = ['this_change', 'likely_this_change', 'unknown', 'not_this_change'];

export function countWhose(
  causes: readonly { readonly finding: JudgedFinding & Pick<Finding, 'checks'>; readonly failure: Failure | null }[],
): WhoseCount {
  const ofCheck = new Map<string, Whose>();
  for (const { finding, failure } of causes) {
    const whose = judgeWhose(finding, failure);
    for (const { name, app = '' } of finding.checks.filter(({ isRed }) => isRed)) {
      const key = toCheckKey({ app, name });
      const known = ofCheck.get(key) ?? whose;
      ofCheck.set(key, MOST_OWN_FIRST.indexOf(known) < MOST_OWN_FIRST.indexOf(whose) ? known : whose);
    }
  }
  const count = { this_change: 0, likely_this_change: 0, not_this_change: 0, unknown: 0 };
  for (const whose of ofCheck.values()) count[whose] += 1;
  return count;
}

/** Such as `3 checks failed, 2 because of this change, can't tell for 1`; "" where none is red. No full stop. */
export function describeWhoseCount(count: WhoseCount): string {
  const { this_change: own, likely_this_change: likely, not_this_change: foreign, unknown } = count;
  const total = own + likely + foreign + unknown;
  if (total === 0) return '';
  const failed = `${formatCounted(total, 'check')} failed`;
  if (foreign === total) return `${failed}, ${total === 1 ? 'not' : 'none'} because of this change`;
  if (unknown === total) return `${failed}, can't tell whether because of this change`;
  if (own === total) return `${failed} because of this change`;
  if (likely === total) return `${failed}, probably because of this change`;
  const parts = [
    own > 0 ? `${own} because of this change` : '',
    likely > 0 ? `${likely} probably${own > 0 ? '' : ' because of this change'}` : '',
    own + likely === 0 ? `${foreign} not because of this change` : '',
    unknown > 0 ? `can't tell for ${unknown}` : '',
  ];
  return [failed, ...parts.filter(Boolean)].join(', ');
}
