// The problem is stated in the reporter's words, without template, checklists and logs.
import { describe, expect, it } from 'vitest';
import { formatGuidance } from '../../src/core/report/report.ts';
import { findExpectations, findReproductionSteps } from '../../src/triage/reproduction.ts';
import { findSignals } from '../../src/triage/signals.ts';
import { writeStatement } from '../../src/triage/statement.ts';

const state = (text: string): string => writeStatement(text, findSignals(text));

const REPORT = `Checkout fails for carts with a discount

<!-- Thanks for reporting! Please fill in everything. -->
### Before you start
- [x] I searched the existing issues
- [ ] I read the docs

### Describe the bug
Since yesterday the checkout answers 500 as soon as a discount is applied.

\`\`\`ts
applyDiscount(cart, 10);
\`\`\`

### Steps to reproduce
1. Put something into the cart
2. Run
   \`\`\`sh
   curl -X POST localhost:3000/discount
   \`\`\`
3. Press *Checkout*

### Logs
2024-05-01T10:11:12Z ERROR RangeError: discount is larger than the total
    at applyDiscount (/srv/src/discount.ts:12:5)

### Environment
_No response_
`;

describe('the statement', () => {
  it('leaves out the heading that a log is handed in under', () => {
    const said = state('Checkout fails since Tuesday\n\n--- Log: log.txt ---\n\nThe cart was empty.');
    expect(said).toContain('Checkout fails since Tuesday');
    expect(said).toContain('The cart was empty.');
    expect(said).not.toContain('--- Log');
  });

  it('has title, description, short code and the error, nothing else', () => {
    expect(state(REPORT)).toMatchInlineSnapshot(`
      "Checkout fails for carts with a discount

      Since yesterday the checkout answers 500 as soon as a discount is applied.

      \`\`\`ts
      applyDiscount(cart, 10);
      \`\`\`

      RangeError: discount is larger than the total"
    `);
  });

  it('of a bare log is its first line and its errors', () => {
    const log = `${'2024-05-01T10:11:12Z INFO ready\n'.repeat(3_000)}2024-05-01T10:11:13Z ERROR: cannot open the ledger\n`;
    const statement = state(log);
    expect(statement).toContain('cannot open the ledger');
    expect(statement.length).toBeLessThan(200);
  });

  it('of a form that asks for a version first has no title from that question', () => {
    const form = `### Shop version
2.13.2

### Description
Two keys are taken where the first has no value.
`;
    expect(state(form)).toBe('Two keys are taken where the first has no value.');
    expect(state('Shop version 2 loses a key\n\nTwo keys are taken.')).toContain('Shop version 2 loses a key');
    expect(state('# Reproducible crash\n\nTwo keys are taken.')).toContain('Reproducible crash');
  });

  it('says of what was expected that it was', () => {
    const form = `Keys are taken twice

### Expected behavior
\`read()\` throws.

### Actual behavior
It returns the second value.
`;
    expect(state(form)).toBe('Keys are taken twice\n\nExpected: `read()` throws.\n\nIt returns the second value.');
    expect(state('Totals\n\n**Expected:**\n```\n12\n```\n')).toBe('Totals\n\nExpected:\n```\n12\n```');
  });

  it('of a bare traceback is its error, without the source lines of its frames', () => {
    const trace = `Traceback (most recent call last):
  File "/srv/docs/app.py", line 6, in <module>
    cli.main(["intro"])
  File "/usr/lib/python3/dist-packages/click/types.py", line 817, in convert
    self.fail(
    ~~~~~~~~~^
        "no boolean"
    )
click.exceptions.BadParameter: 'intro' is not a valid boolean
`;
    expect(state(trace)).toBe("click.exceptions.BadParameter: 'intro' is not a valid boolean");
    expect(state(`The tool dies at the start:\n\n${trace}`)).toBe(
      "The tool dies at the start:\n\nclick.exceptions.BadParameter: 'intro' is not a valid boolean",
    );
  });

  it('is never longer than 2,000 characters, never cut inside a character, and never empty', () => {
    expect(state(`${'😀'.repeat(50_000)}`).length).toBeLessThanOrEqual(2_000);
    expect(state(`${'😀'.repeat(50_000)}`).isWellFormed()).toBe(true);
    expect(state('word '.repeat(50_000)).length).toBeLessThanOrEqual(2_000);
    expect(state('???')).toBe('???');
  });

  it.each([
    ['Checkout fails\n\nCheckout fails. It shows 500.', 'Checkout fails\n\nIt shows 500.'],
    ['# Checkout fails\n\n**Checkout fails!**\n\nIt shows 500.', 'Checkout fails\n\nIt shows 500.'],
    [
      'Checkout fails\n\nCheckout fails as soon as a discount is applied.',
      'Checkout fails as soon as a discount is applied.',
    ],
    [`Checkout ${'fails '.repeat(80)}`, `Checkout ${'fails '.repeat(80)}`.trim()],
  ])('does not say the title twice: %j', (text, statement) => {
    expect(state(text)).toBe(statement);
  });

  it('keeps the questions of a template that have an answer, and no others', () => {
    const log = '2024-05-01T10:11:12Z INFO ready\n'.repeat(20);
    const text = `Broken\n\n- What went wrong?\nThe checkout.\n\n- Which config?\n\n\`\`\`\na: 1\n\`\`\`\n\n- Which version?\n\n- Which log did you see?\n\n\`\`\`\n${log}\`\`\`\n`;
    expect(state(text)).toBe('Broken\n\n- What went wrong?\nThe checkout.\n\n- Which config?\n\n```\na: 1\n```');
  });

  it('leaves out what a person asked to look at when it was analysed again', () => {
    const text = `Totals are wrong\n\nThe cart adds twice.${formatGuidance('mara', 'Look at the coupons.')}`;
    expect(state(text)).toContain('The cart adds twice.');
    expect(state(text)).not.toContain('coupons');
  });

  it('hides nothing behind a comment that is not closed', () => {
    expect(state('Broken\n\n<!-- the rest matters')).toContain('the rest matters');
  });
});

describe('the reproduction steps', () => {
  it('are the items of the list, each with its code', () => {
    expect(findReproductionSteps(REPORT)).toEqual([
      { stepNumber: 1, description: 'Put something into the cart' },
      { stepNumber: 2, description: 'Run\n   ```sh\n   curl -X POST localhost:3000/discount\n   ```' },
      { stepNumber: 3, description: 'Press *Checkout*' },
    ]);
  });

  it.each([
    '## How to reproduce',
    '**To Reproduce**',
    'Steps to reproduce:',
    '#### Repro steps',
    'Reproduction\n------------',
    '## Minimal reproducible example',
  ])('stand under "%s"', (heading) => {
    expect(findReproductionSteps(`Broken\n\n${heading}\n\n- open it\n- close it\n\n## Expected\n\n- nothing`)).toEqual([
      { stepNumber: 1, description: 'open it' },
      { stepNumber: 2, description: 'close it' },
    ]);
  });

  it.each([
    '**Steps to reproduce**: ',
    'Minimal steps to recreate:',
    '- Reproducible example：',
    '#### Reproduzieren',
    'Schritte zum Nachstellen:',
    '### Étapes pour reproduire',
    '**Pasos para reproducir:**',
    '## 复现步骤',
    '复现步骤：',
    '## 再現手順',
    '再現手順',
    '재현 방법:',
  ])('stand behind the label "%s"', (heading) => {
    expect(
      findReproductionSteps(`Broken\n\n${heading}\n\n1. open it\n2. close it\n`).map(({ description }) => description),
    ).toEqual(['open it', 'close it']);
  });

  it('stand on the line of their heading', () => {
    expect(
      findReproductionSteps('Broken\n\n## Steps to Reproduce 1. Open it. 2. Close it.\n').map((one) => one.description),
    ).toEqual(['Open it.', 'Close it.']);
  });

  it('are the code of one heading and what to do with it of the next', () => {
    const text =
      'Broken\n\n### Minimal reproducible code\n\n```rs\nfn main() {}\n```\n\n### Steps to reproduce\n\ncargo run\n';
    expect(findReproductionSteps(text).map(({ description }) => description)).toEqual([
      '```rs\nfn main() {}\n```',
      'cargo run',
    ]);
  });

  it.each([
    ['an example', 'Totals are wrong\n\nMinimal example:\n\n```py\ntotal([1])\n```\n\nIt is 2.', 'total([1])'],
    ['what one ran', 'Totals are wrong\n\nI ran this code:\n```py\ntotal([1])\n```\n', 'I ran this code:'],
    ['a program', 'Totals are wrong\n\n```py\nimport shop\nshop.total([1])\n```\n', 'import shop'],
    ['a test', 'Totals are wrong\n\n```js\nit("adds", () => {});\n```\n', 'it("adds"'],
    ['a session', 'Total fails\n\nSee:\n>>> shop.total([1])\n2\n\nIt should be 1.', '>>> shop.total([1])'],
    ['a command', 'Total fails\n\n```\n$ shop total 1\nerror: no price\n```\n', '$ shop total 1'],
    ['an example in German', 'Fehler in der Summe\n\nBeispiel:\n```py\ntotal([1])\n```\n', 'total([1])'],
    ['an example in Chinese', '合计错误\n\n示例代码：\n```py\ntotal([1])\n```\n', 'total([1])'],
  ])('without a heading are %s', (_, text, part) => {
    const steps = findReproductionSteps(text);
    expect(steps).toHaveLength(1);
    expect(steps[0]?.description).toContain(part);
  });

  it.each([
    ['what is wished for', 'Add a total\n\nExample:\n```py\nimport shop\nshop.total([1])\n```\nIt should be easy.'],
    ['output', 'Totals fail\n\nThe output is:\n```\nimport failed: no price\n```\n'],
    ['a trace', 'Totals fail\n\nHere:\n```\nTraceback (most recent call last):\n  File "a.py", line 1, in f\n```\n'],
    ['a change', 'Totals fail\n\nFor example:\n```diff\n- a\n+ b\n```\n'],
    ['the code of the project', 'Totals are wrong\n\nThe following code in `cart.py`:\n```py\nfor one in cart:\n```\n'],
    ['a proposal', 'Totals are wrong\n\nIt could look like this code:\n```py\nimport shop\n```\n'],
    ['settings', 'Totals are wrong\n\n## Configuration\n\n```\n$ shop config\n```\n'],
  ])('are not %s', (_, text) => {
    expect(findReproductionSteps(text)).toEqual([]);
  });

  it('end with the list: a trace or a remark below it is no part of the last step, code is', () => {
    const text =
      'Steps to reproduce:\n1. open\n\n   twice\n\nas always\n\n2. close\n\n```\nclose()\n```\n\nTypeError: x\n    at y (z.js:1:1)';
    expect(findReproductionSteps(text).map(({ description }) => description)).toEqual([
      'open\n\n   twice\n\nas always',
      'close\n\n```\nclose()\n```',
    ]);
  });

  it('keep bullets inside numbered items, and code that stands alone', () => {
    expect(
      findReproductionSteps('## To reproduce\n1. set\n   - a\n   - b\n2. go').map(({ description }) => description),
    ).toEqual(['set\n   - a\n   - b', 'go']);
    expect(findReproductionSteps('## To reproduce\n```py\ntotal([])\n```\n')).toEqual([
      { stepNumber: 1, description: '```py\ntotal([])\n```' },
    ]);
  });

  it('have the lines of a code block as they are', () => {
    const code = '```markdown\n1. one\n> quoted\nshop | cart\n```';
    expect(findReproductionSteps(`## To reproduce\n\n> quoted prose\n${code}`)).toEqual([
      { stepNumber: 1, description: `quoted prose\n${code}` },
    ]);
  });

  it.each([
    'It just breaks.\n1. one\n2. two',
    '## Steps to reproduce\n\n_No response_\n',
    '## To reproduce\n1. NA\n',
    '## To reproduce\n\nn/a.\n',
    '## Expected behaviour\n1. reproduce nothing',
  ])('are not invented: %j', (text) => {
    expect(findReproductionSteps(text)).toEqual([]);
  });
});

describe('what is expected, and what is', () => {
  it.each([
    ['## Expected Behavior\n\nThe sum is 3.\n\n## Actual Behavior\n\nThe sum is 2.'],
    ['**Expected:** The sum is 3.\n**Actual:** The sum is 2.'],
    ['Expected result: The sum is 3.\nActual result: The sum is 2.'],
    ['## Expected behavior The sum is 3.\n\n## Actual behavior The sum is 2.'],
    ['#### What did you expect to see?\nThe sum is 3.\n#### What did you see instead?\nThe sum is 2.'],
    ['#### Erwartetes Ergebnis\nThe sum is 3.\n#### Tatsächliches Ergebnis\nThe sum is 2.'],
    ['**Comportement attendu :** The sum is 3.\n**Comportement observé :** The sum is 2.'],
    ['Attendu : The sum is 3.\nObtenu : The sum is 2.'],
    ['### Resultado esperado\nThe sum is 3.\n### Resultado actual\nThe sum is 2.'],
    ['## 期望结果\nThe sum is 3.\n## 实际结果\nThe sum is 2.'],
    ['## 期待する動作\nThe sum is 3.\n## 実際の動作\nThe sum is 2.'],
  ])('is found under %j', (parts) => {
    expect(findExpectations(`Sums\n\n${parts}\n`)).toEqual({ expected: 'The sum is 3.', actual: 'The sum is 2.' });
  });

  it('is found in a sentence', () => {
    expect(findExpectations('Sums\n\nIt is 2. I would expect 3 here. Thanks').expected).toBe('I would expect 3 here');
  });

  it('is not invented', () => {
    expect(findExpectations('Sums are unexpected\n\n```\nexpected: 3\n```\n\n## Expected\n\n_No response_\n')).toEqual({
      expected: '',
      actual: '',
    });
  });
});
