// The page on which the App is installed, for links on pages that must not wait long for GitHub.
import type { GithubClients } from '../clients/github-clients.ts';
import { appPage } from './made-app.ts';

/** A person waits, and the page is whole without the link. */
const PATIENCE_MS = 3_000;

/** Asks GitHub which App this is only once it is called, and keeps the answer as the clients do. "" where GitHub does not say so soon. */
export function createInstallPage(
  clients: Pick<GithubClients, 'identity'>,
  webUrl: string,
  patienceMs = PATIENCE_MS,
): (signal: AbortSignal) => Promise<string> {
  return async (signal) => {
    try {
      const { slug } = await clients.identity(AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]));
      return `${appPage(webUrl, slug)}/installations/new`;
    } catch {
      // Readiness says how GitHub answers; nobody can do anything about it here.
      return '';
    }
  };
}
