// The story that is played on the double and on GitHub alike: what a person does, what Causeway then does, and what is left afterwards.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Issue } from '../../src/core/issue/issue.ts';
import type { PlayedStep, StepEnd } from './compare.ts';
import { type Asking, askGround, type Ground } from './ground.ts';
import { lookAhead, type Prepared } from './preflight.ts';
import type { RecordedAnswer } from './record.ts';
import { CONFIG, MODE_FIX, openSandbox, readReport, type Sandbox } from './sandbox.ts';
import { type RunningCauseway, startCauseway } from './service.ts';

export interface PlayOptions {
  /** US dollars that the model may cost. */
  readonly budget: number;
  /** How long GitHub may take for what one step waits for. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
  /** Told of each step as it begins. */
  readonly tell: (line: string) => void;
  /** Asked once all is well and nothing was written yet; false: nothing is. */
  readonly mayWrite: (prepared: Prepared) => Promise<boolean>;
}

export type Played =
  | { readonly kind: 'problems'; readonly problems: readonly string[] }
  | { readonly kind: 'refused' }
  | {
      readonly kind: 'played';
      readonly steps: readonly PlayedStep[];
      /** What could not be removed, and what never can. */
      readonly left: readonly string[];
      /** Null: the price of its model is not known. */
      readonly costUsd: number | null;
      readonly model: string | null;
    };

/** In the branch's name, so that cleaning up finds it. */
const BRANCH = 'try-github/delivery';
const DELIVERY = 'src/delivery.js';
const LABEL = 'analyse';
/** So long nothing new may come before a step counts as over; GitHub lists a delivery some seconds after it was sent. */
const QUIET_MS = 8_000;
const EVERY_MS = 2_000;
const LONGEST_QUIET_MS = 120_000;

interface Stage {
  readonly ground: Ground;
  readonly asking: Asking;
  readonly git: Sandbox;
  readonly prepared: Prepared;
  readonly options: PlayOptions;
  readonly made: Made;
}

/** What the steps leave to the next ones, and to cleaning up. */
interface Made {
  main: string;
  change: number | null;
  issue: number | null;
  pull: number | null;
  causeway: RunningCauseway | null;
}

interface Step {
  readonly name: string;
  readonly play: (stage: Stage) => Promise<string>;
}

const STORY: readonly Step[] = [
  { name: 'The shop is pushed, and its CI passes', play: pushShop },
  { name: 'What GitHub refuses', play: askInVain },
  { name: 'Causeway starts', play: startAll },
  { name: 'A red check gets a verdict', play: breakDelivery },
  { name: 'A label gets an answer', play: labelReport },
  { name: '`/analyse fix` opens a draft, and CI proves it', play: requestFix },
  { name: 'A vote counts', play: vote },
  { name: 'Pull requests and issue are closed', play: closeAll },
];

/** Plays it whole, or as far as it goes, and puts back what was there before. */
export async function playStory(ground: Ground, options: PlayOptions): Promise<Played> {
  await using git = await openSandbox(ground);
  const own: RecordedAnswer[] = [];
  const asking = askGround(ground, (one) => own.push(one), options.signal);
  const ahead = await lookAhead(ground, asking, git);
  if (ahead.kind === 'problems') return ahead;
  const { prepared } = ahead;
  if (!(await options.mayWrite(prepared))) return { kind: 'refused' };
  const before = await git.branches();
  const made: Made = { main: '', change: null, issue: null, pull: null, causeway: null };
  const stage: Stage = { ground, asking, git, prepared, options, made };
  const steps: PlayedStep[] = [];
  let spent: Spent = { costUsd: 0, model: null };
  try {
    await playSteps(stage, own, steps);
    spent = await countCost(made.causeway);
  } finally {
    await made.causeway?.[Symbol.asyncDispose]();
  }
  options.tell('Cleaning up');
  const left = await cleanUp(stage, before);
  return { kind: 'played', steps, left, ...spent };
}

async function playSteps(stage: Stage, own: RecordedAnswer[], steps: PlayedStep[]): Promise<void> {
  const { options, made } = stage;
  let isOver = false;
  let heard = new Set((await deliveries(stage)).map(({ id }) => id));
  for (const { name, play } of STORY) {
    if (isOver) {
      steps.push({ name, end: { kind: 'not_played' }, answers: [], events: [] });
      continue;
    }
    options.tell(name);
    const from = Date.now();
    let end: StepEnd;
    let events: readonly string[] = [];
    try {
      end = { kind: 'reached', what: await play(stage) };
      const all = await quiet(stage);
      events = all
        .filter(({ id }) => !heard.has(id))
        .map(({ event, action }) => (action === null ? event : `${event}.${action}`));
      heard = new Set(all.map(({ id }) => id));
    } catch (error) {
      const said = made.causeway === null ? '' : `\n${made.causeway.lastWords()}`;
      options.tell(`${String(error)}${said}`);
      end = { kind: 'failed', why: options.signal.aborted ? 'interrupted' : (error as Error).message };
      isOver = true;
    }
    const answers = [...own, ...((await made.causeway?.answers()) ?? [])].filter(({ at }) => at >= from);
    steps.push({ name, end, answers: answers.toSorted((one, other) => one.at - other.at), events });
  }
}

interface Delivery {
  readonly id: number;
  readonly event: string;
  readonly action: string | null;
  readonly repository_id: number | null;
  readonly redelivery: boolean;
}

/** Of the sandbox, the oldest first. A hundred reach back further than one step. */
async function deliveries({ asking, prepared }: Stage): Promise<readonly Delivery[]> {
  const { status, body } = await asking.app('GET /app/hook/deliveries?per_page=100');
  if (status !== 200) throw new Error(`GitHub answered ${status} to the App's list of deliveries`);
  const all: readonly Delivery[] = body;
  return all.filter((one) => one.repository_id === prepared.repositoryId && !one.redelivery).toReversed();
}

async function quiet(stage: Stage): Promise<readonly Delivery[]> {
  const { signal } = stage.options;
  let all = await deliveries(stage);
  let since = Date.now();
  for (const end = since + LONGEST_QUIET_MS; Date.now() - since < QUIET_MS && Date.now() < end; ) {
    await sleep(EVERY_MS, undefined, { signal });
    const next = await deliveries(stage);
    const isBusy = (await stage.made.causeway?.isBusy()) ?? false;
    // What it is at may take longer than the quiet, and its events would count for the next step.
    if (isBusy || next.at(-1)?.id !== all.at(-1)?.id) since = Date.now();
    all = next;
  }
  return all;
}

async function until<T>({ options }: Stage, what: string, probe: () => Promise<T | null | undefined>): Promise<T> {
  for (const end = Date.now() + options.patienceMs; Date.now() < end; ) {
    const found = await probe();
    if (found !== null && found !== undefined) return found;
    await sleep(EVERY_MS, undefined, { signal: options.signal });
  }
  throw new Error(`${what} did not come within ${Math.round(options.patienceMs / 60_000)} minutes`);
}

interface CheckRun {
  readonly status: string;
  readonly conclusion: string | null;
  readonly app: { readonly slug: string } | null;
}

async function checkRuns({ ground, asking, prepared }: Stage, sha: string) {
  const { body } = await asking.must(`GET /repos/${ground.sandbox}/commits/${sha}/check-runs`);
  const all: readonly CheckRun[] = body.check_runs;
  const isOurs = ({ app }: CheckRun) => app?.slug === prepared.slug;
  return { ours: all.filter(isOurs), others: all.filter((one) => !isOurs(one)) };
}

async function untilChecked(stage: Stage, sha: string, wanted: 'success' | 'failure'): Promise<void> {
  const ended = await until(stage, "the end of the sandbox's own CI (are Actions on?)", async () => {
    const { others } = await checkRuns(stage, sha);
    return others.length > 0 && others.every(({ status }) => status === 'completed') ? others : null;
  });
  const conclusions = ended.map(({ conclusion }) => conclusion);
  if (!conclusions.includes(wanted)) throw new Error(`CI ended with ${conclusions.join(', ')}, not with ${wanted}`);
}

async function pushShop(stage: Stage): Promise<string> {
  const { git, prepared, made } = stage;
  made.main = await git.pushShop(prepared.defaultBranch);
  await untilChecked(stage, made.main, 'success');
  return 'CI passed';
}

/** What Causeway's behaviour rests on: each of these tells it something else. */
async function askInVain({ ground, asking, prepared, made }: Stage): Promise<string> {
  const repository = `/repos/${ground.sandbox}`;
  const installation = await asking.app(`GET ${repository}/installation`);
  const scoped = await asking.app(`POST /app/installations/${installation.body.id}/access_tokens`, {
    repository_ids: [prepared.repositoryId],
    permissions: { contents: 'read' },
  });
  const ref = { ref: `refs/heads/${prepared.defaultBranch}`, sha: made.main };
  const answers = [
    await asking.withToken('not-a-token', `GET ${repository}`),
    await asking.person(`GET ${repository}/issues/999999999`),
    await asking.withToken(scoped.body.token, `POST ${repository}/git/refs`, {
      ...ref,
      ref: 'refs/heads/try-github/refused',
    }),
    await asking.person(`POST ${repository}/git/refs`, ref),
  ];
  return `refused: ${answers.map(({ status }) => status).join(', ')}`;
}

async function startAll({ ground, prepared, options, made }: Stage): Promise<string> {
  made.causeway = await startCauseway(ground, prepared.login, options);
  return 'ready';
}

async function breakDelivery(stage: Stage): Promise<string> {
  const { ground, asking, git, prepared, made } = stage;
  const text = await git.read(made.main, DELIVERY);
  const files = { [DELIVERY]: `${text.replace('cents >= FREE_FROM', 'cents > FREE_FROM')}\n` };
  const sha = await git.push(BRANCH, { from: made.main, message: 'Free delivery above the limit', files });
  // Opened once CI has ended, so that what GitHub tells comes in one order.
  await untilChecked(stage, sha, 'failure');
  const opened = await asking.must(`POST /repos/${ground.sandbox}/pulls`, {
    title: 'Free delivery above the limit',
    head: BRANCH,
    base: prepared.defaultBranch,
  });
  made.change = opened.body.number;
  const run = await until(stage, "Causeway's check run", async () => {
    const { ours } = await checkRuns(stage, sha);
    return ours.find(({ status }) => status === 'completed');
  });
  return `check run: ${run.conclusion}`;
}

function causewayOf({ made }: Stage): RunningCauseway {
  if (made.causeway === null) throw new Error('Causeway does not run');
  return made.causeway;
}

async function reported(stage: Stage): Promise<Issue | undefined> {
  const issues = await causewayOf(stage).issues();
  return issues.find(({ analysis }) => analysis.origin === 'github-issue');
}

async function labelReport(stage: Stage): Promise<string> {
  const { ground, asking, prepared, made } = stage;
  const opened = await asking.must(`POST /repos/${ground.sandbox}/issues`, await readReport());
  const number: number = opened.body.number;
  made.issue = number;
  await asking.must(`POST /repos/${ground.sandbox}/issues/${number}/labels`, { labels: [LABEL] });
  const answer = await until(stage, 'the answer', async () => {
    const issue = await reported(stage);
    return issue?.analysis.links.comment === null ? null : issue;
  });
  const { body } = await asking.must(`GET /repos/${ground.sandbox}/issues/${number}/comments`);
  const comments = (body as readonly { user: { login: string } | null }[]).filter(
    (one) => one.user?.login === prepared.bot,
  );
  const { outcome, confidence } = answer.analysis;
  return `${outcome}, confidence ${confidence ?? 'none'}, comments: ${comments.length}`;
}

async function requestFix(stage: Stage): Promise<string> {
  const { ground, asking, git, prepared, made } = stage;
  const files = { [CONFIG]: MODE_FIX };
  made.main = await git.push(prepared.defaultBranch, { from: made.main, message: 'Let Causeway open fixes', files });
  await untilChecked(stage, made.main, 'success');
  const outcome = (await reported(stage))?.analysis.outcome;
  if (outcome !== 'code_fix') throw new Error(`there is no fix to open: the outcome is ${outcome}`);
  await asking.must(`POST /repos/${ground.sandbox}/issues/${made.issue}/comments`, { body: '/analyse fix' });
  const url = await until(stage, 'the pull request', async () => (await reported(stage))?.analysis.links.pullRequest);
  const number = Number(url.split('/').at(-1));
  made.pull = number;
  const { body } = await asking.must(`GET /repos/${ground.sandbox}/pulls/${number}`);
  const proof = await until(stage, 'the proof', async () => (await reported(stage))?.analysis.proof);
  return `${body.draft === true ? 'draft' : 'no draft'}, ${proof.state}`;
}

async function vote(stage: Stage): Promise<string> {
  const { ground, asking, prepared, made } = stage;
  const said = await asking.must(`POST /repos/${ground.sandbox}/issues/${made.issue}/comments`, {
    body: '/analyse right',
  });
  const reaction = await until(stage, 'the reaction to the vote', async () => {
    const { body } = await asking.must(`GET /repos/${ground.sandbox}/issues/comments/${said.body.id}/reactions`);
    const all: readonly { readonly content: string; readonly user: { readonly login: string } | null }[] = body;
    return all.find(({ user }) => user?.login === prepared.bot)?.content;
  });
  return `reaction: ${reaction}`;
}

async function closeAll({ ground, asking, made }: Stage): Promise<string> {
  const closed = { state: 'closed' };
  for (const number of [made.pull, made.change])
    await asking.must(`PATCH /repos/${ground.sandbox}/pulls/${number}`, closed);
  await asking.must(`PATCH /repos/${ground.sandbox}/issues/${made.issue}`, closed);
  return 'closed';
}

type Spent = Pick<Extract<Played, { readonly kind: 'played' }>, 'costUsd' | 'model'>;

async function countCost(causeway: RunningCauseway | null): Promise<Spent> {
  const issues = (await causeway?.issues().catch(() => [])) ?? [];
  const costs = issues.map(({ analysis }) => analysis.usage.costUsd);
  return {
    costUsd: costs.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0),
    model: issues.map(({ analysis }) => analysis.model).find((model) => model !== null) ?? null,
  };
}

const CLEAN_UP_MS = 60_000;

/** Also after an interruption, so with time of its own. Whatever cannot be done is said, and the rest is done all the same. */
async function cleanUp(stage: Stage, before: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const { ground, git, prepared, made } = stage;
  const left: string[] = [];
  const attempt = async (what: string, act: () => Promise<unknown>): Promise<void> => {
    await act().catch((error: unknown) => {
      left.push(`${what}: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`);
    });
  };
  const asking = askGround(ground, () => undefined, AbortSignal.timeout(CLEAN_UP_MS));
  const branch = prepared.defaultBranch;
  await attempt(`${branch} is not what it was`, () => git.restore(branch, before.get(branch) ?? null));
  await attempt('pull requests and issues may be open', async () => {
    const open = await asking.must(`GET /repos/${ground.sandbox}/issues?state=open&per_page=100`);
    const all: readonly {
      readonly number: number;
      readonly pull_request?: object;
      readonly user: { readonly login: string } | null;
    }[] = open.body;
    const ours = all.filter(
      ({ number, user, pull_request: pull }) =>
        number === made.issue || number === made.change || (pull !== undefined && user?.login === prepared.bot),
    );
    for (const { number } of ours)
      await asking.must(`PATCH /repos/${ground.sandbox}/issues/${number}`, { state: 'closed' });
  });
  await attempt('branches may be left', async () => {
    const now = await git.branches();
    await git.remove([...now.keys()].filter((name) => name === BRANCH || !(before.has(name) || name === branch)));
  });
  const numbers = [made.issue, made.change, made.pull].filter((number) => number !== null).toSorted((a, b) => a - b);
  if (numbers.length > 0) {
    left.push(
      `closed, since GitHub deletes neither pull requests nor, for a person with write, issues: ${numbers.map((number) => `#${number}`).join(', ')}`,
    );
    left.push(`the label \`${LABEL}\`, and the runs of CI`);
  }
  if (!before.has(branch))
    left.push(`\`${branch}\` with the marker file alone, since a default branch cannot be deleted`);
  return left;
}
