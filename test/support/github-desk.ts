// One issue of a shop on the stage, as the people in front of it see it: comments, reactions, the pull request.
import {
  type Comment,
  type Fault,
  type GithubIssue,
  type Reaction,
  type Rendered,
  renderMarkdown,
  type SeenRequest,
} from 'causeway-github-double';
import { expect } from 'vitest';
import type { ThreadRecord } from '../../src/core/thread/thread.ts';
import { type BugReport, openShop, reportBug, type ShopOptions } from './github-shop.ts';
import type { GithubStage } from './github-stage.ts';
import { storedRows } from './records.ts';

export interface Desk {
  /** `owner/name`, as it was opened. */
  readonly name: string;
  readonly number: number;
  label(by: string, label?: string): void;
  say(by: string, body: string): Comment;
  /** Comments of our bot on the issue, oldest first. */
  ours(): readonly Comment[];
  /** The first line of each comment of our bot. */
  headlines(): readonly string[];
  /** The comment as GitHub shows it. */
  shown(body: string): Rendered;
  /** Who reacted how, such as `eyes`; of our bot only, to the issue or a comment. */
  reactions(to?: Comment): readonly Reaction['content'][];
  /** Waits for our comment whose first line holds `words`. */
  comment(words: string): Promise<Comment>;
  /** Pull requests of our bot, oldest first. */
  pulls(): readonly GithubIssue[];
  pull(): Promise<GithubIssue>;
  writes(): readonly string[];
}

export async function openDesk(
  stage: GithubStage,
  name: string,
  options: Omit<ShopOptions, 'name'> & Omit<BugReport, 'name'> = {},
): Promise<Desk> {
  await openShop(stage.double, { ...options, name });
  return deskOf(stage, name, await reportBug(stage.double, { ...options, name }));
}

export function deskOf(stage: GithubStage, name: string, number: number): Desk {
  const { double } = stage;
  const { people, app, state } = double;
  // It may be renamed.
  const { id } = stage.double.repository(name);
  const now = () => {
    const found = state.repositories.get(id);
    return found === undefined ? name : `${state.accounts.get(found.ownerId)?.login}/${found.name}`;
  };
  const ours = () => stage.ourComments(now(), number);
  const headline = ({ body }: Comment) => body.split('\n')[0] ?? '';
  const pulls = () => people.pulls(now()).filter(({ authorId }) => authorId === app.botId);
  return {
    name,
    number,
    label: (by, label = 'analyse') => people.label(now(), number, label, by),
    say: (by, body) => people.comment(now(), number, { by, body }),
    ours,
    headlines: () => ours().map(headline),
    shown: (body) => renderMarkdown(body, { repository: now(), webUrl: double.webUrl }),
    reactions: (to) =>
      (to ?? people.issue(now(), number)).reactions.filter((one) => one.userId === app.botId).map((one) => one.content),
    comment: (words) =>
      stage.until(`a comment with "${words}"`, () => ours().find((one) => headline(one).includes(words))),
    pulls,
    pull: () => stage.until('a pull request', () => pulls().at(-1)),
    writes: () => stage.writes(now()),
  };
}

/** Files that a commit changes, against its first parent, such as `M src/a.js`. */
export async function changedFiles(stage: GithubStage, name: string, sha: string): Promise<readonly string[]> {
  const text = await stage.double.git(name, 'diff-tree', '-r', '--no-commit-id', '--name-status', sha);
  return text.split('\n').map((line) => line.replace('\t', ' '));
}

export async function fileAt(stage: GithubStage, name: string, object: string): Promise<string> {
  return stage.double.git(name, 'cat-file', 'blob', object);
}

/** Of the `nth` thread that was opened, from 1. */
export async function heldOf(dataDir: string, nth: number): Promise<ThreadRecord['held']> {
  const threads = await storedRows<{ record: string }>(dataDir, 'select record from threads order by seq');
  const record = threads[nth - 1]?.record;
  return record === undefined ? null : (JSON.parse(record) as ThreadRecord).held;
}

/** Reads on which an analysis stands: whoever steers it must not be able to write with them. */
const OF_ANALYSIS = /\/info\/refs|git-upload-pack$|\/contents\/|\/permission$|\/issues\/\d+$|^\/user-attachments/;

/** What needs no repository: the list of them, and who the bot is. */
const OF_INSTALLATION = /^\/installation\/repositories|^\/users\//;

/** Holds every call up to now against it. */
export function expectLeastTokens({ double }: GithubStage): void {
  for (const asked of double.requests) {
    if (asked.tokenKind === 'app') expect(asked.path).toMatch(/^\/app(?=$|[/?])/);
    if (asked.tokenKind === 'installation') expect(faultOf(asked)).toBe('');
  }
}

function faultOf(asked: SeenRequest): string {
  const { method, path, permissions, repositoryIds } = asked;
  const writing = Object.keys(permissions).filter((name) => permissions[name] !== 'read');
  const call = `${method} ${path} with ${JSON.stringify(permissions)} of ${repositoryIds}`;
  if (OF_INSTALLATION.test(path))
    return Object.keys(permissions).join() === 'metadata' || repositoryIds?.length === 1 ? '' : call;
  if (repositoryIds?.length !== 1) return `${call}: not of one repository`;
  if (writing.length === 0) return '';
  if (OF_ANALYSIS.test(path.split('?')[0] ?? '') && method === 'GET') return `${call}: an analysis reads with it`;
  if (path.endsWith('/git-upload-pack')) return `${call}: git reads with it`;
  return writing.toSorted().join() === neededFor(path) ? '' : `${call}: more than it needs`;
}

/** Talking cannot push, and pushing cannot talk on issues. */
function neededFor(path: string): string {
  return /\/(?:comments|reactions)/.test(path) ? 'issues,pull_requests' : 'contents,pull_requests';
}

interface StrangeAnswer {
  /** Names the repository. */
  readonly name: string;
  readonly fault: Fault;
  /** Default once. */
  readonly times?: number;
  /** Comments that stand there in the end. */
  readonly comments: 0 | 1;
}

const before = 'before';

/** Those after which it is clear within half a minute what came of them. */
export const STRANGE_ANSWERS: readonly StrangeAnswer[] = [
  { name: 'not-found', fault: { kind: 'answer', when: before, status: 404 }, times: 9, comments: 0 },
  { name: 'withheld', fault: { kind: 'answer', when: before, status: 451 }, times: 9, comments: 0 },
  { name: 'expired-token', fault: { kind: 'answer', when: before, status: 401 }, comments: 1 },
  { name: 'unknown-token', fault: { kind: 'answer', when: before, status: 401 }, times: 9, comments: 0 },
  { name: 'unicorn', fault: { kind: 'html', when: before, status: 502 }, comments: 1 },
  { name: 'page', fault: { kind: 'html', when: 'after', status: 200 }, comments: 1 },
  { name: 'reset', fault: { kind: 'reset', when: before }, comments: 1 },
  { name: 'half-json', fault: { kind: 'half_json' }, comments: 1 },
  { name: 'slow-down', fault: { kind: 'secondary_limit', status: 429, retryAfter: 1 }, comments: 1 },
];

/** Those that last as long as we wait for an answer. */
export const SLOW_ANSWERS: readonly StrangeAnswer[] = [
  { name: 'hang', fault: { kind: 'hang', when: before }, comments: 1 },
  { name: 'hang-after', fault: { kind: 'hang', when: 'after' }, comments: 1 },
  { name: 'drip', fault: { kind: 'drip', everyMilliseconds: 1_000, bytes: 1 }, comments: 1 },
];

interface Came {
  readonly name: string;
  readonly comments: number;
  /** Requests that would have made the comment. */
  readonly tries: number;
}

/** Of a label in a stage without a model: there is one comment, the result. */
export async function outcomeOf(stage: GithubStage, strange: StrangeAnswer): Promise<Came> {
  const { name, fault, times = 1, comments } = strange;
  const path = new RegExp(`^/repos/corner/${name}/issues/1/comments$`);
  const desk = await openDesk(stage, `corner/${name}`);
  stage.double.faults.add({ method: 'POST', path, fault, times });
  const tries = () =>
    stage.double.requests.filter((request) => request.method === 'POST' && path.test(request.path)).length;
  desk.label('per');
  await stage.until(`a try at ${name}`, () => tries() > 0);
  if (comments === 1) await stage.until(`a comment at ${name}`, () => desk.ours().length > 0);
  await stage.rest();
  return { name, comments: desk.ours().length, tries: tries() };
}
