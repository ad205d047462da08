// What carries to tools that no table knows: how a log is laid out. The logs are made up, each of one such layout.
import { describe, expect, it } from 'vitest';
import { matchError } from '../src/error-patterns.ts';
import { cutMiddle } from '../src/excerpt.ts';
import { readCheck } from '../src/read-check.ts';
import { actionsLog } from './logs.ts';

const RED = '\u001b[31m';
const OFF = '\u001b[0m';

function read(output: readonly string[], end?: string) {
  const log = actionsLog('./check', output, end);
  return readCheck({ name: 'test', output: '', log, annotations: [] }).excerpt;
}

/** Lines of a tool at work. */
function busy(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `step ${index} of the plan is ready`);
}

describe('the headline', () => {
  it('is what a server answered, not what was asked of it', () => {
    const said = 'tidy: You may not remove this (HTTP 403)';
    expect(read(['Removing 12 things', said]).headline).toBe(said);
  });

  it('is an exception, not a frame below it', () => {
    const said = '** (FunctionClauseError) no function clause matching in Till.open/1';
    const frames = ['    lib/till.ex:72: Till.open(Till.Coupon)', '    lib/till.ex:58: Till.main/1'];
    expect(read([...busy(3), said, ...frames]).headline).toBe(said);
  });

  it('is the command that is not there, not the end of the shell', () => {
    const said = "Build : The term 'Get-Cart' is not recognized as the name of a cmdlet, function or script file.";
    const end = "##[error]PowerShell exited with code '1'.";
    const excerpt = read(
      [...busy(3), said, 'At C:\\a\\shop\\build.ps1:12 char:5', ...busy(30), 'a file is missing'],
      end,
    );
    expect(excerpt.headline).toBe(said);
    expect(excerpt.lines).toContain(said);
  });

  it('has the message below the number of an error', () => {
    const output = ['src/Cart.hs:14:9: error: [GHC-83865]', '    • Couldn’t match type ‘Int’ with ‘Text’', '   |'];
    expect(read([...busy(3), ...output]).headline).toBe(
      'src/Cart.hs:14:9: error: [GHC-83865] • Couldn’t match type ‘Int’ with ‘Text’',
    );
  });

  it('is what failed, not that a run of tests did', () => {
    const said = 'FAIL [ 9.875s] till::opens';
    expect(read([...busy(3), said, ...busy(20), 'error: test run failed']).headline).toContain('till::opens');
  });

  it('is no border of a table', () => {
    const table = ['┌──────────┬──────────┐', '│ moderate │ XSS in a │', '└──────────┴──────────┘'];
    const excerpt = read([...busy(3), ...table.map((line) => `${RED}${line}${OFF}`), '1 vulnerability found']);
    expect(excerpt.headline).toContain('moderate');
  });

  it('is what a test failed with in words that no table knows, not that tests failed', () => {
    const said = '  till_total(x) (`actual`) not equal to 3 (`expected`).';
    const output = ['* checking tests ...', '  ── Failure (test-till.R:7:3): total is right ──', said, ''];
    const end = ['  Error: Test failures', '  Execution halted', 'Error: R CMD check found ERRORs'];
    expect(read([...busy(30), ...output, '  [ FAIL 1 | PASS 41 ]', ...end]).headline).toBe(said.trim());
  });

  it('is what the linker says, not how it ended', () => {
    const said = "/usr/bin/ld: b.o:(.data+0x0): multiple definition of `limit'; a.o:(.data+0x0): first defined here";
    const end = ['collect2: error: ld returned 1 exit status', 'make: *** [Makefile:3: app] Error 1'];
    expect(read([...busy(30), said, ...end]).headline).toBe(said);
  });

  it.each(['jq: error (at s17.json:1): Cannot iterate over null (null)', 'gpg: BAD signature from "A <a@b.c>"'])(
    'is what was wrong of many, not the others: %s',
    (said) => {
      expect(read([...busy(30), said]).headline).toBe(said);
    },
  );

  it('is the part of a change that did not fit, whatever its number', () => {
    const end = ['1 out of 1 hunk FAILED -- saving rejects to file s17.txt.rej', 'the queue could not be applied'];
    expect(read([...busy(30), 'patching file s17.txt', 'Hunk #1 FAILED at 1.', ...end]).headline).toBe(
      'Hunk #1 FAILED at 1.',
    );
  });

  it('has no middle where it is long: what is wrong, and where', () => {
    const [begin, place] = [
      "thread 'a' panicked at 'TEST FAILED. Arguments: (0, [",
      '/usr/share/registry/src/a.rs:179:28',
    ];
    const zeros = `${begin}${'0, '.repeat(200)}0])', ${place}`;
    expect(read([zeros]).headline).toBe(`${begin}0, 0, 0, 0, … 0])', ${place}`);
    const words = `error: ${Array.from({ length: 90 }, (_, at) => `word${at}`).join(' ')} ${place}`;
    const { headline } = read([words]);
    expect(headline).toMatch(/^error: word0 .* … .* \/usr\/share\/registry\/src\/a\.rs:179:28$/);
    expect(headline.length).toBeLessThanOrEqual(300);
    expect(words.split(' ')).toEqual(expect.arrayContaining(headline.replace(' …', '').split(' ')));
  });

  it('has no addresses in memory', () => {
    const said =
      'AddressSanitizer: heap-buffer-overflow on address 0x602000109953 at pc 0x55900a20cc38 bp 0x7ffd112d2dc0 sp 0x7ffd112d2db0';
    expect(read([...busy(3), `==23526==ERROR: ${said}`, 'READ of size 1']).headline).toBe(
      'ERROR: AddressSanitizer: heap-buffer-overflow',
    );
  });

  it('is what failed, said long before the lines that only echo it', () => {
    const said = 'rooms_SUITE:opens_window failed on line 42';
    const echo = ['Makefile:12: recipe for target "rooms" failed', 'make: *** [rooms] Error 1'];
    expect(read([...busy(3), said, 'Reason: badmatch', ...busy(60), ...echo]).headline).toBe(said);
  });

  it('is what is printed in red, where all else is a total', () => {
    const said = 'opensWindow: the pane failed to move';
    const excerpt = read([`${RED}${said}${OFF}`, ...busy(60), 'Executed 91 tests, with 1 failure (0 unexpected)']);
    expect(excerpt.headline).toBe(said);
    expect(excerpt.lines).toContain(said);
  });

  it('is the deepest of the reasons quoted below a task', () => {
    const output = [
      '* What went wrong:',
      "Execution failed for task ':checkLayout'.",
      '> A failure occurred while executing acme.Layout',
      '   > Windows stand in the wrong rooms:',
      '     * rooms/kitchen.txt',
    ];
    expect(read(output).headline).toBe('Windows stand in the wrong rooms: * rooms/kitchen.txt');
  });

  it('is what is said nearest before a total of what went wrong', () => {
    const said = '(./rooms/kitchen.page): did not find expected "]" at line 5 column 7';
    const output = [
      'Success. All 12 files are there.',
      'reading pages',
      said,
      'FAILURE!!! 1 files were unable to be parsed!',
    ];
    expect(read(output).headline).toBe(said);
  });

  it('is an exception with a namespace in backslashes', () => {
    const said = 'House\\Rooms\\WindowException: The pane is gone';
    expect(read([...busy(2), said, '', '/srv/rooms/Window.php:12']).headline).toBe(said);
  });

  it('is the message about a test, in the words of a runner that nobody knows', () => {
    const output = [
      '[FAILED] [1.014 seconds]',
      'Windows [It] should open',
      '',
      '  Timed out after 1.001s.',
      '  Expected',
      '      <int>: 0',
      '------------------------------',
      ...busy(50),
      'Summarizing 1 Failure:',
      '  [FAIL] Windows [It] should open',
    ];
    const excerpt = read(output);
    expect(excerpt.headline).toBe('Timed out after 1.001s.');
    expect(excerpt.lines).toEqual(expect.arrayContaining(['  Expected', '      <int>: 0']));
  });

  it('names the command of a step that printed nothing', () => {
    const excerpt = read([]);
    expect(excerpt.headline).toBe('Process completed with exit code 1, with nothing printed by: ./check');
    expect(excerpt.lines).toEqual(['./check', '…', 'Process completed with exit code 1.']);
  });
});

describe('the lines', () => {
  it('have a line of Go that begins like a rule, and the total between rules', () => {
    const total = '======= 1 failed, 41 passed in 95.39s ========';
    const { lines } = read(['--- FAIL: TestWindow (0.00s)', '    window_test.go:12: it stays shut', total]);
    expect(lines).toEqual(expect.arrayContaining(['--- FAIL: TestWindow (0.00s)', total]));
  });

  it('have the total also where there is no room for every failure', () => {
    const failures = Array.from({ length: 80 }, (_, at) => [
      `FAILED tests/test_${at}.py::test_window - shut`,
      'on the way',
    ]);
    const total = '== 80 failed, 9 passed in 9.00s ==';
    const { lines } = read([...failures.flat(), total]);
    expect(lines.length).toBeLessThanOrEqual(60);
    expect(lines).toContain(total);
  });

  it('are all of a short step, but for what passed before it failed', () => {
    const output = [
      '✓ opens (2 ms)',
      'building the till',
      'drawer: stuck',
      '',
      'in till.c',
      'see the manual',
      'error: no till',
    ];
    expect(read(output)).toMatchObject({
      lines: output.filter((line) => line !== '' && !line.startsWith('✓')),
      cut: '',
    });
  });

  it('are those around a short cause where the step is long', () => {
    const said = ['error: the gate is shut', '', 'Two keys are needed, got one.'];
    const { lines } = read([...busy(30), ...said, ...busy(30)]);
    expect(lines).toEqual(expect.arrayContaining([said[0], said[2]]));
  });

  it('are different ones first where there is no room for all', () => {
    const alike = Array.from({ length: 80 }, (_, at) => `error: pane ${at} has no frame`);
    const { lines } = read([...alike, 'error: the glass is broken', ...busy(3)]);
    expect(lines).toContain('error: the glass is broken');
    expect(lines.length).toBeGreaterThan(40);
  });

  it('say of which job they are, unless that is known', () => {
    const log = `Complete job name: tidy up\n${actionsLog('./check', ['error: no'])}`;
    const readAs = (name: string) => readCheck({ name, output: '', log, annotations: [] }).excerpt.step;
    expect([readAs('other'), readAs('tidy up')]).toEqual(['tidy up: ./check', './check']);
  });

  it('end with the exit code where that is not 1', () => {
    const end = 'Process completed with exit code 137.';
    expect(read(['error: the pane broke'], end).lines.at(-1)).toBe(end);
    expect(read(['error: the pane broke']).lines.at(-1)).toBe('error: the pane broke');
  });
});

describe('a list', () => {
  const item = '[2/23] windows open: took too long';

  it('of as many failures as its heading says has what failed', () => {
    const output = [
      item,
      ...busy(50),
      'Failed tests: 1',
      item,
      '',
      ...busy(2),
      'Error: no such pane, while tidying up',
    ];
    expect(read(output).headline).toBe(item);
  });

  it('under a heading without a number ends where the lines do', () => {
    const output = [
      'Failures:',
      '  - rooms.c:6 -> the window is shut',
      '  - doors.c:7 -> so is the door',
      'make: *** [test] Error 5',
    ];
    const { headline, lines } = read(output);
    expect(headline).toBe('- rooms.c:6 -> the window is shut');
    expect(lines).toContain('  - doors.c:7 -> so is the door');
  });

  it('of commands that failed says less than what they said', () => {
    const commands = [
      '** BUILD FAILED **',
      'The following build commands failed:',
      '\tPaint the kitchen',
      '(1 failure)',
    ];
    expect(read(commands).headline).toBe('Paint the kitchen');
    expect(read(['❌ no colour is called "sky"', ...commands]).headline).toBe('❌ no colour is called "sky"');
  });

  it('of another length is none', () => {
    const output = ['Failed tests: 3', item, '', 'Error: the pane broke'];
    expect(read(output).headline).toBe('Error: the pane broke');
  });

  it('of checks has what is said of the one that failed, up to the next', () => {
    const said = ['  Looking at ‘kitchen’', ' Opening failed.', 'See ‘house.log’ for details.'];
    const output = [
      '* checking doors ... OK',
      '* checking windows ... ERROR',
      ...said,
      '* checking roof ... OK',
      'DONE',
    ];
    const { headline, lines } = read(output);
    expect(headline).toBe('* checking windows ... ERROR');
    expect(lines).toEqual(expect.arrayContaining(said));
  });

  it('of covered lines, or a frame, is no headline', () => {
    const rows = ['--------|---------|', ' error.ts |   41.2 |   100 |   50 | 12-19', '--------|---------|'];
    const output = ['│', '│ Error: the pane broke │', '╵', ...rows];
    expect(read(output).headline).toBe('Error: the pane broke');
  });
});

describe('an error', () => {
  it('has the place and the source above it', () => {
    const over = ['File "rooms/kitchen.ml", line 3, characters 8-14:', '3 |   open window', '          ^^^^^^'];
    expect(read(['busy', ...over, 'Error: Unbound value window']).lines).toEqual(
      expect.arrayContaining([...over, 'Error: Unbound value window']),
    );
  });

  it('at a place is one in capitals too, and no mere end', () => {
    const said = 'house.build:3:8: ERROR: Command "paint -v" failed with status 1.';
    expect(read([said, '', 'A full log can be found at /home/ada/house/log.txt']).headline).toBe(said);
  });
});

describe('the output of a part', () => {
  it('says what its heading announces', () => {
    const output = ['❌ rooms/kitchen output:', 'COLOUR=no ./look', 'Nothing to open, exiting with code 1', ...busy(3)];
    expect(read(output).headline).toBe('Nothing to open, exiting with code 1');
  });
});

it.each(['  fail-fast: true', '  continue-on-error: false'])('%j is a setting, and no error', (line) => {
  expect(matchError(line, false)).toBeNull();
});

it('the indent of a long line is no repeated word', () => {
  const line = `${' '.repeat(12)}${'word of many '.repeat(30)}end`;
  expect(cutMiddle(line, 300)).toMatch(/^ {12}word of many/);
});
