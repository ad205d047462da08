// The door to what is remembered of GitHub: deliveries, installations with their repositories, and threads.
import type { Installation, InstalledRepository } from '../core/installation.ts';
import type { GithubProject, Project } from '../core/project.ts';
import type { CommandReply, FixRequest, Person, Subject, Thread, ThreadRecord, Trigger } from '../core/thread.ts';
import type { Urgency } from './queue.ts';

export interface GithubStore extends DeliveryStore, InstallationStore, ThreadStore, ToldStore {}

/** What is told of a project once. It is forgotten with the project. */
export interface ToldStore {
  /** `digest` names what it was, such as one state of a file. */
  wasTold(projectId: string, digest: string): Promise<boolean>;
  rememberTold(projectId: string, digest: string, now: string): Promise<void>;
}

export interface NewDelivery {
  /** GitHub's X-GitHub-Delivery. */
  readonly id: string;
  /** GitHub's X-GitHub-Event. */
  readonly event: string;
  /** The body as it arrived, valid UTF-8. Kept sealed, and wiped once it was handled. */
  readonly body: string;
  /** Equal for deliveries that mean the same, whatever their id and event name: the signature covers neither. */
  readonly meaning: string;
  /** Deliveries of one group (one issue or pull request, else one repository, person or installation) are handled one after the other, in the order in which they came (people's before automatic ones). */
  readonly group: string;
  /** Waits behind none that is not: such as access that was taken back. */
  readonly isUrgent: boolean;
  readonly urgency: Urgency;
  /** Whose turn it takes: GitHub's number of the installation; null: nobody's. */
  readonly installationId: number | null;
}

export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly body: string;
  /** ISO 8601 UTC: when it came, or came again after it had failed. */
  readonly receivedAt: string;
}

export type DeliveryEnd = 'done' | 'failed';

export interface DeliveryStore {
  /**
   * The delivery and its job, once: `repeated` where its id was seen, or its meaning since `meaningSince`. One that has failed comes again
   * under its own id, with the body of this time: somebody had GitHub send it anew.
   */
  acceptDelivery(
    delivery: NewDelivery,
    times: { readonly now: string; readonly meaningSince: string },
  ): Promise<'stored' | 'repeated'>;
  /** To be handled; null where it was handled before or is unknown. */
  delivery(id: string): Promise<Delivery | null>;
  /** Wipes the body; that it was seen is kept. `detail` says why it failed and holds no secret; "" otherwise. */
  endDelivery(id: string, end: DeliveryEnd, detail: string): Promise<void>;
  /** Those of the ids that wait or were handled. One that has failed may come again: GitHub is asked for it where it counts it as failed, too. */
  seenDeliveries(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface InstallationStore {
  /**
   * Makes the projects of one installation equal to its repositories: a project is its repository's number, and keeps its id
   * when it is renamed or moves to another installation; those no longer listed are hidden. Returns the ones that were hidden.
   */
  syncInstallation(
    installation: Installation,
    repositories: readonly InstalledRepository[],
    now: string,
  ): Promise<readonly Project[]>;
  /** One repository as it is now: made, renamed, moved, shown again. Of an installation that is not known: null, and nothing happens. */
  putRepository(installationId: number, repository: InstalledRepository, now: string): Promise<GithubProject | null>;
  /** Hides the project of that repository and cancels nothing; null where none is shown, or it belongs to another installation by now. */
  hideRepository(
    repository: { readonly id: number; readonly installationId: number },
    now: string,
  ): Promise<Project | null>;
  /** Forgets the installation and hides all its projects, which are returned. */
  removeInstallation(installationId: number, now: string): Promise<readonly Project[]>;
  installations(): Promise<readonly Installation[]>;
  installation(id: number): Promise<Installation | null>;
  /** The shown project of GitHub's repository number. */
  projectOfRepository(repositoryId: number): Promise<GithubProject | null>;
  /** Ids of the investigations of a project that have not ended. */
  openInvestigations(projectId: string): Promise<readonly string[]>;
  /** Ids of hidden GitHub projects: their mirrors may go. */
  hiddenProjects(): Promise<readonly string[]>;
}

/** How an accepted report belongs to a thread. */
export type ThreadPart =
  /**
   * A person asked: the thread is made (with `threadId`) or, where the subject has one, its trigger is replaced, and with it the request
   * for a pull request: who asked for that of an earlier analysis does not stand behind what this one finds. Its investigation becomes this one, and the one in flight is cancelled in the same transaction.
   */
  | {
      readonly kind: 'opens';
      readonly threadId: string;
      readonly subject: Subject;
      readonly trigger: Trigger;
      readonly fixRequest: Person | null;
      /** Whether GitHub has taken the 👀 at the trigger already. */
      readonly isSeen: boolean;
    }
  /**
   * Red checks are looked into, and nobody asked: the thread of their subject is made (with `threadId`) where there is none, and is from now
   * on that of this trigger; other investigations of it go on. The failure's investigation becomes this one. Where `isLead` is false the
   * thread's own investigation stays as it is, if it is there: a head may have several causes. A request for a pull request is only replaced
   * by another person's, never by none.
   */
  | {
      readonly kind: 'found';
      readonly threadId: string;
      readonly subject: Subject;
      readonly trigger: Trigger;
      readonly fixRequest: Person | null;
      readonly failureId: string;
      readonly isLead: boolean;
    }
  /** A further attempt on the thread's own pull request: what a person asked for stays as it is. */
  | { readonly kind: 'follows'; readonly threadId: string };

/** What became of the request for the pull request of an Issue; but for the first, nothing was changed. */
export type FixOfIssue =
  | { readonly kind: 'requested'; readonly thread: Thread }
  /** Its thread is at another analysis by now. `issueId`: of that one; null: it has none (yet). */
  | { readonly kind: 'superseded'; readonly investigationId: string; readonly issueId: string | null }
  /** Asked for within the last 10 minutes, and refused: why, in words. */
  | { readonly kind: 'withheld'; readonly reason: string };

/**
 * Whatever may change what a thread should show enqueues its `publish` job in the same transaction: acceptance, facts, conclusion,
 * giving up, cancelling, a request for a pull request.
 */
export interface ThreadStore {
  thread(id: string): Promise<Thread | null>;
  threadOf(projectId: string, subject: Subject): Promise<Thread | null>;
  /** The thread whose pull request has this branch as its head. */
  threadOfBranch(projectId: string, branch: string): Promise<Thread | null>;
  /** The thread with this pull request. */
  threadOfPullRequest(projectId: string, number: number): Promise<Thread | null>;
  /** Ids of the investigations of a thread that have not ended, further attempts among them; the oldest first. */
  openInvestigationsOf(threadId: string): Promise<readonly string[]>;
  /** Someone with write asks for the pull request of a thread: for that of what it was at by then. */
  requestFix(threadId: string, request: FixRequest, now: string): Promise<void>;
  /** A command in the thread was not carried out: its comment says why. */
  noteReply(threadId: string, reply: CommandReply, now: string): Promise<void>;
  /** Someone with write asks for the pull request of an Issue: of the thread that it belongs to, else of a new one of kind `report`. Null: no such Issue. */
  requestFixOfIssue(
    issueId: string,
    request: { readonly by: Person; readonly threadId: string; readonly now: string },
  ): Promise<FixOfIssue | null>;
  /** What stands on GitHub now. Also what `analysis.links` of the Issues of its investigations says. */
  saveThreadRecord(threadId: string, record: ThreadRecord, now: string): Promise<void>;
  /** Enqueues the `publish` job: something on GitHub may have changed. */
  nudgeThread(threadId: string, runAt: string): Promise<void>;
  /** The same for every thread that waits for the run. */
  nudgeThreadsOfRun(runId: string, runAt: string): Promise<void>;
}
