// Loads all that our check run on a head tells of: the head, its causes, what was found about them, and what stands.

import type { Failure } from '../../core/failure.ts';
import type { Finding, Head } from '../../core/head.ts';
import { isEnded } from '../../core/investigation.ts';
import { type GithubProject, isGithubProject } from '../../core/project.ts';
import type { Thread } from '../../core/thread.ts';
import type { FailureStore, HeadStore } from '../../db/store.ts';
import type { RepositoryConfig } from '../configuration/repository-config.ts';
import type { Inquiry } from '../render/check-run-ground.ts';
import type { PublishDeps } from './deps.ts';
import { resultOf } from './results.ts';
import { rightsOf } from './view.ts';

export interface CheckRunDeps
  extends Pick<
    PublishDeps,
    | 'clients'
    | 'configuration'
    | 'redactor'
    | 'log'
    | 'now'
    | 'ceiling'
    | 'paused'
    | 'waitsFor'
    | 'webUrl'
    | 'recordUrl'
  > {
  readonly store: Pick<HeadStore, 'head' | 'headOf' | 'saveHeadRecord'> &
    Pick<FailureStore, 'failure'> &
    Pick<PublishDeps['store'], 'project' | 'installation' | 'thread' | 'investigation' | 'issue' | 'changeSet'>;
}

/** All that is known of a head in this moment. */
export interface CheckRunView {
  readonly head: Head;
  readonly project: GithubProject;
  readonly config: RepositoryConfig;
  /** Whether pull requests are opened here, by the repository's own word, the operator's, and what the installation was granted. */
  readonly opens: boolean;
  readonly causes: readonly FoundCause[];
  readonly webUrl: string;
  readonly now: Date;
}

/** A finding with all that belongs to it. */
export interface FoundCause {
  readonly finding: Finding;
  readonly failure: Failure | null;
  readonly thread: Thread | null;
  readonly inquiry: Inquiry;
  readonly toldAt: string;
}

/** Null where there is nothing (any more) to show: no such head, a hidden project. */
export async function loadCheckRunView(
  deps: CheckRunDeps,
  headId: string,
  signal: AbortSignal,
): Promise<CheckRunView | null> {
  const { store } = deps;
  const head = await store.head(headId);
  if (head === null) return null;
  const project = await store.project(head.projectId);
  if (project === null || !isGithubProject(project)) return null;
  const { config } = await deps.configuration.of(project, signal);
  const opens = config.mode === 'fix' && deps.ceiling === 'fix';
  const rights = rightsOf(await store.installation(project.source.installationId), { opens });
  const causes: FoundCause[] = [];
  for (const finding of head.findings) causes.push(await causeOf(deps, head, finding));
  return { head, project, config, opens: rights.opens, causes, webUrl: deps.webUrl, now: deps.now() };
}

async function causeOf(deps: CheckRunDeps, head: Head, finding: Finding): Promise<FoundCause> {
  const { store } = deps;
  const failure = await store.failure(finding.failureId);
  const threadId = finding.threadId ?? failure?.threadId ?? null;
  const thread = threadId === null ? null : await store.thread(threadId);
  const inquiry = await inquiryOf(deps, finding);
  return { finding, failure, thread, inquiry, toldAt: await toldAt(deps, head, { finding, failure, thread }) };
}

async function inquiryOf(deps: CheckRunDeps, { investigationId }: Finding): Promise<Inquiry> {
  if (investigationId === null) return { kind: 'none' };
  const investigation = await deps.store.investigation(investigationId);
  if (investigation === null) return { kind: 'lost' };
  const { outcome, runId } = investigation;
  if (!isEnded(outcome)) return { kind: 'running', waitsFor: deps.waitsFor(runId) };
  if (outcome.state === 'gave_up' || outcome.state === 'cancelled') return { kind: 'ended', reason: outcome.reason };
  const result = await resultOf(deps, investigation);
  return result === null ? { kind: 'lost' } : { kind: 'concluded', ...result, recordUrl: deps.recordUrl(result.issue) };
}

/** The comment, else the pull request, else the check run where it was seen first. This head's own texts are here already. */
async function toldAt(
  { store }: CheckRunDeps,
  head: Head,
  { finding, failure, thread }: Omit<FoundCause, 'inquiry' | 'toldAt'>,
): Promise<string> {
  if (thread !== null && !finding.isOwnThread) {
    const { comment, pullRequest } = thread.record;
    const url = comment?.url || pullRequest?.url;
    if (url) return url;
  }
  if (failure === null || failure.firstSeen.sha === head.sha) return '';
  const first = await store.headOf(head.projectId, failure.firstSeen.sha);
  return first?.record.checkRun?.url ?? '';
}
