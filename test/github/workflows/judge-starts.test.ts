// A branch and draft of ours start only what the head's own runs already were; whatever else would start is named with its place, and what would leave it out does.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of GitHub
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { StartRefusal } from '../../../src/core/proof/index.ts';
import { findStartRemedy, renderStartRefusal } from '../../../src/github/render/index.ts';
import { judgeStarts, type StartQuestion } from '../../../src/github/workflows/index.ts';

const PREFIX = 'causeway/prove/';
const CI = 'on: [push, pull_request]\npermissions: { contents: read }\njobs: { test: { runs-on: ubuntu-latest } }\n';
const RAN = (path: string, ...events: readonly string[]) =>
  events.map((event) => ({
    path: `.github/workflows/${path}`,
    event,
    waited: false,
    jobs: [{ name: 'test', ran: true }],
  }));

interface Files {
  readonly [name: string]: string;
}

function toSources(files: Files) {
  return Object.entries(files).map(([name, text]) => ({ path: `.github/workflows/${name}`, text }));
}

function judge(files: Files, given: Partial<StartQuestion> & { readonly head?: Files; readonly main?: Files } = {}) {
  const { head = files, main = files, ...rest } = given;
  return judgeStarts({
    branch: `${PREFIX}7`,
    base: 'main',
    defaultBranch: 'main',
    repository: 'octo/shop',
    actor: 'causeway[bot]',
    title: 'Proof for #7 (do not merge)',
    body: 'Only the tests of #7.',
    paths: ['test/cart.test.ts'],
    message: 'Only the tests of #7',
    runs: RAN('ci.yml', 'push', 'pull_request'),
    pushed: toSources(files),
    ofDefault: toSources(main),
    ofHead: toSources(head),
    ...rest,
  });
}

function started(...given: Parameters<typeof judge>): readonly string[] {
  return judge(...given).starts.map(({ act, event, path, certainty }) =>
    [act, event, path.slice('.github/workflows/'.length), ...(certainty === 'yes' ? [] : [certainty])].join(' '),
  );
}

function refused(...given: Parameters<typeof judge>): readonly string[] {
  return judge(...given).refusals.map((refusal) =>
    [refusal.code, `${refusal.path.slice('.github/workflows/'.length)}:${refusal.line}`].join(' '),
  );
}

function on(event: string, job = 'runs-on: ubuntu-latest'): string {
  return `on: ${event}\npermissions: { contents: read }\njobs: { a: { ${job} } }\n`;
}

describe('what starts', () => {
  it('is allowed where it is what the head started', () => {
    expect(judge({ 'ci.yml': CI })).toMatchObject({
      refusals: [],
      starts: [
        { act: 'push', event: 'push', line: 1, jobs: [{ id: 'test' }] },
        { act: 'open', event: 'pull_request', line: 1 },
      ],
    });
  });

  it.each([
    ['pushes to other branches', '{ push: { branches: [main] } }', []],
    ['pushes to all but ours', `{ push: { branches-ignore: ['causeway/**'] } }`, []],
    ['pushes to all but ours, last', `{ push: { branches: ['**', '!causeway/**'] } }`, []],
    ['pushes to ours, last', `{ push: { branches: ['!causeway/**', '**'] } }`, ['push push a.yml']],
    ['pushes of tags', '{ push: { tags: [v1] } }', []],
    ['pushes of tags and branches', `{ push: { tags: [v1], branches: ['**'] } }`, ['push push a.yml']],
    ['pushes of other paths', '{ push: { paths: [docs/**] } }', []],
    ['pushes of these paths', '{ push: { paths: [test/**] } }', ['push push a.yml']],
    ['pushes of all but these paths', '{ push: { paths-ignore: [test/**] } }', []],
    ['pushes with a filter that is not told', '{ push: { branches: ["${{ vars.B }}"] } }', ['push push a.yml perhaps']],
    ['pushes with both filters', '{ push: { branches: [x], branches-ignore: [y] } }', ['push push a.yml perhaps']],
    ['new branches', 'create', ['push create a.yml']],
    ['pull requests onto the base', '{ pull_request: { branches: [main] } }', ['open pull_request a.yml']],
    ['pull requests onto others', '{ pull_request: { branches: [next] } }', []],
    ['pull requests of these paths', '{ pull_request: { paths: ["**.ts"] } }', ['open pull_request a.yml']],
    ['labelled pull requests', '{ pull_request: { types: [labeled, synchronize] } }', []],
    ['closed pull requests', '{ pull_request: { types: [closed] } }', ['close pull_request a.yml']],
    ['locked pull requests', '{ pull_request: { types: [locked] } }', ['lock pull_request a.yml']],
    ['pull requests with our rights', 'pull_request_target', ['open pull_request_target a.yml']],
    ['deleted branches', 'delete', ['delete delete a.yml']],
    ['checks of others', 'check_run', ['follow check_run a.yml perhaps']],
    ['asked checks', '{ check_run: { types: [rerequested] } }', []],
    ['deployments', 'deployment_status', ['follow deployment_status a.yml perhaps']],
    ['an event that is new', 'pull_request_merged', ['follow pull_request_merged a.yml']],
    [
      'what else there is',
      '[schedule, issues, issue_comment, release, workflow_dispatch, workflow_call, merge_group]',
      [],
    ],
  ])('of %s is told from the file', (_, event, expected) => {
    expect(started({ 'a.yml': on(event) })).toEqual(expected);
  });

  it('is not told by paths that nobody knows', () => {
    expect(started({ 'a.yml': on('{ push: { paths: [docs/**] } }') }, { paths: null })).toEqual([
      'push push a.yml perhaps',
    ]);
  });

  it.each([
    ['Test it [skip ci]', []],
    ['Test it\n\n\nskip-checks: true', ['push push ci.yml perhaps', 'open pull_request ci.yml perhaps']],
    ['Test it [SKIP CI]', ['push push ci.yml perhaps', 'open pull_request ci.yml perhaps']],
    ['Say when to [skip]', ['push push ci.yml', 'open pull_request ci.yml']],
  ])('is asked by the message %j', (message, expected) => {
    expect(started({ 'ci.yml': CI }, { message })).toEqual(expected);
  });

  it('with our rights, by a new branch or by deletion is started whatever the message says', () => {
    const files = { 'a.yml': on('[pull_request_target, create, delete]') };
    expect(started(files, { message: '[skip ci]' })).toHaveLength(3);
  });

  it('is taken from the branch where GitHub takes it', () => {
    const target = { 't.yml': on('[pull_request_target, delete, push]') };
    expect(started({}, { main: target })).toEqual(['open pull_request_target t.yml', 'delete delete t.yml']);
    // On an older server, the file of the base.
    expect(started(target, { main: {} })).toEqual(['push push t.yml', 'open pull_request_target t.yml']);
  });

  it('follows what has started, three times, by name or path', () => {
    const follow = (name: string, after: string) =>
      `name: ${name}\non: { workflow_run: { workflows: ['${after}'] } }\njobs: { a: { runs-on: ubuntu-latest } }\n`;
    const files = {
      'ci.yml': `name: Tests\n${CI}`,
      'b.yml': follow('B', 'Tests'),
      'c.yml': follow('C', 'B'),
      'd.yml': follow('D', '.github/workflows/c.yml'),
      'e.yml': follow('E', 'C'),
      'f.yml': follow('F', 'E'),
      'g.yml': follow('G', 'Other'),
    };
    const found = judge(files)
      .refusals.map((one) => (one.code === 'follows' ? [one.path, one.after] : []))
      .map((pair) => pair.map((path) => path.slice('.github/workflows/'.length)).join(' after '));
    expect(found).toEqual(['b.yml after ci.yml', 'c.yml after b.yml', 'd.yml after c.yml', 'e.yml after c.yml']);
  });

  it('follows no run on a branch that is left out, and perhaps one whose name is like it', () => {
    const follow = (rest: string) => ({ 'ci.yml': CI, 'b.yml': on(`{ workflow_run: { ${rest} } }`) });
    expect(refused(follow("workflows: ['.github/workflows/ci.yml'], branches: [main]"))).toEqual([]);
    expect(refused(follow("workflows: ['.github/workflows/**']"))).toEqual(['follows b.yml:1']);
    expect(refused(follow('types: [completed]'))).toEqual(['follows b.yml:1']);
    const ofPull = on(
      '{ workflow_run: {} }',
      "runs-on: ubuntu-latest, if: github.event.workflow_run.event == 'pull_request'",
    );
    expect(refused({ 'ci.yml': CI, 'b.yml': ofPull })).toEqual(['follows b.yml:1']);
    expect(refused({ 'ci.yml': CI.replace(', pull_request', ''), 'b.yml': ofPull })).toEqual([]);
  });
});

describe('a refusal', () => {
  const withCi = (files: Files): Files => ({ 'ci.yml': CI, ...files });

  it.each([
    ['besides a.yml:1', 'push'],
    ['besides a.yml:1', 'pull_request'],
    ['besides a.yml:1', 'create'],
    ['besides a.yml:1', 'delete'],
    ['besides a.yml:1', '{ pull_request: { types: [closed] } }'],
    ['target a.yml:1', 'pull_request_target'],
    ['target a.yml:1', '{ pull_request_target: { types: [closed] } }'],
    ['target a.yml:1', '{ pull_request_target: { types: [locked] } }'],
    ['other_event a.yml:1', 'status'],
    ['unknown_event a.yml:1', 'anything'],
  ])('is %s for what starts on %s', (expected, event) => {
    expect(refused(withCi({ 'a.yml': on(event) }))).toEqual([expected]);
  });

  it('does not care for events that the head had but a push and a pull request', () => {
    const runs = [...RAN('ci.yml', 'push', 'pull_request'), ...RAN('a.yml', 'create', 'pull_request_target')];
    expect(refused(withCi({ 'a.yml': on('[create, pull_request_target]') }), { runs })).toEqual([
      ...['besides a.yml:1', 'target a.yml:1'],
    ]);
  });

  it('is about the event: a run for a pull request does not stand for one for the push', () => {
    expect(refused({ 'ci.yml': CI }, { runs: RAN('ci.yml', 'pull_request') })).toEqual(['besides ci.yml:1']);
  });

  it('is not needed where all jobs are skipped', () => {
    const bots = 'runs-on: ubuntu-latest, if: "github.actor == \'dependabot[bot]\'"';
    expect(refused(withCi({ 'a.yml': on('pull_request_target', bots) }))).toEqual([]);
    const merged = 'runs-on: ubuntu-latest, if: github.event.pull_request.merged';
    expect(refused(withCi({ 'a.yml': on('{ pull_request: { types: [closed] } }', merged) }))).toEqual([]);
  });

  it('counts a job without which another is skipped, but not where that runs in any case', () => {
    const chain = (condition: string) =>
      [
        ...['on: pull_request_target', 'jobs:', "  a: { runs-on: ubuntu-latest, if: github.actor == 'x' }"],
        `  b: { runs-on: ubuntu-latest, needs: a${condition} }`,
        '  c: { runs-on: ubuntu-latest, needs: [b] }\n',
      ].join('\n');
    expect(refused({ 'a.yml': chain('') })).toEqual([]);
    expect(refused({ 'a.yml': chain(', if: always()') })).toEqual(['target a.yml:1']);
  });

  it('knows what a job hands on without a step, and that without it there is nothing', () => {
    const chain = (output: string, condition: string) => ({
      'ci.yml': CI,
      'a.yml': [
        ...['on: pull_request_target', 'jobs:'],
        `  plan: { runs-on: ubuntu-latest, if: false, outputs: { publish: "${output}" } }`,
        `  host: { runs-on: ubuntu-latest, needs: plan, if: "${condition}" }\n`,
      ].join('\n'),
    });
    const publishes = "always() && needs.plan.outputs.publish == 'true'";
    expect(refused(chain('${{ !github.event.pull_request }}', publishes))).toEqual([]);
    expect(refused(chain('${{ inputs.tag && true }}', publishes))).toEqual([]);
    expect(refused(chain('${{ steps.x.outputs.y }}', publishes))).toEqual(['target a.yml:1']);
    expect(refused(chain('false', "always() && needs.plan.outputs.publish == ''"))).toEqual(['target a.yml:1']);
    expect(refused(chain('false', "always() && needs.plan.result != 'skipped'"))).toEqual([]);
    expect(refused(chain('false', "always() && needs.other.result != 'skipped'"))).toEqual(['target a.yml:1']);
  });

  it('is about approval where the head’s run waited for one', () => {
    const [push, pull] = RAN('ci.yml', 'push', 'pull_request');
    expect(refused({ 'ci.yml': CI }, { runs: [push!, { ...pull!, waited: true }] })).toEqual(['approval ci.yml:1']);
  });

  it.each([
    ['a secret', 'env: { A: "${{ secrets.A }}" }'],
    ['an environment', 'environment: shop'],
    ['a token that writes', 'permissions: { contents: write }'],
    ['a token of the repository', 'permissions: null'],
    ['a machine of one’s own', 'runs-on: [self-hosted]'],
    ['what it calls elsewhere', 'uses: a/b/.github/workflows/c.yml@v1'],
  ])('is about %s that the job had not at the head', (_, rest) => {
    const base = CI.replace('test: { runs-on: ubuntu-latest', `test: { runs-on: ubuntu-latest, ${rest}`)
      .replace('runs-on: ubuntu-latest, runs-on', 'runs-on')
      .replace('runs-on: ubuntu-latest, permissions: null', 'runs-on: ubuntu-latest')
      .replace(
        /permissions: \{ contents: read \}\n/,
        rest === 'permissions: null' ? '' : 'permissions: { contents: read }\n',
      );
    const at = `ci.yml:${rest === 'permissions: null' ? 2 : 3}`;
    expect(refused({ 'ci.yml': base }, { head: { 'ci.yml': CI } })).toEqual([`more_rights ${at}`, `more_rights ${at}`]);
    expect(refused({ 'ci.yml': base })).toEqual([]);
    expect(refused({ 'ci.yml': CI }, { head: { 'ci.yml': base } })).toEqual([]);
  });

  describe('is about a job', () => {
    const job = (condition: string, rest = 'env: { A: "${{ secrets.A }}" }') => ({
      'ci.yml': `${CI.replace('jobs: { test', `jobs: { ship: { runs-on: ubuntu-latest, if: "${condition}", ${rest} }, test`)}`,
    });
    const ran = (name: string, isRun = true) =>
      RAN('ci.yml', 'push', 'pull_request').map((run) => ({ ...run, jobs: [{ name, ran: isRun }] }));

    it('that may run for us, has secrets, and was skipped on the head', () => {
      const both = ['job_besides ci.yml:3', 'job_besides ci.yml:3'];
      expect(refused(job("endsWith(github.actor, '[bot]')"))).toEqual(both);
      expect(refused(job("needs.x.outputs.y == '1'"))).toEqual(both);
      expect(refused(job("needs.x.outputs.y == '1'"), { runs: ran('ship', false) })).toEqual(both);
      expect(refused(job("needs.x.outputs.y == '1'"), { runs: ran('ship (20)') })).toEqual([]);
    });

    it('whose name may be that of another job, if one of these did not run', () => {
      const ship = job("endsWith(github.actor, '[bot]')")['ci.yml'];
      const files = { 'ci.yml': ship.replace('ship: {', "ship: { name: '${{ vars.N }}',") };
      const runs = (isRun: boolean) =>
        RAN('ci.yml', 'push', 'pull_request').map((run) => ({
          ...run,
          jobs: [...run.jobs, { name: 'To the shop', ran: isRun }],
        }));
      expect(refused(files, { runs: runs(false) })).toEqual(['job_besides ci.yml:3', 'job_besides ci.yml:3']);
      expect(refused(files, { runs: runs(true) })).toEqual([]);
    });

    it('but not where another job of the run had the same rights, unless it is for somebody', () => {
      const secret = 'env: { A: "${{ secrets.A }}" }';
      const files = (condition: string) => ({
        'ci.yml': job(condition)['ci.yml'].replace('test: {', `test: { ${secret},`),
      });
      expect(refused(files("needs.x.outputs.y == '1'"))).toEqual([]);
      expect(refused(files("endsWith(github.actor, '[bot]')"))).toHaveLength(2);
    });

    it('but not where the condition tells us from nobody, is false, or gives it nothing', () => {
      expect(refused(job("github.repository == 'octo/shop' && failure()"))).toEqual([]);
      expect(refused(job("github.actor == 'x'"))).toEqual([]);
      expect(refused(job("endsWith(github.actor, '[bot]')", 'permissions: { contents: read }'))).toEqual([]);
    });

    it('with the token of the repository where it is for somebody', () => {
      const bare = (condition: string) => ({
        'ci.yml': job(condition, 'name: x')['ci.yml'].replace(/permissions.*\n/, ''),
      });
      expect(refused(bare("endsWith(github.actor, '[bot]')"))).toEqual([
        ...['job_besides ci.yml:2', 'job_besides ci.yml:2'],
      ]);
      expect(refused(bare("needs.x.outputs.y == '1'"))).toEqual([]);
    });

    it('of a workflow that it calls, however deep', () => {
      const call = (uses: string, rest = 'secrets: inherit') =>
        `${CI.replace('{ runs-on: ubuntu-latest }', `{ uses: ${uses}, ${rest} }`)}`;
      const files = (deep: string, rest?: string) => ({
        'ci.yml': call('./.github/workflows/b.yml', rest),
        'b.yml': on('workflow_call', 'uses: ./.github/workflows/c.yml, secrets: inherit'),
        'c.yml': on('workflow_call', `runs-on: ubuntu-latest, ${deep}`),
      });
      const bots = 'if: "endsWith(github.actor, \'[bot]\')", environment: shop';
      expect(refused(files(bots))).toEqual(['job_besides ci.yml:3', 'job_besides ci.yml:3']);
      expect(refused(files(bots), { runs: ran('test / a / a') })).toEqual([]);
      expect(refused(files('environment: shop'), { runs: ran('test / a / a') })).toEqual([]);
      expect(refused(files('environment: shop'), { head: files('name: a') })).toHaveLength(2);
      const given = "environment: '${{ inputs.place }}', if: inputs.place != ''";
      expect(refused(files(given), { head: files('name: a') })).toHaveLength(2);
      expect(refused({ 'ci.yml': call('./.github/workflows/none.yml') })).toEqual([
        ...['more_rights ci.yml:3', 'more_rights ci.yml:3'],
      ]);
    });
  });

  it('is about a job of an environment that is not known to have run, whatever else did', () => {
    const files = { 'ci.yml': CI.replace('test: {', 'test: { environment: shop,') };
    const runs = RAN('ci.yml', 'push', 'pull_request');
    const unstarted = runs.map((run) => ({ ...run, jobs: [{ name: 'test', ran: false }] }));
    expect(refused(files, { runs })).toEqual([]);
    expect(refused(files, { runs: unstarted })).toEqual(['job_besides ci.yml:3', 'job_besides ci.yml:3']);
  });

  it('is not about a workflow that is disabled, but about what calls it', () => {
    const disabled = ['.github/workflows/a.yml'];
    const files = { 'ci.yml': CI, 'a.yml': on('[pull_request_target, push]') };
    expect(refused(files, { disabled: ['.github/workflows/b.yml'] })).toEqual(['besides a.yml:1', 'target a.yml:1']);
    expect(refused(files, { disabled })).toEqual([]);
    expect(refused({ 'ci.yml': CI, 'a.yml': ': [' }, { disabled })).toEqual([]);
    const follows = { 'ci.yml': `name: CI\n${CI}`, 'a.yml': on('{ workflow_run: { workflows: [CI] } }') };
    expect([refused(follows), refused(follows, { disabled })]).toEqual([['follows a.yml:1'], []]);
    const call = 'test: { uses: ./.github/workflows/a.yml, secrets: inherit }';
    const calls = {
      'ci.yml': CI.replace('test: { runs-on: ubuntu-latest }', call),
      'a.yml': on('workflow_call', 'runs-on: ubuntu-latest, environment: shop'),
    };
    expect(refused(calls, { disabled })).toEqual(['job_besides ci.yml:3', 'job_besides ci.yml:3']);
  });

  it('is about what a ruleset requires and the head does not show, or somebody let run', () => {
    const required = ['.github/workflows/policy.yml'];
    const runs = RAN('ci.yml', 'push', 'pull_request');
    const [shown] = RAN('policy.yml', 'pull_request');
    const elsewhere = { ...shown!, path: `octo/rules/${shown!.path}` };
    const judgeWith = (...more: readonly (typeof runs)[number][]) =>
      refused({ 'ci.yml': CI }, { required, runs: [...runs, ...more] });
    expect(judgeWith()).toEqual(['required policy.yml:1']);
    expect(judgeWith({ ...shown!, event: 'push' })).toEqual(['required policy.yml:1']);
    expect(judgeWith({ ...shown!, path: '.github/workflows/my-policy.yml' })).toEqual(['required policy.yml:1']);
    expect([judgeWith(shown!), judgeWith(elsewhere)]).toEqual([[], []]);
    expect(judgeWith({ ...shown!, waited: true })).toEqual(['approval policy.yml:1']);
  });

  it('is not about runs of which no file tells, such as those of code scanning', () => {
    const [run] = RAN('ci.yml', 'dynamic');
    const runs = [...RAN('ci.yml', 'push', 'pull_request'), { ...run!, path: 'dynamic/github-code-scanning/codeql' }];
    expect(refused({ 'ci.yml': CI }, { runs })).toEqual([]);
  });

  it('knows an environment by the expression that names it', () => {
    const deploy = (expression: string) => ({
      'ci.yml': CI.replace('test: {', `test: { environment: "\${{ ${expression} }}",`),
    });
    const both = ['more_rights ci.yml:3', 'more_rights ci.yml:3'];
    expect(refused(deploy("github.ref == 'refs/heads/main' && 'shop' || ''"), { head: { 'ci.yml': CI } })).toEqual([]);
    expect(refused(deploy("github.actor == 'causeway[bot]' && 'shop' || ''"))).toEqual(both);
    expect(refused(deploy("vars.SHOP && 'shop' || ''"))).toEqual([]);
    expect(refused(deploy("vars.SHOP && 'shop' || ''"), { head: { 'ci.yml': CI } })).toEqual(both);
  });

  it('is about what can’t be read, wherever it would be taken from', () => {
    expect(refused({ 'ci.yml': CI, 'a.yml': 'on: push\njobs: [' })).toEqual(['unread a.yml:2']);
    expect(refused({ 'ci.yml': CI }, { main: { 'a.yml': 'a: b' } })).toEqual(['unread a.yml:1']);
    expect(refused({ 'ci.yml': CI }, { head: { 'ci.yml': CI, 'a.yml': ': [' } })).toEqual([]);
  });
});

describe('the lines of YAML that would do', () => {
  const EVENTS = [
    ...[
      'push',
      '{ push: { branches: ["**"] } }',
      '{ push: { branches-ignore: [x] } }',
      '{ push: { paths: [test/**] } }',
    ],
    ...['create', 'delete', 'pull_request', '{ pull_request: { types: [opened, closed] } }', 'pull_request_target'],
    ...['check_run', 'check_suite', '{ workflow_run: {} }', '{ workflow_run: { branches: ["**"] } }'],
  ];

  it.each(EVENTS)('leave our branches out of %s', (event) => {
    const files = { 'ci.yml': CI, 'a.yml': on(event) };
    const { refusals } = judge(files);
    expect(refusals.length).toBeGreaterThan(0);
    const mended = refusals.reduce<string>((text, refusal) => mend(text, refusal), files['a.yml']);
    expect(refused({ ...files, 'a.yml': mended })).toEqual([]);
  });

  it('leave tags in, where a push has no filter yet', () => {
    const [refusal] = judge({ 'a.yml': on('push') }).refusals;
    expect(findStartRemedy(refusal!, PREFIX)).toEqual({
      where: 'event',
      lines: ['branches-ignore:', "  - 'causeway/prove/**'", "tags: ['**']"],
    });
  });

  it('are none where no line would do', () => {
    const files = { 'a.yml': ':', 'b.yml': on('status'), 'c.yml': on('whatever') };
    const all = judge(files, { required: ['.github/workflows/policy.yml'] }).refusals;
    expect(all.map((refusal) => [refusal.code, findStartRemedy(refusal, PREFIX)])).toEqual([
      ...[
        ['unread', null],
        ['other_event', null],
        ['unknown_event', null],
        ['required', null],
      ],
    ]);
  });

  function mend(text: string, refusal: StartRefusal): string {
    const remedy = findStartRemedy(refusal, PREFIX);
    if (remedy === null || refusal.code === 'unread') throw new Error('There is no remedy.');
    const file = parse(text);
    const lines = parse(remedy.lines.join('\n'));
    if (typeof file.on === 'string') file.on = { [file.on]: {} };
    if (remedy.where === 'event') {
      const event = file.on[refusal.event];
      for (const [key, value] of Object.entries(lines)) event[key] = [event[key] ?? [], value].flat();
    } else {
      for (const job of Object.values(file.jobs)) Object.assign(job as object, lines);
    }
    return stringify(file);
  }
});

describe('the text of a refusal', () => {
  it('names the place, and what would start it', () => {
    const files = {
      'ci.yml': CI,
      'a`x.yml': on('push'),
      't.yml': on('pull_request_target'),
      'w.yml': on('{ workflow_run: { workflows: [".github/workflows/ci.yml"] } }'),
      'bad.yml': ':',
    };
    expect(judge(files).refusals.map(renderStartRefusal)).toMatchInlineSnapshot(`
      [
        "\`.github/workflows/bad.yml:1\` isn't written as a workflow is, so what it starts isn't known",
        "\`\`.github/workflows/a\`x.yml:1\`\` would start on \`push\`, by the push of our branch, and the checks of this head have no such run",
        "\`.github/workflows/t.yml:1\` would start on \`pull_request_target\`, by our draft pull request, with rights that the runs of this head don't have",
        "\`.github/workflows/w.yml:1\` would start on \`workflow_run\`, after \`.github/workflows/ci.yml\`, with rights that the runs of this head don't have",
      ]
    `);
  });
});
