// A line of a passing log is known again with other values, and not with other words.
import { describe, expect, it } from 'vitest';
import { readPassingLog } from '../../src/ci/log-lines.ts';

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
