// What the publisher needs of the house, and the one subject that it is at work on.
import type { ChangeSet } from '../../domain/change-set.ts';
import type { Investigation } from '../../domain/investigation.ts';
import type { Conclusion, Issue } from '../../domain/issue.ts';
import type { GithubProject } from '../../domain/project.ts';
import type { Thread, ThreadRecord } from '../../domain/thread.ts';
import type { Changes } from '../../jobs/changes.ts';
import type { Log } from '../../log.ts';
import type { AgentStore } from '../../ports/agent-store.ts';
import type { InstallationStore, ThreadStore } from '../../ports/github-store.ts';
import type { Queue } from '../../ports/queue.ts';
import type { Source } from '../../ports/source.ts';
import type { InvestigationStore, IssueStore, ProjectStore } from '../../ports/store.ts';
import type { Redactor } from '../../redact/redactor.ts';
import type { GithubClients } from '../clients/github-clients.ts';
import type { ConfigurationReader } from '../configuration/read-configuration.ts';
import type { Mode, RepositoryConfig } from '../configuration/repository-config.ts';
import type { GithubPermissions } from '../projects/roles.ts';
import type { Outbox } from './outbox.ts';

export interface PublishDeps {
  readonly store: Pick<ThreadStore, 'thread' | 'saveThreadRecord'> &
    Pick<InstallationStore, 'installation'> &
    Pick<InvestigationStore, 'investigation' | 'accept' | 'cancel'> &
    Pick<IssueStore, 'issue' | 'changeSet' | 'eraseIssue'> &
    Pick<ProjectStore, 'project'> &
    Pick<AgentStore, 'transcript'>;
  readonly queue: Pick<Queue, 'wake' | 'cancel'>;
  /** As it is, with its secrets: what is committed is made from it. */
  readonly source: Pick<Source, 'open'>;
  readonly clients: Pick<GithubClients, 'repository' | 'identity'>;
  readonly configuration: Pick<ConfigurationReader, 'of'>;
  readonly permissions: Pick<GithubPermissions, 'roleNow'>;
  readonly redactor: Pick<Redactor, 'redact'>;
  readonly changes: Changes;
  readonly log: Log;
  readonly now: () => Date;
  /** The operator's: a repository's own mode counts below it alone. */
  readonly ceiling: Mode;
  readonly paused: () => boolean;
  /** What a run waits for, such as a model out of reach; "" for nothing. */
  readonly waitsFor: (runId: string) => string;
  /** Name of the operator's model; null: none. */
  readonly operatorModel: string | null;
  /** Base address for people, such as https://github.com. */
  readonly webUrl: string;
  /** Base address of the API, without a slash at its end. */
  readonly apiUrl: string;
  readonly userAgent: string;
  /** Instead of node's own, such as one through a proxy. */
  readonly fetch?: typeof fetch;
  /** Where people read the whole record of an Issue; "" where there is no such place. */
  readonly recordUrl: (issue: Issue) => string;
}

/** An Issue with the edits behind its diff. */
export interface Result {
  readonly issue: Issue;
  /** Null: erased. */
  readonly changeSet: ChangeSet | null;
}

/** All that is known of a thread in this moment. */
export interface View {
  readonly thread: Thread;
  readonly record: ThreadRecord;
  readonly project: GithubProject;
  readonly config: RepositoryConfig;
  /** Whether pull requests are opened here, by the repository's own word, the operator's, and what the installation was granted. */
  readonly opens: boolean;
  /** What a pull request needs to be written and was not granted, by GitHub's names. */
  readonly lacks: readonly string[];
  /** Whether we may see all checks: where not, it cannot be said that there are none. */
  readonly seesChecks: boolean;
  readonly investigation: Investigation;
  /** Null until it has concluded. */
  readonly result: Result | null;
  /** Null until they are recorded, and after the end. */
  readonly facts: Conclusion | null;
  readonly waitsFor: string;
  /** What the standing comment tells of, where that is another investigation's. */
  readonly earlier: Result | null;
  /** What the recorded pull request carries out. */
  readonly published: Issue | null;
  readonly webUrl: string;
  readonly recordUrl: string;
  readonly now: Date;
}

/** What an effect works with. */
export interface Work {
  readonly deps: PublishDeps;
  readonly outbox: Outbox;
  readonly view: View;
  readonly signal: AbortSignal;
}
