// What changes issues and their comments, and announces it.
import { appOf, covers, owner, timestamp } from '../lookup.ts';
import { commentBody, fullPull, issueBody, labelBody } from '../resources/issue.ts';
import { plainRepository } from '../resources/repository.ts';
import { nodeId, organization, simpleUserOf } from '../resources/user.ts';
import type {
  AppInstallation,
  Comment,
  GithubIssue,
  GithubRepository,
  GoneIssue,
  Label,
  Pull,
  Reaction,
  State,
} from '../state.ts';

export interface Announcement {
  readonly event: string;
  /** Comes first in the payload; null for events without one (`push`, `status`). */
  readonly action: string | null;
  /** What belongs to the event; repository, organization, sender and installation are added. */
  readonly parts: object;
  readonly senderId: number | null;
  /** Only this App is told; default: all. */
  readonly onlyAppId?: number;
}

/** Every installation that covers the repository and is not suspended; the sink knows who subscribed. */
export function announce(state: State, repository: GithubRepository, what: Announcement): void {
  for (const installation of state.installations.values()) {
    if (!covers(installation, repository) || installation.suspendedAt !== null) continue;
    if (what.onlyAppId !== undefined && installation.appId !== what.onlyAppId) continue;
    tell(state, repository, installation, what);
  }
}

/** One installation, whether or not it subscribed or still covers the repository. */
function tell(state: State, repository: GithubRepository, installation: AppInstallation, what: Announcement): void {
  const holder = owner(state, repository);
  const payload = {
    ...(what.action === null ? {} : { action: what.action }),
    ...what.parts,
    repository: plainRepository(state, repository),
    ...(holder.type === 'Organization' ? { organization: organization(state, holder) } : {}),
    sender: simpleUserOf(state, what.senderId) ?? simpleUserOf(state, appOf(state, installation).botId),
    installation: installationRef(installation),
  };
  state.emit(what.event, payload, installation.id);
}

function installationRef(installation: AppInstallation): { id: number; node_id: string } {
  return { id: installation.id, node_id: nodeId('MDI', installation.id) };
}

export interface NewIssue {
  readonly title: string;
  readonly body: string | null;
  readonly authorId: number;
  readonly viaAppId?: number | null;
  /** Set by an issue template as well: GitHub announces each as labelled by the author. */
  readonly labels?: readonly string[];
}

export function openIssue(state: State, repository: GithubRepository, made: NewIssue): GithubIssue {
  const issue = storeIssue(state, repository, made, null);
  tellIssue(state, repository, issue, { action: 'opened', senderId: made.authorId });
  for (const name of made.labels ?? []) tellLabelled(state, repository, issue, { name, senderId: made.authorId });
  return issue;
}

/** Takes the next number and keeps it; announces nothing. */
export function storeIssue(state: State, repository: GithubRepository, made: NewIssue, pull: Pull | null): GithubIssue {
  const now = timestamp(state);
  const issue: GithubIssue = {
    id: state.nextId(),
    number: repository.nextNumber++,
    title: made.title,
    body: made.body,
    authorId: made.authorId,
    viaAppId: made.viaAppId ?? null,
    labels: (made.labels ?? []).map((name) => ensureLabel(state, repository, name).name),
    labelled: [],
    state: 'open',
    stateReason: null,
    locked: false,
    reactions: [],
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    closedById: null,
    closer: null,
    pull,
    edits: [],
  };
  repository.issues.set(issue.number, issue);
  return issue;
}

export function ensureLabel(
  state: State,
  repository: GithubRepository,
  name: string,
  more: Partial<Label> = {},
): Label {
  const found = repository.labels.get(name.toLowerCase());
  if (found !== undefined) return found;
  const label = { id: state.nextId(), name, color: more.color ?? 'ededed', description: more.description ?? null };
  repository.labels.set(name.toLowerCase(), label);
  return label;
}

interface IssueNews {
  readonly action: string;
  readonly senderId: number | null;
  readonly parts?: object;
}

/** `issues`, or `pull_request` where it is one. */
export function tellIssue(state: State, repository: GithubRepository, issue: GithubIssue, news: IssueNews): void {
  const { action, senderId } = news;
  if (issue.pull === null) {
    const parts = { issue: issueBody(state, repository, issue), ...news.parts };
    announce(state, repository, { event: 'issues', action, parts, senderId });
    return;
  }
  const body = fullPull(state, repository, issue, issue.pull);
  const parts = { number: issue.number, pull_request: body, ...news.parts };
  announce(state, repository, { event: 'pull_request', action, parts, senderId });
}

function tellLabelled(
  state: State,
  repository: GithubRepository,
  issue: GithubIssue,
  by: { name: string; senderId: number },
): void {
  const label = labelBody(state, repository, ensureLabel(state, repository, by.name));
  tellIssue(state, repository, issue, { action: 'labeled', senderId: by.senderId, parts: { label } });
}

/** Adds labels that it does not have yet; unknown ones are made. */
export function addLabels(
  state: State,
  repository: GithubRepository,
  issue: GithubIssue,
  by: { names: readonly string[]; senderId: number },
): void {
  for (const name of by.names) {
    const label = ensureLabel(state, repository, name);
    if (issue.labels.some((one) => one.toLowerCase() === label.name.toLowerCase())) continue;
    issue.labels = [...issue.labels, label.name];
    touch(state, issue);
    issue.labelled.push({ id: state.nextId(), name: label.name, byId: by.senderId, at: issue.updatedAt });
    tellLabelled(state, repository, issue, { name: label.name, senderId: by.senderId });
  }
}

/** False where the issue has no such label. */
export function removeLabel(
  state: State,
  repository: GithubRepository,
  issue: GithubIssue,
  by: { name: string; senderId: number },
): boolean {
  const kept = issue.labels.filter((one) => one.toLowerCase() !== by.name.toLowerCase());
  if (kept.length === issue.labels.length) return false;
  issue.labels = kept;
  touch(state, issue);
  const label = labelBody(state, repository, ensureLabel(state, repository, by.name));
  tellIssue(state, repository, issue, { action: 'unlabeled', senderId: by.senderId, parts: { label } });
  return true;
}

export interface IssueEdit {
  readonly title?: string | undefined;
  readonly body?: string | null | undefined;
  readonly state?: 'open' | 'closed' | undefined;
  readonly stateReason?: 'completed' | 'not_planned' | undefined;
  readonly closer?: GithubIssue['closer'];
  readonly byId: number;
}

/** Announces `edited`, `closed` and `reopened`, each where it is so. */
export function editIssue(state: State, repository: GithubRepository, issue: GithubIssue, edit: IssueEdit): void {
  const { byId } = edit;
  const changes = {
    ...(edit.title !== undefined && edit.title !== issue.title ? { title: { from: issue.title } } : {}),
    ...(edit.body !== undefined && edit.body !== issue.body ? { body: { from: issue.body ?? '' } } : {}),
  };
  if (edit.title !== undefined) issue.title = edit.title;
  if (changes.body !== undefined) recordEdit(state, issue, { text: edit.body ?? '', byId });
  if (edit.body !== undefined) issue.body = edit.body;
  if (Object.keys(changes).length > 0) {
    touch(state, issue);
    tellIssue(state, repository, issue, { action: 'edited', senderId: byId, parts: { changes } });
  }
  if (edit.state === 'closed' && issue.state === 'open') markIssueClosed(state, repository, issue, edit);
  if (edit.state === 'open' && issue.state === 'closed') reopen(state, repository, issue, byId);
}

function markIssueClosed(state: State, repository: GithubRepository, issue: GithubIssue, edit: IssueEdit): void {
  touch(state, issue);
  issue.state = 'closed';
  issue.stateReason = issue.pull === null ? (edit.stateReason ?? 'completed') : null;
  issue.closedAt = issue.updatedAt;
  issue.closedById = edit.byId;
  issue.closer = edit.closer ?? null;
  tellIssue(state, repository, issue, { action: 'closed', senderId: edit.byId });
}

function reopen(state: State, repository: GithubRepository, issue: GithubIssue, senderId: number): void {
  touch(state, issue);
  Object.assign(issue, { state: 'open', closedAt: null, closedById: null, closer: null });
  issue.stateReason = issue.pull === null ? 'reopened' : null;
  tellIssue(state, repository, issue, { action: 'reopened', senderId });
}

/** The event has the issue as it was before. */
export function removeIssue(state: State, repository: GithubRepository, issue: GithubIssue, senderId: number): void {
  markIssueGone(repository, issue, { kind: 'deleted' });
  tellIssue(state, repository, issue, { action: 'deleted', senderId });
}

/** It gets the next free number there. */
export function transferIssue(
  state: State,
  repository: GithubRepository,
  issue: GithubIssue,
  { to, senderId }: { readonly to: GithubRepository; readonly senderId: number },
): GithubIssue {
  const { title, body, authorId } = issue;
  const moved = openIssue(state, to, { title, body, authorId: authorId ?? senderId });
  markIssueGone(repository, issue, { kind: 'transferred', repositoryId: to.id, number: moved.number });
  const changes = { new_issue: issueBody(state, to, moved), new_repository: plainRepository(state, to) };
  tellIssue(state, repository, issue, { action: 'transferred', senderId, parts: { changes } });
  return moved;
}

function markIssueGone(repository: GithubRepository, { number }: GithubIssue, gone: GoneIssue): void {
  repository.issues.delete(number);
  repository.goneIssues.set(number, gone);
  for (const [id, comment] of repository.comments) if (comment.issueNumber === number) repository.comments.delete(id);
}

/** The first edit keeps what was there before as well. */
function recordEdit(
  state: State,
  of: Pick<Comment, 'edits' | 'createdAt' | 'authorId'> & { readonly body: string | null },
  made: { readonly text: string; readonly byId: number },
): void {
  if (of.edits.length === 0) {
    of.edits.push({ id: state.nextId(), at: of.createdAt, byId: of.authorId, text: of.body ?? '' });
  }
  of.edits.push({ id: state.nextId(), at: timestamp(state), ...made });
}

export function touch(state: State, thing: { updatedAt: string }): void {
  thing.updatedAt = timestamp(state);
}

interface NewComment {
  readonly body: string;
  readonly authorId: number;
  readonly viaAppId?: number | null;
}

export function addComment(state: State, repository: GithubRepository, issue: GithubIssue, made: NewComment): Comment {
  const now = timestamp(state);
  const comment: Comment = {
    id: state.nextId(),
    issueNumber: issue.number,
    authorId: made.authorId,
    viaAppId: made.viaAppId ?? null,
    body: made.body,
    reactions: [],
    edits: [],
    minimized: null,
    createdAt: now,
    updatedAt: now,
  };
  repository.comments.set(comment.id, comment);
  touch(state, issue);
  tellComment(state, repository, comment, { action: 'created', senderId: made.authorId });
  return comment;
}

export function editComment(
  state: State,
  repository: GithubRepository,
  comment: Comment,
  { body, byId }: { readonly body: string; readonly byId: number },
): void {
  const changes = { body: { from: comment.body } };
  recordEdit(state, comment, { text: body, byId });
  comment.body = body;
  touch(state, comment);
  tellComment(state, repository, comment, { action: 'edited', senderId: byId, parts: { changes } });
}

export function deleteComment(state: State, repository: GithubRepository, comment: Comment, senderId: number): void {
  repository.comments.delete(comment.id);
  tellComment(state, repository, comment, { action: 'deleted', senderId });
}

interface CommentNews {
  readonly action: string;
  readonly senderId: number;
  readonly parts?: object;
}

function tellComment(state: State, repository: GithubRepository, comment: Comment, news: CommentNews): void {
  const issue = repository.issues.get(comment.issueNumber);
  if (issue === undefined) return;
  const parts = {
    ...news.parts,
    issue: issueBody(state, repository, issue),
    comment: commentBody(state, repository, comment),
  };
  announce(state, repository, { event: 'issue_comment', action: news.action, parts, senderId: news.senderId });
}

/** The reaction, and whether it is new: the same person cannot react twice the same way. GitHub announces no reactions. */
export function recordReaction(
  state: State,
  to: { readonly reactions: Reaction[] },
  by: { readonly userId: number; readonly content: Reaction['content'] },
): { readonly reaction: Reaction; readonly isNew: boolean } {
  const found = to.reactions.find((one) => one.userId === by.userId && one.content === by.content);
  if (found !== undefined) return { reaction: found, isNew: false };
  const reaction = { id: state.nextId(), ...by, createdAt: timestamp(state) };
  to.reactions.push(reaction);
  return { reaction, isNew: true };
}
