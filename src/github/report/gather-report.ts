// What a label or command is about, as a report: an issue with its comments and files, or a pull request's red checks.
import { setImmediate as breathe } from 'node:timers/promises';
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { formatLog } from 'causeway-ci-log';
import { keepBeginning } from 'causeway-visible-text';
import type { Check } from '../../core/check/index.ts';
import { type GithubProject, isAtLeast, type Person } from '../../core/project/index.ts';
import { formatGuidance, MAX_REPORT_BYTES } from '../../core/report/index.ts';
import type { Trigger } from '../../core/thread/index.ts';
import { ACTIONS, listLatestChecks, readAnnotations } from '../checks/index.ts';
import {
  type AppIdentity,
  type CommentPayload,
  type GithubUser,
  type IssuePayload,
  isBot,
  isOurs,
  openRepository,
  type RepositoryCaller,
  readLogOrReason,
  toPerson,
  unlessSpent,
} from '../clients/index.ts';
import { readAttachments } from './attachments.ts';
import { splitAtCommand } from './command.ts';
import type { GatherDeps } from './gather-deps.ts';
import { formatShown, type MarkedMarkdown, markLines } from './markdown-lines.ts';

export interface GatheredReport {
  /** 1 byte to 1 MiB, with `hints`. */
  readonly text: string;
  /** What people added to earlier commands; "" for nothing. Not of the report, which is the same at each command. */
  readonly hints: string;
  /** "": the default branch. */
  readonly revision: string;
  /** Whether all its authors may write to the repository. */
  readonly isTrusted: boolean;
}

interface IssueRequest {
  readonly project: GithubProject;
  readonly trigger: Trigger;
  readonly issue: IssuePayload;
  /** The comment with the command. */
  readonly comment: CommentPayload | null;
}

export type IssueComment = RestEndpointMethodTypes['issues']['listComments']['response']['data'][number];

/** For notes about what was cut. */
const SPARE_BYTES = 1_024;
/** Of what people added to earlier commands. */
const MAX_HINT_BYTES = 32 * 1_024;
/** The first comments describe the problem; in a thread of thousands the rest is mostly talk. */
const COMMENT_PAGES = 3;
const PAGE = 100;
/** The roles of more people aren't read: their report isn't trusted. */
const MAX_AUTHORS = 10;

/**
 * An issue as its delivery showed it, with its comments and attached files. What was edited after the trigger and isn't
 * in the delivery is left out, and so are comments for which a report has no room; it says both. Throws GithubFailure.
 */
export async function gatherIssueReport(
  deps: GatherDeps,
  request: IssueRequest,
  signal: AbortSignal,
): Promise<GatheredReport> {
  const { project, issue, comment: command, trigger } = request;
  const identity = await deps.clients.identity(signal);
  const body = formatShown(markLines(issue.body ?? ''));
  const { comments, edited, leftOut } = await readComments(deps, { ...request, identity }, signal);
  const asked = markLines(command?.body ?? '');
  const texts = [body, ...comments.map(({ text }) => text), formatShown(asked)];
  const parts = [
    ...[issue.title, describeAuthor('Reported', issue), body],
    ...comments.flatMap(({ parts }) => parts),
    ...edited.map((user) => `[A comment by ${nameUser(user)} was edited after the request, and is left out]`),
    ...describeCommand(command, asked, identity),
    ...(await readAttachments(deps, project, texts, signal)),
  ];
  // A person who sets a label writes nothing.
  const asker = trigger.kind === 'label' ? [] : [trigger.by];
  // Null for a deleted account, and for a bot: whatever role it has, it repeats what others wrote.
  const writers = [issue.user, ...comments.map(({ user }) => user)].map((user) =>
    isBot(user) ? null : toPerson(user),
  );
  const authors = [...writers, ...asker];
  const hints = keepBeginning(
    comments.flatMap(({ hint }) => hint.map((part) => `\n\n${part}`)).join(''),
    MAX_HINT_BYTES,
  );
  return {
    text: composeIssueReport(parts, trigger, { comments: leftOut, hints }),
    hints,
    revision: '',
    isTrusted: await areTrusted(deps, project, authors, signal),
  };
}

interface ReadComments {
  readonly comments: readonly {
    readonly user: GithubUser;
    /** As people see it. */
    readonly text: string;
    readonly parts: readonly string[];
    /** What was added to a command in it. */
    readonly hint: readonly string[];
  }[];
  /** Whose comments were edited after the trigger. */
  readonly edited: readonly GithubUser[];
  /** How many more there are, as the delivery counts them. */
  readonly leftOut: number;
}

/**
 * The comments before the trigger that fill a report. Reading all and cutting then, 300 of 64 kB of line breaks held
 * the event loop for 5 s, for a report that has room for 16.
 */
async function readComments(
  deps: GatherDeps,
  request: IssueRequest & { readonly identity: AppIdentity },
  signal: AbortSignal,
): Promise<ReadComments> {
  const { project, issue, trigger, identity } = request;
  const comments: ReadComments['comments'][number][] = [];
  const edited: GithubUser[] = [];
  let room = MAX_REPORT_BYTES - countBytes(issue);
  let seen = 0;
  const read = openRepository(deps, project, 'read', signal);
  let isSpent = false;
  const onSpent = () => {
    isSpent = true;
  };
  for await (const comment of listComments(read, issue.number, onSpent)) {
    if (isOfReport(comment, request)) {
      if (room <= 0) return { comments, edited, leftOut: Math.max(1, countOthers(issue, seen)) };
      room -= countBytes(comment);
      if (Date.parse(comment.updated_at) > Date.parse(trigger.at)) edited.push(comment.user);
      else comments.push(...readComment(comment, identity));
      // Each takes some milliseconds, in which nothing else has its turn.
      await breathe();
      signal.throwIfAborted();
    }
    seen += 1;
  }
  return { comments, edited, leftOut: seen < COMMENT_PAGES * PAGE && !isSpent ? 0 : countOthers(issue, seen) };
}

function countBytes({ body }: { readonly body?: string | null | undefined }): number {
  return Buffer.byteLength(body ?? '');
}

function countOthers({ comments = 0 }: IssuePayload, seen: number): number {
  return Math.max(0, comments - seen);
}

/** Whether it was there at the trigger, and is neither the command itself nor ours. */
function isOfReport(
  comment: IssueComment,
  { comment: command, trigger, identity }: IssueRequest & { readonly identity: AppIdentity },
): boolean {
  const isEarlier = Date.parse(comment.created_at) <= Date.parse(trigger.at);
  return isEarlier && comment.id !== command?.id && !isOurs(identity, comment as Pick<CommentPayload, 'user'>);
}

/** The oldest first; a page is read once the one before is used up. `onSpent`: the rest may not be read. */
async function* listComments(read: RepositoryCaller, issue: number, onSpent: () => void): AsyncGenerator<IssueComment> {
  for (let page = 1; page <= COMMENT_PAGES; page += 1) {
    const answer = read(({ rest }, place) =>
      rest.issues.listComments({ ...place, issue_number: issue, per_page: PAGE, page }),
    );
    const found = await unlessSpent<readonly IssueComment[] | null>(answer, null);
    if (found === null) return onSpent();
    yield* found;
    if (found.length < PAGE) return;
  }
}

/** Without empty parts. The guidance of the requester is never cut. `comments`: how many were left out. */
function composeIssueReport(
  parts: readonly string[],
  { guidance, by }: Trigger,
  { comments = 0, hints = '' }: { readonly comments?: number; readonly hints?: string } = {},
): string {
  const reserved = SPARE_BYTES + Buffer.byteLength(hints + formatGuidance(by.login, guidance));
  const text = parts.filter((part) => part !== '').join('\n\n');
  const kept = keepBeginning(text.toWellFormed(), MAX_REPORT_BYTES - reserved);
  return comments === 0 ? kept : `${kept}\n[${comments} comments more were left out]`;
}

/**
 * A command is no part of the report: with it, the same report would be another at each command. Its guidance is kept
 * apart; of a bare one, neither are files linked behind it, and its author wrote none of it.
 */
function readComment(comment: IssueComment, app: AppIdentity): ReadComments['comments'] {
  const marked = markLines(comment.body ?? '');
  const whole = formatShown(marked);
  const found = splitAtCommand(marked, app);
  const text = found === null ? whole : found.before;
  const hint = found !== null && 'guidance' in found.command ? found.command.guidance : '';
  if (text === '' && hint === '') return [];
  const parts = text === '' ? [] : [describeAuthor('Comment', comment), text];
  return [
    {
      user: comment.user,
      text: hint === '' ? text : whole,
      parts,
      hint: hint === '' ? [] : [describeAuthor('Comment', comment), hint],
    },
  ];
}

/** The text before the command. */
function describeCommand(comment: CommentPayload | null, marked: MarkedMarkdown, app: AppIdentity): readonly string[] {
  const before = splitAtCommand(marked, app)?.before ?? '';
  return comment === null || before === '' ? [] : [describeAuthor('Comment', comment), before];
}

function describeAuthor(
  what: string,
  { user, created_at }: { readonly user?: GithubUser; readonly created_at: string },
): string {
  return `${what} by ${nameUser(user)} on ${created_at.slice(0, 10)}:`;
}

function nameUser(user: GithubUser): string {
  return toPerson(user)?.login ?? 'a deleted user';
}

/** `authors`: null for one who cannot be trusted. */
async function areTrusted(
  { permissions }: GatherDeps,
  project: GithubProject,
  authors: readonly (Person | null)[],
  signal: AbortSignal,
): Promise<boolean> {
  if (authors.includes(null)) return false;
  const people = new Map(authors.flatMap((author) => (author === null ? [] : [[author.id, author] as const])));
  if (people.size > MAX_AUTHORS) return false;
  const roles = [...people.values()].map((person) => permissions.roleOfPerson(person, project, signal));
  return (await Promise.all(roles)).every((role) => isAtLeast(role, 'write'));
}

/** Jobs that fail together mostly fail for one reason. */
const LOGS_READ = 5;
const LOG_BYTES = Math.floor((MAX_REPORT_BYTES - 128 * 1_024) / LOGS_READ);
const CHECKS_READ = 20;
const OUTPUT_BYTES = 16 * 1_024;
const ANNOTATION_CHARACTERS = 1_000;

interface PullRequestRequest {
  readonly project: GithubProject;
  readonly subject: { readonly number: number };
  readonly trigger: Trigger;
}

/** The failing checks at the head of a pull request, with the logs of their jobs; null where none fails. */
export async function gatherPullRequestReport(
  deps: GatherDeps,
  { project, subject, trigger }: PullRequestRequest,
  signal: AbortSignal,
): Promise<GatheredReport | null> {
  const read = openRepository(deps, project, 'read', signal);
  const { head, title } = await read(({ rest }, place) => rest.pulls.get({ ...place, pull_number: subject.number }));
  const red = (await listLatestChecks(deps, { read, signal }, head.sha)).filter(({ state }) => state === 'red');
  // The oldest first: what failed first is mostly the cause. Statuses have no number and come last.
  const order = ({ runId }: Check) => runId ?? Number.POSITIVE_INFINITY;
  const failed = red.toSorted((a, b) => order(a) - order(b) || 0).slice(0, CHECKS_READ);
  if (failed.length === 0) return null;
  const parts: string[] = [];
  for (const check of failed) parts.push(await describeReportCheck(read, check));
  const jobs = failed.filter(({ app }) => app === ACTIONS);
  const left = jobs.length - LOGS_READ;
  if (left > 0) parts.push(`[The logs of ${left} more failed jobs were left out]`);
  // What follows a log is read as a part of it.
  const logs: string[] = [];
  for (const { name, runId } of jobs.slice(0, LOGS_READ)) {
    const request = { project, jobId: runId ?? 0, bytes: LOG_BYTES, shorten: deps.shortenLog };
    logs.push(formatLog(`job "${name}"`, await readLogOrReason(deps, request, signal)));
  }
  logs.push(...(await readBuilds(deps, project, failed, signal)));
  const heading = `Checks failed on pull request #${subject.number} (${title}), at commit ${head.sha}.`;
  // Logs and titles are written by the author of the change. The commits of a fork are fetched by their sha.
  const whole = composeIssueReport([heading, ...parts, logs.join('\n')], trigger);
  return { text: whole, hints: '', revision: head.sha, isTrusted: false };
}

/** Of other CI, as far as the jobs of Actions leave room. */
async function readBuilds(
  { readBuildLog }: GatherDeps,
  project: GithubProject,
  failed: readonly Check[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const jobs = failed.filter(({ app }) => app === ACTIONS);
  const builds = failed.filter(({ build }) => build !== undefined);
  const parts: string[] = [];
  for (const { name, build } of builds.slice(0, Math.max(0, LOGS_READ - jobs.length))) {
    // Without the time of its end nothing is waited for.
    const request = build && { ...build, repository: project.name, endedAt: '', bytes: LOG_BYTES };
    const found = request && (await readBuildLog(request, signal));
    if (found) parts.push(formatLog(`build of "${name}"`, found.log === '' ? `[${found.noLog}]` : found.log));
  }
  return parts;
}

async function describeReportCheck(read: RepositoryCaller, check: Check): Promise<string> {
  const { name, conclusion, title, summary, text, runId } = check;
  const annotations = runId !== null && check.annotations > 0 ? await readAnnotations(read, runId, 1) : [];
  const words = [summary, text].filter(Boolean).join('\n');
  return [
    `Check "${name}" ended with ${conclusion}${title === '' ? '' : `: ${title}`}.`,
    keepBeginning(words, OUTPUT_BYTES),
    ...annotations.map(({ path, line, level, message }) =>
      `${path}:${line}: ${level}: ${message}`.slice(0, ANNOTATION_CHARACTERS),
    ),
  ]
    .filter((part) => part !== '')
    .join('\n');
}
