// Requests the pull request of an Issue; the publisher opens it from the stored change.

import type { Account } from '../core/account/index.ts';
import { createId } from '../core/ids.ts';
import type { Issue } from '../core/issue/index.ts';
import { type InvestigationSettings, isGithubProject, type Project } from '../core/project/index.ts';
import { describeWithheld } from '../core/thread/index.ts';
import type { FixOfIssue, Store } from '../db/index.ts';

/** What a project's own configuration says, within the operator's limits. */
export interface ProjectSettings {
  readonly investigation: InvestigationSettings;
  /** Why no pull request is opened there, with the repair; "" where they are. */
  readonly noPullRequests: string;
  /** Runs of CI in 24 hours that proofs and reverts may cause on request. */
  readonly ciRunsDay: number;
  /** The confidence from which a fix is opened unasked, where the configuration fixes it. */
  readonly threshold: number | null;
}

export interface RequestPullRequestDeps {
  readonly store: Store;
  /** Throws `github_failed` where it cannot be read at the moment. */
  readonly settingsOf: (project: Project, signal: AbortSignal) => Promise<ProjectSettings>;
  readonly now: () => Date;
}

export type RequestedPullRequest =
  | { readonly kind: 'requested' }
  /** One subject has one pull request, and the one that is open is updated. */
  | { readonly kind: 'open'; readonly url: string }
  /** `reason`: for a person, with the repair. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The Issue is gone, or the account is not a person on GitHub. */
  | { readonly kind: 'absent' };

const LOCAL = "This project isn't on GitHub, so no pull request can be opened. Apply the patch yourself.";
const NOTHING = 'The issue contains no change to publish: its "diff" is empty.';
/** The caller has checked that the person has write access. */
export async function requestPullRequest(
  deps: RequestPullRequestDeps,
  { issue, project, account }: { readonly issue: Issue; readonly project: Project; readonly account: Account },
  signal: AbortSignal,
): Promise<RequestedPullRequest> {
  const refusal = await findObstacle(deps, { issue, project }, signal);
  if (refusal !== '') return { kind: 'refused', reason: refusal };
  const { githubId: id, login } = account;
  if (id === null) return { kind: 'absent' };
  const request = { by: { id, login }, threadId: createId('thr'), now: deps.now().toISOString() };
  const result = await deps.store.requestFixOfIssue(issue.id, request);
  switch (result?.kind) {
    case undefined:
      return { kind: 'absent' };
    case 'requested': {
      const { pullRequest } = result.thread.record;
      return pullRequest?.state === 'open' ? { kind: 'open', url: pullRequest.url } : { kind: 'requested' };
    }
    case 'withheld':
      return { kind: 'refused', reason: `No pull request was opened: ${describeWithheld(result.reason)}` };
    case 'merged':
      return { kind: 'refused', reason: describeMerged(result.number) };
    case 'superseded':
      return { kind: 'refused', reason: await describeSuperseded(deps.store, result) };
  }
}

function describeMerged(number: number): string {
  return `The pull request #${number} of this answer was merged, so there is nothing left to open.`;
}

async function describeSuperseded(
  store: Store,
  { investigationId, issueId, merged }: Extract<FixOfIssue, { readonly kind: 'superseded' }>,
): Promise<string> {
  const shown = issueId === null ? null : await store.findIssue(issueId);
  if (shown !== null && shown.diff.files.length > 0) {
    return `Another answer is shown instead of this one: request the pull request of ${shown.id}.`;
  }
  if (merged !== null) return describeMerged(merged);
  if (shown !== null) return `Another answer is shown instead of this one: ${shown.id}, which changes no code.`;
  return `A newer analysis has no result yet: request its pull request once investigation ${investigationId} has one.`;
}

/** Why none can be requested, as a sentence; "" where it can. */
export async function findObstacle(
  { settingsOf }: Pick<RequestPullRequestDeps, 'settingsOf'>,
  { issue, project }: { readonly issue: Issue; readonly project: Project },
  signal: AbortSignal,
): Promise<string> {
  if (!isGithubProject(project)) return LOCAL;
  // An open one is shown even if the configuration forbids new ones by now.
  if (issue.analysis.links.pullRequest !== null) return '';
  if (issue.diff.files.length === 0) return NOTHING;
  const never = issue.analysis.guards.find(({ rule }) => rule.startsWith('never/'));
  if (never !== undefined) {
    return `This change is not published: ${never.file === '' ? '' : `${never.file}: `}${never.reason}.`;
  }
  return (await settingsOf(project, signal)).noPullRequests;
}
