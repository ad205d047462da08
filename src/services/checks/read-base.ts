// The same checks on the base of a pull request: their colour, and what failed there.
import type { Excerpt, FailedBefore, ReadCheck } from 'causeway-ci-log';
import { type CheckEvidence, hasMoreErrors } from '../../ci/index.ts';
import {
  ALL_OUTPUT,
  type Check,
  ChecksSpent,
  createResultBudget,
  type Finding,
  type HeadPlace,
  toCheckKey,
} from '../../core/check/index.ts';
import { isFromOutside, OUTSIDE_OUTPUT, readCheckTexts } from './check-texts.ts';
import type { Look } from './look.ts';
import type { SuspectCheck } from './sort-checks.ts';

export interface BaseChecks {
  /** With the cause of that fingerprint. `greenAt`: since when it is green there; "" where it is not. */
  readonly compare: (
    check: Check,
    here: Pick<ReadCheck, 'fingerprint' | 'excerpt'>,
  ) => CheckEvidence['base'] & { readonly greenAt: string };
  /** What failed there of the same check; null: nothing is known of that. */
  readonly findFailed: (check: Check) => FailedBefore | null;
}

interface BaseCause {
  readonly app: string | undefined;
  readonly name: string;
  readonly fingerprint: string;
  readonly failed: FailedBefore;
  readonly excerpt: Excerpt;
}

const UNKNOWN: BaseChecks = {
  compare: () => ({ name: '', state: 'unknown', sameCause: null, greenAt: '' }),
  findFailed: () => null,
};

/** Read once, when it is asked for first. Only a pull request has a base. `suspects`: what it is compared with. */
export function createBaseReader(
  look: Look,
  place: HeadPlace,
  suspects: readonly SuspectCheck[],
): () => Promise<BaseChecks> {
  let base: Promise<BaseChecks> | null = null;
  return () => {
    base ??= place.kind === 'pull_request' ? readBaseChecks(look, place, suspects) : Promise.resolve(UNKNOWN);
    return base;
  };
}

type PullPlace = Extract<HeadPlace, { readonly kind: 'pull_request' }>;

async function readBaseChecks(look: Look, place: PullPlace, suspects: readonly SuspectCheck[]): Promise<BaseChecks> {
  const { services, project, signal } = look;
  const { sha } = place.base;
  const named = await services.checks.listAll(project, sha, signal).catch((error: unknown) => {
    // Then the base is not known.
    if (error instanceof ChecksSpent) return [];
    throw error;
  });
  const latestOf = new Map(named.map(({ latest }) => [toCheckKey(latest), latest]));
  const causes: BaseCause[] = [];
  const isRed = named.some(({ latest }) => latest.state === 'red');
  // The causes are known where the base was judged as a commit of its own.
  const findings = isRed ? ((await services.store.findHeadOfCommit(project.id, sha))?.findings ?? []) : [];
  for (const finding of findings) {
    const fingerprint = (await services.store.findFailure(finding.failureId))?.fingerprint;
    if (fingerprint === undefined) continue;
    const failed = toFailed(finding);
    for (const { app, name } of finding.checks.filter((one) => one.isRed))
      causes.push({ app, name, fingerprint, failed, excerpt: finding.excerpt });
  }
  const findCauses = (check: Check) => {
    const isRedThere = latestOf.get(toCheckKey(check))?.state === 'red';
    return causes.filter(({ app = check.app, name }) => isRedThere && name === check.name && app === check.app);
  };
  const unjudged = suspects.flatMap(({ check, isRed }) => {
    const there = latestOf.get(toCheckKey(check));
    return isRed && there?.state === 'red' && findCauses(check).length === 0 ? [there] : [];
  });
  causes.push(...(await readUnjudged(look, place, unjudged)));
  return {
    compare: (check, { fingerprint, excerpt }) => {
      const { state = 'waiting', endedAt = '' } = latestOf.get(toCheckKey(check)) ?? {};
      const known = findCauses(check);
      return {
        name: check.name,
        state: state === 'waiting' ? 'unknown' : state,
        sameCause: known.length === 0 ? null : known.some((cause) => cause.fingerprint === fingerprint),
        tests: known.flatMap(({ failed }) => failed.tests),
        hasFewerErrors:
          known.length > 0 &&
          hasMoreErrors(
            excerpt,
            known.map((cause) => cause.excerpt),
          ),
        greenAt: state === 'green' ? endedAt : '',
      };
    },
    findFailed: (check) => {
      const known = findCauses(check).map(({ failed }) => failed);
      const tests = known.flatMap((failed) => failed.tests);
      return tests.length === 0 ? null : { tests, paths: known.flatMap(({ paths }) => paths) };
    },
  };
}

const MOST_UNJUDGED = 10;

/**
 * What failed on a base that was never judged, such as before the App was installed: red for something else, it excuses
 * nothing. Checks that say nothing have no cause.
 */
async function readUnjudged(look: Look, place: PullPlace, red: readonly Check[]): Promise<readonly BaseCause[]> {
  const limits = { ...(isFromOutside(place) ? OUTSIDE_OUTPUT : ALL_OUTPUT), resultBudget: createResultBudget() };
  const causes: BaseCause[] = [];
  try {
    for (const check of red.slice(0, MOST_UNJUDGED)) {
      const { output, words } = await readCheckTexts(look, check, limits);
      const { name, app } = check;
      const read = await look.services.readCheck({ name, output, ...words });
      look.signal.throwIfAborted();
      const { fingerprint, isInformative, infrastructure, excerpt, places } = read;
      if (!isInformative && infrastructure === null) continue;
      const failed = { tests: excerpt.tests, paths: places.map(({ path }) => path) };
      causes.push({ app, name, fingerprint, failed, excerpt });
    }
  } catch (error) {
    if (!(error instanceof ChecksSpent)) throw error;
  }
  return causes;
}

/** Its own base may have been red already. */
function toFailed({ excerpt, reasons, places }: Finding): FailedBefore {
  const before = reasons.flatMap((reason) => (reason.code === 'red_on_base' ? (reason.tests ?? []) : []));
  return { tests: [...excerpt.tests, ...before], paths: places.map(({ path }) => path) };
}
