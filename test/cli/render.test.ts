// An Issue, its change and its steps as a person reads them in the terminal.
import { stripVTControlCharacters } from 'node:util';
import type { FileDiff } from 'causeway-diff';
import { describe, expect, it } from 'vitest';
import { renderDiffLines, renderIssue, renderStep } from '../../src/cli/render.ts';
import { createStyle } from '../../src/cli/terminal.ts';
import type { Outcome } from '../../src/core/outcome/answer-outcome.ts';
import { sampleIssue } from '../support/sample-issue.ts';

const PLAIN = { columns: 80, colour: false };

describe('an Issue in the terminal', () => {
  const PLACED = { citations: [{ claim: '', step: 2, quote: 'const { percent, minimum } = COUPONS.get(code);' }] };

  it('without a model says where and why, shows the code, and what is next, in twelve lines; the rest below a rule', () => {
    expect(renderIssue(sampleIssue({}, PLACED), PLAIN)).toMatchInlineSnapshot(`
      "Facts only · no model was used

      Most likely place: \`src/coupons.js:14\` in \`discountFor()\` (top frame of the
      trace in this repository).

          13 | export function discountFor(code, cents) {
        > 14 |   const { percent, minimum } = COUPONS.get(code);
          15 |   if (cents < minimum) return 0;
          16 |   return percentOf(cents, percent);

      Next: read \`src/coupons.js:14\`. Ask which value there leads to the error.

      ────────────────────────────────────────

      Also possible
        - src/checkout.js: further out in the stack trace

      What to do
        1. Read \`src/coupons.js:14\`. Ask which value there leads to the error.
        2. Send the report again with a model configured (OPENAI_API_KEY or
           OPENAI_BASE_URL).

      2 steps (--json shows all) · commit 484f10e70a39
      "
    `);
  });

  it.each([1, 4, 7, 9])('without a model has twelve lines above the rule, whatever was found: %i facts', (count) => {
    const rootCause = Array.from({ length: count }, (_, at) => `Fact ${at}.`).join('\n');
    const lines = renderIssue(sampleIssue({ rootCause }, PLACED), PLAIN).split('\n');
    const above = lines.slice(0, lines.findIndex((line) => line.startsWith('───')) - 1);
    expect(above.length).toBeLessThanOrEqual(Math.max(12, count + 6));
    expect(above.join('\n')).toContain('> 14 |   const { percent');
    expect(above.at(-1)).toBe('Next: read `src/coupons.js:14`. Ask which value there leads to the error.');
  });

  it('of a guess shows no code, and asks above the rule', () => {
    const [above = '', below = ''] = renderIssue(sampleIssue({}, { questions: ['Which version is it?'] }), PLAIN).split(
      '───',
    );
    expect(above).toContain('Questions\n  - Which version is it?');
    expect(above).not.toMatch(/COUPONS|Next:/);
    expect(below).not.toContain('COUPONS');
  });

  it('in colour is the same text', () => {
    const coloured = renderIssue(sampleIssue(), { columns: 80, colour: true });
    expect(coloured.split('\n').slice(0, 4)).toMatchInlineSnapshot(`
      [
        "[1m[33mFacts only · no model was used[39m[22m",
        "",
        "Most likely place: \`src/coupons.js:14\` in \`discountFor()\` (top frame of the",
        "trace in this repository).",
      ]
    `);
    expect(stripVTControlCharacters(coloured)).toBe(renderIssue(sampleIssue(), PLAIN));
  });

  it('fits a narrow terminal, but for code, paths and addresses', () => {
    const lines = renderIssue(sampleIssue({}, { outcome: 'inconclusive' }), { columns: 48, colour: false }).split('\n');
    expect(lines.filter((line) => line.length > 48)).toEqual(['         curl localhost:8080/checkout -d @basket.json']);
  });

  it('is neither wrapped nor cut for a file or another program', () => {
    const code = `const message = '${'a long message '.repeat(12)}';`;
    const changes = [
      { type: 'modify', lines: [{ lineNumber: 14, oldCode: code, newCode: `${code} // said` }] },
    ] as const;
    const quote = `percent is ${'really '.repeat(20)}undefined`;
    const issue = sampleIssue(
      {
        rootCause: `${'The cause is long. '.repeat(12)}End.`,
        diff: { files: [{ fileName: 'src/coupons.js', changes, status: 'modified' }] },
      },
      { outcome: 'code_fix', citations: [{ claim: 'c', step: 1, quote }] },
    );
    const text = renderIssue(issue, { columns: Number.POSITIVE_INFINITY, colour: false });
    for (const whole of [`- ${code}`, `+ ${code} // said`, quote, issue.rootCause]) expect(text).toContain(whole);
    expect(text).not.toContain('…');
  });

  it('with a fix says how sure it is, and what is changed', () => {
    const changes = [
      { type: 'modify', lines: [{ lineNumber: 14, oldCode: 'a', newCode: 'b\nc' }] },
      { type: 'delete', lines: [{ lineNumber: 20, oldCode: 'd', newCode: '' }] },
      { type: 'add', lines: [{ lineNumber: 30, oldCode: '', newCode: 'e' }] },
    ] as const;
    const issue = sampleIssue(
      { diff: { files: [{ fileName: 'src/coupons.js', changes, status: 'modified' }] } },
      { outcome: 'code_fix', confidence: 0.86, model: 'some-model', partial: true },
    );
    const text = renderIssue(issue, PLAIN);
    expect(text).toMatch(/^Cause and fix · stopped early · confidence 86 %\n/);
    expect(text).toContain('\nRoot cause\n');
    expect(text).toContain(
      '\nChange (save it with --patch FILE)\n  src/coupons.js +3 -2\n    line 14\n    - a\n    + b\n    + c\n',
    );
    expect(text).toContain('\nWhy this outcome\n  No model was asked.\n');
    expect(text).toMatch(/some-model · 0 turns, 0\stokens,/);
  });

  it('that says little has no empty section', () => {
    const empty = { stepsToReproduce: [], solutionSteps: [], investigationSteps: [], problem: '' };
    const issue = sampleIssue(empty, { suspects: [], questions: ['Which version is it?'] });
    expect(renderIssue(issue, PLAIN)).toMatchInlineSnapshot(`
      "Facts only · no model was used

      Most likely place: \`src/coupons.js:14\` in \`discountFor()\` (top frame of the
      trace in this repository).

      Questions
        - Which version is it?

      ────────────────────────────────────────

      0 steps (--json shows all) · commit 484f10e70a39
      "
    `);
  });

  it('without a model echoes no report, and of a log shows what matters', () => {
    const whole = (issue: ReturnType<typeof sampleIssue>) => renderIssue(issue, PLAIN);
    expect(whole(sampleIssue())).not.toContain('Problem');
    const log = 'Red since Monday\n\n--- Log: build.log ---\n\nTypeError: x is not a function\n';
    const text = whole(sampleIssue({}, { report: log }));
    expect(text).toContain('What the log says\n  TypeError: x is not a function\n');
    expect(text).not.toMatch(/Red since|Checkout crashes/);
  });

  it('names at most five suspects, and how many more there are', () => {
    const suspects = Array.from({ length: 8 }, (_, at) => ({
      file: `src/${at}.js`,
      line: at,
      function: '',
      score: 0.5,
      reasons: [],
    }));
    const text = renderIssue(sampleIssue({}, { suspects, outcome: 'inconclusive' }), PLAIN);
    expect(text).toContain('5. src/4.js:4\n  and 3 more (--json lists all)');
    expect(renderIssue(sampleIssue({}, { suspects }), PLAIN)).toContain(
      '- src/3.js:3\n  and 4 more (--json lists all)',
    );
  });

  it('cannot steer the terminal, in any of its texts', () => {
    const evil = '\u001b]0;x\u0007\u001b[2J\u009b2J\u202e';
    const issue = sampleIssue(
      {
        problem: evil,
        rootCause: evil,
        stepsToReproduce: [{ stepNumber: 1, description: `\`\`\`\n${evil}\n\`\`\`` }],
        solutionSteps: [{ stepNumber: 1, description: evil }],
        diff: { files: [{ fileName: evil, changes: [] }] },
        investigationSteps: [{ action: `read ${evil}`, result: `> 14 | ${evil}`, analysis: '' }],
      },
      {
        suspects: [{ file: evil, line: 14, function: evil, score: 1, reasons: [evil] }],
        questions: [evil],
        citations: [{ claim: evil, step: 1, quote: evil }],
        model: evil,
      },
    );
    const text = renderIssue(issue, PLAIN);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text).toContain('> 14 | ␛]0;x␇␛[2J');
  });

  it.each<[Outcome, string]>([
    ['action_recommended', 'Cause and advice'],
    ['needs_information', 'Needs information'],
    ['already_fixed', 'Already fixed'],
    ['not_a_bug', 'Not a bug'],
    ['inconclusive', 'Cause not found'],
  ])('of outcome %s begins with it', (outcome, headline) => {
    expect(renderIssue(sampleIssue({}, { outcome }), PLAIN).split('\n')[0]).toBe(headline);
  });
});

const page = { columns: 40, paint: createStyle(false) };
const added = (code: string): FileDiff['changes'][number] => ({
  type: 'add',
  lines: [{ lineNumber: 0, oldCode: '', newCode: code }],
});

describe('a change in the terminal', () => {
  it('shows each file with its lines, and which are new, deleted or renamed', () => {
    const files: readonly FileDiff[] = [
      { fileName: 'a.ts', status: 'added', changes: [added('one\n\ntwo')] },
      {
        fileName: 'old.ts',
        status: 'deleted',
        changes: [{ type: 'delete', lines: [{ lineNumber: 1, oldCode: 'gone', newCode: '' }] }],
      },
      {
        fileName: 'c.ts',
        previousFileName: 'b.ts',
        status: 'renamed',
        changes: [{ type: 'modify', lines: [{ lineNumber: 7, oldCode: 'x', newCode: '' }] }],
      },
    ];
    expect(renderDiffLines(files, page).join('\n')).toMatchInlineSnapshot(`
      "Change (save it with --patch FILE)
        a.ts (added) +3 -0
          at the top
          + one
          +
          + two
        old.ts (deleted) +0 -1
          line 1
          - gone
        b.ts → c.ts +1 -1
          line 7
          - x
          +"
    `);
  });

  it('cuts wide lines, long changes, and what would steer the terminal', () => {
    const wide = renderDiffLines([{ fileName: 'a', changes: [added(`\u001b[2J${'w'.repeat(99)}`)] }], page);
    expect(wide.join('')).not.toContain('\u001b');
    expect(Math.max(...wide.slice(1).map((line) => line.length))).toBeLessThanOrEqual(40);
    const long = renderDiffLines([{ fileName: 'a', changes: [added('x\n'.repeat(99))] }], page);
    expect(long).toHaveLength(62);
    expect(long.at(-1)).toBe('  and 42 more lines (--patch FILE has all)');
  });

  it('of nothing is nothing', () => {
    expect(renderDiffLines([], page)).toEqual([]);
  });
});

const step = {
  number: 7,
  action: 'blame src/coupons.js:14 at 484f10e',
  result: 'long',
  analysis: 'The line was last changed by 411bc46 on 2025-02-17, which is after the release.',
};

describe('a step in the terminal', () => {
  it('is one line: what was looked up, and what it means as far as it fits', () => {
    expect(renderStep(step, { columns: 80, colour: false })).toMatchInlineSnapshot(
      `" 7  blame src/coupons.js:14 at 484f10e · The line was last changed by 411bc46 o…"`,
    );
    expect(renderStep(step, { columns: 120, colour: true })).toMatchInlineSnapshot(
      `"[36m 7[39m  blame src/coupons.js:14 at 484f10e[2m · The line was last changed by 411bc46 on 2025-02-17, which is after the release.[22m"`,
    );
  });

  it('is never wider than the terminal, and one line whatever it contains', () => {
    const long = { ...step, number: 123, action: `search "${'日本 '.repeat(40)}"\n\u001b[2J`, analysis: 'x\ny' };
    const line = renderStep(long, { columns: 80, colour: false });
    expect(line).toMatch(/^123 {2}search "日本 日本.*…$/);
    expect(line).not.toMatch(/[\n\u001b]/);
  });
});
