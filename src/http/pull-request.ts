// The pull request of an Issue: asked for here, opened from the stored change by the publisher.
import type { Handler } from 'hono';
import type { Account } from '../domain/account.ts';
import { newId } from '../domain/ids.ts';
import type { Issue } from '../domain/issue.ts';
import { isGithubProject, type Project } from '../domain/project.ts';
import { isAtLeast } from '../domain/role.ts';
import type { Person, Thread } from '../domain/thread.ts';
import type { FixOfIssue } from '../ports/github-store.ts';
import { askingOf, visibleIssue } from './access.ts';
import type { ApiDeps, ApiEnv } from './api-deps.ts';
import { refuse, refuseAbsent } from './problem.ts';

const LOCAL = 'This project is no repository on GitHub: apply the diff of the issue yourself.';
const NOTHING = 'The issue holds no change that could be published: its "diff" is empty.';

/** POST /api/v1/issues/{issueId}/pull-request/ */
export function openPullRequest(deps: ApiDeps): Handler<ApiEnv> {
  return async (c) => {
    const asking = askingOf(c);
    const seen = await visibleIssue(deps, asking, c.req.param('issueId') ?? '');
    if (seen === null || !isAtLeast(seen.role, 'write')) refuseAbsent();
    const { issue, project } = seen;
    await refuseUnopenable(deps, { issue, project }, asking.signal);
    const by = personOf(asking.caller.account) ?? refuseAbsent();
    const request = { by, threadId: newId('thr'), now: deps.now().toISOString() };
    const { record } = requestedThread((await deps.store.requestFixOfIssue(issue.id, request)) ?? refuseAbsent());
    deps.queue.wake();
    // Never two for one subject: the one that is open is brought up to date.
    if (record.pullRequest?.state === 'open')
      return c.json({ message: `It is open already: ${record.pullRequest.url}` });
    const where = `${deps.baseUrl()}/api/v1/issues/${issue.id}/`;
    return c.json({ message: `The pull request is being opened. Its address will stand in the issue: ${where}` }, 202);
  };
}

function requestedThread(asked: FixOfIssue): Thread {
  switch (asked.kind) {
    case 'requested':
      return asked.thread;
    case 'withheld':
      return refuse(409, `No pull request was opened: ${asked.reason}`);
    case 'superseded':
      return refuse(409, supersededText(asked));
  }
}

function supersededText({ issueId, investigationId }: Extract<FixOfIssue, { kind: 'superseded' }>): string {
  if (issueId !== null) return `A newer analysis took the place of this one: ask for the pull request of ${issueId}.`;
  return `A newer analysis took the place of this one: ask for that of its issue, once the investigation ${investigationId} has one.`;
}

/** Null where the account is nobody on GitHub, so that nobody would stand behind it. */
function personOf({ githubId, login }: Account): Person | null {
  return githubId === null ? null : { id: githubId, login };
}

async function refuseUnopenable(
  { settingsOf }: ApiDeps,
  { issue, project }: { readonly issue: Issue; readonly project: Project },
  signal: AbortSignal,
): Promise<void> {
  if (!isGithubProject(project)) refuse(409, LOCAL);
  // What was opened once may be open still, whatever the configuration says by now.
  if (issue.analysis.links.pullRequest !== null) return;
  if (issue.diff.files.length === 0) refuse(409, NOTHING);
  const never = issue.analysis.guards.find(({ rule }) => rule.startsWith('never/'));
  if (never !== undefined)
    refuse(409, `This change is not published: ${never.file === '' ? '' : `${never.file}: `}${never.reason}.`);
  const { noPullRequests } = await settingsOf(project, signal);
  if (noPullRequests !== '') refuse(409, noPullRequests);
}
