// What a label or command is about becomes a report: an issue with its comments and attachments, or the failed checks of a pull request.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { isAtLeast } from '../../core/account.ts';
import { type GithubProject, getRepository } from '../../core/project.ts';
import { formatGuidance } from '../../core/report.ts';
import { keepBeginning } from '../../core/text.ts';
import type { Person, Trigger } from '../../core/thread.ts';
import type { Log } from '../../log.ts';
import type { GithubClients } from '../clients/github-clients.ts';
import { splitAtCommand } from '../events/command.ts';
import { checkLog, REPORT_BYTES } from '../job-log.ts';
import { type CommentPayload, type GithubUser, type IssuePayload, isOurs, toPerson } from '../payloads.ts';
import type { GithubPermissions } from '../projects/roles.ts';
import { attachedTexts } from './attachments.ts';
import { withoutHiddenText } from './markdown-lines.ts';

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

interface GatheredReport {
  /** 1 byte to 1 MiB. */
  readonly text: string;
  /** "": the default branch. */
  readonly revision: string;
  /** Whether all its authors may write to the repository. */
  readonly isTrusted: boolean;
}

const PAGE = 100;
/** For the words about what was cut. */
const SPARE_BYTES = 1_024;

/** Empty parts are left out. The guidance of the person who asked is not what is cut. */
function composeReport(parts: readonly string[], { guidance, by }: Trigger): string {
  const reserved = SPARE_BYTES + Buffer.byteLength(formatGuidance(by.login, guidance));
  const text = parts.filter((part) => part !== '').join('\n\n');
  return keepBeginning(text.toWellFormed(), REPORT_BYTES - reserved);
}

type IssueComment = RestEndpointMethodTypes['issues']['listComments']['response']['data'][number];

/** The first hundreds tell the story; a thread of thousands would fill the report with talk. */
const MOST_COMMENTS = 300;
/** The roles of more people are not looked up: their report is not trusted. */
const MOST_AUTHORS = 10;

/**
 * An issue as its delivery showed it, with its comments and attached files. Edits after the trigger are not read: what the
 * delivery did not pin and was edited since is left out, which the report says. Throws GithubFailure.
 */
export async function gatherIssueReport(
  deps: GatherDeps,
  {
    project,
    issue,
    comment: command,
    trigger,
  }: {
    readonly project: GithubProject;
    readonly trigger: Trigger;
    readonly issue: IssuePayload;
    readonly comment: CommentPayload | null;
  },
  signal: AbortSignal,
): Promise<GatheredReport> {
  const identity = await deps.clients.identity(signal);
  const all = await readComments(deps, project, issue.number, signal);
  const at = Date.parse(trigger.at);
  const before = all.filter(
    (comment) =>
      Date.parse(comment.created_at) <= at &&
      comment.id !== command?.id &&
      !isOurs(identity, comment as Pick<CommentPayload, 'user'>),
  );
  const [comments, edited] = [false, true].map((isEdited) =>
    before.filter(({ updated_at }) => Date.parse(updated_at) > at === isEdited),
  ) as [IssueComment[], IssueComment[]];
  const texts = [issue.body ?? '', ...comments.map(({ body }) => body ?? ''), command?.body ?? ''];
  const parts = [
    ...[issue.title, describeAuthor('Reported', issue), withoutHiddenText(issue.body ?? '')],
    ...comments.flatMap(describeComment),
    ...edited.map(
      ({ user }) => `[A comment by ${nameUser(user)} was edited after this was asked for, and is left out]`,
    ),
    ...(all.length >= MOST_COMMENTS ? ['[Later comments were left out]'] : []),
    ...describeCommand(command),
    ...(await attachedTexts(deps, project, texts.map(withoutHiddenText), signal)),
  ];
  // The person who set a label wrote nothing.
  const asker = trigger.kind === 'label' ? [] : [trigger.by];
  const authors = [...[issue.user, ...comments.map(({ user }) => user)].map(toPerson), ...asker];
  const isTrusted = await areTrusted(deps, project, authors, signal);
  return { text: composeReport(parts, trigger), revision: '', isTrusted };
}

async function readComments(
  { clients }: GatherDeps,
  project: GithubProject,
  number: number,
  signal: AbortSignal,
): Promise<readonly IssueComment[]> {
  const issue = { ...getRepository(project), issue_number: number, per_page: PAGE };
  const all = await clients.repository(project.source, 'read').call(async (octokit, request) => {
    let count = 0;
    return await octokit.paginate(octokit.rest.issues.listComments, { ...issue, request }, ({ data }, done) => {
      count += data.length;
      if (count >= MOST_COMMENTS) done();
      return data;
    });
  }, signal);
  return all.slice(0, MOST_COMMENTS);
}

/** Nothing for a bare command, which says nothing of the problem. */
function describeComment(comment: IssueComment): readonly string[] {
  const text = withoutHiddenText(comment.body ?? '');
  const found = splitAtCommand(text);
  const isBare = found?.before === '' && (!('guidance' in found.command) || found.command.guidance === '');
  return text === '' || isBare ? [] : [describeAuthor('Comment', comment), text];
}

/** What the comment with the command says before it. */
function describeCommand(comment: CommentPayload | null): readonly string[] {
  const before = withoutHiddenText(splitAtCommand(comment?.body ?? '')?.before ?? '');
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

/** `authors`: null for a deleted account. */
async function areTrusted(
  { permissions }: GatherDeps,
  project: GithubProject,
  authors: readonly (Person | null)[],
  signal: AbortSignal,
): Promise<boolean> {
  if (authors.includes(null)) return false;
  const people = new Map(authors.flatMap((author) => (author === null ? [] : [[author.id, author] as const])));
  if (people.size > MOST_AUTHORS) return false;
  const roles = [...people.values()].map((person) => permissions.roleOfPerson(person, project, signal));
  return (await Promise.all(roles)).every((role) => isAtLeast(role, 'write'));
}

/** Jobs that fail together mostly fail alike: so many logs are read. */
const MOST_LOGS = 5;
const LOG_BYTES = Math.floor((REPORT_BYTES - 128 * 1_024) / MOST_LOGS);
const MOST_RUNS = 300;
const MOST_CHECKS = 20;
const OUTPUT_BYTES = 16 * 1_024;
const MOST_ANNOTATIONS = 50;

interface FailedCheck {
  readonly name: string;
  /** All that it says, in one text. */
  readonly text: string;
  /** Of Actions; null: a check of other CI. */
  readonly jobId: number | null;
}

/** The checks that failed at the head of a pull request, with the logs of their jobs; null where none did. Throws GithubFailure. */
export async function gatherPullRequestReport(
  deps: GatherDeps,
  {
    project,
    subject,
    trigger,
  }: { readonly project: GithubProject; readonly subject: { readonly number: number }; readonly trigger: Trigger },
  signal: AbortSignal,
): Promise<GatheredReport | null> {
  const pull = { ...getRepository(project), pull_number: subject.number };
  const { data } = await deps.clients
    .repository(project.source, 'read')
    .call(({ rest }, request) => rest.pulls.get({ ...pull, request }), signal);
  const { head, title } = data;
  const failed = [
    ...(await readFailedRuns(deps, project, head.sha, signal)),
    ...(await readFailedStatuses(deps, project, head.sha, signal)),
  ].slice(0, MOST_CHECKS);
  if (failed.length === 0) return null;
  const jobs = failed.flatMap(({ name, jobId }) => (jobId === null ? [] : [{ name, jobId }]));
  const logs: string[] = [];
  for (const { name, jobId } of jobs.slice(0, MOST_LOGS)) {
    const log = await checkLog(deps, { project, jobId, bytes: LOG_BYTES }, signal);
    logs.push(`=== Log of job "${name}" ===\n${log}`);
  }
  const left = jobs.length - MOST_LOGS;
  if (left > 0) logs.push(`[The logs of ${left} more failed jobs were left out]`);
  const heading = `Checks failed on pull request #${subject.number} (${title}), at commit ${head.sha}.`;
  const text = composeReport([heading, ...failed.map((check) => check.text), ...logs], trigger);
  // Logs and titles are written by the author of the change. The commits of a fork are fetched by their sha.
  return { text, revision: head.sha, isTrusted: false };
}

/** The oldest first, since what failed first is mostly the cause. */
async function readFailedRuns(
  deps: GatherDeps,
  project: GithubProject,
  sha: string,
  signal: AbortSignal,
): Promise<readonly FailedCheck[]> {
  const identity = await deps.clients.identity(signal);
  const caller = deps.clients.repository(project.source, 'read');
  const where = { ...getRepository(project), ref: sha, filter: 'latest', per_page: PAGE } as const;
  const runs = await caller.call(async (octokit, request) => {
    let count = 0;
    return await octokit.paginate(octokit.rest.checks.listForRef, { ...where, request }, ({ data }, done) => {
      count += data.length;
      if (count >= MOST_RUNS) done();
      return data;
    });
  }, signal);
  const failed = runs.filter(
    ({ conclusion, app }) =>
      (conclusion === 'failure' || conclusion === 'timed_out') && !isOurs(identity, { performed_via_github_app: app }),
  );
  const checks: FailedCheck[] = [];
  for (const { id, name, app, conclusion, output } of failed.toSorted((a, b) => a.id - b.id).slice(0, MOST_CHECKS)) {
    const words = [output.summary, output.text].filter(Boolean).join('\n');
    const annotations = output.annotations_count > 0 ? await readAnnotations(deps, project, id, signal) : [];
    const text = describeCheck(name, conclusion ?? '', output.title ?? '');
    checks.push({
      name,
      text: [text, keepBeginning(words, OUTPUT_BYTES), ...annotations].filter((part) => part !== '').join('\n'),
      jobId: app?.slug === 'github-actions' ? id : null,
    });
  }
  return checks;
}

/** One line each: place, level, words. */
async function readAnnotations(
  { clients }: GatherDeps,
  project: GithubProject,
  id: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const where = { ...getRepository(project), check_run_id: id, per_page: MOST_ANNOTATIONS };
  const { data } = await clients
    .repository(project.source, 'read')
    .call(({ rest }, request) => rest.checks.listAnnotations({ ...where, request }), signal);
  return data.map(({ path, start_line, annotation_level, message }) =>
    `${path}:${start_line}: ${annotation_level ?? 'notice'}: ${message ?? ''}`.slice(0, 1_000),
  );
}

async function readFailedStatuses(
  { clients }: GatherDeps,
  project: GithubProject,
  sha: string,
  signal: AbortSignal,
): Promise<readonly FailedCheck[]> {
  const where = { ...getRepository(project), ref: sha, per_page: PAGE };
  const { data } = await clients
    .repository(project.source, 'read')
    .call(({ rest }, request) => rest.repos.getCombinedStatusForRef({ ...where, request }), signal);
  return data.statuses
    .filter(({ state }) => state === 'failure' || state === 'error')
    .map(({ context, state, description }) => ({
      ...{ name: context, text: describeCheck(context, state, description ?? ''), jobId: null },
    }));
}

function describeCheck(name: string, conclusion: string, title: string): string {
  return `Check "${name}" ended with ${conclusion}${title === '' ? '' : `: ${title}`}.`;
}
