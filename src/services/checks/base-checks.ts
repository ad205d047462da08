// What the checks say of the base of a pull request, and of what cause, as far as that was judged there.

import type { CheckEvidence } from '../../ci/judge.ts';
import { type Check, checkKey } from '../../core/check.ts';
import type { HeadPlace } from '../../core/head.ts';
import type { CheckId } from '../../db/store.ts';
import type { Look } from './deps.ts';

/** Of one check, by the fingerprint of its cause. `greenAt`: since when it is green there; "" where it is not. */
export type BaseOf = (check: CheckId, fingerprint: string) => CheckEvidence['base'] & { readonly greenAt: string };

/** A push has no base but what stood there before, which the ledger knows. Throws what `Checks.of` throws. */
export async function readBase(look: Look, place: HeadPlace): Promise<BaseOf> {
  if (place.kind !== 'pull_request') return () => ({ name: '', state: 'unknown', sameCause: null, greenAt: '' });
  const { sha } = place.base;
  const named = await look.deps.checks.of(look.project, sha, look.signal);
  const checks = new Map<string, Check>(named.map(({ latest }) => [checkKey(latest), latest]));
  const isRed = named.some(({ latest }) => latest.state === 'red');
  const causes = isRed ? await causesOf(look, sha) : [];
  return (check, fingerprint) => {
    const { state = 'waiting', endedAt = '' } = checks.get(checkKey(check)) ?? {};
    const known = state === 'red' ? causes.filter((cause) => isOf(cause, check)) : [];
    return {
      name: check.name,
      state: state === 'waiting' ? 'unknown' : state,
      sameCause: known.length === 0 ? null : known.some((cause) => cause.fingerprint === fingerprint),
      greenAt: state === 'green' ? endedAt : '',
    };
  };
}

interface Cause {
  readonly name: string;
  readonly app?: string | undefined;
  readonly fingerprint: string;
}

function isOf(cause: Cause, { app, name }: CheckId): boolean {
  return cause.name === name && (cause.app ?? app) === app;
}

/** Of red checks, where the base was judged as a head of its own. */
async function causesOf({ deps, project }: Look, sha: string): Promise<readonly Cause[]> {
  const causes: Cause[] = [];
  for (const { failureId, checks } of (await deps.store.headOf(project.id, sha))?.findings ?? []) {
    const failure = await deps.store.failure(failureId);
    if (failure === null) continue;
    const { fingerprint } = failure;
    causes.push(...checks.filter(({ isRed }) => isRed).map(({ app, name }) => ({ app, name, fingerprint })));
  }
  return causes;
}
