// What red checks have left on GitHub and in the records, counted, to be held against one of each.

import { expect } from 'vitest';
import type { HeadRecord } from '../../src/core/head.ts';
import type { ThreadRecord } from '../../src/core/thread.ts';
import { gitText } from '../github-double/git/run-git.ts';
import { repository } from '../github-double/lookup.ts';
import type { Comment, Issue, Repository, Review } from '../github-double/state.ts';

import type { Scene } from './checks-kill-writes.ts';
import type { RedDesk } from './github-red-desk.ts';
import type { RedModel } from './github-red-model.ts';
import type { GithubStage } from './github-stage.ts';
import { textsIn } from './played-model.ts';
import { storedRows } from './records.ts';
import { isUnsettled, storedJobs } from './stored-jobs.ts';

export interface Left {
  /** Of each check run of ours its status, and its marks. */
  readonly checkRuns: readonly { readonly status: string; readonly marks: readonly string[] }[];
  /** Of our comments on the pull request how they are folded away. */
  readonly comments: readonly (string | null)[];
  readonly reviews: readonly { readonly folded: string | null; readonly remarks: number }[];
  readonly branches: number;
  /** On our branch, beyond those of the base. */
  readonly commits: number;
  /** Of our bot. */
  readonly pulls: readonly { readonly isDraft: boolean }[];
  readonly investigations: number;
  /** What the model was asked, every turn of every try. */
  readonly questions: number;
  readonly failures: readonly { readonly hits: number; readonly state: string }[];
  readonly threads: number;
  /** Whether the records name what stands on GitHub, as it stands there. */
  readonly isRecorded: boolean;
  /** Jobs of this project that are due, running or dead. */
  readonly unsettled: number;
}

/** Turns of one investigation. */
const TURNS = 3;
/** Where the model says that it is: once, however often it was said. */
const MARKS = ['src/coupons.js:14'];

/** One of each, once all is over. `killed`: at the check run, and so perhaps in the middle of a question, which is asked again then. */
export function oneOfEach(scene: Scene, { killed }: { readonly killed: boolean }): Left {
  const isPull = scene === 'pull request';
  return {
    checkRuns: [{ status: 'completed', marks: MARKS }],
    comments: isPull ? ['RESOLVED'] : [],
    reviews: isPull ? [{ folded: 'RESOLVED', remarks: 1 }] : [],
    branches: isPull ? 0 : 1,
    commits: isPull ? 0 : 1,
    pulls: isPull ? [] : [{ isDraft: true }],
    investigations: 1,
    questions: killed ? expect.toBeOneOf([TURNS, TURNS + 1]) : TURNS,
    failures: [{ hits: 2, state: isPull ? 'closed' : 'open' }],
    threads: 1,
    isRecorded: true,
    unsettled: 0,
  };
}

export async function countLeft(stage: GithubStage, model: RedModel, desk: RedDesk): Promise<Left> {
  const found = repository(stage.double.state, desk.name);
  const { people, app } = stage.double;
  const { branches, commits } = await branchesOf(found);
  const checkRuns = [...found.checkRuns.values()].filter(({ appId }) => appId === app.id);
  const pulls = people.pulls(desk.name);
  const own = pulls.filter(({ authorId }) => authorId === app.botId);
  const comments = pulls.flatMap(({ number }) => stage.ourComments(desk.name, number));
  const reviews = pulls.flatMap(({ pull }) => pull?.reviews ?? []).filter(({ authorId }) => authorId === app.botId);
  const records = await recordsOf(stage.dataDir, desk.name);
  const [thread] = records.threads;
  const posted = records.heads.map((head) => head.checkRun).find((run) => run !== null);
  const check = namedIn(checkRuns, ({ id }) => id === posted?.id);
  const comment = namedIn(comments, ({ id }) => id === thread?.comment?.id);
  const review = namedIn(reviews, ({ id }) => id === thread?.suggested?.reviewId);
  const pull = namedIn(own, ({ number }) => number === thread?.pullRequest?.number);
  return {
    checkRuns: checkRuns.map(({ status, annotations }) => ({
      status,
      marks: annotations.map(({ path: file, startLine }) => `${file}:${startLine}`),
    })),
    comments: comments.map(({ minimized }) => minimized),
    reviews: reviews.map(({ id, minimized }) => ({
      folded: minimized,
      remarks: [...found.reviewComments.values()].filter(({ reviewId }) => reviewId === id).length,
    })),
    ...{ branches, commits, pulls: own.map((one) => ({ isDraft: one.pull?.isDraft === true })) },
    ...{ investigations: records.investigations, threads: records.threads.length, unsettled: records.unsettled },
    questions: model.endpoint.requests.filter((asked) =>
      textsIn(asked).join('\n').includes(`Repository ${desk.name}, commit`),
    ).length,
    failures: (await desk.failures()).map(({ hits, state }) => ({ hits, state })),
    isRecorded:
      posted?.id === check?.id &&
      posted?.status === check?.status &&
      posted?.annotations === check?.annotations.length &&
      isNamed(thread, { comment, review, pull }),
  };
}

/** The one that the records name; how many there are beside it is counted on its own. */
function namedIn<T>(standing: readonly T[], isNamedSo: (one: T) => boolean): T | undefined {
  return standing.find(isNamedSo) ?? standing[0];
}

async function branchesOf({ gitDir }: Repository): Promise<Pick<Left, 'branches' | 'commits'>> {
  const listed = await gitText(gitDir, ['for-each-ref', '--format=%(refname)', 'refs/heads/causeway/']);
  const names = listed.split('\n').filter((name) => name !== '');
  const [first] = names;
  const beyond =
    first === undefined ? '0' : await gitText(gitDir, ['rev-list', '--count', `refs/heads/main..${first}`]);
  return { branches: names.length, commits: Number(beyond) };
}

interface Standing {
  readonly comment: Comment | undefined;
  readonly review: Review | undefined;
  readonly pull: Issue | undefined;
}

/** A comment is named with what it shows, and whether it is folded away; so is a review. */
function isNamed(thread: ThreadRecord | undefined, { comment, review, pull }: Standing): boolean {
  if (thread === undefined || thread.replaced.length > 0) return false;
  const { comment: said, suggested, pullRequest } = thread;
  return (
    said?.id === comment?.id &&
    (said?.shows === 'settled') === (comment?.body.includes('Green again') ?? false) &&
    (said?.isMinimized ?? false) === (comment !== undefined && comment.minimized !== null) &&
    suggested?.reviewId === review?.id &&
    (suggested?.isMinimized ?? false) === (review !== undefined && review.minimized !== null) &&
    pullRequest?.number === pull?.number &&
    pullRequest?.headSha === pull?.pull?.headSha
  );
}

interface Records {
  readonly heads: readonly HeadRecord[];
  readonly threads: readonly ThreadRecord[];
  readonly investigations: number;
  readonly unsettled: number;
}

async function recordsOf(dataDir: string, name: string): Promise<Records> {
  const ask = <T extends object>(statement: string) => storedRows<T>(dataDir, statement, [name]);
  const ofProject = 'project_id = (select id from projects where name = $1)';
  const texts = async (table: 'heads' | 'threads') =>
    (await ask<{ record: string }>(`select record from ${table} where ${ofProject} order by seq`)).map(({ record }) =>
      JSON.parse(record),
    );
  const investigations = await ask(`select id from investigations where ${ofProject}`);
  const tables = ['heads', 'threads', 'runs'].map((table) => `select id from ${table} where ${ofProject}`);
  const ids = new Set((await ask<{ id: string }>(tables.join(' union '))).map(({ id }) => id));
  const unsettled = (await storedJobs(dataDir)).filter((job) => ids.has(job.subject) && isUnsettled(job));
  return {
    heads: await texts('heads'),
    threads: await texts('threads'),
    ...{ investigations: investigations.length, unsettled: unsettled.length },
  };
}
