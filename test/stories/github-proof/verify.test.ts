// A certificate is believed only as far as GitHub confirms it.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { condenseLog } from 'causeway-ci-log';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Issue } from '../../../src/core/issue/issue.ts';
import type { Proof } from '../../../src/core/proof/proof-view.ts';
import { verifyProof } from '../../../src/github/verify/verify-proof.ts';
import { createCheckReader } from '../../../src/services/checks/check-texts.ts';
import type { ShopModel } from '../../support/github-model.ts';
import { openProofDesk, type ProofDesk, proofModel, TEST_NAME } from '../../support/github-proof.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { patience } from '../../support/patience.ts';
import { runCauseway } from '../../support/service.ts';

type Certificate = Proof & { readonly repository: string; readonly pullRequest: string };

let model: ShopModel;
let stage: GithubStage;
let shop: ProofDesk;
let certificate: Certificate;
let token: string;

beforeAll(async () => {
  model = await proofModel();
  stage = await openGithubStage({ env: model.env });
  shop = await openProofDesk(stage, 'corner/right');
  shop.desk.label('mara');
  await shop.desk.pull();
  await shop.settle();
  const api = await stage.api('mara');
  const [project] = await api.get<{ name: string; issueIds: string[] }[]>('/api/v1/projects/');
  certificate = await api.get(`/api/v1/issues/${project?.issueIds[0]}/proof/`);
  const issue = await api.get<Issue>(`/api/v1/issues/${project?.issueIds[0]}/`);
  const { repository, pullRequest, ...proof } = certificate;
  expect(issue.analysis.proof).toEqual(proof);
  expect([repository, pullRequest]).toEqual([shop.desk.name, issue.analysis.links.pullRequest]);
  token = stage.double.people.userToken('mara');
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

/** What contradicts it; nothing where it holds. */
async function verify(given: object): Promise<readonly string[]> {
  await using reader = createCheckReader();
  const { apiUrl, webUrl } = stage.double;
  const options = {
    token,
    apiUrl,
    webUrl,
    userAgent: 'test',
    readCheck: reader.readCheck,
    shortenLog: condenseLog,
    app: null,
  };
  const source = { kind: 'pull', url: certificate.pullRequest, text: JSON.stringify(given) } as const;
  const verified = await verifyProof(source, options, patience());
  if (verified.state === 'not_verifiable') throw new Error(`not verifiable: ${verified.because}`);
  return verified.state === 'denied' ? verified.faults : [];
}

it('holds as it was given, from the API, a file and the pull request', async () => {
  expect(certificate).toMatchObject({ state: 'proven', turned: [TEST_NAME], reason: '' });
  expect(await verify(certificate)).toEqual([]);
  const file = path.join(stage.dataDir, 'certificate.json');
  await writeFile(file, JSON.stringify(certificate));
  const { host, protocol } = new URL(stage.double.webUrl);
  const env = { GHE_HOST: host, GHE_PROTOCOL: protocol.replace(':', ''), GITHUB_TOKEN: token };
  for (const given of [[file, certificate.pullRequest], [certificate.pullRequest]]) {
    const said = await runCauseway(['verify-proof', ...given], { cwd: stage.dataDir, env });
    expect(said).toContain('Yes. This test of corner/right failed without the fix and passed with it');
  }
});

function withCheck(change: (check: Proof['checks'][number]) => object): object {
  return { ...certificate, checks: certificate.checks.map((check) => ({ ...check, ...change(check) })) };
}

it.each<[string, () => object | Promise<object>, string]>([
  ['another state', () => ({ ...certificate, state: 'not_reproduced' }), 'its state is "not_reproduced"'],
  ['another base', () => ({ ...certificate, base: certificate.testCommit }), 'is not part of "main"'],
  ['commits exchanged', () => swap(certificate), 'its head is'],
  ['another test commit', () => ({ ...certificate, testCommit: certificate.base }), '"test" did not fail'],
  ['a commit that is not there', () => ({ ...certificate, testCommit: 'a'.repeat(40) }), 'do not follow one another'],
  ['another change', () => ({ ...certificate, diffHash: '0'.repeat(64) }), 'is not the one that it names'],
  ['no check', () => ({ ...certificate, checks: [] }), 'it names no check'],
  ['another check', () => withCheck(() => ({ name: 'lint' })), '"lint" did not fail at the test commit'],
  ['another run', () => withCheck(({ green }) => ({ red: green })), '"test" did not fail at the test commit'],
  [
    'another time',
    () => withCheck(({ green }) => ({ green: { ...green, at: '2026-01-01T00:00:00Z' } })),
    'did not pass',
  ],
  ['another test', () => ({ ...certificate, turned: ['a basket sums what is in it'] }), 'none of its tests failed'],
  [
    'one more test',
    () => ({ ...certificate, turned: [TEST_NAME, 'a basket'] }),
    'no log shows that these tests failed: a basket',
  ],
])('does not hold with %s', async (_, tamper, fault) => {
  expect((await verify(await tamper())).join('\n')).toContain(fault);
});

function swap({ testCommit, fixCommit, ...rest }: Certificate): object {
  return { ...rest, testCommit: fixCommit, fixCommit: testCommit };
}

it('is compared with all checks of a commit, more than a page of them', async () => {
  const { people } = stage.double;
  const sha = certificate.fixCommit;
  const jobs = Array.from({ length: 120 }, (_, at) => `extra ${at}`);
  await people.reportWorkflowRun(shop.desk.name, {
    sha,
    jobs: jobs.map((name) => ({ name, conclusion: 'success', log: 'ok' })),
  });
  expect(await verify(certificate)).toEqual([]);
  await people.reportWorkflowRun(shop.desk.name, { sha, jobs: [{ name: 'late', conclusion: 'failure', log: 'no' }] });
  expect(await verify(certificate)).toEqual(['"late" failed at the fix commit']);
});
