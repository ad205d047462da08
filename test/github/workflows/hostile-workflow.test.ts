// Whatever stands in a workflow file, it is read or refused: in little time, and without a fault.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of GitHub
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { judgeStarts } from '../../../src/github/workflows/index.ts';
import { cpuTime } from '../../support/cpu-time.ts';

function judge(...texts: readonly string[]) {
  const files = texts.map((text, index) => ({ path: `.github/workflows/${'abcdefghij'[index]}.yml`, text }));
  return judgeStarts({
    ...{ branch: 'causeway/prove/7', base: 'main', defaultBranch: 'main', repository: 'octo/shop' },
    ...{ actor: 'causeway[bot]', title: 'Proof', body: '', message: 'Test', paths: ['a/b.ts'], runs: [] },
    ...{ pushed: files, ofDefault: files, ofHead: files },
  });
}

const word = fc.constantFrom(
  ...[
    'push',
    'pull_request',
    'branches',
    '!**',
    '${{ secrets.A }}',
    '${{',
    "'",
    '<<',
    'needs',
    'always()',
    '__proto__',
  ],
  ...['constructor', 'true', '~', '1e3', '*', '[a-', 'self-hosted', 'inherit', './.github/workflows/a.yml', ''],
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(word, tie('value'), { maxKeys: 3 }),
  ),
}));
const key = fc.constantFrom(
  'needs',
  'if',
  'uses',
  'runs-on',
  'permissions',
  'secrets',
  'environment',
  'strategy',
  'outputs',
  'steps',
);

it('of any form', () => {
  const events = fc.constantFrom('push', 'pull_request', 'pull_request_target', 'workflow_run', 'create', 'x');
  const file = fc.record({
    on: fc.oneof(value, fc.dictionary(events, value, { maxKeys: 3 })),
    jobs: fc.oneof(
      value,
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.dictionary(key, value), { maxKeys: 2 }),
    ),
    permissions: value,
    env: value,
  });
  fc.assert(
    fc.property(file, (made) => {
      const { starts, refusals } = judge(stringify(made));
      // What starts and has a job is refused, since the head has had no runs.
      if (starts.some(({ jobs }) => jobs.length > 0)) expect(refusals.length).toBeGreaterThan(0);
    }),
    { numRuns: 600 },
  );
});

it('of any text', () => {
  const valid = 'on: { push: { branches: ["**"] } }\njobs: { a: &a { runs-on: x, if: "a && (b)" }, b: *a }\n';
  fc.assert(
    fc.property(fc.nat(valid.length), fc.nat(20), fc.string({ maxLength: 8 }), (at, length, put) => {
      judge(valid.slice(0, at) + put + valid.slice(at + length));
    }),
    { numRuns: 600 },
  );
});

it('in little time, also where it is as long and as nested as it may be', async () => {
  const jobs = Array.from(
    { length: 1_500 },
    (_, index) =>
      `  j${index}: { needs: [j${index + 1}], if: "${'('.repeat(400)}", env: { A: "${'${{ x '.repeat(20)}" } }`,
  );
  const calls = Array.from({ length: 40 }, (_, index) => `  c${index}: { uses: ./.github/workflows/a.yml }`);
  const texts = [
    `on: push\njobs:\n${jobs.join('\n')}\n`,
    `on: [push, workflow_call]\njobs:\n${calls.join('\n')}\n`,
    `on: { push: { branches: [${Array(1_500)
      .fill(`'${'**a'.repeat(95)}'`)
      .join(', ')}] } }\njobs: { a: {} }\n`,
    `on: push\njobs: { a: ${'['.repeat(5_000)}${']'.repeat(5_000)} }\n`,
  ];
  const chain = [...'bcdefghij'].map(
    (next) =>
      `on: [push, workflow_call]\njobs:\n${calls.map((call) => call.replace('a.yml', `${next}.yml`)).join('\n')}\n`,
  );
  const time = await cpuTime(() => {
    for (const text of texts) judge(text);
    judge(...chain, 'on: workflow_call\njobs: { a: { runs-on: ours } }\n');
  });
  expect(time).toBeLessThan(20_000);
});
