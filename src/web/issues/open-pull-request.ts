// The button that asks for the pull request of an issue; it is opened from the stored change.
import type { Handler } from 'hono';
import { inertText } from '../../core/inert-text.ts';
import { isAtLeast } from '../../core/role.ts';
import { requestPullRequest } from '../../services/request-pull-request.ts';
import { readForm } from '../read-form.ts';
import { refuseAbsentPage, WebRefusal } from '../refusal.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { seenIssue } from './seen-issue.ts';

/** POST /issues/{issueId}/pull-request */
export function postPullRequest(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    await readForm(c);
    const { issue, project, role } = await seenIssue(c, deps);
    if (!isAtLeast(role, 'write')) {
      throw new WebRefusal(403, 'Opening a pull request needs write access to the repository. Nothing was changed.');
    }
    const { account, signal } = c.get('asking');
    const requested = await requestPullRequest(deps, { issue, project, account }, signal);
    switch (requested.kind) {
      case 'requested':
      case 'open':
        return c.redirect(`/issues/${issue.id}?done=${requested.kind}`, 303);
      case 'refused':
        throw new WebRefusal(409, inertText(requested.reason, 1_000));
      case 'absent':
        return refuseAbsentPage();
    }
  };
}
