// Routes of commit statuses: set, listed, and combined.
import { addStatus } from '../deeds/check-suites.ts';
import { objectType } from '../git/read-objects.ts';
import { fullName, timestamp } from '../lookup.ts';
import { latestStatuses, simpleStatus, statusBody } from '../resources/check.ts';
import { minimalRepository } from '../resources/repository.ts';
import {
  type Answer,
  actorId,
  ofRepository,
  ok,
  paged,
  type RepositoryCall,
  type Route,
  text,
  unprocessable,
} from '../route.ts';
import type { CommitStatus } from '../state.ts';
import { ofCommit } from './checks.ts';
import { noCommit } from './commits.ts';

const STATUSES = [{ statuses: 'read' }] as const;

export const statusRoutes: readonly Route[] = [
  ofRepository('POST /statuses/{sha}', [{ statuses: 'write' }], makeStatus),
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

/** Whoever may write statuses sets one; the sha alone names the commit. */
async function makeStatus(call: RepositoryCall): Promise<Answer> {
  const { body, params, repository, state } = call;
  const sha = params['sha'] ?? '';
  if ((await objectType(repository.gitDir, sha)) !== 'commit') return noCommit(sha);
  const to = text(body['state']) as CommitStatus['state'] | undefined;
  if (to === undefined || !['error', 'failure', 'pending', 'success'].includes(to)) {
    return unprocessable({
      resource: 'Status',
      code: 'custom',
      field: 'state',
      message: 'state is not included in the list',
    });
  }
  const status = await addStatus(state, repository, {
    id: state.nextId(),
    sha,
    state: to,
    context: text(body['context']) ?? 'default',
    description: text(body['description']) ?? null,
    targetUrl: text(body['target_url']) ?? null,
    creatorId: actorId(call.caller),
    createdAt: timestamp(state),
  });
  return ok(statusBody(state, repository, status), 201);
}

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
