// What gathering a report works with.

import { formatGuidance } from '../../core/report.ts';
import { keepBeginning } from '../../core/text.ts';
import type { Trigger } from '../../core/thread.ts';
import type { Log } from '../../log.ts';
import type { GithubClients } from '../clients/github-clients.ts';
import { REPORT_BYTES } from '../job-log.ts';
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

/** For the words about what was cut. */
const SPARE_BYTES = 1_024;

/** Empty parts are left out. What people ask for is not what is cut. */
export function composeReport(parts: readonly string[], { guidance, by }: Trigger): string {
  const asked = formatGuidance(by.login, guidance);
  const text = parts.filter((part) => part !== '').join('\n\n');
  return keepBeginning(text.toWellFormed(), REPORT_BYTES - SPARE_BYTES - Buffer.byteLength(asked));
}
