// What the publisher needs of the house, and the one subject that it is at work on.
import type { ChangeSet } from '../../core/change-set.ts';
import type { Failure } from '../../core/failure.ts';
import type { Finding, Head } from '../../core/head.ts';
import type { Investigation } from '../../core/investigation.ts';
import type { Conclusion, Issue } from '../../core/issue.ts';
import type { GithubProject } from '../../core/project.ts';
import type { Queue } from '../../core/queue.ts';
import type { WaitCode } from '../../core/reason.ts';
import type { Source } from '../../core/source.ts';
import type { Thread, ThreadRecord } from '../../core/thread.ts';
import type {
  AgentStore,
  CheckStore,
  InstallationStore,
  InvestigationStore,
  IssueStore,
  ProjectStore,
  ThreadStore,
} from '../../db/store.ts';
import type { Log } from '../../log.ts';

import type { Redactor } from '../../redact/redactor.ts';
import type { Changes } from '../../services/changes.ts';
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
    Pick<AgentStore, 'transcript'> &
    Pick<CheckStore, 'headOfPullRequest' | 'headsOfThread' | 'failure'>;
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
  /** What a run waits for, such as a model out of reach; null: for nothing. */
  readonly waitsFor: (runId: string) => WaitCode | null;
  /** Name of the operator's model; null: none. */
  readonly operatorModel: string | null;
  /** Those that a repository may choose instead. */
  readonly otherModels?: readonly string[];
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

/** The newest judged head of a pull request, as its thread sees it. */
export interface HeadView {
  readonly head: Head;
  readonly causes: readonly Cause[];
  /** Names of the checks that the standing comment is about, where a head tells them. */
  readonly namesBefore: readonly string[];
}

export interface Cause {
  readonly finding: Finding;
  /** Of this very thread; null: none was begun, it belongs elsewhere, or it was erased. */
  readonly investigation: Investigation | null;
  /** Null until it has concluded. */
  readonly result: Result | null;
}

/** A pull request of anybody's, asked for in this very job. */
export interface LivePull {
  readonly state: 'open' | 'closed';
  readonly headSha: string;
  readonly isDraft: boolean;
  readonly isFork: boolean;
}

/** All that is known of a thread in this moment. */
export interface View {
  /** Where red checks asked, its investigation is that of the cause that leads. */
  readonly thread: Thread;
  /** The thread's investigation as it is stored. */
  readonly storedInvestigationId: string;
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
  readonly waitsFor: WaitCode | null;
  /** What the standing comment tells of, where that is another investigation's. */
  readonly earlier: Result | null;
  /** What the recorded pull request carries out. */
  readonly published: Issue | null;
  /** What the checks of its pull request say; null: of none, or nothing yet. */
  readonly checks: HeadView | null;
  /** The pull request that it is about; null: it is about none, or GitHub was not asked yet. */
  readonly pull: LivePull | null;
  /** The failure of the default branch that it is about; null: it is about something else, or that was erased. */
  readonly failure: Failure | null;
  /** Names of the checks that are, or were, red there for it; of pull requests, which call their checks what they like, none. */
  readonly redNames: readonly string[];
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
