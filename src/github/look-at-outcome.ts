// The handler of `outcome` jobs: looks at what became of one answer. It reads only: in at most 4 calls of GitHub and one for
// the role of each who reacted, 65 where a crowd did; and in the project's mirror. It looks at what is, not at what happened.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { hasChanges } from 'causeway-diff';
import type { Repository, SourceTree } from 'causeway-git-objects';
import { CausewayError, isStoreAway } from '../core/errors.ts';
import type { Analysis } from '../core/issue/index.ts';
import {
  type ClaimedAnswer,
  computeSurvival,
  type Fate,
  type FileVersions,
  type FollowedAnswer,
  findNextLook,
  isMerged,
  mayBeReverted,
  type Vote,
} from '../core/outcome/index.ts';
import { type GithubProject, isAtLeast, isGithubProject } from '../core/project/index.ts';
import type { JobHandler, JobResult } from '../core/queue.ts';
import { type Source, SourceBusy } from '../core/source/index.ts';
import type { PostedPullRequest, Subject, Thread } from '../core/thread/index.ts';
import type { Store } from '../db/index.ts';
import type { Log } from '../log.ts';
import { compareChanges, type OtherChange, readWholeText } from '../services/index.ts';
import {
  type GithubClients,
  GithubFailure,
  ignoreRefused,
  isBot,
  openRepository,
  type RepositoryCaller,
  readPages,
  toPerson,
  toUser,
} from './clients/index.ts';
import type { GithubPermissions } from './projects/index.ts';
import { getNumber } from './publish/index.ts';

export interface OutcomeDeps {
  readonly store: Store;
  readonly clients: GithubClients;
  readonly source: Pick<Source, 'open'>;
  readonly permissions: Pick<GithubPermissions, 'roleOfPerson'>;
  readonly log: Log;
  readonly now: () => Date;
}

interface OutcomeLook {
  readonly deps: OutcomeDeps;
  readonly project: GithubProject;
  readonly followed: FollowedAnswer;
  readonly read: RepositoryCaller;
  readonly signal: AbortSignal;
}

type IssueAnswer = Extract<ClaimedAnswer, { readonly kind: 'issue' }>;

/** GitHub is at a limit and names no time. */
const BUSY_MS = 60_000;
const UNSURE_MS = 300_000;
const UNREACHABLE_MS = 3_600_000;
/** Of each of 👍 and 👎, so that a crowd with the one does not hide the other. */
const REACTION_PAGES = 5;
/** People who are asked for at one look: each costs a call. */
const MOST_ASKED = 50;
/** Of the comments that tell the nearest of a larger crowd. */
const COMMENT_PAGES = 3;
/** The newest commits of a branch that are searched for a revert. */
const MOST_COMMITS = 1_000;

export function createOutcomeHandler(deps: OutcomeDeps): JobHandler {
  return {
    handle: async (job, signal) => {
      const followed = await deps.store.findOutcome(job.subject);
      const project = followed && (await deps.store.findProject(followed.projectId));
      if (followed === null || project === null || !isGithubProject(project)) return { kind: 'done' };
      const read = openRepository(deps, project, 'read', signal);
      try {
        return await lookAtFollowed({ deps, project, followed, read, signal });
      } catch (error) {
        signal.throwIfAborted();
        return recover(deps, followed, error);
      }
    },
    dead: async (job, error) => {
      deps.log.error({ outcome: job.subject, err: error }, 'looking at what became of an answer failed');
    },
  };
}

async function lookAtFollowed(at: OutcomeLook): Promise<JobResult> {
  const { deps, followed } = at;
  const { answer } = followed;
  const found =
    answer.kind === 'verdict'
      ? { fate: await findFateOfVerdict(at, answer), reactions: null }
      : await lookAtAnswer(at, answer);
  const now = deps.now();
  await deps.store.saveLook(followed.id, { ...found, now: now.toISOString() });
  return plan({ ...followed, fate: found.fate }, now);
}

function plan(followed: FollowedAnswer, now: Date): JobResult {
  const runAt = findNextLook(followed, now);
  return runAt === null ? { kind: 'done' } : { kind: 'later', runAt };
}

/** What passes is tried again; what GitHub refuses is looked at when it is due next. */
function recover({ now, log }: OutcomeDeps, followed: FollowedAnswer, error: unknown): JobResult {
  const after = (ms: number): JobResult => ({ kind: 'later', runAt: new Date(now().getTime() + ms).toISOString() });
  if (error instanceof SourceBusy) return { kind: 'later', runAt: error.retryAt.toISOString() };
  if (error instanceof GithubFailure && error.kind === 'unsure') return after(UNSURE_MS);
  if (error instanceof GithubFailure && error.kind === 'busy') {
    return error.retryAt === null ? after(BUSY_MS) : { kind: 'later', runAt: error.retryAt.toISOString() };
  }
  if (!(error instanceof CausewayError) || isStoreAway(error)) throw error;
  log.info({ outcome: followed.id, err: error }, 'cannot look at what became of an answer');
  return error.code === 'repository_unreachable' ? after(UNREACHABLE_MS) : plan(followed, now());
}

async function lookAtAnswer(at: OutcomeLook, answer: IssueAnswer) {
  const { deps, followed } = at;
  const issue = await deps.store.findIssue(answer.issueId);
  const thread = await deps.store.findThreadOfIssue(answer.issueId);
  if (issue === null || thread === null) return { fate: followed.fate, reactions: null };
  const { pullRequest: posted, comment } = thread.record;
  const isShown = comment !== null && comment.url !== '' && comment.investigationId === issue.analysis.investigationId;
  return {
    fate: await findFate(at, thread, posted?.issueId === answer.issueId ? posted : null, issue.analysis),
    reactions: isShown && followed.readsReactions ? await readReactions(at, thread, comment.id) : null,
  };
}

/** A pull request that was replaced by another analysis's keeps its fate. */
async function findFate(
  at: OutcomeLook,
  thread: Thread,
  posted: PostedPullRequest | null,
  analysis: Analysis,
): Promise<Fate> {
  const { followed } = at;
  if (posted === null && 'url' in followed.fate) return followed.fate;
  const own = posted === null || posted.number === 0 ? null : await findFateOfPullRequest(at, posted);
  if (own !== null && own.kind !== 'closed') return own;
  const other = await findOtherChange(at, thread.subject, analysis);
  if (other === null) return own ?? { kind: 'pending' };
  const repository = await at.deps.source.open(at.project, at.signal);
  const changeSet = await at.deps.store.findChangeSet(followed.answer.issueId ?? '');
  const ours = { ...analysis, files: changeSet?.files ?? [] };
  const compared = await compareChanges(repository, ours, other, at.signal);
  return { kind: 'fixed_elsewhere', commit: other.to, ...compared };
}

/** Null: it is open. */
async function findFateOfPullRequest(at: OutcomeLook, posted: PostedPullRequest): Promise<Fate | null> {
  const { read, followed, deps } = at;
  const pull = await read(({ rest }, place) => rest.pulls.get({ ...place, pull_number: posted.number }));
  const { url } = posted;
  if (pull.state === 'open') return null;
  if (!pull.merged_at) return { kind: 'closed', url, at: pull.closed_at ?? deps.now().toISOString() };
  if (followed.fate.kind === 'reverted') return followed.fate;
  const merge = { url, at: new Date(pull.merged_at).toISOString(), commit: pull.merge_commit_sha ?? pull.head.sha };
  const isKnown = isMerged(followed.fate) && followed.fate.at === merge.at;
  const mayChange = mayBeReverted(merge.at, deps.now());
  if (isKnown && !mayChange) return followed.fate;
  const repository = await deps.source.open(at.project, at.signal);
  const files = await readOwnFiles(at, repository, posted);
  const isAsItWas = pull.head.sha === posted.headSha;
  const share = isAsItWas ? 1 : await measureShare(at, repository, files, merge.commit);
  if (mayChange && (await isReverted(at, repository, files, { ...posted, commit: merge.commit }))) {
    return { kind: 'reverted', url, at: merge.at };
  }
  return share === 1 ? { kind: 'merged', ...merge } : { kind: 'merged_edited', ...merge, share };
}

interface OwnFile extends Pick<FileVersions, 'before' | 'after'> {
  readonly path: string;
}

/** As our last commit on the branch has them: further attempts may have changed them. */
async function readOwnFiles(
  { deps, signal }: OutcomeLook,
  repository: Repository,
  { issueId, headSha, attempts }: PostedPullRequest,
): Promise<readonly OwnFile[]> {
  const changeSet = await deps.store.findChangeSet(issueId);
  const isChanged = attempts.some(({ outcome }) => outcome === 'pushed');
  const head = isChanged && (await repository.ensureCommit(headSha, signal)) ? repository.tree(headSha) : null;
  const files: OwnFile[] = [];
  for (const change of (changeSet?.files ?? []).filter(hasChanges)) {
    const before = 'before' in change ? change.before : null;
    const after = 'after' in change ? change.after : null;
    files.push({
      path: change.path,
      before,
      after: head === null ? after : await readWholeText(head, change.path, signal),
    });
  }
  return files;
}

/** 1 where the commit cannot be read: nothing shows that it was edited. */
async function measureShare(
  { signal }: OutcomeLook,
  repository: Repository,
  files: readonly OwnFile[],
  commit: string,
): Promise<number> {
  if (!(await repository.ensureCommit(commit, signal))) return 1;
  const tree = repository.tree(commit);
  const versions: FileVersions[] = [];
  for (const file of files) versions.push({ ...file, now: await readWholeText(tree, file.path, signal) });
  return computeSurvival(versions);
}

/** A commit says so in GitHub's or git's own words, or none of our lines is left. */
async function isReverted(
  at: OutcomeLook,
  repository: Repository,
  files: readonly OwnFile[],
  { base, commit, number }: PostedPullRequest & { readonly commit: string },
): Promise<boolean> {
  const tip = await repository.resolve(base, at.signal);
  if (tip === null || tip === commit) return false;
  if (files.some(({ before, after }) => before !== after) && (await measureShare(at, repository, files, tip)) === 0) {
    return true;
  }
  const words = [`This reverts commit ${commit}`, `Reverts ${at.project.name}#${number}`];
  return (await findCommit(at, repository.tree(tip), (message) => words.some((one) => isSaid(message, one)))) !== null;
}

/** Not `#12` in `#123`. */
function isSaid(message: string, words: string): boolean {
  const end = message.toLowerCase().indexOf(words.toLowerCase()) + words.length;
  return end >= words.length && !/^\d/.test(message.slice(end));
}

/** The newest commit with such a message. */
async function findCommit(
  { signal }: OutcomeLook,
  tree: SourceTree,
  isWanted: (message: string) => boolean,
): Promise<string | null> {
  const { ids } = await tree.ancestors(MOST_COMMITS, signal);
  for await (const batch of tree.messages(ids, signal)) {
    const found = batch.find(({ message }) => isWanted(message));
    if (found !== undefined) return found.sha;
  }
  return null;
}

/** The change of others that settled the subject; null: none is known. */
async function findOtherChange(at: OutcomeLook, subject: Subject, { revision }: Analysis): Promise<OtherChange | null> {
  const { deps, followed, project } = at;
  switch (subject.kind) {
    case 'issue': {
      const to = await findClosingCommit(at, subject.number);
      return to === null ? null : { from: null, to };
    }
    case 'failure': {
      const failure = await deps.store.findFailure(subject.failureId);
      const { closed, lastSeen } = failure ?? {};
      const isFixed = closed?.by === 'green' && closed.at > followed.answeredAt && lastSeen?.isOnDefault === true;
      return isFixed ? { from: lastSeen.sha, to: closed.sha } : null;
    }
    case 'pull_request': {
      const head = await deps.store.findHeadOfPullRequest(project.id, subject.number);
      const isFixed = head?.state === 'green' && head.sha !== revision && head.createdAt > followed.answeredAt;
      return isFixed ? { from: revision, to: head.sha } : null;
    }
    case 'report':
      return null;
  }
}

const CLOSERS = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    issue(number: $number) {
      state
      closedByPullRequestsReferences(first: 10, includeClosedPrs: true) {
        nodes { merged mergedAt mergeCommit { oid } }
      }
    }
  }
}`;

interface Closers {
  readonly repository: {
    readonly issue: {
      readonly state: 'OPEN' | 'CLOSED';
      readonly closedByPullRequestsReferences: {
        readonly nodes:
          | readonly ({
              readonly merged: boolean;
              readonly mergedAt: string | null;
              readonly mergeCommit: { readonly oid: string } | null;
            } | null)[]
          | null;
      } | null;
    } | null;
  } | null;
}

/** Of a closed issue: the last merge of a pull request that is linked to it, else a commit that says that it closes it. */
async function findClosingCommit(at: OutcomeLook, number: number): Promise<string | null> {
  const found = await ignoreRefused(
    at.read(async (octokit, { owner, repo, request }) => ({
      data: await octokit.graphql<Closers>(CLOSERS, { owner, repo, number, request }),
    })),
  );
  const issue = found?.repository?.issue ?? null;
  if (issue?.state !== 'CLOSED') return null;
  const merged = (issue.closedByPullRequestsReferences?.nodes ?? []).filter((node) => node?.merged === true);
  const last = merged.toSorted((one, other) => (one?.mergedAt ?? '').localeCompare(other?.mergedAt ?? '')).at(-1);
  if (last?.mergeCommit) return last.mergeCommit.oid;
  const { deps, project, signal, followed } = at;
  const repository = await deps.source.open(project, signal);
  const tip = await repository.resolve('', signal);
  if (tip === null) return null;
  const tree = repository.tree(tip);
  const named = await tree.history({ issue: number }, signal);
  const later = new Set(named.commits.filter(({ date }) => date > followed.answeredAt).map(({ sha }) => sha));
  for await (const batch of tree.messages([...later], signal)) {
    const closing = batch.find(({ message }) => saysThatItCloses(message, number));
    if (closing !== undefined) return closing.sha;
  }
  return null;
}

const CLOSING = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s{1,4}(?:[\w.-]{1,100}\/[\w.-]{1,100})?#(\d{1,10})\b/gi;

function saysThatItCloses(message: string, number: number): boolean {
  return [...message.matchAll(CLOSING)].some(([, named]) => Number(named) === number);
}

type Thumb = RestEndpointMethodTypes['reactions']['listForIssueComment']['response']['data'][number];

/** 👍 and 👎 of people with triage; who gave both says nothing. Roles first: others take no place of theirs. */
async function readReactions(at: OutcomeLook, thread: Thread, commentId: number): Promise<readonly Vote[] | null> {
  const thumbs = await ignoreRefused(readThumbs(at, commentId));
  if (thumbs === null) return null;
  const votes: Vote[] = [];
  for (const { user, content, created_at } of await chooseVoters(at, thread, thumbs)) {
    const person = toPerson(user);
    if (person === null) continue;
    const role = await at.deps.permissions.roleOfPerson(person, at.project, at.signal);
    if (!isAtLeast(role, 'triage')) continue;
    const vote = content === '+1' ? 'right' : 'wrong';
    votes.push({ personId: person.id, source: 'reaction', vote, why: '', at: new Date(created_at).toISOString() });
  }
  return votes;
}

async function readThumbs({ read }: OutcomeLook, comment_id: number): Promise<readonly Thumb[]> {
  const thumbs: Thumb[] = [];
  for (const content of ['+1', '-1'] as const) {
    const { items } = await readPages(REACTION_PAGES, (page) =>
      read(({ rest }, place) => rest.reactions.listForIssueComment({ ...place, comment_id, content, ...page })),
    );
    thumbs.push(...items);
  }
  return thumbs;
}

/** The only one of each person, as many as may be asked for: people known from before, then by their ties, then the first. */
async function chooseVoters(at: OutcomeLook, thread: Thread, thumbs: readonly Thumb[]): Promise<readonly Thumb[]> {
  const byPerson = Map.groupBy(
    thumbs.filter(({ user }) => !isBot(toUser(user))),
    ({ user }) => user?.id,
  );
  const single = [...byPerson.values()].flatMap((own) => (own.length === 1 ? own : []));
  if (single.length <= MOST_ASKED) return single;
  const known = new Set([thread.trigger.by.id, ...at.followed.votes.map(({ personId }) => personId)]);
  const ties = await readTies(at, getNumber(thread.subject));
  const rank = ({ user }: Thumb) => (known.has(user?.id ?? 0) ? -1 : (ties.get(user?.id ?? 0) ?? TIES.length));
  return single
    .toSorted((one, other) => rank(one) - rank(other) || one.created_at.localeCompare(other.created_at))
    .slice(0, MOST_ASKED);
}

/** From the nearest on. They prove nothing and only say whose role is worth a question. */
const TIES: readonly string[] = ['OWNER', 'MEMBER', 'COLLABORATOR', 'CONTRIBUTOR'];

/** Place in TIES of those who have commented. */
async function readTies({ read }: OutcomeLook, number: number | null): Promise<ReadonlyMap<number, number>> {
  if (number === null) return new Map();
  const { items } = await readPages(COMMENT_PAGES, (page) =>
    read(({ rest }, place) => rest.issues.listComments({ ...place, issue_number: number, ...page })),
  );
  return new Map(
    items.flatMap(({ user, author_association: tie }) => {
      const place = TIES.indexOf(tie ?? '');
      return user && place !== -1 ? [[user.id, place] as const] : [];
    }),
  );
}

/** From the ledger, which records every check that GitHub reports. */
async function findFateOfVerdict(
  at: OutcomeLook,
  answer: Extract<ClaimedAnswer, { readonly kind: 'verdict' }>,
): Promise<Fate> {
  const { deps, followed, project, signal } = at;
  const facts = await deps.store.readVerdictFacts(answer);
  if (facts === null || followed.fate.kind !== 'pending') return followed.fate;
  if (facts.isFlaky) return { kind: 'rerun_green' };
  if (facts.passing === null) return followed.fate;
  const fixed: Fate = { kind: 'fixed_later', commit: facts.passing };
  if (facts.suspected.length === 0) return fixed;
  const repository = await deps.source.open(project, signal);
  if (!(await repository.ensureCommit(facts.passing, signal))) return fixed;
  const commit = await findCommit(at, repository.tree(facts.passing), (message) =>
    facts.suspected.some((sha) => isSaid(message, `This reverts commit ${sha}`)),
  );
  return commit === null ? fixed : { kind: 'commit_reverted', commit };
}
