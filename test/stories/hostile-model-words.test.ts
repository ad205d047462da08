// A hostile model writes: what people are shown of it is plain, visible and short, in the API and in a terminal.
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderIssue } from '../../src/cli/render.ts';
import {
  CAUSE,
  concludes,
  type HostileHouse,
  hostileHouse,
  LOOK,
  MEND,
  SHOP,
  stepOf,
} from '../support/hostile-house.ts';

const TAGS = [...'obey me'].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('');
const HIDDEN = `${TAGS}\u200b\u202e\u2066\u00ad\ufe0e`;
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Default_Ignorable_Code_Point}\u2028\u2029]/u;

describe('a hostile model that writes', () => {
  let house: HostileHouse;
  beforeAll(async () => {
    house = await hostileHouse(SHOP);
  });
  afterAll(() => house[Symbol.asyncDispose]());

  it('writes only plain visible text: nothing hidden is stored, and a terminal prints no escape of it', async () => {
    const nasty = `@shop/owners Closes #1 <!-- x --> ![p](https://evil/?q=1) <img src=//evil> \u001b]8;;https://evil\u0007link\u001b]8;;\u0007 \u001b[2J\u009b31m${HIDDEN}\u0000\u0007 end`;
    const { issue } = await house.attack([
      { say: nasty, calls: [LOOK, MEND] },
      (request) => ({
        ...concludes({
          problem: nasty,
          rootCause: [
            { text: nasty, citations: [{ step: stepOf(request, CAUSE), quote: CAUSE }], places: [] },
            { text: `${nasty} [step 1] [steps 1-900]`, citations: [], places: [{ file: 'src/total.ts', line: 2 }] },
          ],
          stepsToReproduce: [nasty],
          solutionSteps: [nasty, ''],
          questions: [nasty],
          ruledOut: [nasty],
          suspects: [{ file: 'src/total.ts', line: 2, function: nasty, why: nasty }],
        })(request),
        say: nasty,
      }),
    ]);
    const { report: _, ...analysis } = issue.analysis;
    const strings = JSON.stringify({ ...issue, analysis }, (_key, value) =>
      typeof value === 'string' ? value.replaceAll('\n', ' ') : value,
    );
    expect(UNSEEN.exec(strings)).toBeNull();
    expect(strings).not.toMatch(/\\u00[01]|\\u007f|\\u009|\\[bfrt]/);
    expect(issue.problem).toContain('<!-- x -->');
    expect(issue.rootCause).not.toContain('[step 1]');
    const printed = renderIssue(issue, { columns: 100, colour: true });
    expect(UNSEEN.exec(stripVTControlCharacters(printed).replaceAll('\n', ''))).toBeNull();
    expect(printed.match(/\u001b(?!\[[\d;]*m)/g)).toBeNull();
  });

  it('writes no more than a person reads, however much it says', async () => {
    const long = 'word '.repeat(9_000);
    const claim = { text: long, citations: [], places: [{ file: 'src/total.ts', line: 2 }] };
    const { issue } = await house.attack([
      { say: long, calls: [LOOK, MEND] },
      (request) => ({
        ...concludes({
          problem: long,
          rootCause: [{ text: 'True.', citations: [{ step: stepOf(request, CAUSE), quote: CAUSE }] }, claim],
          solutionSteps: Array(100).fill(long.slice(0, 900)),
          questions: Array(50).fill('why? '.repeat(40)),
        })(request),
        say: long,
      }),
    ]);
    expect(issue.problem.length).toBeLessThanOrEqual(4_000);
    expect(issue.solutionSteps).toHaveLength(12);
    expect(issue.analysis.questions).toHaveLength(12);
    expect(Math.max(...issue.investigationSteps.map(({ analysis }) => analysis.length))).toBeLessThanOrEqual(1_000);
    expect(JSON.stringify({ ...issue, investigationSteps: [] }).length).toBeLessThan(60_000);
  });
});
