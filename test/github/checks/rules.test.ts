// What a project wants to be done with its red checks, and in whose name.
import { expect, it } from 'vitest';
import { ChecksBusy } from '../../../src/core/check/check.ts';
import { checksHouse, SIGNAL } from './checks-house.ts';

const FILE = `checks:
  include: ["test *"]
  exclude: [lint]
  branches: [main]
model: none
instructions: Be kind.
`;

it('they stand in the configuration, and without one everything is looked at', async () => {
  await using plain = await checksHouse();
  expect(await plain.checks.readRules(plain.project, SIGNAL)).toMatchObject({
    ...{ include: [], exclude: [], branches: [], opens: true, settings: { useModel: true } },
  });
  await using house = await checksHouse({ files: { '.github/causeway.yml': FILE } });
  expect(await house.checks.readRules(house.project, SIGNAL)).toMatchObject({
    ...{ include: ['test *'], exclude: ['lint'], branches: ['main'], opens: true },
    settings: { useModel: false, instructions: 'Be kind.' },
  });
});

it.each([
  ['the repository says comment', { files: { '.github/causeway.yml': 'mode: comment\n' } }],
  ['the repository says observe', { files: { '.github/causeway.yml': 'mode: observe\n' } }],
  ['the operator says comment', { ceiling: 'comment' }],
  ['too little was granted', { permissions: { metadata: 'read', contents: 'read', pull_requests: 'write' } }],
] as const)('no pull request is opened where %s', async (_, setting) => {
  await using house = await checksHouse(setting);
  expect(await house.checks.readRules(house.project, SIGNAL)).toMatchObject({ opens: false });
});

const RERUN = 'checks: {rerun: once}\n';
const WRITE = { metadata: 'read', contents: 'read', actions: 'write' } as const;

it.each([
  ['once', { files: { '.github/causeway.yml': RERUN }, permissions: WRITE }],
  ['not_granted', { files: { '.github/causeway.yml': RERUN } }],
  ['off', { permissions: WRITE }],
  ['off', { files: { '.github/causeway.yml': `${RERUN}mode: observe\n` }, permissions: WRITE }],
  ['off', { files: { '.github/causeway.yml': RERUN }, permissions: WRITE, ceiling: 'observe' }],
] as const)('jobs are run again: %s', async (rerun, setting) => {
  await using house = await checksHouse(setting);
  expect(await house.checks.readRules(house.project, SIGNAL)).toMatchObject({ rerun });
});

it('they are waited for where GitHub does not answer', async () => {
  await using house = await checksHouse();
  house.double.faults.add({ path: /contents/, fault: { kind: 'answer', when: 'before', status: 503 } });
  await expect(house.checks.readRules(house.project, SIGNAL)).rejects.toBeInstanceOf(ChecksBusy);
});
