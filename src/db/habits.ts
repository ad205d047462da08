// What the single sightings of a failure say of it: at how many commits it was seen, where, and how often by chance.

import type { Reader } from './schema.ts';
import type { FailureStore, Habits } from './store.ts';

type Asked = Parameters<FailureStore['habits']>[1];

/** Of a failure that is seen every hour, the newest tell enough. */
const MOST_HEADS = 1_000;

export async function habits(reader: Reader, failureId: string, { isTrustedOnly, besides }: Asked): Promise<Habits> {
  const seen = reader
    .selectFrom('sightings')
    .select(({ fn }) => [
      'sha',
      'branch',
      'pull_request',
      fn.max('is_on_default').as('is_on_default'),
      fn.max('is_flaky').as('is_flaky'),
      fn.max('seen_at').as('seen_at'),
    ])
    .where('failure_id', '=', failureId)
    .where('sha', '!=', besides.sha)
    .groupBy(['sha', 'branch', 'pull_request'])
    .orderBy('seen_at', 'desc')
    .limit(MOST_HEADS);
  const rows = await (isTrustedOnly ? seen.where('is_trusted', '=', 1) : seen).execute();
  const shas = (some: typeof rows) => new Set(some.map(({ sha }) => sha)).size;
  const flaky = rows.filter((row) => row.is_flaky === 1);
  const numbers = new Set(rows.map((row) => row.pull_request));
  const pushed = rows.filter((row) => row.pull_request === null).map(({ branch }) => branch);
  return {
    heads: shas(rows),
    flakyHeads: shas(flaky),
    flakyOnDefault: shas(flaky.filter((row) => row.is_on_default === 1)),
    pullRequests: [...numbers].filter((number) => number !== null && number !== besides.pullRequest).length,
    branches: [...new Set(pushed)].filter((branch) => branch !== '' && branch !== besides.branch).length,
    lastOnDefaultAt: rows.find((row) => row.is_on_default === 1)?.seen_at ?? '',
  };
}
