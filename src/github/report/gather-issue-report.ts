// An issue as a report: what it said when an analysis was asked for, who said it, and the text files attached to it.

import type { RestEndpointMethodTypes } from '@octokit/rest';
import { isAtLeast } from '../../core/account.ts';
import { type GithubProject, getRepository } from '../../core/project.ts';
import type { Person, Trigger } from '../../core/thread.ts';
import type { GithubClients } from '../clients/github-clients.ts';
import { splitAtCommand } from '../events/command.ts';
import { type CommentPayload, type GithubUser, type IssuePayload, isOurs, toPerson } from '../payloads.ts';
import { attachedTexts } from './attachments.ts';
import { composeReport, type GatherDeps, type GatheredReport } from './gather-deps.ts';

import { withoutHiddenText } from './markdown-lines.ts';

interface AskedOfIssue {
  readonly project: GithubProject;
  readonly trigger: Trigger;
  /** As the delivery showed them. */
  readonly issue: IssuePayload;
  readonly comment: CommentPayload | null;
}

/** Throws GithubFailure. Edits after the trigger are not read: what the delivery did not pin and was edited since is left out, and said. */
export async function gatherIssueReport(
  deps: GatherDeps,
  asked: AskedOfIssue,
  signal: AbortSignal,
): Promise<GatheredReport> {
  const { project, issue, comment: command, trigger } = asked;
  const identity = await deps.clients.identity(signal);
  const leave = (comment: IssueComment) => comment.id === command?.id || isOurs(identity, comment as CommentPayload);
  const place = { project, number: issue.number, at: trigger.at };
  const pinned = await pinnedComments(deps.clients, place, leave, signal);
  const texts = [issue.body ?? '', ...pinned.comments.map(({ body }) => body ?? ''), command?.body ?? ''];
  const attached = await attachedTexts(deps, project, texts.map(withoutHiddenText), signal);
  // A label has no words of its own.
  const asker = trigger.kind === 'label' ? [] : [trigger.by];
  const authors = [...[issue.user, ...pinned.comments.map(({ user }) => user)].map(toPerson), ...asker];
  return {
    text: composeReport(
      [...issueParts(issue), ...commentParts(pinned), ...commandParts(command), ...attached],
      trigger,
    ),
    revision: '',
    isTrusted: await areTrusted(deps, project, authors, signal),
  };
}

function issueParts(issue: IssuePayload): readonly string[] {
  return [issue.title, written('Reported', issue), withoutHiddenText(issue.body ?? '')];
}

function commentParts({ comments, edited, isCut }: PinnedComments): readonly string[] {
  const told = comments.flatMap((comment) => {
    const text = withoutHiddenText(comment.body ?? '');
    // A bare command tells nothing of the problem.
    return text === '' || isBareCommand(text) ? [] : [written('Comment', comment), text];
  });
  const left = edited.map(
    ({ user }) => `[A comment by ${nameOf(user)} was edited after this was asked for, and is left out]`,
  );
  return [...told, ...left, ...(isCut ? ['[Later comments were left out]'] : [])];
}

function isBareCommand(text: string): boolean {
  const found = splitAtCommand(text);
  if (found === null || found.before !== '') return false;
  return !('guidance' in found.command) || found.command.guidance === '';
}

/** What the comment with the command says before it. */
function commandParts(comment: CommentPayload | null): readonly string[] {
  const before = withoutHiddenText(splitAtCommand(comment?.body ?? '')?.before ?? '');
  return comment === null || before === '' ? [] : [written('Comment', comment), before];
}

function written(
  what: string,
  { user, created_at }: { readonly user?: GithubUser; readonly created_at: string },
): string {
  return `${what} by ${nameOf(user)} on ${created_at.slice(0, 10)}:`;
}

function nameOf(user: GithubUser): string {
  const person: Person | null = toPerson(user);
  return person?.login ?? 'a deleted user';
}

type IssueComment = RestEndpointMethodTypes['issues']['listComments']['response']['data'][number];

interface PinnedComments {
  readonly comments: readonly IssueComment[];
  /** Written before, and changed since: what they said is not known any more. */
  readonly edited: readonly IssueComment[];
  /** Whether there are more than were read. */
  readonly isCut: boolean;
}

const PAGE = 100;

/** The first hundreds tell the story; a thread of thousands would fill the report with talk. */
const MOST_COMMENTS = 300;

/** `at`: when it was asked, ISO 8601. `leave`: those that are none of the report's business. */
async function pinnedComments(
  clients: Pick<GithubClients, 'repository'>,
  asked: { readonly project: GithubProject; readonly number: number; readonly at: string },
  leave: (comment: IssueComment) => boolean,
  signal: AbortSignal,
): Promise<PinnedComments> {
  const all = await readComments(clients, asked, signal);
  const at = Date.parse(asked.at);
  const before = all.filter((comment) => Date.parse(comment.created_at) <= at && !leave(comment));
  const isEdited = (comment: IssueComment) => Date.parse(comment.updated_at) > at;
  return {
    comments: before.filter((comment) => !isEdited(comment)),
    edited: before.filter(isEdited),
    isCut: all.length >= MOST_COMMENTS,
  };
}

async function readComments(
  clients: Pick<GithubClients, 'repository'>,
  { project, number }: { readonly project: GithubProject; readonly number: number },
  signal: AbortSignal,
): Promise<readonly IssueComment[]> {
  const caller = clients.repository(project.source, 'read');
  const all: IssueComment[] = [];
  for (let page = 1; all.length < MOST_COMMENTS; page++) {
    const where = { ...getRepository(project), issue_number: number, per_page: PAGE, page };
    const { data } = await caller.call(
      (octokit, request) => octokit.rest.issues.listComments({ ...where, request }),
      signal,
    );
    all.push(...data);
    if (data.length < PAGE) break;
  }
  return all.slice(0, MOST_COMMENTS);
}

/** More than these are not asked for: their report is not trusted. */
const MOST_AUTHORS = 10;

/** `authors`: null for somebody who cannot be named any more. */
async function areTrusted(
  { permissions }: Pick<GatherDeps, 'permissions'>,
  project: GithubProject,
  authors: readonly (Person | null)[],
  signal: AbortSignal,
): Promise<boolean> {
  const people = new Map<number, Person>();
  for (const author of authors) {
    if (author === null) return false;
    people.set(author.id, author);
  }
  if (people.size > MOST_AUTHORS) return false;
  const roles = [...people.values()].map((person) => permissions.roleOfPerson(person, project, signal));
  return (await Promise.all(roles)).every((role) => isAtLeast(role, 'write'));
}
