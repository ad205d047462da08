// Tells the Apps that are installed on a repository what happened there, in the payload that GitHub would send.
import { appOf, covers, owner } from '../lookup.ts';
import { nodeId } from '../resources/node-id.ts';
import { plainRepository } from '../resources/repository.ts';
import { organization, simpleUserOf } from '../resources/user.ts';
import type { Installation, Repository, State } from '../state.ts';

export interface Announcement {
  readonly event: string;
  /** Comes first in the payload; null for events without one (`push`, `status`). */
  readonly action: string | null;
  /** What belongs to the event; repository, organization, sender and installation are added. */
  readonly parts: object;
  readonly senderId: number | null;
  /** Only this App is told; default: all. */
  readonly onlyAppId?: number;
}

/** Every installation that covers the repository and is not suspended; the sink knows who subscribed. */
export function announce(state: State, repository: Repository, what: Announcement): void {
  for (const installation of state.installations.values()) {
    if (!covers(installation, repository) || installation.suspendedAt !== null) continue;
    if (what.onlyAppId !== undefined && installation.appId !== what.onlyAppId) continue;
    tell(state, repository, installation, what);
  }
}

/** One installation, whether or not it subscribed or still covers the repository. */
function tell(state: State, repository: Repository, installation: Installation, what: Announcement): void {
  const holder = owner(state, repository);
  const payload = {
    ...(what.action === null ? {} : { action: what.action }),
    ...what.parts,
    repository: plainRepository(state, repository),
    ...(holder.type === 'Organization' ? { organization: organization(state, holder) } : {}),
    sender: simpleUserOf(state, what.senderId) ?? simpleUserOf(state, appOf(state, installation).botId),
    installation: installationRef(installation),
  };
  state.sink.emit(what.event, payload, installation.id);
}

function installationRef(installation: Installation): { id: number; node_id: string } {
  return { id: installation.id, node_id: nodeId('MDI', installation.id) };
}
