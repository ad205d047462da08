// The change of an issue as a patch, for `git apply`.
import type { Handler } from 'hono';
import type { ChangeSet } from '../../core/change-set.ts';
import { toUnifiedPatch } from '../../core/diff/unified-patch.ts';
import { CausewayError } from '../../core/errors.ts';
import { refuseAbsentPage, WebRefusal } from '../refusal.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';
import { seenIssue } from './seen-issue.ts';

/** GET /issues/{issueId}/patch */
export function getPatch(deps: WebDeps): Handler<WebEnv> {
  return async (c) => {
    const { issue } = await seenIssue(c, deps);
    const changeSet = await deps.store.changeSet(issue.id);
    const patch = changeSet === null ? '' : patchOf(changeSet);
    if (patch === '') refuseAbsentPage();
    return c.body(patch, 200, {
      'Content-Type': 'text/x-patch; charset=utf-8',
      'Content-Disposition': `attachment; filename="${issue.id}.patch"`,
    });
  };
}

function patchOf(changeSet: ChangeSet): string {
  try {
    return toUnifiedPatch(changeSet);
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code !== 'diff_refused') throw error;
    throw new WebRefusal(409, 'No patch can carry this change: its paths or contents are not what a patch may hold.');
  }
}
