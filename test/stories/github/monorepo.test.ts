// A monorepo whose packages have files of the same names: the right one is found, with its instructions and its owners.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call, type Played } from '../../../packages/models/test/played.ts';
import { type Desk, deskOf, fileAt } from '../../support/github-desk.ts';
import { type ShopModel, shopModel } from '../../support/github-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { conclusion, stepWith } from '../../support/played-model.ts';

const FAULT = '    return min(attempt * BASE_DELAY, 0)';
const FIX = '    return min(attempt * BASE_DELAY, MOST_DELAY)';

const retryIn = (language: 'ts' | 'js') => `${language === 'ts' ? 'export type Attempt = number;\n' : ''}
const BASE_DELAY = 200;
const MOST_DELAY = 10_000;

/** Milliseconds to wait before the next attempt to send a request. */
export function retryDelay(attempt${language === 'ts' ? ': Attempt' : ''}) {
  return Math.min(attempt * BASE_DELAY, MOST_DELAY);
}
`;

const FILES = {
  'AGENTS.md': 'Every change needs a test. ROOT-RULE\n',
  'packages/billing/AGENTS.md': 'Tests are written with pytest. BILLING-RULE\n',
  'packages/web/AGENTS.md': 'Tests are written with jest. WEB-RULE\n',
  '.github/CODEOWNERS': '* @corner/all\npackages/** @corner/core\npackages/billing/ @corner/billing @bea\n',
  'packages/billing/billing/retry.py': `"""How long to wait before the next attempt to send a request."""

BASE_DELAY = 200
MOST_DELAY = 10_000


def retry_delay(attempt):
    """Milliseconds to wait before the next attempt to send a request."""
${FAULT}
`,
  'packages/billing/billing/client.py':
    'from billing.retry import retry_delay\n\n\ndef send(request):\n    return retry_delay(1)\n',
  'packages/web/src/retry.js': retryIn('js'),
  'packages/api/src/retry.ts': retryIn('ts'),
  'packages/worker/retry.go':
    'package worker\n\n// RetryDelay is the time to wait before the next attempt to send a request.\nfunc RetryDelay(attempt int) int {\n\treturn attempt * 200\n}\n',
};

const SCOPES = `scopes:
  - paths: ["packages/web/**"]
    labels: [area-web]
  - paths: ["packages/billing/**"]
    labels: [area-billing]
    owners: ["@corner/payments"]
    budget: {run: 0.4}
    base: release-2
  - paths: ["packages/api/**", "packages/worker/**"]
    labels: [area-api]
`;

/** Fits all packages. */
const VAGUE = {
  title: 'There is no delay before the next attempt',
  body: 'A request that fails is sent again at once, without any time to wait before the next attempt.',
};

const TRACED = {
  title: 'The bill is sent twice',
  body: 'It is sent again at once:\n\n```\nTraceback (most recent call last):\n  File "billing/client.py", line 5, in send\n    return retry_delay(1)\n  File "billing/retry.py", line 9, in retry_delay\n    return min(attempt * BASE_DELAY, 0)\nValueError: a delay of 0 is not allowed\n```',
};

const TURNS: readonly Played[] = [
  { say: 'The delay.', calls: [call('read_files', { files: [{ path: 'packages/billing/billing/retry.py' }] })] },
  {
    say: 'It is never more than zero.',
    calls: [call('replace', { path: 'packages/billing/billing/retry.py', old: FAULT, new: FIX })],
  },
  (asked) => ({
    calls: [
      conclusion({
        outcome: 'code_fix',
        problem: 'A request is sent again at once.',
        rootCause: [
          {
            text: 'The delay is never more than zero',
            citations: [{ step: stepWith(asked, FAULT.trim()), quote: FAULT.trim() }],
            places: [{ file: 'packages/billing/billing/retry.py', line: 9 }],
          },
        ],
        solutionSteps: ['Allow a delay.'],
      }),
    ],
  }),
];

let model: ShopModel;
let stage: GithubStage;

beforeAll(async () => {
  model = await shopModel(TURNS);
  stage = await openGithubStage({ env: model.env });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function openMonorepo(name: string, config: string): Promise<void> {
  const { people } = stage.double;
  await people.openRepository(name);
  people.grant(name, 'mara', 'write');
  for (const label of ['analyse', 'area-web', 'area-billing', 'area-api']) people.makeLabel(name, label);
  const files = config === '' ? FILES : { ...FILES, '.github/causeway.yml': config };
  const sha = await people.push(name, { by: 'mara', files });
  await people.push(name, { by: 'mara', branch: 'release-2', from: sha, files: { 'NOTES.md': 'Release 2\n' } });
}

function report(name: string, issue: typeof VAGUE, labels: readonly string[] = []): Desk {
  const { number } = stage.double.people.openIssue(name, { by: 'mara', ...issue, labels });
  const desk = deskOf(stage, name, number);
  desk.label('mara');
  return desk;
}

/** Its text, as it is shown. */
async function readFacts(desk: Desk): Promise<string> {
  await desk.comment('Facts only, no model was used');
  await stage.rest();
  return desk.shown(desk.ours().at(-1)?.body ?? '').text;
}

/** The files that it names, in order. */
function listFiles(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/packages\/[\w./-]+\/retry\.\w+/g)].map(([file]) => file))];
}

it('finds the file of a trace, whichever scope there is, and names the nearest owners without a mention', async () => {
  await openMonorepo('corner/plain', 'model: none\n');
  await openMonorepo('corner/scoped', `model: none\n${SCOPES}`);
  const plain = report('corner/plain', TRACED);
  const scoped = report('corner/scoped', TRACED, ['area-web']);
  const text = await readFacts(plain);
  expect(listFiles(text)[0]).toBe('packages/billing/billing/retry.py');
  expect(text).toContain('packages/billing/billing/retry.py is owned by @corner/billing, @bea.');
  expect(text).not.toContain('@corner/core');
  expect(plain.shown(plain.ours().at(-1)?.body ?? '').mentions).toEqual([]);
  const other = await readFacts(scoped);
  expect(listFiles(other)[0]).toBe('packages/billing/billing/retry.py');
  expect(other).toContain('is owned by @corner/payments.');
});

it('prefers the scope of a label where the report fits several packages, and hides no other', async () => {
  for (const [label, file] of [
    ['area-billing', 'packages/billing/billing/retry.py'],
    ['area-web', 'packages/web/src/retry.js'],
  ] as const) {
    const text = await readFacts(report('corner/scoped', { ...VAGUE, body: `${VAGUE.body} (${label})` }, [label]));
    expect(listFiles(text)[0]).toBe(file);
    expect(listFiles(text).length).toBeGreaterThan(2);
  }
});

it('gives the model the instructions of the nearest folder and of the root, and none of other packages', async () => {
  await openMonorepo('corner/told', '');
  const desk = report('corner/told', TRACED);
  await desk.pull();
  await stage.rest();
  const [told = ''] = model.told('Repository corner/told ');
  expect(told.indexOf('BILLING-RULE')).toBeGreaterThan(0);
  expect(told.indexOf('ROOT-RULE')).toBeGreaterThan(told.indexOf('BILLING-RULE'));
  expect(told).not.toContain('WEB-RULE');
});

it('fixes it on the base branch of the scope', async () => {
  await openMonorepo('corner/based', SCOPES);
  const desk = report('corner/based', VAGUE, ['area-billing']);
  const pull = await desk.pull();
  await stage.rest();
  expect(pull.pull).toMatchObject({ baseRef: 'release-2', isDraft: true });
  const fixed = `${pull.pull?.headSha}:packages/billing/billing/retry.py`;
  expect(await fileAt(stage, 'corner/based', fixed)).toContain(FIX);
  expect(desk.shown(desk.ours().at(-1)?.body ?? '').text).toContain('is owned by @corner/payments.');
});

it('reads the other repositories of a scope for a report about it, and for no other', async () => {
  const { people } = stage.double;
  await people.openRepository('corner/clock', { files: { 'clock.py': 'def delay():\n    return 0\n' } });
  await openMonorepo('corner/reads', `model: none\n${SCOPES}    context: [corner/clock]\n`);
  expect(await readFacts(report('corner/reads', VAGUE, ['area-api']))).toContain('corner/clock at ');
  const other = { ...VAGUE, body: `${VAGUE.body} Always.` };
  expect(await readFacts(report('corner/reads', other, ['area-web']))).not.toContain('corner/clock');
});

it('asks no model beyond the budget of a scope', async () => {
  await openMonorepo('corner/free', SCOPES.replace('run: 0.4', 'run: 0'));
  expect(listFiles(await readFacts(report('corner/free', VAGUE, ['area-billing'])))[0]).toContain('billing');
  expect(model.told('Repository corner/free ')).toEqual([]);
});
