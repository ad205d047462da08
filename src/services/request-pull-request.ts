// Asks for the pull request of an Issue: the publisher opens it, from the stored change.
import type { Account } from '../core/account.ts';
import { createId } from '../core/ids.ts';
import type { Issue } from '../core/issue.ts';
import { isGithubProject, type Project } from '../core/project.ts';
import type { InvestigationSettings } from '../core/settings.ts';
import type { Person } from '../core/thread.ts';
import type { FixOfIssue, Store } from '../db/store.ts';

/** What a project's own configuration says, below the operator's ceiling. */
export interface ProjectSettings {
  readonly investigation: InvestigationSettings;
  /** Why no pull request is opened there, with the repair; "" where they are. */
  readonly noPullRequests: string;
}

export interface RequestPullRequestDeps {
  readonly store: Store;
  /** Throws `github_failed` where it cannot be read just now. */
  readonly settingsOf: (project: Project, signal: AbortSignal) => Promise<ProjectSettings>;
  readonly now: () => Date;
}

export type RequestedPullRequest =
  | { readonly kind: 'requested' }
  /** Never two for one subject: the one that is open is brought up to date. */
  | { readonly kind: 'open'; readonly url: string }
  /** `reason`: for a person, with the repair. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Gone, or nobody on GitHub would stand behind it. */
  | { readonly kind: 'absent' };

const LOCAL = "This project isn't on GitHub, so no pull request can be opened. Apply the patch yourself.";
const NOTHING = 'The issue holds no change that could be published: its "diff" is empty.';

/** The caller has made sure that the person has write. */
export async function requestPullRequest(
  deps: RequestPullRequestDeps,
  { issue, project, account }: { readonly issue: Issue; readonly project: Project; readonly account: Account },
  signal: AbortSignal,
): Promise<RequestedPullRequest> {
  const refusal = await whyNotOpened(deps, { issue, project }, signal);
  if (refusal !== '') return { kind: 'refused', reason: refusal };
  const by = personOf(account);
  if (by === null) return { kind: 'absent' };
  const request = { by, threadId: createId('thr'), now: deps.now().toISOString() };
  const asked = await deps.store.requestFixOfIssue(issue.id, request);
  return asked === null ? { kind: 'absent' } : whatCame(asked);
}

/** Why none can be asked for, in words; "" where it can. */
export async function whyNotOpened(
  { settingsOf }: Pick<RequestPullRequestDeps, 'settingsOf'>,
  { issue, project }: { readonly issue: Issue; readonly project: Project },
  signal: AbortSignal,
): Promise<string> {
  if (!isGithubProject(project)) return LOCAL;
  // What was opened once may be open still, whatever the configuration says by now.
  if (issue.analysis.links.pullRequest !== null) return '';
  if (issue.diff.files.length === 0) return NOTHING;
  const never = issue.analysis.guards.find(({ rule }) => rule.startsWith('never/'));
  if (never !== undefined)
    return `This change is not published: ${never.file === '' ? '' : `${never.file}: `}${never.reason}.`;
  return (await settingsOf(project, signal)).noPullRequests;
}

function whatCame(asked: FixOfIssue): RequestedPullRequest {
  switch (asked.kind) {
    case 'requested': {
      const { pullRequest } = asked.thread.record;
      return pullRequest?.state === 'open' ? { kind: 'open', url: pullRequest.url } : { kind: 'requested' };
    }
    case 'withheld':
      return { kind: 'refused', reason: `No pull request was opened: ${asked.reason}` };
    case 'superseded':
      return { kind: 'refused', reason: supersededText(asked) };
  }
}

function supersededText({ issueId, investigationId }: Extract<FixOfIssue, { kind: 'superseded' }>): string {
  if (issueId !== null) return `A newer analysis took the place of this one: ask for the pull request of ${issueId}.`;
  return `A newer analysis took the place of this one: ask for that of its issue, once the investigation ${investigationId} has one.`;
}

/** Null where the account is nobody on GitHub. */
function personOf({ githubId, login }: Account): Person | null {
  return githubId === null ? null : { id: githubId, login };
}
