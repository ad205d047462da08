// Certificates that are forged, moved or foreign: each is refused with its reason, where the same made by the bot holds.

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FileTexts, Push } from 'causeway-github-double';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChangedFile, hashChange } from '../../../src/core/proof/proof.ts';
import type { Proof } from '../../../src/core/proof/proof-view.ts';
import { MENDED_FILE, type ShopModel } from '../../support/github-model.ts';
import { openProofDesk, type ProofDesk, proofModel, TEST_FILE, TEST_NAME } from '../../support/github-proof.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { runCauseway } from '../../support/service.ts';

type Certificate = Pick<Proof, 'base' | 'testCommit' | 'fixCommit' | 'checks'> & {
  readonly repository: string;
  readonly pullRequest: string;
};

const HOME = 'forge/right';
const FORK = 'mallory/right';
const BOT = 'causeway[bot]';
const FLOW = '.github/workflows/ci.yml';

let model: ShopModel;
let stage: GithubStage;
/** With a proof by Causeway itself. */
let shop: ProofDesk;
/** Its test and its fix, and what CI logged of each. */
let files: readonly [test: FileTexts, fix: FileTexts];
let logs: readonly [red: string, green: string];
/** In a repository that Causeway doesn't see, so that only the command judges it. */
let honest: Made;

beforeAll(async () => {
  model = await proofModel();
  stage = await openGithubStage({ env: model.env });
  shop = await openProofDesk(stage, 'corner/right');
  shop.desk.label('mara');
  await shop.desk.pull();
  await shop.settle();
  const { people } = stage.double;
  const { gitDir, workflowRuns } = stage.double.repository(shop.desk.name);
  const [test = '', fix = ''] = (await shop.commits()).map(({ sha }) => sha);
  const logOf = (sha: string) => [...workflowRuns.values()].find((run) => run.headSha === sha)?.attempts[0]?.[0]?.log;
  logs = [logOf(test) ?? '', logOf(fix) ?? ''];
  const textOf = (name: string) => stage.double.git(shop.desk.name, 'show', `${fix}:${name}`);
  files = [{ [TEST_FILE]: await textOf(TEST_FILE) }, { [MENDED_FILE]: await textOf(MENDED_FILE) }];
  await people.openRepository(HOME, { from: gitDir });
  people.grant(HOME, 'mara', 'write');
  await people.fork(HOME, 'mallory');
  honest = await make();
}, 180_000);

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function read<T>(what: string): Promise<T> {
  const headers = { authorization: `Bearer ${stage.double.people.userToken('mara')}` };
  const answer = await fetch(`${stage.double.apiUrl}/repos/${HOME}/${what}`, { headers });
  return (await answer.json()) as T;
}

interface Made {
  readonly number: number;
  readonly url: string;
  readonly certificate: Certificate;
}

interface Making extends Partial<Pick<Push, 'by' | 'author' | 'how'>> {
  /** Who opens the pull request. */
  readonly opener?: string;
  /** Where the commits are. */
  readonly where?: string;
  /** A commit before the test, by a person. */
  readonly first?: FileTexts;
  /** Beside the fix. */
  readonly more?: FileTexts;
  /** Who makes the fix, if not who makes the test. */
  readonly fixer?: string;
}

let made = 0;

/** The same change with the same checks as Causeway's, by the bot if nothing else is said; the body has a certificate of it. */
async function make(making: Making = {}): Promise<Made> {
  const { people, state } = stage.double;
  const { by = BOT, opener = BOT, where = HOME, how = 'api', author, first, more = {}, fixer = by } = making;
  made += 1;
  const branch = `causeway/fix-${made}`;
  // The double keeps signatures apart from commits: no two may be the same.
  const as = { how, branch, message: `Change ${branch}`, from: 'main', ...(author !== undefined && { author }) };
  const main = (await read<{ object: { sha: string } }>('git/ref/heads/main')).object.sha;
  const base = first === undefined ? main : await people.push(where, { by: 'mallory', branch, files: first });
  const testCommit = await people.push(where, { ...as, by, files: files[0] });
  const fixCommit = await people.push(where, { ...as, by: fixer, files: { ...files[1], ...more } });
  const { number } = await people.openPull(HOME, {
    ...{ by: opener, title: 'Fix: coupons', head: branch },
    ...(where !== HOME && { headRepository: where }),
  });
  for (const [at, sha] of [testCommit, fixCommit].entries()) {
    const conclusion = at === 0 ? 'failure' : 'success';
    await people.reportWorkflowRun(HOME, { sha, jobs: [{ name: 'test', conclusion, log: logs[at] ?? '' }] });
  }
  const url = `${state.urls.web}/${HOME}/pull/${number}`;
  const compared = await read<{ files: { filename: string; status: string; sha: string }[] }>(
    `compare/${base}...${fixCommit}`,
  );
  const changed = compared.files.map(
    ({ filename, status, sha }): ChangedFile => ({ path: filename, status, blob: sha }),
  );
  const certificate = {
    ...{ repository: HOME, pullRequest: url, state: 'proven', base, testCommit, fixCommit },
    checks: [{ name: 'test', red: await readRun(testCommit), green: await readRun(fixCommit) }],
    ...{ turned: [TEST_NAME], diffHash: hashChange(changed), reason: '' },
  };
  carry(number, certificate);
  return { number, url, certificate };
}

async function readRun(sha: string): Promise<{ readonly url: string; readonly at: string }> {
  const found = await read<{ check_runs: { html_url: string; completed_at: string }[] }>(`commits/${sha}/check-runs`);
  return { url: found.check_runs[0]?.html_url ?? '', at: found.check_runs[0]?.completed_at ?? '' };
}

/** Puts the certificate into the body of that pull request. */
function carry(number: number, certificate: object): void {
  const body = `Fixed.\n\n\`\`\`json\n${JSON.stringify(certificate, null, 2)}\n\`\`\`\n`;
  stage.double.people.edit(HOME, number, { by: 'mara', body });
}

/** All that the command prints; where it fails, after its exit code. */
function verify(...given: readonly string[]): Promise<string> {
  const { host, protocol } = new URL(stage.double.webUrl);
  const token = stage.double.people.userToken('mara');
  const env = { GHE_HOST: host, GHE_PROTOCOL: protocol.replace(':', ''), GITHUB_TOKEN: token };
  return runCauseway(['verify-proof', ...given], { cwd: stage.dataDir, env }).catch((error: Error) => error.message);
}

const short = (sha: string) => sha.slice(0, 12);

it('holds where the bot made it, and names commit, pull request and bot', async () => {
  const said = await verify(honest.url);
  expect(said).toContain('Yes. ');
  for (const part of [honest.url, honest.certificate.fixCommit, BOT, TEST_NAME]) expect(said).toContain(part);
});

it.each<[string, () => Promise<{ readonly url: string; readonly reasons: readonly string[] }>]>([
  [
    'carried by the pull request of a stranger',
    async () => {
      const { number, url } = await make({ by: 'mallory', opener: 'mallory', where: FORK, how: 'git' });
      carry(number, honest.certificate);
      return { url, reasons: [`it is the certificate of ${honest.url}, not of this pull request`] };
    },
  ],
  [
    'made by a stranger alone in a fork, with a workflow and logs of their own',
    async () => {
      const first = { [FLOW]: 'on: push\njobs: {}\n' };
      const { url, certificate } = await make({ by: 'mallory', opener: 'mallory', where: FORK, how: 'key', first });
      const base = `its base ${short(certificate.base)} is not part of "main"`;
      return { url, reasons: ['it was opened by mallory, not by a bot', `its branch is in ${FORK}`, base] };
    },
  ],
  [
    'renumbered for another pull request of the bot',
    async () => {
      const { number, url, certificate } = await make();
      carry(number, { ...honest.certificate, pullRequest: url });
      const [head, proven] = [short(certificate.fixCommit), short(honest.certificate.fixCommit)];
      return { url, reasons: [`its head is ${head}, and what was proven is ${proven}`] };
    },
  ],
  [
    'renumbered for the pull request of a stranger with the very same commit',
    async () => {
      const { people } = stage.double;
      await people.fork(HOME, 'eve');
      const [head, headRepository] = ['causeway/fix-1', 'eve/right'];
      const { number } = await people.openPull(HOME, { by: 'eve', title: 'Mine', head, headRepository });
      const url = honest.url.replace(/\d+$/, String(number));
      carry(number, { ...honest.certificate, pullRequest: url });
      return { url, reasons: ['it was opened by eve, not by a bot', 'its branch is in eve/right'] };
    },
  ],
  [
    'opened by a person who names the bot as the author',
    async () => {
      const { url } = await make({ by: 'mara', author: BOT, opener: 'mara', how: 'key' });
      return { url, reasons: ['it was opened by mara, not by a bot'] };
    },
  ],
  [
    'of commits that name the bot as the author, and are not signed',
    async () => {
      const { url, certificate } = await make({ by: 'mara', author: BOT, how: 'git' });
      const { testCommit, fixCommit } = certificate;
      const unsigned = (sha: string) => `GitHub does not verify the signature of ${short(sha)} (unsigned)`;
      return { url, reasons: [unsigned(testCommit), unsigned(fixCommit)] };
    },
  ],
  [
    'of commits that name the bot as the author, and are signed by a person',
    async () => {
      const { url, certificate } = await make({ by: 'mara', author: BOT, how: 'key' });
      const { testCommit, fixCommit } = certificate;
      const foreign = (sha: string) => `${short(sha)} is signed by mara, not by ${BOT} or GitHub`;
      return { url, reasons: [foreign(testCommit), foreign(fixCommit)] };
    },
  ],
  [
    'of a fix that a person made on GitHub',
    async () => {
      const { url, certificate } = await make({ fixer: 'mara' });
      return { url, reasons: [`${short(certificate.fixCommit)} is by mara, not by ${BOT}`] };
    },
  ],
  [
    'of a fix that changes what runs the checks',
    async () => {
      const { url } = await make({ more: { [FLOW]: 'on: push\njobs: {}\n' } });
      return { url, reasons: [`its commits change ${FLOW}`] };
    },
  ],
  [
    'of a base that is on no branch but its own',
    async () => {
      const { url, certificate } = await make({ first: { [FLOW]: 'on: push\njobs: {}\n' } });
      return { url, reasons: [`its base ${short(certificate.base)} is not part of "main"`] };
    },
  ],
  [
    'of another repository',
    async () => {
      const { number, url, certificate } = await make();
      carry(number, { ...certificate, repository: shop.desk.name });
      return { url, reasons: [`it is about ${shop.desk.name}, not about the repository of the pull request`] };
    },
  ],
])('does not hold where it is %s', async (_, forge) => {
  const { url, reasons } = await forge();
  const said = await verify(url);
  expect(said).toContain('ended with 1:');
  const listed = said.split('\n').flatMap((line) => /^ {2}- (.*)$/.exec(line)?.[1] ?? []);
  expect(listed).toEqual(reasons);
});

it('does not hold for another App than the one that is named', async () => {
  expect(await verify(honest.url, '--app', 'causeway')).toContain('Yes. ');
  expect(await verify(honest.url, '--app', 'other')).toContain(`it was opened by ${BOT}, not by other[bot]`);
});

it('cannot be verified without a pull request, or where it names none', async () => {
  const file = path.join(stage.dataDir, 'certificate.json');
  await writeFile(file, JSON.stringify(honest.certificate));
  const alone = await verify(file);
  expect(alone).toContain('ended with 4:');
  expect(alone).toContain('Not verifiable. ');
  expect(alone).toContain(`causeway verify-proof ${honest.url} ${file}`);
  expect(await verify(file, honest.url)).toContain('Yes. ');
  const { number, url, certificate } = await make();
  const { pullRequest: _, ...nameless } = certificate;
  carry(number, nameless);
  const said = await verify(url);
  expect(said).toContain('ended with 4:');
  expect(said).toContain('names no pull request');
});

it('does not hold after a push, and the body no longer says so', async () => {
  const pull = shop.pull();
  const url = `${stage.double.webUrl}/${shop.desk.name}/pull/${pull.number}`;
  const proven = pull.pull?.headSha ?? '';
  const shown = () => shop.desk.shown(shop.pull().body ?? '').text;
  expect(shown()).toContain(`Proven in this repository's own CI at ${short(proven)}: ${TEST_NAME}`);
  expect(await verify(url)).toContain('Yes. ');
  const branch = pull.pull?.headRef ?? '';
  const head = await stage.double.people.push(shop.desk.name, { by: 'mara', branch, files: { 'NOTES.md': 'Mine.\n' } });
  const certificate = /```json\n([^`]+)\n```/.exec(pull.body ?? '')?.[1] ?? '';
  await shop.settle();
  expect(shown()).not.toContain('Proven');
  expect(shown()).toContain('Not verified: somebody else pushed to the branch');
  expect(shop.pull().body).not.toContain('"proven"');
  expect(shop.desk.headlines().join('\n')).not.toContain('proven');
  // As it was, or kept by a person.
  const file = path.join(stage.dataDir, 'kept.json');
  await writeFile(file, certificate);
  const said = await verify(file, url);
  expect(said).toContain('ended with 1:');
  expect(said).toContain(`its head is ${short(head)}, and what was proven is ${short(proven)}`);
});
