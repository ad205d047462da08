// What a form of the page does, for the person that it names, if GitHub would let that person.
import type { GithubDouble } from '../double.ts';
import { account, grantOf, mayAtLeast } from '../lookup.ts';
import type { RepositoryRole } from '../state.ts';
import type { PageView } from './frame.ts';

/** GitHub would say no. */
export class Refused extends Error {}

interface Act {
  readonly pattern: RegExp;
  /** Needed at least; `pull` is anybody who sees the repository. Null: it is not a person who does it. */
  readonly role: RepositoryRole | null;
  /** Returns where to go then. */
  readonly run: (view: PageView, given: ActInput) => Promise<string>;
}

interface ActInput {
  readonly by: string;
  /** What the pattern caught. */
  readonly id: string;
  field(name: string): string;
}

const acts: readonly Act[] = [
  { pattern: /^issues$/, role: 'pull', run: openPageIssue },
  { pattern: /^(\d+)\/comment$/, role: 'pull', run: comment },
  { pattern: /^(\d+)\/label$/, role: 'triage', run: label },
  { pattern: /^(\d+)\/edit$/, role: 'pull', run: edit },
  { pattern: /^(\d+)\/state$/, role: 'pull', run: changeState },
  { pattern: /^(\d+)\/check$/, role: null, run: checkPull },
  { pattern: /^comments\/(\d+)$/, role: 'pull', run: changeComment },
  { pattern: /^commit\/([0-9a-f]{40})\/check$/, role: null, run: checkCommit },
  { pattern: /^runs\/(\d+)$/, role: 'push', run: pressButton },
  { pattern: /^suggestions\/(\d+)$/, role: 'push', run: commitSuggestion },
  { pattern: /^push$/, role: 'push', run: push },
];

/** Does it and returns the page to show then; null where there is no such form. Throws Refused. */
export async function act(view: PageView, name: string, fields: URLSearchParams): Promise<string | null> {
  for (const { pattern, role, run } of acts) {
    const match = pattern.exec(name);
    if (match === null) continue;
    const given: ActInput = {
      by: fields.get('by') ?? '',
      id: match[1] ?? '',
      field: (one) => (fields.get(one) ?? '').replaceAll('\r\n', '\n'),
    };
    if (role !== null) require(view, given, role);
    return run(view, given);
  }
  return null;
}

function require(view: PageView, { by }: ActInput, role: RepositoryRole): void {
  const { state } = view.double;
  if (mayAtLeast(grantOf(state, view.repository, account(state, by)), role)) return;
  throw new Refused(`${by} may not do that: it takes "${role}" or better on ${view.name}.`);
}

/** Whoever wrote it, or somebody with write. */
function requireAuthor(view: PageView, given: ActInput, authorId: number | null): void {
  if (account(view.double.state, given.by).id !== authorId) require(view, given, 'push');
}

function threadPath({ repository, name }: PageView, number: number): string {
  const issue = repository.issues.get(number);
  if (issue === undefined) throw new Refused(`There is no #${number}.`);
  return `/${name}/${issue.pull === null ? 'issues' : 'pull'}/${number}`;
}

function getPeople({ double }: PageView): GithubDouble['people'] {
  return double.people;
}

async function openPageIssue(view: PageView, { by, field }: ActInput): Promise<string> {
  const labels = field('label') === '' ? [] : [field('label')];
  const { number } = getPeople(view).openIssue(view.name, { by, title: field('title'), body: field('body'), labels });
  return threadPath(view, number);
}

async function comment(view: PageView, { by, id, field }: ActInput): Promise<string> {
  const path = threadPath(view, Number(id));
  if (field('body').trim() === '') throw new Refused('A comment needs a text.');
  return `${path}#issuecomment-${getPeople(view).comment(view.name, Number(id), { by, body: field('body') }).id}`;
}

async function label(view: PageView, { by, id, field }: ActInput): Promise<string> {
  const path = threadPath(view, Number(id));
  if (field('act') === 'remove') getPeople(view).unlabel(view.name, Number(id), field('label'), by);
  else getPeople(view).label(view.name, Number(id), field('label'), by);
  return path;
}

async function edit(view: PageView, given: ActInput): Promise<string> {
  const number = Number(given.id);
  const path = threadPath(view, number);
  requireAuthor(view, given, getPeople(view).issue(view.name, number).authorId);
  getPeople(view).edit(view.name, number, { by: given.by, title: given.field('title'), body: given.field('body') });
  return path;
}

async function changeState(view: PageView, given: ActInput): Promise<string> {
  const number = Number(given.id);
  const path = threadPath(view, number);
  const { by } = given;
  const todo = given.field('act');
  if (todo === 'merge') require(view, given, 'push');
  else requireAuthor(view, given, getPeople(view).issue(view.name, number).authorId);
  if (todo === 'merge') await getPeople(view).merge(view.name, number, by);
  if (todo === 'close') getPeople(view).close(view.name, number, by);
  if (todo === 'reopen') getPeople(view).reopen(view.name, number, by);
  if (todo === 'ready') getPeople(view).markReady(view.name, number, by);
  if (todo === 'draft') getPeople(view).convertToDraft(view.name, number, by);
  return path;
}

async function changeComment(view: PageView, given: ActInput): Promise<string> {
  const comment = view.repository.comments.get(Number(given.id));
  if (comment === undefined) throw new Refused('That comment is gone.');
  requireAuthor(view, given, comment.authorId);
  if (given.field('act') === 'delete') getPeople(view).deleteComment(view.name, comment.id, given.by);
  else getPeople(view).editComment(view.name, comment.id, { by: given.by, body: given.field('body') });
  return threadPath(view, comment.issueNumber);
}

async function checkPull(view: PageView, given: ActInput): Promise<string> {
  const number = Number(given.id);
  const path = threadPath(view, number);
  const { pull } = getPeople(view).issue(view.name, number);
  if (pull !== null) await reportCi(view, pull.headSha, 'pull_request', given);
  return path;
}

async function checkCommit(view: PageView, given: ActInput): Promise<string> {
  await reportCi(view, given.id, 'push', given);
  return `/${view.name}/commit/${given.id}`;
}

/** A run; of a commit that has had one the next attempt of all of its jobs, as GitHub's button gives it. */
async function reportCi(view: PageView, sha: string, event: string, { field }: ActInput): Promise<void> {
  const conclusion = field('conclusion') === 'failure' ? ('failure' as const) : ('success' as const);
  const result = { conclusion, failedStep: 'Test', log: conclusion === 'failure' ? field('log') : 'ok\n' };
  const { repository, name, double } = view;
  const earlier = [...repository.workflowRuns.values()].find((run) => run.headSha === sha && run.name === 'CI');
  const by = double.state.accounts.get(earlier?.actorId ?? 0)?.login;
  if (earlier === undefined || by === undefined) {
    await getPeople(view).reportWorkflowRun(name, { sha, event, jobs: [{ name: 'CI', ...result }] });
    return;
  }
  const jobs = earlier.attempts.at(-1) ?? [];
  if (jobs.some((job) => job.conclusion === null)) throw new Refused('CI is still running on this commit.');
  const names = jobs.map((job) => job.name);
  await getPeople(view).rerun(name, earlier, { by, jobs: names });
  for (const job of names) await getPeople(view).finishJob(name, earlier, job, result);
}

async function pressButton(view: PageView, { by, id, field }: ActInput): Promise<string> {
  const run = view.repository.checkRuns.get(Number(id));
  if (run === undefined) throw new Refused('That check run is gone.');
  if (field('act') === '') await getPeople(view).rerequestCheck(view.name, run, by);
  else await getPeople(view).pressAction(view.name, run, field('act'), by);
  return `/${view.name}/runs/${id}`;
}

async function commitSuggestion(view: PageView, { by, id }: ActInput): Promise<string> {
  const comment = view.repository.reviewComments.get(Number(id));
  if (comment === undefined) throw new Refused('That comment is gone.');
  await getPeople(view).commitSuggestion(view.name, comment, by);
  return threadPath(view, comment.issueNumber);
}

async function push(view: PageView, { by, field }: ActInput): Promise<string> {
  const { name, repository } = view;
  const branch = field('branch') || repository.defaultBranch;
  if (field('pull') === 'yes' && branch === repository.defaultBranch)
    throw new Refused('A pull request needs a branch of its own.');
  const message = field('message') || `Change ${field('path')}`;
  const sha = await getPeople(view).push(name, { by, branch, files: { [field('path')]: field('content') }, message });
  if (field('pull') !== 'yes') return `/${name}/commit/${sha}`;
  return threadPath(view, (await getPeople(view).openPull(name, { by, title: message, head: branch })).number);
}
