// Logs as lines: without stamps and colours, with marks and steps, and what a passing log has as well.
import { describe, expect, it } from 'vitest';
import { findSteps, readLogLines, readPassingLog } from '../src/log-lines.ts';
import { actionsLog, GO, stamped } from './logs.ts';

function texts(log: string): readonly string[] {
  return readLogLines(log).map(({ text }) => text);
}

describe('plain lines', () => {
  it.each([
    ['GitHub', '2024-01-01T00:00:00.0000000Z make: nothing'],
    ['a BOM before it', '\uFEFF2024-01-01T00:00:00.0000000Z make: nothing'],
    ['colours', '2024-01-01T00:00:00.0000000Z \u001b[1;31mmake\u001b[0m: nothing'],
    ['colours that `cat -v` wrote out', '2024-01-01T00:00:00.0000000Z ^[[1;31mmake^[[0m: nothing'],
    ['colours of JSON', '\\u001b[31mmake\\u001b[39m: nothing'],
    ['colours of a shell', '\\x1b[31mmake\\x1b[0m: nothing\\033[K'],
    ['colours without their escape', '[1m[31mmake[39m[22m: nothing'],
    ['a step that `gh` cannot tell', 'build\tUNKNOWN STEP\t2024-01-01T00:00:00.0000000Z make: nothing'],
    ['GitLab', '2024-01-01T00:00:00.000000Z 00O make: nothing'],
    ['Jenkins', '[2024-01-01T00:00:00.000Z] make: nothing'],
    ['Taskcluster', '[task 2024-01-01T00:00:00.000Z] 10:00:00     INFO - make: nothing'.replace('INFO - ', '')],
  ])('have no stamps: %s', (_, line) => {
    expect(texts(line)).toEqual(['make: nothing']);
  });

  it('end at any of the three line ends, so that progress is lines of its own', () => {
    expect(texts('a\r\nb\nc 10%\rc 20%')).toEqual(['a', 'b', 'c 10%', 'c 20%']);
  });

  it('keep brackets that are no colours', () => {
    const lines = ['rate(requests[5m]) of [1m, 5m]', 'a[0] = b[31]', '[INFO] done'];
    expect(texts(lines.join('\n'))).toEqual(lines);
  });

  it('have the step that `gh` names, and of a log without names the one that the runner opens', () => {
    const columns = (step: string) => actionsLog('npm test', GO).replaceAll(/^/gm, `build\t${step}\t`);
    const nameOf = (log: string) => findSteps(readLogLines(log)).find(({ isFailed }) => isFailed)?.name;
    expect([nameOf(columns('Run the tests')), nameOf(columns('UNKNOWN STEP'))]).toEqual(['Run the tests', 'npm test']);
  });

  it('tell what the runner marked from what programs printed', () => {
    const log = stamped([
      '##[group]Run make',
      '\u001b[36;1mmake\u001b[0m',
      '##[endgroup]',
      '##[error]bad',
      '##[warning]odd',
      '[command]git',
      'plain',
    ]);
    expect(readLogLines(log).map(({ mark }) => mark)).toEqual([
      'begin',
      'echo',
      'end',
      'error',
      'warning',
      'command',
      '',
    ]);
  });

  it('are cut where they are long', () => {
    expect(texts('x'.repeat(5_000))[0]).toHaveLength(1_000);
  });
});

describe('steps', () => {
  it('have a name, what they are for, and whether they failed', () => {
    const steps = findSteps(readLogLines(actionsLog('go test ./...', GO)));
    expect(steps.map(({ name, phase, isFailed }) => [name, phase, isFailed])).toEqual([
      ['', 'work', false],
      ['actions/checkout@v4', 'setup', false],
      ['go test ./...', 'work', true],
      ['Post job cleanup.', 'cleanup', false],
      ['Cleaning up orphan processes', 'cleanup', false],
    ]);
  });

  it('hold every line once', () => {
    const lines = readLogLines(actionsLog('make', GO));
    const steps = findSteps(lines);
    expect(steps[0]?.from).toBe(0);
    expect(steps.at(-1)?.to).toBe(lines.length);
    expect(steps.slice(1).map(({ from }) => from)).toEqual(steps.slice(0, -1).map(({ to }) => to));
  });

  it.each(['npm ci', 'sudo apt-get install -y x', 'docker pull x', 'actions/setup-node@v4', 'pip install -r r.txt'])(
    'that run %s fetch what the work needs',
    (command) => {
      const steps = findSteps(readLogLines(actionsLog(command, [])));
      expect(steps.find(({ name }) => name === command)?.phase).toBe('setup');
    },
  );
});

describe('the commands of Travis', () => {
  const shell = (command: string) => `\u001b[0K$ ${command}`;

  it.each([
    ['exited', 'The command "make lint" exited with 2.', true],
    ['passed', 'The command "make lint" exited with 0.', false],
    ['failed and exited', 'The command "make lint" failed and exited with 1 during .', true],
    ['was retried', 'The command "make lint" failed 3 times.', true],
  ])('are read where one %s', (_, end, isFailed) => {
    const steps = findSteps(
      readLogLines([shell('make lint'), 'a.c', end, 'done', shell('make test'), 'ok'].join('\n')),
    );
    expect(steps.find(({ name }) => name === 'make lint')).toMatchObject({ isFailed, from: 0, to: 3 });
    expect(steps.find(({ name }) => name === 'make test')?.isFailed).toBe(false);
  });

  it('are read whatever their length and on however many lines', () => {
    const long = `make ${'a '.repeat(150)}`;
    const log = [shell(long), 'a.c', `The command "${long}`, 'make b" exited with 1.', shell('make test'), 'ok'];
    expect(findSteps(readLogLines(log.join('\n'))).map(({ isFailed }) => isFailed)).toEqual([true, false]);
  });
});

it('the settings of a step are not what a program printed', () => {
  const log = stamped([
    '##[group]Run make',
    '\u001b[36;1mmake\u001b[0m',
    'shell: /usr/bin/bash -e {0}',
    '##[endgroup]',
    'env:',
  ]);
  expect(readLogLines(log).map(({ mark }) => mark)).toEqual(['begin', 'echo', 'echo', 'end', '']);
});

describe('a line that a passing log has', () => {
  it.each([
    ['other numbers', 'ok  shop/cart 0.031s', 'ok  shop/cart 12.5s'],
    ['another time', '2024-05-01T10:00:00.1234567Z done at 10:00:01', 'done at 11:30:59'],
    ['another hash', 'HEAD is now at 4f2a91c fix', 'HEAD is now at 9bd0e7a fix'],
    ['another folder', 'reading /home/a/work/x.yml', 'reading C:\\work\\x.yml'],
    ['colours', '\u001b[31mwarning: slow\u001b[0m', 'warning: slow'],
  ])('is known with %s', (_, passed, text) => {
    expect(readPassingLog(passed).has(text)).toBe(true);
  });

  it('is known with another folder, however long its name is', () => {
    const folder = 'x'.repeat(300);
    expect(readPassingLog(`reading /home/a${folder}/x.yml`).has(`reading /home/b${folder}/x.yml`)).toBe(true);
  });

  it('is found in twenty megabytes of long words', () => {
    const long = `${'a'.repeat(399)}\n`.repeat(50_000);
    expect(readPassingLog(`${long}cannot sign the jar`).has('cannot sign the jar')).toBe(true);
  });

  it.each([
    ['other words', 'cannot sign the jar', 'cannot send the jar'],
    ['another file', 'reading /home/a/x.yml', 'reading /home/a/y.yml'],
    ['one failure where it had none', 'Tests run: 8, Failures: 0', 'Tests run: 8, Failures: 1'],
    ['nothing but marks', '}', '}'],
  ])('is not known with %s', (_, passed, text) => {
    expect(readPassingLog(passed).has(text)).toBe(false);
  });
});
