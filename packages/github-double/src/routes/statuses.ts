// Routes of commit statuses.
import { fullName } from '../lookup.ts';
import { latestStatuses, simpleStatus, statusBody } from '../resources/check.ts';
import { minimalRepository } from '../resources/repository.ts';
import { type Answer, ofRepository, paged, type RepositoryCall, type Route } from '../route.ts';
import { ofCommit } from './checks.ts';

const STATUSES = [{ statuses: 'read' }] as const;

export const statusRoutes: readonly Route[] = [
  ofRepository('GET /commits/{commit_sha}/status', STATUSES, ofCommit(combined)),
  ofRepository(
    'GET /commits/{commit_sha}/statuses',
    STATUSES,
    ofCommit((call, sha) => {
      const all = call.repository.statuses.filter((one) => one.sha === sha).reverse();
      return paged(call, all, (page) => page.map((one) => statusBody(call.state, call.repository, one)));
    }),
  ),
];

function combined(call: RepositoryCall, sha: string): Answer {
  const { state, repository } = call;
  const latest = latestStatuses(repository, sha);
  const has = (...wanted: readonly string[]) => latest.some((one) => wanted.includes(one.state));
  const worst = has('failure', 'error') ? 'failure' : 'pending';
  const api = `${state.urls.api}/repos/${fullName(state, repository)}/commits/${sha}`;
  return paged(call, latest, (page) => ({
    state: latest.length > 0 && !has('failure', 'error', 'pending') ? 'success' : worst,
    statuses: page.map((one) => simpleStatus(state, repository, one)),
    sha,
    total_count: latest.length,
    repository: minimalRepository(state, repository),
    commit_url: api,
    url: `${api}/status`,
  }));
}
