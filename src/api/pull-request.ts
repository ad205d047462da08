// The pull request of an Issue: asked for here, opened from the stored change by the publisher.
import type { Handler } from 'hono';
import { isAtLeast } from '../core/role.ts';
import { visibleIssue } from '../services/access.ts';
import { requestPullRequest } from '../services/request-pull-request.ts';
import type { ApiDeps, ApiEnv } from './api-deps.ts';
import { askingOf } from './authenticate.ts';
import { refuse, refuseAbsent } from './problem.ts';

/** POST /api/v1/issues/{issueId}/pull-request/ */
export function openPullRequest(deps: ApiDeps): Handler<ApiEnv> {
  return async (c) => {
    const asking = askingOf(c);
    const seen = await visibleIssue(deps, asking, c.req.param('issueId') ?? '');
    if (seen === null || !isAtLeast(seen.role, 'write')) refuseAbsent();
    const requested = await requestPullRequest(deps, { ...seen, account: asking.account }, asking.signal);
    switch (requested.kind) {
      case 'open':
        return c.json({ message: `It is open already: ${requested.url}` });
      case 'refused':
        return refuse(409, requested.reason);
      case 'absent':
        return refuseAbsent();
      case 'requested': {
        const where = `${deps.baseUrl()}/api/v1/issues/${seen.issue.id}/`;
        const message = `The pull request is being opened. Its address will stand in the issue: ${where}`;
        return c.json({ message }, 202);
      }
    }
  };
}
