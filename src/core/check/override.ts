// Overrides: what people with write said of a failure of their pull request, which counts before what was judged.
import { toCheckKey } from './check.ts';
import type { Finding } from './head.ts';
import type { Override } from './verdict.ts';

export interface FailureOverride extends Override {
  readonly failureId: string;
  /** The checks that were red with it then, by `toCheckKey`. */
  readonly checkKeys: readonly string[];
}

/**
 * The findings of a head of that pull request with what was said of their failures. What was said of another failure of
 * the same check doesn't hold for this one, and that is said, until this one has an override of its own.
 */
export function addOverrides<T extends Finding>(
  findings: readonly T[],
  overrides: readonly FailureOverride[],
): readonly T[] {
  const isHere = ({ failureId }: FailureOverride) => findings.some((finding) => finding.failureId === failureId);
  const gone = overrides.filter((one) => !isHere(one)).toSorted((one, other) => (one.at < other.at ? 1 : -1));
  return findings.map(({ override: _, lapsed: __, ...finding }) => {
    const own = overrides.find(({ failureId }) => failureId === finding.failureId);
    const keys = listRedKeys(finding);
    const earlier = own === undefined && gone.find(({ checkKeys }) => checkKeys.some((key) => keys.includes(key)));
    return {
      ...finding,
      ...(own && { override: toOverride(own) }),
      ...(earlier && { lapsed: toOverride(earlier) }),
    } as T;
  });
}

export function listRedKeys({ checks }: Pick<Finding, 'checks'>): readonly string[] {
  return checks.filter(({ isRed }) => isRed).map(({ app = '', name }) => toCheckKey({ app, name }));
}

function toOverride({ whose, reason, by, at }: FailureOverride): Override {
  return { whose, reason, by, at };
}

/** Whether one of its checks is red now. */
export function isFailing({ checks }: Pick<Finding, 'checks'>): boolean {
  return checks.some(({ isRed }) => isRed);
}

/** What may end otherwise at the same commit, as judged, or as a person with write said. */
export function isRepeatable({ verdict, override }: Pick<Finding, 'verdict' | 'override'>): boolean {
  if (override?.whose === 'mine' || verdict === 'base_broken') return false;
  return verdict !== 'code' || override?.whose === 'not_mine';
}
