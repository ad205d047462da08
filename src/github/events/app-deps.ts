// What the event handlers work with, what each of them is, and how they have a thread published again.
import type { EmitterWebhookEvent, EmitterWebhookEventName } from '@octokit/webhooks';
import type { Checks } from '../../core/check/index.ts';
import type { GithubProject } from '../../core/project/index.ts';
import type { PutBack } from '../../core/put-back/index.ts';
import type { Memory, Thread } from '../../core/thread/index.ts';
import type { Store } from '../../db/index.ts';
import type { Log } from '../../log.ts';
import type { AcceptReportDeps, CancelDeps, KnownDeps } from '../../services/index.ts';
import type { GithubClients } from '../clients/index.ts';
import type { ConfigurationReader, Mode } from '../configuration/index.ts';
import type { ProjectSync } from '../projects/index.ts';
import { isOurBranch } from '../publish/index.ts';
import type { GatherDeps } from '../report/index.ts';

export interface CausewayAppDeps extends Omit<AcceptReportDeps, 'store'>, Omit<CancelDeps, 'store'>, GatherDeps {
  readonly store: Store;
  /** Absent: `records`. */
  readonly memory?: Memory;
  readonly clients: GithubClients;
  readonly configuration: ConfigurationReader;
  readonly projects: Pick<ProjectSync, 'installationChanged' | 'installationRemoved' | 'repositoryChanged'>;
  /** The operator's: a repository's own mode counts only below it. */
  readonly ceiling: Mode;
  readonly paused: () => boolean;
  /** Name of the model that the operator offers; null: none. */
  readonly operatorModel: string | null;
  /** Those that a repository may choose instead. */
  readonly otherModels?: readonly string[];
  /** For an account that is new. */
  readonly newSigningSecret: () => string;
  /** Ends with the job that handles the delivery. */
  readonly signalOf: (deliveryId: string) => AbortSignal;
  /** What tying known failures takes. */
  readonly checks: KnownDeps['checks'] & Pick<Checks, 'rerunJobs'>;
  readonly log: Log;
}

/** Handles one delivery of these events. */
export type EventHandler<E extends EmitterWebhookEventName> = (
  deps: CausewayAppDeps,
  delivered: Pick<EmitterWebhookEvent<E>, 'id' | 'payload'>,
  signal: AbortSignal,
) => Promise<void>;

/** Has the publisher read again what is on GitHub. Does nothing for null, so that a look-up can be passed as it is. */
export async function schedulePublish({ store, now }: CausewayAppDeps, thread: Thread | null): Promise<void> {
  if (thread !== null) await store.schedulePublish(thread.id, now().toISOString());
}

/** Has a revert looked at again; says whether there is one. */
export async function schedulePutBackOf({ store, now }: CausewayAppDeps, putBack: PutBack | null): Promise<boolean> {
  if (putBack !== null) await store.schedulePutBack(putBack.id, now().toISOString());
  return putBack !== null;
}

/** The same for the thread that made the branch, or the revert whose branch GitHub named; says whether there is one. */
export async function schedulePublishOfBranch(
  deps: CausewayAppDeps,
  project: GithubProject,
  branch: string,
): Promise<boolean> {
  if (await schedulePutBackOf(deps, await deps.store.findPutBackOfBranch(project.id, branch))) return true;
  // A fork may name its branches as we name ours: those that we made have a thread.
  if (!isOurBranch(branch)) return false;
  const thread = await deps.store.findThreadOfBranch(project.id, branch);
  await schedulePublish(deps, thread);
  return thread !== null;
}
