// Certificates of somebody else's fix that are forged: by people with write and workflows of their own, from a fork, or by the App led astray.
// Each is refused with its reason, where the same as it was made holds.
import type { ActionsRun, ReportedRun } from 'causeway-github-double';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  FIXED,
  formatBlock,
  nameRun,
  openProven,
  type ProvenPull,
  readProven,
  verifyPull,
} from '../../support/foreign-certificate.ts';
import { openProvingShop, SHOWS, writeTests } from '../../support/foreign-proof.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';

const NAME = 'corner/proven';
const FORK = 'mallory/proven';

let stage: GithubStage;
let proven: ProvenPull;
let bot: string;

beforeAll(async () => {
  stage = await openGithubStage();
  bot = `${stage.double.app.slug}[bot]`;
  proven = await openProven(stage, NAME);
  await stage.double.people.fork(NAME, 'mallory');
});

afterEach(() => {
  proven.rewrite({});
});

afterAll(async () => {
  await proven.shop.settle();
  await stage[Symbol.asyncDispose]();
});

const short = (sha: string) => sha.slice(0, 12);

const logOf = (half: 'red' | 'green') => proven.runOf(half).attempts[0]?.[0]?.log ?? '';

/** A run with the log of the red half, at its commit if nothing else is said; the certificate names it as that. */
async function nameAnotherRun(made: Partial<ReportedRun>): Promise<ActionsRun> {
  const { testCommit, checks } = proven.certificate;
  const run = await stage.double.people.reportWorkflowRun(NAME, {
    ...{ sha: testCommit, by: bot, event: 'pull_request', path: '.github/workflows/ci.yml' },
    jobs: [{ name: 'test', conclusion: 'failure', log: logOf('red') }],
    ...made,
  });
  const job = stage.double.repository(NAME).checkRuns.get(run.attempts[0]?.[0]?.id ?? 0);
  if (job !== undefined) proven.rewrite({ checks: checks.map((check) => ({ ...check, red: nameRun(job) })) });
  return run;
}

it('holds as it was made, also beside a check run of another App with the same name, address and time', async () => {
  expect(await proven.verify()).toMatch(/^Yes\. .*opened by mara, proven by causeway\[bot\]/s);
  const { testCommit, checks } = proven.certificate;
  const { url = '', at = '' } = checks[0]?.red ?? {};
  const other = await stage.double.people.reportCheck(NAME, {
    ...{ sha: testCommit, name: 'test', app: 'somebody-else', conclusion: 'success', detailsUrl: url },
  });
  other.completedAt = at;
  expect(await proven.verify()).toMatch(/^Yes\. /);
});

it.each<[string, () => Promise<string> | string]>([
  [
    'another author',
    () => {
      proven.rewrite({ author: 'ola' });
      return 'it was opened by mara, and it names ola';
    },
  ],
  [
    'another base of its red half',
    async () => {
      const before = await stage.double.git(NAME, 'rev-parse', `${proven.certificate.redBase}~1`);
      proven.rewrite({ redBase: before });
      return `its tests alone ran on ${short(proven.certificate.redBase)}, and it names ${short(before)}`;
    },
  ],
  [
    'another base of its green half',
    async () => {
      const before = await stage.double.git(NAME, 'rev-parse', `${proven.certificate.greenBase}~1`);
      proven.rewrite({ greenBase: before });
      return `the pull request ran on ${short(proven.certificate.greenBase)}, and it names ${short(before)}`;
    },
  ],
  [
    'a test commit that a person made of the same tests',
    async () => {
      const { base } = proven.certificate;
      const text = await stage.double.git(NAME, 'show', `${proven.head}:${FIXED}`);
      const push = {
        by: 'mara',
        author: bot,
        how: 'key',
        branch: 'mine',
        from: base,
        files: { [FIXED]: text },
      } as const;
      const testCommit = await stage.double.people.push(NAME, push);
      proven.rewrite({ testCommit });
      return `${short(testCommit)} is signed by mara, not by ${bot} or GitHub`;
    },
  ],
  [
    'a run that a person started by hand at the test commit',
    async () => {
      await nameAnotherRun({ by: 'mara', event: 'workflow_dispatch' });
      return `the run of "test" was started by mara, not by ${bot}`;
    },
  ],
  [
    'a run of another event, though of the bot',
    async () => {
      await nameAnotherRun({ event: 'repository_dispatch' });
      return 'the run of "test" was started by "repository_dispatch", not by a push or a pull request';
    },
  ],
  [
    'a run of the test commit on a branch of a person',
    async () => {
      await nameAnotherRun({ by: 'mara', event: 'push', branch: 'looks-harmless' });
      return `the run of "test" was started by mara, not by ${bot}`;
    },
  ],
  [
    'a run of the test commit from a fork',
    async () => {
      const { testCommit } = proven.certificate;
      await stage.double.git(FORK, 'update-ref', 'refs/heads/theirs', testCommit);
      const of = { by: 'mallory', title: 'Mine', head: 'theirs', headRepository: FORK };
      await stage.double.people.openPull(NAME, of);
      await nameAnotherRun({ by: bot });
      return 'the run of "test" is of a commit in another repository';
    },
  ],
  [
    'a run of another workflow with a job of that name',
    async () => {
      await nameAnotherRun({ workflow: 'Other', path: '.github/workflows/other.yml' });
      return '"test" is of .github/workflows/other.yml at the test commit, and of .github/workflows/ci.yml at the head';
    },
  ],
  [
    'a run of another commit',
    async () => {
      await nameAnotherRun({ sha: proven.certificate.base });
      return '"test" did not fail at the test commit as it says';
    },
  ],
])('denies it with %s', async (_, forge) => {
  const reason = await forge();
  const said = await proven.verify();
  expect(said).toContain('No. GitHub does not confirm this proof:');
  expect(said).toContain(reason);
});

it('does not believe a check run that a workflow made in the name of Actions, with the address of the job', async () => {
  const { testCommit, checks } = proven.certificate;
  const detailsUrl = checks[0]?.red.url ?? '';
  const of = { sha: testCommit, name: 'test', conclusion: 'failure', detailsUrl } as const;
  const made = await stage.double.people.reportCheck(NAME, of);
  made.completedAt = '2026-03-01T00:00:00Z';
  proven.rewrite({ checks: checks.map((check) => ({ ...check, red: nameRun(made) })) });
  expect(await proven.verify()).toMatch(/^Not verifiable\. It names checks that are no jobs of GitHub Actions/);
});

it('reads what a job ran on before anything else can print it', async () => {
  const [job] = proven.runOf('red').attempts[0] ?? [];
  if (job === undefined) throw new Error('The red half has no job.');
  const { log } = job;
  const { testCommit, redBase } = proven.certificate;
  const other = await stage.double.git(NAME, 'rev-parse', `${redBase}~1`);
  const line = `HEAD is now at abcdef0 Merge ${testCommit} into ${other}`;
  const printed = ['##[group]Run actions/checkout@v4', line, '##[endgroup]'].join('\n');
  try {
    job.log = `##[group]Run echo ${line}\n${line}\n##[endgroup]\n${log}${printed}\n`;
    expect(await proven.verify()).toMatch(/^Yes\. /);
    proven.rewrite({ redBase: other });
    expect(await proven.verify()).toContain(`its tests alone ran on ${short(redBase)}, and it names ${short(other)}`);
    // Where nothing is checked out in sight, what tests print is not believed either.
    job.log = `${log?.replaceAll('actions/checkout', 'actions/other')}${line}\n`;
    expect(await proven.verify()).toContain('its tests alone ran on a base that no log names');
  } finally {
    job.log = log;
  }
});

it('denies it once a re-run by anybody has passed, and not where it failed again', async () => {
  const { people } = stage.double;
  const again = await openProven(stage, 'corner/again');
  const run = again.runOf('red');
  const log = run.attempts[0]?.[0]?.log ?? '';
  await people.rerun(again.shop.name, run, { by: 'mara' });
  await people.finishJob(again.shop.name, run, 'test', { conclusion: 'failure', log });
  expect(await again.verify()).toMatch(/^Yes\. /);
  await people.rerun(again.shop.name, run, { by: 'mara' });
  await people.finishJob(again.shop.name, run, 'test', { conclusion: 'success', log: 'ok' });
  expect(await again.verify()).toContain('"test" both passed and failed at the same commit');
});

it('denies it where both halves ran on a branch of one’s own, to which the pull request went in between', async () => {
  const { people } = stage.double;
  const shop = await openProvingShop(stage, 'corner/between');
  await people.push(shop.name, { by: 'mara', branch: 'mine', files: { 'mine.md': 'Mine.\n' } });
  const files = { [FIXED]: writeTests({ 'takes lower case': SHOWS }), 'src/coupons.js': await shop.mended() };
  await people.push(shop.name, { by: 'mara', branch: 'change', files });
  const pull = await people.openPull(shop.name, { by: 'mara', title: 'Take any', head: 'change', base: 'mine' });
  await shop.settle();
  await shop.prove(pull.number);
  expect(await verifyPull(stage, { name: shop.name, number: pull.number })).toMatch(/^Yes\. /);
  if (pull.pull !== null) pull.pull.baseRef = 'main';
  expect(await verifyPull(stage, { name: shop.name, number: pull.number })).toMatch(/which is not part of "main"/);
});

it('holds where the base has moved elsewhere, and not where it has in the pull request’s own files', async () => {
  const { people } = stage.double;
  const shop = await openProvingShop(stage, 'corner/moved');
  const files = { [FIXED]: writeTests({ 'takes lower case': SHOWS }), 'src/coupons.js': await shop.mended() };
  const pull = await shop.pull(files);
  await people.push(shop.name, { by: 'mara', files: { 'notes.md': 'Moved.\n' } });
  await shop.settle();
  await shop.prove(pull.number);
  const moved = readProven(stage, shop, pull);
  const { redBase, greenBase } = moved.certificate;
  expect(redBase).not.toBe(greenBase);
  expect(await moved.verify()).toMatch(/^Yes\. /);
  const own = await stage.double.git(shop.name, 'rev-list', '-1', greenBase, '--', 'src/coupons.js');
  const before = await stage.double.git(shop.name, 'rev-parse', `${own}~1`);
  const [job] = moved.runOf('green').attempts[0] ?? [];
  Object.assign(job ?? {}, { log: job?.log?.replace(`into ${greenBase}`, `into ${before}`) });
  moved.rewrite({ greenBase: before });
  expect(await moved.verify()).toContain(
    'its own files differ between the bases that its checks ran on: src/coupons.js',
  );
});

it.each<[string, () => Promise<number>, readonly string[]]>([
  [
    'the very same head from a fork',
    async () => {
      const of = { by: 'mallory', title: 'Mine', head: 'change', headRepository: FORK };
      return (await stage.double.people.openPull(NAME, of)).number;
    },
    ['/pull/1, not of this pull request', 'it was opened by mallory, and it names mara', `its branch is in ${FORK}`],
  ],
  [
    'the same branch into another one',
    async () => {
      const { people } = stage.double;
      await people.push(NAME, { by: 'mara', branch: 'release', files: { 'release.md': 'One.\n' } });
      return (await people.openPull(NAME, { by: 'mara', title: 'Again', head: 'change', base: 'release' })).number;
    },
    ['/pull/1, not of this pull request'],
  ],
  [
    'the fork, whose own repository the App has proven it in',
    async () => {
      const { people, webUrl, app } = stage.double;
      const files = { 'theirs.md': 'Theirs.\n' };
      const head = await people.push(FORK, { by: 'mallory', branch: 'afar', from: 'change', files });
      const of = { by: 'mallory', title: 'From afar', head: 'afar', headRepository: FORK };
      const { number } = await people.openPull(NAME, of);
      const url = `${webUrl}/${NAME}/pull/${number}`;
      const summary = formatBlock({
        ...proven.certificate,
        repository: NAME,
        head,
        author: 'mallory',
        pullRequest: url,
      });
      const run = { sha: head, name: 'Causeway / proof', app: app.slug ?? '', conclusion: 'success' } as const;
      await people.reportCheck(FORK, { ...run, output: { title: 'Proven', summary } });
      people.edit(NAME, number, { by: 'mallory', body: summary });
      return number;
    },
    ['its head has no check run "Causeway / proof" of the App'],
  ],
  [
    'a body into which the certificate was copied, with its own addresses',
    async () => {
      const { people, webUrl } = stage.double;
      const files = { 'src/coupons.js': 'export const discountFor = () => 100;\n' };
      const head = await people.push(NAME, { by: 'mara', branch: 'copied', files });
      const { number } = await people.openPull(NAME, { by: 'mara', title: 'Copied', head: 'copied' });
      const own = { ...proven.certificate, head, pullRequest: `${webUrl}/${NAME}/pull/${number}` };
      people.edit(NAME, number, { by: 'mara', body: formatBlock(own) });
      return number;
    },
    ['its head has no check run "Causeway / proof" of the App'],
  ],
])('denies it to the pull request of %s', async (_, open, reasons) => {
  const number = await open();
  for (const more of [{}, { text: proven.certificate }]) {
    const said = await proven.verify({ number, ...more });
    expect(said).toContain('No. GitHub does not confirm this proof:');
    for (const reason of reasons) expect(said).toContain(reason);
  }
});

it('denies it to a pull request that changes what runs its checks, whatever our check run says', async () => {
  const { people, webUrl, app } = stage.double;
  const ci = '.github/workflows/ci.yml';
  const text = await stage.double.git(NAME, 'show', `${proven.head}:${ci}`);
  const files = { [ci]: `${text}# mine\n` };
  const head = await people.push(NAME, { by: 'mara', branch: 'rules', from: 'change', files });
  const { number } = await people.openPull(NAME, { by: 'mara', title: 'Rules', head: 'rules' });
  const summary = formatBlock({ ...proven.certificate, head, pullRequest: `${webUrl}/${NAME}/pull/${number}` });
  const run = { sha: head, name: 'Causeway / proof', app: app.slug ?? '', conclusion: 'success' } as const;
  await people.reportCheck(NAME, { ...run, output: { title: 'Proven', summary } });
  expect(await proven.verify({ number })).toContain(`it changes what decides which tests run: ${ci}`);
});

it('denies it once another check fails at the head, which no status of that name on the base excuses', async () => {
  const { people } = stage.double;
  const status = { sha: proven.certificate.base, context: 'lint', state: 'failure', by: 'mara' } as const;
  await people.reportStatus(NAME, status);
  expect(await proven.verify()).toMatch(/^Yes\. /);
  const jobs = [{ name: 'lint', conclusion: 'failure', log: 'no' }] as const;
  await people.reportWorkflowRun(NAME, { sha: proven.head, event: 'pull_request', jobs });
  expect(await proven.verify()).toContain('"lint" failed at the fix commit');
});
