// What a project's red checks would cost in 30 days, from those that were seen.
import type { Failure } from '../../core/failure.ts';
import type { Backfill, BackfillStore, FailureStore, Forecast } from '../../db/store.ts';

/** The seen days as 30. */
const SCALE = 30 / 14;
/** US dollars of an investigation where none was made yet. */
const NOMINAL_COST = 0.15;
const PAGE = 100;

export async function forecastOf(
  store: Pick<FailureStore, 'failures'> & Pick<BackfillStore, 'meanCost'>,
  { projectId, since, checks }: Backfill,
): Promise<Forecast> {
  const distinct = (await failuresSince(store, projectId, since)).filter(isWorthwhile).length;
  const investigations = Math.round(distinct * SCALE);
  const cost = (await store.meanCost()) ?? NOMINAL_COST;
  return {
    redChecks: Math.round(checks * SCALE),
    investigations,
    usd: Math.round(investigations * cost * 100) / 100,
  };
}

/** An investigation begins for what is new and says what is wrong, on the default branch or a pull request. */
function isWorthwhile({ headline, firstSeen, isOnDefault, pullRequests }: Failure): boolean {
  const isCode = firstSeen.verdict === 'code' || firstSeen.verdict === 'inconclusive';
  return isCode && headline !== '' && (isOnDefault || pullRequests.length > 0);
}

async function failuresSince(
  store: Pick<FailureStore, 'failures'>,
  projectId: string,
  since: string,
): Promise<readonly Failure[]> {
  const all: Failure[] = [];
  for (let after: string | undefined; ; after = all.at(-1)?.id) {
    const page = await store.failures(projectId, { limit: PAGE, ...(after === undefined ? {} : { after }) });
    all.push(...page);
    const isOld = page.some(({ lastSeen }) => lastSeen.at < since);
    if (page.length < PAGE || isOld) return all.filter(({ firstSeen }) => firstSeen.at >= since);
  }
}
