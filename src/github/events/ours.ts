// Whether we did it ourselves: our own doings never start anything, so that we cannot talk to ourselves.
import type { AppIdentity } from '../clients/github-clients.ts';
import type { GithubUser } from './payloads.ts';

interface Doing {
  readonly sender?: GithubUser;
  readonly user?: GithubUser;
  readonly performed_via_github_app?: { readonly id: number } | null | undefined;
}

/** True where our bot did it, wrote it, or somebody did it through our App. */
export function isOurs(identity: Pick<AppIdentity, 'appId' | 'botId'>, ...doings: readonly Doing[]): boolean {
  return doings.some(
    ({ sender, user, performed_via_github_app: app }) =>
      sender?.id === identity.botId || user?.id === identity.botId || app?.id === identity.appId,
  );
}
