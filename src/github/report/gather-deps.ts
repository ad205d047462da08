// What gathering a report needs.
import type { ReadBuildLog, ShortenLog } from '../../core/check/index.ts';
import type { Log } from '../../log.ts';
import type { GithubClients } from '../clients/index.ts';
import type { GithubPermissions } from '../projects/index.ts';

export interface GatherDeps {
  readonly clients: Pick<GithubClients, 'identity' | 'repository'>;
  readonly permissions: Pick<GithubPermissions, 'roleOfPerson'>;
  /** Base address for people, such as https://github.com. */
  readonly webUrl: string;
  /** Base address of the API, without a trailing slash. */
  readonly apiUrl: string;
  readonly userAgent: string;
  /** Instead of Node's own, such as one through a proxy. */
  readonly fetch?: typeof fetch;
  readonly readBuildLog: ReadBuildLog;
  readonly shortenLog: ShortenLog;
  readonly log: Log;
}
