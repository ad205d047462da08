// The double starts for a branch and a draft what its workflow files say, by rules of its own; the judgement expects the same.
import { type GithubDouble, startCi, startGithubDouble } from 'causeway-github-double';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { judgeStarts } from '../../../src/github/workflows/index.ts';

const BRANCH = 'causeway/prove/7';
const CHANGED = 'test/unit/cart.test.ts';

const pattern = fc.constantFrom(
  ...['**', '*', 'main', 'causeway/**', 'causeway/*', '!causeway/**', '**/7', 'causeway/prove/[0-9]+', 'ma?in', 'next'],
);
const path = fc.constantFrom(
  ...['**', 'test/**', 'test/*.ts', '**/*.ts', '**.ts', '!**/cart.test.ts', 'src/**', '*.ts'],
);
const some = (from: fc.Arbitrary<string>) => fc.uniqueArray(from, { minLength: 1, maxLength: 3 }).filter(hasPlain);
const plain = (from: fc.Arbitrary<string>) => some(from).filter((all) => all.every((one) => !one.startsWith('!')));
/** GitHub wants one pattern at least that chooses. */
const hasPlain = (all: readonly string[]) => all.some((one) => !one.startsWith('!'));

const filter = fc
  .tuple(
    fc.oneof(fc.constant({}), fc.record({ branches: some(pattern) }), fc.record({ 'branches-ignore': plain(pattern) })),
    fc.oneof(fc.constant({}), fc.record({ paths: some(path) }), fc.record({ 'paths-ignore': plain(path) })),
  )
  .map(([ofBranch, ofPath]) => ({ ...ofBranch, ...ofPath }));
const types = fc.constantFrom({}, { types: ['opened'] }, { types: ['labeled'] }, { types: ['opened', 'closed'] });
const pulled = fc.tuple(filter, types).map(([filters, wanted]) => ({ ...filters, ...wanted }));
const on = fc.oneof(
  fc.record({ push: filter }),
  fc.record({ pull_request: pulled }),
  fc.record({ pull_request_target: pulled }),
  fc.record({ push: filter, pull_request: pulled }),
  fc.constant({ create: null, delete: null }),
  fc.record({ workflow_run: fc.record({ workflows: fc.constant(['W0', 'W1']), types: fc.constant(['completed']) }) }),
);

const SEED = 48;

it('agrees on eighty workflows', async () => {
  const ons = fc.sample(on, { numRuns: 80, seed: SEED });
  const files = ons.map((one, index) => ({
    path: `.github/workflows/w${index}.yml`,
    text: `name: W${index}\non: ${JSON.stringify(one)}\njobs: { test: { runs-on: ubuntu-latest } }\n`,
  }));
  await using double = await startGithubDouble();
  const ran = await playProof(double, files);
  const { starts } = judgeStarts({
    ...{ branch: BRANCH, base: 'main', defaultBranch: 'main', repository: 'octo/shop', actor: 'causeway[bot]' },
    ...{ title: 'Proof', body: '', message: 'Only the test', paths: [CHANGED], runs: [] },
    ...{ pushed: files, ofDefault: files, ofHead: files },
  });
  expect(starts.filter(({ certainty }) => certainty === 'perhaps')).toEqual([]);
  const expected = starts.map(({ event, path }) => `${path} ${event}`);
  expect(new Set(expected).size).toBeGreaterThan(20);
  expect(ons.length - new Set(starts.map(({ path }) => path)).size).toBeGreaterThan(15);
  expect([...new Set(ran)].toSorted()).toEqual([...new Set(expected)].toSorted());
});

/** Path and event of every run that the branch, its draft, closing that and deleting the branch have started. */
async function playProof(
  double: GithubDouble,
  files: readonly { readonly path: string; readonly text: string }[],
): Promise<readonly string[]> {
  const { people } = double;
  const placed = files.map(({ path, text }) => [path, text] as const);
  await people.openRepository('octo/shop', { files: { 'README.md': 'A shop\n', ...Object.fromEntries(placed) } });
  people.organization('octo', { owners: ['nora'], members: [] });
  people.install('octo', { app: people.otherApp('github-actions'), by: 'nora', events: ['push'] });
  const ci = startCi(double, 'octo/shop', { jobs: {} });
  const push = { by: 'mara', branch: BRANCH, message: 'Only the test', files: { [CHANGED]: 'test\n' } };
  await people.push('octo/shop', push);
  await ci.settled();
  const pull = await people.openPull('octo/shop', { by: 'mara', title: 'Proof', head: BRANCH, draft: true });
  await ci.settled();
  people.close('octo/shop', pull.number, 'mara');
  await ci.settled();
  await people.deleteBranch('octo/shop', BRANCH, 'mara');
  await ci.settled();
  return [...double.repository('octo/shop').workflowRuns.values()].map(({ path, event }) => `${path} ${event}`);
}
