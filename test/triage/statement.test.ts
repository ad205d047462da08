// The problem is stated in the reporter's words, without template, checklists and logs.
import { describe, expect, it } from 'vitest';
import { formatGuidance } from '../../src/core/report/report.ts';
import { findSignals } from '../../src/triage/signals.ts';
import { findReproductionSteps, writeStatement } from '../../src/triage/statement.ts';

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
