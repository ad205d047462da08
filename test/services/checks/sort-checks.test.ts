// The checks of a commit, sorted by the project's rules and by what they say.
import { describe, expect, it } from 'vitest';
import type { Check, NamedCheck } from '../../../src/core/check/check.ts';
import { sortChecks } from '../../../src/services/checks/sort-checks.ts';

const ALL = { include: [], exclude: [] };

function check(name: string, state: Check['state'], endedAt = ''): Check {
  return {
    ...{ name, app: 'ci', runId: 1, state, conclusion: '', startedAt: '', endedAt, url: '' },
    ...{ title: '', summary: '', text: '', annotations: 0 },
  };
}

function named(latest: Check, ...earlier: readonly Check[]): NamedCheck {
  return { latest, earlier };
}

describe('the checks of a commit', () => {
  it.each([
    [[], [], ['ci / test (20)', 'lint']],
    [['ci*'], [], ['ci / test (20)']],
    [['ci*', 'lint'], ['*test*'], ['lint']],
    [['test'], [], []],
    [[], ['{lint,docs}'], ['ci / test (20)']],
  ])('count by the names that the rules give: include %j, exclude %j', (include, exclude, expected) => {
    const checks = [named(check('ci / test (20)', 'red')), named(check('lint', 'red'))];
    const { suspects, leftOut, counted } = sortChecks(checks, { include, exclude });
    expect(suspects.map((suspect) => suspect.check.name)).toEqual(expected);
    expect(leftOut).toHaveLength(2 - expected.length);
    expect(counted).toBe(expected.length);
  });

  it('are left out by name only where they are red', () => {
    expect(sortChecks([named(check('lint', 'green'))], { include: [], exclude: ['lint'] }).leftOut).toEqual([]);
  });

  it('are suspect where they are red, or were before they passed; those that are red now first', () => {
    const passed = check('passed', 'red', '2');
    const checks = [
      named(check('passed', 'green', '3'), passed, check('passed', 'red', '1')),
      named(check('fine', 'green', '4'), check('fine', 'green')),
      named(check('again', 'red', '5'), check('again', 'green')),
      named(check('red', 'red', '2'), check('red', 'red', '1')),
      named(check('late', 'waiting'), check('late', 'red', '1')),
    ];
    const sorted = sortChecks(checks, ALL);
    expect(sorted.suspects.map(({ check: { name }, isRed, passedHere }) => [name, isRed, passedHere])).toEqual([
      ['again', true, true],
      ['red', true, false],
      ['passed', false, true],
    ]);
    expect(sorted.suspects[2]!.check).toBe(passed);
    expect(sorted.green.map(({ name }) => name)).toEqual(['passed', 'fine']);
    expect(sorted.waiting.map(({ name }) => name)).toEqual(['late']);
    expect(sorted.endedAt).toBe('5');
  });
});
