// An issue as a report: what it said when an analysis was asked for, who said it, and the text files attached to it.
import type { GithubProject } from '../../core/project.ts';
import type { Person, Trigger } from '../../core/thread.ts';
import { splitAtCommand } from '../events/command.ts';
import { type CommentPayload, type GithubUser, type IssuePayload, isOurs, personOf } from '../events/payloads.ts';
import { attachedTexts } from './attachments.ts';
import { composeReport } from './compose-report.ts';
import type { GatherDeps, GatheredReport } from './gather-deps.ts';
import { type IssueComment, type PinnedComments, pinnedComments } from './issue-comments.ts';
import { withoutHiddenText } from './markdown-lines.ts';
import { areTrusted } from './trusted-authors.ts';

export interface AskedOfIssue {
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
  const authors = [...[issue.user, ...pinned.comments.map(({ user }) => user)].map(personOf), ...asker];
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
  const person: Person | null = personOf(user);
  return person?.login ?? 'a deleted user';
}
