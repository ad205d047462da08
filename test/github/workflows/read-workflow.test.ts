// A workflow is read as GitHub reads it; what it would refuse, or what can't be told, is not guessed.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of GitHub
import { describe, expect, it } from 'vitest';
import { readWorkflow, type Workflow, type WrittenJob } from '../../../src/github/workflows/read-workflow.ts';

const PATH = '.github/workflows/ci.yml';

function read(text: string): Workflow {
  const found = readWorkflow({ path: PATH, text });
  if (found.kind === 'unread') throw new Error(`line ${found.line}: ${found.why}`);
  return found;
}

function readOn(on: string): Workflow['events'] {
  return read(`${on}\njobs: { a: { runs-on: ubuntu-latest } }\n`).events;
}

function readJob(job: string, before = ''): WrittenJob {
  const [found] = read(`on: push\n${before}\njobs:\n  a: ${job}\n`).jobs;
  return found!;
}

describe('what starts a workflow', () => {
  it.each(['on: push', '"on": push', 'on: [push]', 'on: { push: }', 'on:\n  push: null', 'on:\n  - push'])(
    'is read from %j',
    (on) => {
      expect(readOn(on)).toMatchObject([{ event: 'push', filters: {} }]);
    },
  );

  it('has filters, each a name or a list, and its line', () => {
    const on = [
      'on:',
      '  push:',
      '    branches: main',
      "    tags-ignore: ['v*', 1.10]",
      '  pull_request:',
      '    types: [opened]',
      '    paths: &code [src/**, test/**]',
      '  pull_request_target: { paths: *code }',
      '  workflow_run: { workflows: [CI], branches-ignore: [x] }',
      '  schedule:',
      "    - cron: '0 0 * * *'",
    ];
    const code = ['src/**', 'test/**'];
    expect(readOn(on.join('\n'))).toEqual([
      { event: 'push', line: 2, filters: { branches: ['main'], 'tags-ignore': ['v*', '1.10'] } },
      { event: 'pull_request', line: 5, types: ['opened'], filters: { paths: code } },
      { event: 'pull_request_target', line: 8, filters: { paths: code } },
      { event: 'workflow_run', line: 9, workflows: ['CI'], filters: { 'branches-ignore': ['x'] } },
      { event: 'schedule', line: 10, filters: {} },
    ]);
  });

  it('is not told by an expression or by what is no list of names', () => {
    expect(readOn('on: { push: { branches: ["${{ vars.X }}"], paths: { a: b } } }')).toMatchObject([
      { filters: { branches: null, paths: null } },
    ]);
  });
});

describe('a file that is not read', () => {
  it.each([
    ['is no YAML', 'on: push\njobs: [', 'yaml', 2],
    ['has a key twice', 'on: push\nname: a\nname: b\njobs: { a: { runs-on: x } }', 'yaml', 3],
    ['has an alias without anchor', 'on: *events\njobs: { a: { runs-on: x } }', 'yaml', 1],
    ['is two documents', 'on: push\njobs: { a: {} }\n---\non: pull_request\njobs: { a: {} }', 'yaml', 3],
    ['is a list', '- on: push', 'form', 1],
    ['has no events', 'name: x\njobs: { a: { runs-on: x } }', 'form', 1],
    ['has no jobs', 'on: push', 'form', 1],
    ['has an empty list of jobs', 'on: push\njobs: {}', 'form', 2],
    ['has an event that is no name', 'on: [[push]]\njobs: { a: {} }', 'form', 1],
    ['merges', 'on: push\njobs:\n  a: &a { runs-on: x }\n  b: { <<: *a }', 'form', 4],
    ['has a job that is none', 'on: push\njobs:\n  a: 3', 'form', 3],
    ['has needs that are no names', 'on: push\njobs:\n  a:\n    needs: { b: c }', 'form', 4],
    ['has permissions that are none', 'on: push\npermissions: all\njobs: { a: {} }', 'form', 2],
    ['has a level that is none', 'on: push\npermissions: { contents: "${{ x }}" }\njobs: { a: {} }', 'form', 2],
    ['is empty', '', 'form', 1],
  ])('%s', (_, text, why, line) => {
    expect(readWorkflow({ path: PATH, text })).toEqual({ kind: 'unread', path: PATH, line, why });
  });

  it('is too long, or was not to be had', () => {
    const long = `on: push\njobs: { a: { runs-on: x } }\n#${'x'.repeat(600_000)}`;
    expect(readWorkflow({ path: PATH, text: long })).toMatchObject({ why: 'size' });
    expect(readWorkflow({ path: PATH, text: null })).toMatchObject({ why: 'missing' });
  });

  it('has aliases that grow beyond measure', () => {
    const levels = Array.from({ length: 12 }, (_, level) =>
      level === 0
        ? 'l0: &l0 [x, x]'
        : `l${level}: &l${level} [${Array(9)
            .fill(`*l${level - 1}`)
            .join(', ')}]`,
    );
    const text = `on: push\n${levels.join('\n')}\njobs: { a: { runs-on: x, env: { A: *l11 } } }`;
    expect(readWorkflow({ path: PATH, text })).toMatchObject({ kind: 'unread', why: 'yaml' });
  });
});

describe('a job', () => {
  it('is named as GitHub names it, and has its condition as written', () => {
    expect(readJob('{ runs-on: ubuntu-latest, if: false }')).toMatchObject({ id: 'a', name: 'a', condition: 'false' });
    expect(readJob('{ name: Unit, needs: b, if: "always()" }')).toMatchObject({
      name: 'Unit',
      needs: ['b'],
      condition: 'always()',
    });
  });

  it('has the token of the whole workflow where it says nothing, and nobody knows which where neither does', () => {
    expect(readJob('{}').rights.token).toBeNull();
    expect(readJob('{}', 'permissions: { contents: read, issues: none }').rights.token).toEqual({ contents: 'read' });
    expect(readJob('{ permissions: {} }', 'permissions: write-all').rights.token).toEqual({});
    expect(readJob('{ permissions: write-all }').rights.token).toEqual({ '*': 'write' });
  });

  it.each([
    ['nothing', '{ steps: [{ run: "cat secrets/x; echo secrets.A" }] }', '', []],
    ['one that a step names', '{ steps: [{ run: "x ${{ secrets.npm_token }}" }] }', '', ['NPM_TOKEN']],
    ['one by index', `{ env: { A: "\${{ secrets['B-C'] }}" } }`, '', ['B-C']],
    ['one of the whole workflow', '{}', 'env: { A: "${{ secrets.A || secrets.B }}" }', ['A', 'B']],
    ['any by an expression', '{ env: { A: "${{ secrets[matrix.name] }}" } }', '', ['*']],
    ['all', '{ env: { A: "${{ toJSON(SECRETS) }}" } }', '', ['*']],
    ['all that it hands on', '{ uses: ./.github/workflows/b.yml, secrets: inherit }', '', ['*']],
    ['those it hands on', '{ uses: ./.github/workflows/b.yml, secrets: { x: "${{ secrets.A }}" } }', '', ['A']],
    ['not its own token', '{ env: { A: "${{ secrets.GITHUB_TOKEN }}" } }', '', []],
    ['none in quotes', `{ env: { A: "\${{ format('secrets.A }} {0}', github.ref) }}" } }`, '', []],
    ['one behind quoted braces', `{ env: { A: "\${{ format('}}{0}', secrets.A) }}" } }`, '', ['A']],
    ['none of another context', '{ env: { A: "${{ needs.secrets.outputs.x }}" } }', '', []],
    ['one behind an alias', '{ env: *all }', 'env: &all { A: "${{ secrets.A }}" }', ['A']],
  ])('has %s of the secrets', (_, job, before, secrets) => {
    expect(readJob(job, before).rights.secrets).toEqual(secrets);
  });

  it.each([
    ['{ env: { A: "${{ secrets.GITHUB_TOKEN }}" } }', true],
    ['{ env: { A: "${{ github.token }}" } }', true],
    [`{ env: { A: "\${{ github['token'] }}" } }`, true],
    ['{ env: { A: "${{ toJSON(github) }}" } }', true],
    ['{ env: { A: "${{ github }}" } }', true],
    ['{ env: { A: "${{ github.ref }}" } }', false],
    [`{ env: { A: "\${{ format('{0}', github.actor) }}" } }`, false],
  ])('%s names its token: %s', (job, expected) => {
    expect(readJob(job).hasToken).toBe(expected);
  });

  it.each([
    ['{ runs-on: ubuntu-24.04 }', 'hosted'],
    ['{ runs-on: [macos-15] }', 'hosted'],
    ['{ runs-on: "${{ matrix.os }}", strategy: { matrix: { os: [ubuntu-latest, windows-latest] } } }', 'hosted'],
    ['{ runs-on: "${{ matrix.os }}", strategy: { matrix: { include: [{ os: ubuntu-latest }] } } }', 'hosted'],
    ['{ runs-on: "${{ matrix.os }}", strategy: { matrix: { os: [ubuntu-latest, ours] } } }', 'own'],
    ['{ runs-on: "${{ matrix.os }}", strategy: { matrix: "${{ fromJSON(x) }}" } }', 'own'],
    ['{ runs-on: [self-hosted, linux] }', 'own'],
    ['{ runs-on: { group: large } }', 'own'],
    ['{ runs-on: "${{ inputs.os }}" }', 'own'],
    ['{}', 'own'],
  ])('%s runs on a machine: %s', (job, machine) => {
    expect(readJob(job).rights.machine).toBe(machine);
  });

  it('has its environment, also one without a name that can be read', () => {
    expect(readJob('{ environment: production }').rights.environment).toBe('production');
    expect(readJob('{ environment: { name: shop, url: x } }').rights.environment).toBe('shop');
    expect(readJob('{ environment: { url: x } }').rights.environment).toBe('');
    expect(readJob('{}').rights.environment).toBeNull();
  });

  it('uses actions, or calls a workflow of its own or of others', () => {
    expect(readJob('{ steps: [{ run: x }] }').hasActions).toBe(false);
    expect(readJob('{ steps: [{ run: x }, { uses: a/b@v1 }] }').hasActions).toBe(true);
    expect(readJob('{ uses: ./.github/workflows/b.yml }').calls).toMatchObject({ kind: 'local' });
    expect(readJob('{ uses: a/b/.github/workflows/c.yml@v1 }').calls).toMatchObject({ kind: 'foreign' });
  });
});
