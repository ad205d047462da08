// Rounds in which the service is killed, or an answer lost, at writes about red checks; and the count of what is left.
import type { Comment, FaultRule, GithubDouble, GithubIssue, Moment, Review } from 'causeway-github-double';
import { expect } from 'vitest';
import type { HeadRecord } from '../../src/core/check/head.ts';
import type { ThreadRecord } from '../../src/core/thread/thread.ts';
import { type JobEnds, openRedDesk, type RedDesk } from './github-red-desk.ts';
import { COUPONS, type RedModel, testLog } from './github-red-model.ts';
import { type GithubStage, isUnsettled, SELDOM_MS, storedJobs } from './github-stage.ts';
import { LOST, type Loss } from './lost-answers.ts';
import { textsIn } from './played-model.ts';
import { storedRows } from './records.ts';

type Scene = 'pull request' | 'default branch';

type Write =
  | ('check run' | 'completed check run')
  | ('review' | 'comment' | 'shrunk comment' | 'folded comment' | 'folded review')
  | ('branch' | 'commit' | 'pull request');

/** All of a scene, from red checks to its end. */
export const WRITES: Readonly<Record<Scene, readonly Write[]>> = {
  'pull request': [
    ...(['check run', 'completed check run', 'review', 'comment'] as const),
    ...(['shrunk comment', 'folded comment', 'folded review'] as const),
  ],
  'default branch': ['check run', 'completed check run', 'branch', 'commit', 'pull request'],
};

/** Which request it is; the pull request of a scene is number 1. */
function requestOf(stage: GithubStage, write: Write, name: string): Pick<FaultRule, 'method' | 'path' | 'body'> {
  const below = (rest: string) => new RegExp(`^/repos/${name}${rest}$`);
  const graphql = (body: RegExp) => ({ method: 'POST', path: /^\/graphql$/, body });
  switch (write) {
    case 'check run':
      return { method: 'POST', path: below('/check-runs') };
    case 'completed check run':
      return { method: 'PATCH', path: below('/check-runs/\\d+'), body: /"conclusion":"neutral"/ };
    case 'review':
      return { method: 'POST', path: below('/pulls/1/reviews') };
    case 'comment':
      return { method: 'POST', path: below('/issues/1/comments') };
    case 'shrunk comment':
      return { method: 'PATCH', path: below('/issues/comments/\\d+'), body: /Green again/ };
    case 'folded comment':
      return graphql(folding(stage, 'IC', name));
    case 'folded review':
      return graphql(folding(stage, 'PRR', name));
    case 'branch':
      return { method: 'POST', path: below('/git/refs') };
    case 'commit':
      return graphql(new RegExp(`createCommitOnBranch[^]*"${name}"`));
    case 'pull request':
      return { method: 'POST', path: below('/pulls') };
  }
}

/** A node id of the double begins with the number of its repository. */
function folding({ double }: GithubStage, kind: 'IC' | 'PRR', name: string): RegExp {
  const begins = Buffer.from(`${double.repository(name).id}:`).toString('base64url');
  // The last sign holds bits of what comes next.
  return new RegExp(`minimizeComment[^]*"${kind}_${begins.slice(0, Math.floor((begins.length * 6) / 8))}`);
}

interface Striker {
  /** Writes that were struck so far, in their order. */
  readonly struck: readonly Write[];
  /** Resolves when the service runs, after all that has befallen it so far. */
  up(): Promise<unknown>;
}

/** From now on the service dies at the first of each of these writes, one death after the other, and is started again. */
function armKiller(stage: GithubStage, name: string, moment: Moment, writes: readonly Write[]): Striker {
  const struck: Write[] = [];
  let up: Promise<unknown> = Promise.resolve();
  for (const write of writes) {
    const act = () => {
      const killed = up.then(() => stage.service().end('SIGKILL'));
      up = killed.then(() => {
        struck.push(write);
        return stage.restart();
      });
      return killed;
    };
    stage.double.faults.add({ ...requestOf(stage, write, name), fault: { kind: 'meanwhile', moment, act } });
  }
  return { struck, up: () => up };
}

/** The service lives, and hears nothing, or a 502, when the first of each of these writes was carried out. */
function armLoss(stage: GithubStage, name: string, loss: Loss, writes: readonly Write[]): Striker {
  const rules = writes.map((write) => ({ write, ...requestOf(stage, write, name) }));
  for (const { write: _, ...request } of rules) stage.double.faults.add({ ...request, fault: LOST[loss] });
  return {
    get struck() {
      return rules.filter((rule) => wasAsked(stage, rule)).map(({ write }) => write);
    },
    up: async () => {},
  };
}

function wasAsked({ double }: GithubStage, { method, path, body }: Pick<FaultRule, 'method' | 'path' | 'body'>) {
  return double.requests.some(
    (asked) => asked.method === method && path.test(asked.path) && (body?.test(asked.body) ?? true),
  );
}

/** Writes whose answers can be lost in one scene without it taking too long: what is unsure is looked at again after a while. */
export const LOST_TOGETHER: readonly { readonly scene: Scene; readonly writes: readonly Write[] }[] = [
  { scene: 'pull request', writes: ['check run', 'review', 'shrunk comment'] },
  { scene: 'pull request', writes: ['completed check run', 'comment', 'folded comment', 'folded review'] },
  { scene: 'default branch', writes: ['check run', 'branch', 'pull request'] },
  { scene: 'default branch', writes: ['completed check run', 'commit'] },
];

interface Left {
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

async function countLeft(stage: GithubStage, model: RedModel, desk: RedDesk): Promise<Left> {
  const found = stage.double.repository(desk.name);
  const { people, app } = stage.double;
  const { branches, commits } = await branchesOf(stage.double, desk.name);
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

async function branchesOf(double: GithubDouble, name: string): Promise<Pick<Left, 'branches' | 'commits'>> {
  const listed = await double.git(name, 'for-each-ref', '--format=%(refname)', 'refs/heads/causeway/');
  const names = listed.split('\n').filter((name) => name !== '');
  const [first] = names;
  const beyond = first === undefined ? '0' : await double.git(name, 'rev-list', '--count', `refs/heads/main..${first}`);
  return { branches: names.length, commits: Number(beyond) };
}

interface Standing {
  readonly comment: Comment | undefined;
  readonly review: Review | undefined;
  readonly pull: GithubIssue | undefined;
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

interface Round {
  readonly left: Left;
  /** Writes at which something happened. */
  readonly struck: readonly Write[];
}

interface Plan {
  /** `owner/name` of a shop that is not there yet. */
  readonly name: string;
  readonly scene: Scene;
  readonly writes: readonly Write[];
}

/** The service is killed at each of these writes. Ends when nothing is left to do. */
export async function killRound(
  stage: GithubStage,
  model: RedModel,
  { name, scene, writes, moment }: Plan & { readonly moment: Moment },
): Promise<Round> {
  const desk = await openRedDesk(stage, model, name);
  const striker = armKiller(stage, name, moment, writes);
  return await SCENES[scene]({ stage, model, desk, writes, striker });
}

/** The answer to each of these writes is lost. */
export async function lossRound(
  stage: GithubStage,
  model: RedModel,
  { name, scene, writes, loss }: Plan & { readonly loss: Loss },
): Promise<Round> {
  const desk = await openRedDesk(stage, model, name);
  const striker = armLoss(stage, name, loss, writes);
  return await SCENES[scene]({ stage, model, desk, writes, striker });
}

interface Play {
  readonly stage: GithubStage;
  readonly model: RedModel;
  readonly desk: RedDesk;
  readonly writes: readonly Write[];
  readonly striker: Striker;
}

const SCENES: Readonly<Record<Scene, (play: Play) => Promise<Round>>> = {
  'pull request': playPull,
  'default branch': playDefault,
};

const LINE = '  return percentOf(cents, percent);';

/** The file with the bug, changed beside it: what mends it lies within the diff. */
async function besideTheBug({ stage, desk }: Play): Promise<Readonly<Record<string, string>>> {
  const text = await stage.double.git(desk.name, 'cat-file', 'blob', 'refs/heads/main:src/coupons.js');
  return { 'src/coupons.js': text.replace(LINE, `${LINE} // of the goods alone`) };
}

/** Two jobs of a matrix fail of one cause; people are told of it once; a commit mends it. */
async function playPull(play: Play): Promise<Round> {
  const { stage, desk } = play;
  const { sha } = await desk.pull({ files: await besideTheBug(play) });
  await redUntilChecked(play, sha);
  await stage.until('a comment', () => desk.comments(1).length > 0);
  await recorded(play);
  const mended = await desk.push('coupons', { files: { 'MENDED.md': 'in lower case too\n' } });
  await run(play, mended, { 'test (22)': 'success', 'test (24)': 'success' });
  await stage.until('a folded comment', () => desk.comments(1).some(({ minimized }) => minimized !== null));
  return await ended(play);
}

/** The default branch goes red; a pull request mends it unasked. */
async function playDefault(play: Play): Promise<Round> {
  const { stage, desk } = play;
  const sha = await desk.push('main', { files: await besideTheBug(play) });
  await redUntilChecked(play, sha);
  await stage.until('a pull request', () => stage.double.people.pulls(desk.name).length > 0);
  return await ended(play);
}

/** The model answers once our check run stands, and all that happens at its making has happened. */
async function redUntilChecked(play: Play, sha: string): Promise<void> {
  const { stage, model, desk, writes, striker } = play;
  const { asked, release } = model.hold(`Repository ${desk.name}, commit`);
  const old = { conclusion: 'failure', failedStep: 'npm test', log: testLog(COUPONS, { node: '22' }) } as const;
  await run(play, sha, { 'test (22)': old, 'test (24)': COUPONS });
  await asked;
  await stage.until('our check run', () => desk.checkRuns(sha).length > 0);
  if (writes.includes('check run')) await stage.until('its end', () => striker.struck.includes('check run'));
  await striker.up();
  release();
}

async function run({ desk, striker }: Play, sha: string, jobs: JobEnds): Promise<void> {
  await striker.up();
  await desk.report(sha, jobs);
}

async function ended(play: Play): Promise<Round> {
  const { stage, striker, writes, desk } = play;
  await stage.until('all of it', () => striker.struck.length === writes.length);
  await recorded(play);
  return { left: await countLeft(stage, play.model, desk), struck: striker.struck };
}

/** What stands on GitHub is recorded, nothing is due, and the service is there. */
async function recorded({ stage, model, desk, striker }: Play): Promise<void> {
  await striker.up();
  await stage.until(
    'the record',
    async () => {
      await striker.up();
      const { isRecorded, unsettled } = await countLeft(stage, model, desk);
      return isRecorded && unsettled === 0;
    },
    SELDOM_MS,
  );
  await striker.up();
  await stage.rest();
}
