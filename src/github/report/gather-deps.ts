// What gathering a report works with.
import type { Log } from '../../log.ts';
import type { GithubClients } from '../clients/github-clients.ts';
import type { GithubPermissions } from '../projects/roles.ts';

export interface GatherDeps {
  readonly clients: Pick<GithubClients, 'identity' | 'repository'>;
  readonly permissions: Pick<GithubPermissions, 'roleOfPerson'>;
  /** Base address for people, such as https://github.com. */
  readonly webUrl: string;
  /** Base address of the API, without a slash at its end. */
  readonly apiUrl: string;
  readonly userAgent: string;
  /** Instead of node's own, such as one through a proxy. */
  readonly fetch?: typeof fetch;
  readonly log: Log;
}

export interface GatheredReport {
  /** 1 byte to 1 MiB. */
  readonly text: string;
  /** "": the default branch. */
  readonly revision: string;
  /** Whether everybody whose words are in it may write to the repository. */
  readonly isTrusted: boolean;
}
