// Loads all that is known of a thread: from the store, and its repository's configuration.
import type { Failure } from '../../core/failure.ts';
import type { Investigation } from '../../core/investigation.ts';
import type { Conclusion, Issue } from '../../core/issue.ts';
import { type Installation, isGithubProject } from '../../core/project.ts';

import type { Thread, ThreadRecord } from '../../core/thread.ts';
import { noteOnTrail } from '../../log.ts';
import type { GatheredFacts } from '../../services/run-records.ts';
import type { RepositoryConfig } from '../configuration/repository-config.ts';
import type { LivePull, PublishDeps, Result, View } from './deps.ts';
import { ledThread, loadHead, redOnDefault } from './load-head.ts';
import { resultOf } from './results.ts';

/** What a job knows by itself: the record as it has it (null: as it is stored), and the pull request, where it has looked. */
interface Known {
  readonly record: ThreadRecord | null;
  readonly pull: LivePull | null;
}

/** Null where there is nothing (any more) to publish: an erased investigation, a hidden project. */
export async function loadView(
  deps: PublishDeps,
  threadId: string,
  { record, pull }: Known,
  signal: AbortSignal,
): Promise<View | null> {
  const { store } = deps;
  const stored = await store.thread(threadId);
  if (stored === null) return null;
  const current = record ?? stored.record;
  const checks = await loadHead(deps, stored, current);
  const thread = ledThread(stored, checks);
  const project = await store.project(thread.projectId);
  const investigation = await store.investigation(thread.investigationId);
  if (project === null || !isGithubProject(project) || investigation === null) return null;
  noteOnTrail({ investigation: investigation.id, run: investigation.runId });
  const { config } = await deps.configuration.of(project, signal);
  const result = await resultOf(deps, investigation);
  return {
    thread,
    storedInvestigationId: stored.investigationId,
    record: current,
    project,
    config,
    ...rightsOf(await store.installation(project.source.installationId), {
      opens: config.mode !== 'comment' && deps.ceiling !== 'comment',
    }),
    investigation,
    result,
    facts: await factsOf(deps, investigation),
    waitsFor: deps.waitsFor(investigation.runId),
    earlier: await earlierOf(deps, current, thread.investigationId),
    published: await publishedBy(deps, current),
    ...{ checks, pull, failure: await failureOf(deps, thread), redNames: await redOnDefault(deps, thread) },
    webUrl: deps.webUrl,
    recordUrl: result === null ? '' : deps.recordUrl(result.issue),
    now: deps.now(),
  };
}

async function failureOf({ store }: PublishDeps, { subject }: Thread): Promise<Failure | null> {
  return subject.kind === 'failure' ? await store.failure(subject.failureId) : null;
}

/** An installation that is not known is asked all the same: GitHub says what is wrong. */
export function rightsOf(
  installation: Installation | null,
  { opens }: Pick<View, 'opens'>,
): Pick<View, 'opens' | 'lacks' | 'seesChecks'> {
  if (installation === null) return { opens, lacks: [], seesChecks: false };
  const granted = new Map(Object.entries(installation.permissions));
  const lacks = ['contents', 'pull_requests'].filter((name) => (granted.get(name) ?? 'read') === 'read');
  return { opens: opens && lacks.length === 0, lacks, seesChecks: granted.has('checks') && granted.has('statuses') };
}

/** Whether nothing may leave: what would have is noted down instead. */
export function isObserved({ ceiling }: Pick<PublishDeps, 'ceiling'>, config: RepositoryConfig): boolean {
  return ceiling === 'observe' || config.mode === 'observe';
}

/** A run records its facts before it asks a model. */
async function factsOf({ store }: PublishDeps, { outcome, runId }: Investigation): Promise<Conclusion | null> {
  if (outcome.state !== 'running' && outcome.state !== 'queued') return null;
  const [first] = await store.transcript(runId);
  const facts: GatheredFacts | null = first === undefined ? null : JSON.parse(first);
  return facts?.conclusion ?? null;
}

async function earlierOf(deps: PublishDeps, { comment }: ThreadRecord, current: string): Promise<Result | null> {
  if (comment === null || comment.investigationId === current) return null;
  const investigation = await deps.store.investigation(comment.investigationId);
  return investigation === null ? null : await resultOf(deps, investigation);
}

async function publishedBy({ store }: PublishDeps, { pullRequest }: ThreadRecord): Promise<Issue | null> {
  return pullRequest === null ? null : await store.issue(pullRequest.issueId);
}
