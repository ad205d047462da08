// Where the cases of an evaluation come from: commits that name issues, and the issues' texts from GitHub, a file, or
// the commits themselves.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { CommitMessage, Repository } from 'causeway-git-objects';
import type { Redactor } from 'causeway-redact';
import type { EvalCommand } from '../cli/command-line.ts';
import type { Config } from '../config.ts';
import { CausewayError } from '../core/errors.ts';
import type { ProjectSource } from '../core/project/index.ts';
import {
  buildCase,
  type Case,
  type Fix,
  findFixes,
  type ReportText,
  readPullRequest,
  type Unfit,
} from '../evaluation/index.ts';
import { type ClosedIssue, createReadingToken, readClosedIssues } from '../github/index.ts';
import { registerSecret } from '../log.ts';
import type { FoundCases } from './evaluation-state.ts';
import { openSource } from './git-source.ts';
import { findRepositoryAround } from './local.ts';
import { readKeptApp } from './mode.ts';
import { USER_AGENT } from './services.ts';

/** Commits that are searched for fixes. */
const MOST_COMMITS = 20_000;

export interface CaseSource {
  readonly command: EvalCommand;
  readonly config: Config;
  /** For mirrors. */
  readonly work: string;
  readonly cwd: string;
  /** Null: none, or no GitHub is asked. */
  readonly token: string | null;
}

/** The token for `--github`: GITHUB_TOKEN, else one of the App's installation there; null: none. */
export async function findGithubToken(
  { github }: EvalCommand,
  config: Config,
  signal: AbortSignal,
): Promise<string | null> {
  if (github === null || config.githubToken !== null) return config.githubToken;
  const app = config.app.kind === 'given' ? config.app.credentials : (readKeptApp(config)?.credentials ?? null);
  if (app === null) return null;
  registerSecret(app.privateKey);
  return await createReadingToken(app, toGithubOptions(config), toName(github), signal);
}

function toGithubOptions({ githubApiUrl: apiUrl, githubWebUrl: webUrl }: Config) {
  return { apiUrl, webUrl, userAgent: USER_AGENT };
}

function toName(github: string) {
  const [owner = '', repo = ''] = github.split('/');
  return { owner, repo };
}

/**
 * The repository on this disk that the cases are read from: the one of `--repo`, or a mirror of `--github` below
 * `work`. Throws `usage` where `--repo` is none.
 */
export async function openCaseRepository(
  { command, config, work, cwd, token }: CaseSource,
  signal: AbortSignal,
): Promise<{ readonly repository: Repository; readonly path: string } & AsyncDisposable> {
  await using opening = new AsyncDisposableStack();
  const folder = path.join(work, 'source');
  const git = opening.use(
    openSource({
      folder,
      environment: config.environment,
      credentials: async () => (token === null ? null : { username: 'x-access-token', password: token }),
    }),
  );
  const source = findSource(command, config, cwd);
  const repository = await git.open({ id: 'source', name: describeRepository(command), source, createdAt: '' }, signal);
  const opened = opening.move();
  const place = source.kind === 'path' ? source.path : path.join(folder, 'source.git');
  return { repository, path: place, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function findSource(
  { github, repository }: EvalCommand,
  { githubWebUrl }: Config,
  cwd: string,
): Exclude<ProjectSource, { kind: 'github' }> {
  if (repository === null) return { kind: 'url', url: `${githubWebUrl}/${github}.git` };
  const root = findRepositoryAround(path.resolve(cwd, repository));
  if (root !== null) return { kind: 'path', path: root };
  throw new CausewayError('usage', `${repository} is not in a git repository: give --repo a folder that is.`);
}

/** As a person knows it. */
export function describeRepository({ github, repository }: EvalCommand): string {
  return github ?? path.basename(path.resolve(repository ?? '')).replace(/\.git$/, '');
}

/** What the cases depend on: the same question is answered from the state folder. */
export function describeQuestion({ github, repository, reports, subjects, last }: EvalCommand, cwd: string): string {
  const texts = reports === null ? null : createHash('sha256').update(readReportFile(reports, cwd)).digest('hex');
  return JSON.stringify({ github, repository: repository && path.resolve(cwd, repository), texts, subjects, last });
}

/** Cases with the newest fixes first. Their texts are redacted. */
export async function findCases(
  { command, config, cwd, token }: CaseSource,
  repository: Repository,
  redactor: Redactor,
  signal: AbortSignal,
): Promise<FoundCases> {
  const commits = await listCaseCommits(repository, signal);
  const fixes = listReportedFixes({ command, config, cwd, token }, commits, signal);
  const cases: Case[] = [];
  const unfit: Partial<Record<Unfit, number>> = {};
  for await (const { fix, text } of fixes) {
    const clean: ReportText = {
      ...text,
      title: await redactor.redact(text.title),
      body: await redactor.redact(text.body),
    };
    const one = await buildCase(repository, fix, clean, signal);
    if (typeof one === 'string') unfit[one] = (unfit[one] ?? 0) + 1;
    else cases.push(one);
    if (cases.length === command.last) break;
  }
  return { cases, unfit };
}

async function listCaseCommits(repository: Repository, signal: AbortSignal): Promise<readonly CommitMessage[]> {
  const head = await repository.resolve('', signal);
  if (head === null) return [];
  const tree = repository.tree(head);
  const { ids } = await tree.ancestors(MOST_COMMITS, signal);
  const commits: CommitMessage[] = [];
  for await (const batch of tree.messages(ids, signal)) commits.push(...batch);
  const order = new Map(ids.map((sha, at) => [sha, at]));
  return commits.toSorted((a, b) => (order.get(a.sha) ?? 0) - (order.get(b.sha) ?? 0));
}

interface ReportedFix {
  readonly fix: Fix;
  readonly text: ReportText;
}

function listReportedFixes(
  { command, config, cwd, token }: Omit<CaseSource, 'work'>,
  commits: readonly CommitMessage[],
  signal: AbortSignal,
): Iterable<ReportedFix> | AsyncIterable<ReportedFix> {
  const { github, reports } = command;
  if (reports !== null) return listFromFile(commits, readReports(reports, cwd));
  if (github === null) return listSubjects(commits);
  const pages = readClosedIssues({ ...toGithubOptions(config), token }, toName(github), signal);
  return listFromGithub(commits, pages);
}

function listFromFile(
  commits: readonly CommitMessage[],
  texts: ReturnType<typeof readReports>,
): readonly ReportedFix[] {
  return findFixes(commits, (number) => texts.has(number)).flatMap((fix) => {
    const text = texts.get(fix.issue ?? 0);
    return text === undefined ? [] : [{ fix, text: { ...text, isSubject: false } }];
  });
}

async function* listFromGithub(
  commits: readonly CommitMessage[],
  pages: AsyncIterable<readonly ClosedIssue[]>,
): AsyncGenerator<ReportedFix> {
  // Which of the numbers are issues is known only from the pages.
  const named = new Map(findFixes(commits, () => true).map((fix) => [fix.issue, fix]));
  const messages = new Map(commits.map(({ sha, message }) => [sha, message]));
  for await (const page of pages) {
    for (const issue of page) {
      const fix = toFix(issue, messages) ?? named.get(issue.number);
      if (fix !== undefined) yield { fix, text: { title: issue.title, body: issue.body, isSubject: false } };
    }
  }
}

/** Null where GitHub knows of no commit that closed it. `messages`: of known commits that are no merges, by sha. */
function toFix({ number, closer }: ClosedIssue, messages: ReadonlyMap<string, string>): Fix | null {
  if (closer === null) return null;
  const { sha, pullRequest, commits } = closer;
  const message = messages.get(sha);
  // The commit of a squash, and a merge, which is not among the messages, hold all of the pull request.
  const isRebased = message !== undefined && commits > 1 && readPullRequest(message) !== pullRequest;
  return { issue: number, sha, pullRequest, earlier: isRebased ? commits - 1 : 0 };
}

function listSubjects(commits: readonly CommitMessage[]): readonly ReportedFix[] {
  const messages = new Map(commits.map(({ sha, message }) => [sha, message]));
  return findFixes(commits, null).map((fix) => {
    const [title = '', ...body] = (messages.get(fix.sha) ?? '').split('\n');
    return { fix, text: { title, body: body.join('\n').trim(), isSubject: true } };
  });
}

function readReportFile(file: string, cwd: string): string {
  try {
    return readFileSync(path.resolve(cwd, file), 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new CausewayError('usage', `--reports names ${file}, which cannot be read (${code}).`, { cause: error });
  }
}

/** By number. Throws `usage` naming the line that is wrong. */
function readReports(
  file: string,
  cwd: string,
): ReadonlyMap<number, { readonly title: string; readonly body: string }> {
  const lines = readReportFile(file, cwd)
    .replace(/^\uFEFF/, '')
    .split('\n');
  return new Map(
    lines.flatMap((line, at) => (line.trim() === '' ? [] : [readHistoryReport(line, `${file}, line ${at + 1},`)])),
  );
}

function readHistoryReport(line: string, where: string) {
  const form = 'is not {"number", "title", "body"} as JSON';
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch (cause) {
    throw new CausewayError('usage', `${where} ${form}.`, { cause });
  }
  const { number, title, body = '' } = (read ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || typeof title !== 'string') {
    throw new CausewayError('usage', `${where} ${form}.`);
  }
  return [number, { title, body: typeof body === 'string' ? body : '' }] as const;
}
