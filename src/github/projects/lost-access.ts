// What ends when a project is no longer ours to read: its open investigations, and what was kept of its source.

import type { Source } from '../../core/source.ts';
import type { InstallationStore } from '../../db/store.ts';
import type { Log } from '../../log.ts';
import { type CancelDeps, cancelInvestigation } from '../../services/end-early.ts';

export interface LostAccessDeps extends CancelDeps {
  readonly store: CancelDeps['store'] & Pick<InstallationStore, 'openInvestigations' | 'hiddenProjects'>;
  readonly source: Pick<Source, 'forget'>;
  readonly log: Log;
}

const LOST = { code: 'access_lost' } as const;

/** May be done twice. What fails is said in the log and done again by `endHidden`. */
export async function endAccess(deps: LostAccessDeps, projectId: string): Promise<void> {
  try {
    for (const id of await deps.store.openInvestigations(projectId)) await cancelInvestigation(deps, id, LOST);
    await deps.source.forget(projectId);
  } catch (error) {
    deps.log.warn(
      { err: error, project: projectId },
      'what was kept of a lost project is not all gone; tried again later',
    );
  }
}

/** Does it for every hidden project: the process may have ended between hiding one and ending its access. */
export async function endHidden(deps: LostAccessDeps, signal: AbortSignal): Promise<void> {
  for (const projectId of await deps.store.hiddenProjects()) {
    signal.throwIfAborted();
    await endAccess(deps, projectId);
  }
}
