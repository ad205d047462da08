// Plays red checks of a shop to their end, on a pull request or on the default branch, while the service is killed or GitHub's answers are lost.
import type { Moment } from '../github-double/faults.ts';
import { git } from '../github-double/git/run-git.ts';
import { repository } from '../github-double/lookup.ts';
import { countLeft, type Left } from './checks-kill-count.ts';
import { armKiller, armLoss, type Loss, type Scene, type Striker, type Write } from './checks-kill-writes.ts';
import { openRedDesk, type RedDesk } from './github-red-desk.ts';
import { COUPONS, testLog } from './github-red-logs.ts';
import type { RedModel } from './github-red-model.ts';
import type { JobEnds } from './github-red-runs.ts';
import { type GithubStage, SELDOM_MS } from './github-stage.ts';

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
  const { gitDir } = repository(stage.double.state, desk.name);
  const text = String(await git(gitDir, ['cat-file', 'blob', 'refs/heads/main:src/coupons.js']));
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
