// What runs again with a repeated job is read conservatively: what isn't known to be harmless is not run.
import { describe, expect, it } from 'vitest';
import { findRerunRisk } from '../../src/github/checks/rerun-risk.ts';

const TEST = '  test: { runs-on: ubuntu-latest, steps: [{ run: npm test, env: { KEY: "${{ secrets.KEY }}" } }] }';

function workflow(...jobs: readonly string[]): string {
  return ['on: [push, pull_request]', 'permissions: { contents: read }', 'jobs:', TEST, ...jobs, ''].join('\n');
}

function risk(
  file: string,
  {
    base,
    jobs = ['test'],
    cancelled = [],
    isReadOnly = false,
  }: Partial<Parameters<typeof findRerunRisk>[0]> & { base?: string } = {},
) {
  return findRerunRisk({ files: base === undefined ? [file] : [file, base], jobs, cancelled, isReadOnly });
}

describe('a repeated job', () => {
  it('may have secrets and a matrix, since it has run already, but no environment', () => {
    expect(risk(workflow())).toBeNull();
    expect(risk(workflow(), { jobs: ['test (20, linux)'] })).toBeNull();
    expect(risk(workflow('  ship: { runs-on: ubuntu-latest, environment: production }'), { jobs: ['ship'] })).toEqual({
      ...{ code: 'environment', job: 'ship' },
    });
  });

  it.each([
    ['is in no workflow', workflow(), 'other'],
    ['is of a workflow that is called', workflow('  call: { uses: ./.github/workflows/x.yml }'), 'call / test'],
    ['is in what is no YAML', 'jobs: [', 'test'],
    ['is in what has no jobs', 'on: push', 'test'],
    ['is beside a job that is none', workflow('  odd: 3'), 'test'],
  ])('is not run where it %s', (_, file, job) => {
    expect(risk(file, { jobs: [job] })).toEqual({ code: 'unread' });
  });

  it('is found by a name with expressions', () => {
    const file = workflow('  unit:', '    name: "unit on ${{ matrix.os }}, node"', '    runs-on: ubuntu-latest');
    expect(risk(file, { jobs: ['unit on linux, node'] })).toBeNull();
    expect(risk(file, { jobs: ['e2e on linux, node'] })).toEqual({ code: 'unread' });
  });

  it('takes others with it that were cancelled: of its matrix as it is, any other where it is harmless', () => {
    const ship = '  ship: { runs-on: ubuntu-latest, steps: [{ run: "ship ${{ secrets.KEY }}" }] }';
    expect(risk(workflow(ship), { jobs: ['test (20)'], cancelled: ['test (22)'] })).toBeNull();
    expect(risk(workflow(ship), { cancelled: ['ship'] })).toEqual({ code: 'dependent', job: 'ship', why: 'secrets' });
    expect(risk(workflow(), { cancelled: ['gone'] })).toEqual({ code: 'unread' });
  });
});

describe('what depends on it', () => {
  const depending = (rest: string) => workflow(`  next: { needs: [test], runs-on: ubuntu-latest, ${rest} }`);

  it.each([
    ['only runs a command', depending('steps: [{ run: echo done }]')],
    ['reads with an action', depending('steps: [{ uses: actions/checkout@v5 }]')],
    [
      'uses its token, which only reads',
      depending('steps: [{ run: "gh pr view", env: { GH_TOKEN: "${{ secrets.GITHUB_TOKEN }}" } }]'),
    ],
  ])('is harmless where it %s', (_, file) => {
    expect(risk(file)).toBeNull();
  });

  it.each([
    ['environment', depending('environment: { name: production }')],
    ['secrets', depending('steps: [{ run: "x ${{ secrets.TOKEN }}" }]')],
    ['secrets', depending('if: "${{ toJSON(secrets) != null }}"')],
    ['permissions', depending('permissions: { contents: write }')],
    ['permissions', depending('permissions: { id-token: write }')],
    ['permissions', depending('permissions: write-all')],
    ['runner', workflow('  next: { needs: test, runs-on: [self-hosted, linux] }')],
    ['runner', workflow('  next: { needs: test, runs-on: "${{ matrix.os }}" }')],
    ['reusable', workflow('  next: { needs: test, uses: octo/x/.github/workflows/y.yml@v1 }')],
  ])('is refused for its %s', (why, file) => {
    expect(risk(file)).toEqual({ code: 'dependent', job: 'next', why });
  });

  it('is found through others, and in whatever file it is', () => {
    const gate = '  gate: { needs: test, runs-on: ubuntu-latest, steps: [{ run: echo ok }] }';
    const ship = '  ship: { needs: [gate], runs-on: ubuntu-latest, environment: shop }';
    const refused = { code: 'dependent', job: 'ship', why: 'environment' };
    expect(risk(workflow(gate, ship))).toEqual(refused);
    // Merged, the one has the need and the other the environment.
    const other = '  ship: { runs-on: ubuntu-latest, environment: shop }';
    const harmless = '  ship: { needs: [gate], runs-on: ubuntu-latest, steps: [{ run: echo ok }] }';
    expect(risk(workflow(gate, harmless), { base: workflow(gate, other) })).toEqual(refused);
    expect(risk(workflow(gate), { base: workflow(gate) })).toBeNull();
  });

  it('has what the repository gives a token where the workflow says nothing, unless that only reads', () => {
    const bare = (steps: string) =>
      `on: push\njobs:\n${TEST}\n  next: { needs: test, runs-on: ubuntu-latest, steps: [${steps}] }\n`;
    const refused = { code: 'dependent', job: 'next', why: 'permissions' };
    expect(risk(bare('{ run: echo ok }'))).toBeNull();
    for (const steps of [
      '{ uses: octo/act@v1 }',
      '{ run: "x ${{ github.token }}" }',
      '{ run: "${{ toJSON(github) }}" }',
    ]) {
      expect(risk(bare(steps))).toEqual(refused);
      expect(risk(bare(steps), { isReadOnly: true })).toBeNull();
    }
  });

  it('sees the secrets that the whole workflow has', () => {
    const file = workflow('  next: { needs: test, runs-on: ubuntu-latest, steps: [{ run: x }] }');
    expect(risk(`env: { KEY: "\${{ secrets.KEY }}" }\n${file}`)).toMatchObject({ why: 'secrets' });
  });
});
