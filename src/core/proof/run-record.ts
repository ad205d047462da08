// What GitHub has on record of a run of Actions, whatever became of its branch: whether it is the one that a red half started. Pure.

export interface RunRecord {
  readonly repositoryId: number;
  /** Where the commit was pushed to; null: that is gone. */
  readonly headRepositoryId: number | null;
  /** Login of who started its first attempt; "": a deleted user. Those who run it again don't change it, nor what it runs. */
  readonly actor: string;
  readonly event: string;
  readonly sha: string;
  /** Of the workflow's file. */
  readonly path: string;
}

export type RunFault = 'elsewhere' | 'of_fork' | 'other_commit' | 'other_actor' | 'other_event';

export interface WantedRun extends Pick<RunRecord, 'repositoryId' | 'sha'> {
  /** Login of the bot that made the branch and the draft which must have started it; null: anybody may have, by any event. */
  readonly bot: string | null;
}

const OF_DRAFT = new Set(['push', 'pull_request']);

/** Empty: it is as it should be. */
export function listRunFaults(
  { repositoryId, headRepositoryId, actor, event, sha }: RunRecord,
  wanted: WantedRun,
): readonly RunFault[] {
  const { bot } = wanted;
  return [
    ...(repositoryId === wanted.repositoryId ? [] : ['elsewhere' as const]),
    ...(headRepositoryId === wanted.repositoryId ? [] : ['of_fork' as const]),
    ...(sha === wanted.sha ? [] : ['other_commit' as const]),
    ...(bot === null || actor.toLowerCase() === bot.toLowerCase() ? [] : ['other_actor' as const]),
    ...(bot === null || OF_DRAFT.has(event) ? [] : ['other_event' as const]),
  ];
}

interface RunBody {
  readonly repository: { readonly id: number };
  readonly head_repository: { readonly id: number } | null;
  readonly actor?: { readonly login: string } | null;
  readonly event: string;
  readonly head_sha: string;
  readonly path: string;
}

/** As GitHub's API has it. */
export function toRunRecord({
  repository,
  head_repository: from,
  actor,
  event,
  head_sha: sha,
  path,
}: RunBody): RunRecord {
  return {
    repositoryId: repository.id,
    headRepositoryId: from?.id ?? null,
    actor: actor?.login ?? '',
    ...{ event, sha, path: toWorkflowPath(path) },
  };
}

/** GitHub appends the branch of a workflow that is required from elsewhere. */
export function toWorkflowPath(path: string): string {
  return path.split('@')[0] ?? path;
}
