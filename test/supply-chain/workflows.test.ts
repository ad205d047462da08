// Our own workflows: least permissions, pinned actions, nothing of an event in a shell. And that the rules would catch each breach.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './lockfile.ts';
import { breaches } from './workflow-rules.ts';

const FOLDER = path.join(ROOT, '.github', 'workflows');
const OURS = readFileSync(path.join(FOLDER, 'ci.yml'), 'utf8');
const expression = (what: string) => ['$', `{{ ${what} }}`].join('');
const TITLE = expression('github.event.issue.title');
const SHA = '3d3c42e5aac5ba805825da76410c181273ba90b1';

it('every workflow of ours keeps the rules', () => {
  const files = readdirSync(FOLDER);
  expect(files).toContain('ci.yml');
  expect(files.filter((file) => !/^[\w-]+\.yml$/.test(file))).toEqual([]);
  expect(files.map((file) => [file, breaches(readFileSync(path.join(FOLDER, file), 'utf8'))])).toEqual(
    files.map((file) => [file, []]),
  );
});

it('there is no action of ours, which no rule would look at', () => {
  const kept = ['action.yml', 'action.yaml', '.github/actions'].filter((file) => existsSync(path.join(ROOT, file)));
  expect(kept).toEqual([]);
});

it('the workflow runs what must pass before a change lands', () => {
  expect(OURS).toContain('- run: .ci/run\n');
});

describe('the rules catch', () => {
  const cases: readonly (readonly [string, string | RegExp, string, RegExp])[] = [
    ['pull_request_target', 'pull_request:', 'pull_request_target:', /trigger pull_request_target/],
    ['workflow_run', 'pull_request:', 'workflow_run: { workflows: [CI] }', /trigger workflow_run/],
    ['issue_comment, in a list', /on:\n {2}push:\n.*\n {2}pull_request:/, 'on: [push, issue_comment]', /issue_comment/],
    ['no permissions', /permissions:\n {2}contents: read\n/, '', /names no permissions/],
    ['all permissions', /permissions:\n {2}contents: read/, 'permissions: write-all', /permissions write-all/],
    ['a permission to write', 'contents: read', 'contents: write', /has contents: write/],
    ['a token for clouds', 'contents: read', 'contents: read\n  id-token: write', /id-token: write/],
    [
      'more permissions of a job',
      '    timeout',
      '    permissions: { issues: write }\n    timeout',
      /job check has issues: write/,
    ],
    ['a tag', SHA, 'v7', /checkout@v7 is not pinned/],
    ['a branch', SHA, 'main', /not pinned/],
    ['a short commit', SHA, SHA.slice(0, 12), /not pinned/],
    ['a pin that does not say its version', ' # v7.0.1', '', /does not say its version/],
    ['an image of an action by its tag', `actions/checkout@${SHA} # v7.0.1`, 'docker://alpine:3 # v3', /not pinned/],
    ['a folder as action', `actions/checkout@${SHA} # v7.0.1`, './action # v1', /not pinned/],
    ['a container by its tag', '    timeout', '    container: node:24\n    timeout', /node:24 is not pinned/],
    [
      'a workflow of others by its branch',
      /runs-on[\s\S]*/,
      'uses: octo/shop/.github/workflows/x.yml@main\n',
      /x\.yml@main is not pinned/,
    ],
    ['a branch name in run', 'run: .ci/run', `run: echo "${expression('github.head_ref')}"`, /expression stands/],
    ['a title in run over lines', 'run: .ci/run', `run: |\n          echo ${TITLE}`, /expression/],
    ['a title in a script', 'persist-credentials: false', `script: "say('${TITLE}')"`, /expression/],
    ['a token that stays behind', 'persist-credentials: false', 'fetch-depth: 0', /leaves the token/],
    [
      'a secret',
      'run: .ci/run',
      `run: .ci/run\n        env: { KEY: "${expression('secrets.KEY')}" }`,
      /secret is used/,
    ],
    ['a runner of our own', 'ubuntu-24.04', 'self-hosted', /self-hosted/],
    ['a moving runner', 'ubuntu-24.04', 'ubuntu-latest', /ubuntu-latest/],
    ['a job without an end', /\n {4}timeout-minutes: 60/, '', /six hours/],
  ];

  it.each(cases)('%s', (_name, from, to, said) => {
    const bad = OURS.replace(from, () => to);
    expect(bad).not.toBe(OURS);
    expect(breaches(bad).join('\n')).toMatch(said);
  });
});
