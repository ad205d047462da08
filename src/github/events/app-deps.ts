// What the event handlers work with, and what each of them is.

import type {
  AccountStore,
  FailureStore,
  GithubStore,
  HeadStore,
  InvestigationStore,
  IssueStore,
  SessionStore,
} from '../../db/store.ts';
import type { Log } from '../../log.ts';

import type { AcceptReportDeps } from '../../services/accept-report.ts';
import type { CancelDeps } from '../../services/end-early.ts';
import type { GithubClients } from '../clients/github-clients.ts';
import type { ConfigurationReader } from '../configuration/read-configuration.ts';
import type { Mode } from '../configuration/repository-config.ts';
import type { ProjectSync } from '../projects/project-sync.ts';
import type { GatherDeps } from '../report/gather-deps.ts';

export interface CausewayAppDeps extends Omit<AcceptReportDeps, 'store'>, Omit<CancelDeps, 'store'>, GatherDeps {
  readonly store: GithubStore &
    Pick<AccountStore, 'ensureAccount'> &
    Pick<SessionStore, 'endAccess'> &
    Pick<InvestigationStore, 'accept' | 'findInvestigation' | 'cancel'> &
    Pick<IssueStore, 'findChangeSet'> &
    Pick<HeadStore, 'ensureHead' | 'findHead' | 'findHeadOfCommit' | 'findHeadOfPullRequest' | 'hasRedHead'> &
    Pick<FailureStore, 'recordPassingCheck' | 'hasOpenOnDefault' | 'closeFailuresOfPullRequest'>;
  readonly clients: GithubClients;
  readonly configuration: ConfigurationReader;
  readonly projects: Pick<ProjectSync, 'installationChanged' | 'installationRemoved' | 'repositoryChanged'>;
  /** The operator's: a repository's own mode counts below it alone. */
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
  readonly log: Log;
}

export interface Delivered {
  readonly id: string;
  readonly payload: unknown;
}

export type EventHandler = (deps: CausewayAppDeps, delivered: Delivered, signal: AbortSignal) => Promise<void>;
