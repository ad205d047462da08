// What a job ran on, from the beginning of its log as GitHub Actions writes it.
import { expect, it } from 'vitest';
import { findCheckedOut, findOneBase } from '../../src/core/proof/checked-out.ts';

const [HEAD, BASE, MERGE] = ['a', 'b', 'c'].map((letter) => letter.repeat(40)) as [string, string, string];

const SETUP = [
  'Current runner version: 2.330.0',
  '##[group]GITHUB_TOKEN Permissions',
  'Contents: read',
  '##[endgroup]',
];
const STEP = [
  '##[group]Run actions/checkout@v4',
  'with:',
  '  fetch-depth: 1',
  '##[endgroup]',
  'Syncing repository: a/b',
];
const MERGED = ['##[group]Checking out the ref', `HEAD is now at ccccccc Merge ${HEAD} into ${BASE}`, '##[endgroup]'];
const TESTS = ['##[group]Run npm test', 'npm test', '##[endgroup]', 'ok'];

const format = (...lines: readonly string[]) => lines.map((line) => `2026-03-01T10:00:00.1234567Z ${line}\n`).join('');

it.each<[string, readonly string[], { readonly head: string; readonly base: string } | null]>([
  ['a merge', [...SETUP, ...STEP, ...MERGED, `[command]/usr/bin/git log -1 --format='%H'`, `'${MERGE}'`], null],
  ['a branch', [...STEP, `[command]/usr/bin/git log -1 --format='%H'`, `'${HEAD}'`], { head: HEAD, base: '' }],
  [
    'Windows',
    [...STEP, '[command]"C:\\Program Files\\Git\\bin\\git.exe" log -1 --format=%H', HEAD],
    { head: HEAD, base: '' },
  ],
  [
    'a commit',
    [...STEP, 'HEAD is now at aaaaaaa Add', `[command]/usr/bin/git log -1 --format='%H'`, `'${HEAD}'`],
    { head: HEAD, base: '' },
  ],
  ['an action around it', ['##[group]Run corner/safe-checkout@v1', ...STEP, ...MERGED], null],
  ['a step before it', ['##[group]Run git config --global core.autocrlf false', ...STEP, ...MERGED], null],
])('is read of %s', (_, lines, found) => {
  expect(findCheckedOut(format(...lines, ...TESTS))).toEqual(found ?? { head: HEAD, base: BASE });
});

it.each<[string, readonly string[]]>([
  ['without git, as an archive', [...STEP, 'The repository will be downloaded using the GitHub REST API', ...TESTS]],
  ['by a command of one’s own', ['##[group]Run git clone https://github.test/a/b', '##[endgroup]']],
  ['out of sight', [...STEP, '… 20000 lines cut here …', ...MERGED]],
  ['by a step whose name is a command', ['##[group]Run ./checkout a@b', '##[endgroup]']],
])('is not known where it is checked out %s, whatever is printed', (_, lines) => {
  const printed = [...TESTS, ...MERGED, `[command]/usr/bin/git log -1 --format='%H'`, `'${HEAD}'`];
  const log = format(...lines, ...printed).replace(/^\S+Z …/m, '…');
  expect(findCheckedOut(log)).toBeNull();
});

it('is not what comes after a printed time, a title in the environment, or a later checkout', () => {
  const other = `HEAD is now at ddddddd Merge ${HEAD} into ${MERGE}`;
  const title = ['##[group]Run actions/checkout@v4', 'env:', `  TITLE: ${other}`, '##[endgroup]'];
  const log = format(...title, `> ${other}`, ...MERGED, ...TESTS, ...STEP, other);
  expect(findCheckedOut(log)).toEqual({ head: HEAD, base: BASE });
});

it('is one base only where all that were read say the same of the same head', () => {
  const of = { head: HEAD, base: MERGE };
  const ran = (head: string, base: string) => ({ checkedOut: { head, base } });
  expect(findOneBase([ran(HEAD, BASE), ran(HEAD, BASE)], of)).toBe(BASE);
  expect(findOneBase([ran(HEAD, '')], of)).toBe(MERGE);
  for (const checks of [[ran(HEAD, BASE), ran(HEAD, '')], [ran(BASE, BASE)], [ran(HEAD, BASE), { checkedOut: null }]])
    expect(findOneBase(checks, of)).toBe('');
});
