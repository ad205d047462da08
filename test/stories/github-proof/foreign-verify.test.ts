// The certificate of somebody else's fix: what our own check run says is believed as far as GitHub confirms it, and nothing else is.
import type { GithubIssue } from 'causeway-github-double';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifyProof } from '../../../src/github/verify-proof.ts';
import { createCheckReader } from '../../../src/services/checks/check-texts.ts';
import { openProvingShop, type ProvingShop, SHOWS, writeTests } from '../../support/foreign-proof.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { patience } from '../../support/patience.ts';

const TESTS = { 'test/lower-case.test.js': writeTests({ 'takes lower case': SHOWS }) };

let stage: GithubStage;
let shop: ProvingShop;
let pull: GithubIssue;
let certificate: Record<string, unknown>;

beforeAll(async () => {
  stage = await openGithubStage();
  shop = await openProvingShop(stage, 'corner/proven');
  pull = await shop.pull({ ...TESTS, 'src/coupons.js': await shop.mended() });
  await shop.prove(pull.number);
  const { summary = '' } = shop.proofAt(headOf(pull)) ?? {};
  certificate = JSON.parse(/```json\n([\s\S]*?)\n```/.exec(summary)?.[1] ?? '{}');
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

function headOf({ pull: branch }: GithubIssue): string {
  return branch?.headSha ?? '';
}

const APP = 'causeway';

async function verify(
  of: GithubIssue,
  { text = null, name = shop.name }: { text?: object | null; name?: string } = {},
) {
  await using reader = createCheckReader();
  const { apiUrl, webUrl, app } = stage.double;
  const token = stage.double.people.userToken('mara');
  const options = { token, apiUrl, webUrl, userAgent: 'test', readCheck: reader.readCheck, app: app.slug ?? APP };
  const source = {
    kind: 'pull',
    url: `${webUrl}/${name}/pull/${of.number}`,
    text: text && JSON.stringify(text),
  } as const;
  try {
    const verified = await verifyProof(source, options, patience());
    return verified.state === 'denied' ? verified.faults.join('\n') : verified.state;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

it('is confirmed, with and without a file of it, though branch and draft are gone', async () => {
  expect(certificate).toMatchObject({ kind: 'foreign', author: 'mara' });
  expect([await verify(pull), await verify(pull, { text: certificate })]).toEqual(['confirmed', 'confirmed']);
});

it.each<[string, object]>([
  ['another head', { head: 'a'.repeat(40) }],
  ['another base', { base: 'a'.repeat(40) }],
  ['another test commit', { testCommit: 'a'.repeat(40) }],
  ['another test', { turned: ['takes everything'] }],
  ['another author', { author: 'ola' }],
  ['another pull request', { pullRequest: 'https://github.com/corner/proven/pull/99' }],
  ['another change', { diffHash: '0'.repeat(64) }],
])('denies a file with %s', async (_, tampered) => {
  expect(await verify(pull, { text: { ...certificate, ...tampered } })).toContain(
    'not the certificate in the check run',
  );
});

it('reads no body: neither one that its author wrote, nor one on which another App has a check run of that name', async () => {
  const other = await openProvingShop(stage, 'corner/forged');
  const forged = await other.pull({ ...TESTS, 'src/coupons.js': await other.mended() });
  const block = `\`\`\`json\n${JSON.stringify({ ...certificate, repository: other.name, head: headOf(forged) })}\n\`\`\``;
  forged.body = block;
  await stage.double.people.reportCheck(other.name, {
    ...{ sha: headOf(forged), name: 'Causeway / proof', app: 'somebody-else', conclusion: 'success' },
    output: { title: 'Proven', summary: block },
  });
  expect(await verify(forged, { name: other.name })).not.toBe('confirmed');
});

it('denies the certificate for a newer head', async () => {
  const moved = await openProvingShop(stage, 'corner/newer');
  const newer = await moved.pull({ ...TESTS, 'src/coupons.js': await moved.mended() });
  await moved.prove(newer.number);
  expect(await verify(newer, { name: moved.name })).toBe('confirmed');
  await stage.double.people.push(moved.name, { by: 'mara', branch: 'change', files: { 'notes.md': 'more\n' } });
  await moved.settle();
  expect(await verify(newer, { name: moved.name, text: certificate })).not.toBe('confirmed');
});
