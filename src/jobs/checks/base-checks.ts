// What the checks say of the base of a pull request, and of what cause, as far as that was judged there.
import type { Check, NamedCheck } from '../../domain/check.ts';
import type { HeadPlace } from '../../domain/head.ts';
import type { CheckEvidence } from '../../triage/ci/evidence.ts';
import type { Look } from './deps.ts';

/** Of one check, by its name and the fingerprint of its cause. `greenAt`: since when it is green there; "" where it is not. */
export type BaseOf = (checkName: string, fingerprint: string) => CheckEvidence['base'] & { readonly greenAt: string };

/** A push has no base but what stood there before, which the ledger knows. Throws what `Checks.of` throws. */
export async function readBase(look: Look, place: HeadPlace): Promise<BaseOf> {
  if (place.kind !== 'pull_request') return () => ({ name: '', state: 'unknown', sameCause: null, greenAt: '' });
  const { sha } = place.base;
  const checks = checksByName(await look.deps.checks.of(look.project, sha, look.signal));
  const isRed = [...checks.values()].some(({ state }) => state === 'red');
  const causes = isRed ? await causesByName(look, sha) : new Map<string, string[]>();
  return (name, fingerprint) => {
    const { state = 'waiting', endedAt = '' } = checks.get(name) ?? {};
    const known = state === 'red' ? causes.get(name) : undefined;
    return {
      name,
      state: state === 'waiting' ? 'unknown' : state,
      sameCause: known?.includes(fingerprint) ?? null,
      greenAt: state === 'green' ? endedAt : '',
    };
  };
}

function checksByName(checks: readonly NamedCheck[]): ReadonlyMap<string, Check> {
  const named = new Map<string, Check>();
  for (const { latest } of checks) {
    // Of two Apps' checks of one name the red one counts.
    if (named.get(latest.name)?.state !== 'red') named.set(latest.name, latest);
  }
  return named;
}

/** Fingerprints, where the base was judged as a head of its own. */
async function causesByName({ deps, project }: Look, sha: string): Promise<ReadonlyMap<string, string[]>> {
  const causes = new Map<string, string[]>();
  for (const { failureId, checks } of (await deps.store.headOf(project.id, sha))?.findings ?? []) {
    const failure = await deps.store.failure(failureId);
    if (failure === null) continue;
    for (const { name, isRed } of checks) {
      if (isRed) causes.set(name, [...(causes.get(name) ?? []), failure.fingerprint]);
    }
  }
  return causes;
}
