// What of a report is compared with the source, and what is only its form.
import { describe, expect, it } from 'vitest';
import { createQuery, type ReportTexts, splitReport } from '../../../src/triage/localise/query.ts';

import { findSignals } from '../../../src/triage/signals.ts';

function textsOf(report: string): ReportTexts {
  const { title, traces } = findSignals(report);
  const mapped = traces.map(({ frames }) =>
    frames.map((frame) => ({
      frame,
      mapping: frame.file.includes('cart')
        ? ({ kind: 'own', path: frame.file, certain: true, compiled: false } as const)
        : ({ kind: 'unknown' } as const),
    })),
  );
  return splitReport({ report, title, traces, mapped });
}

const FORM = `Totals are rounded

<!-- Please search the existing issues first -->
### Describe the bug

Half a cent is lost, see https://shop.example/issues/rounding and \`roundTotal\`.

- [x] I have read the guidelines

### Reproduction

\`\`\`js
cart.add(apple);
TypeError: apple is undefined
\`\`\`

### System Info

Kernel 6.1, coffee machine

\`\`\`
binaries: kettle
\`\`\`

### Severity

annoyance
`;

describe('the texts of a report', () => {
  it('are parted into title, prose, names, code and log', () => {
    const { title, prose, name, code, log } = textsOf(FORM);
    expect(title).toBe('Totals are rounded');
    expect(prose.replace(/\s+/g, ' ').trim()).toBe('Half a cent is lost, see and .');
    expect([name, code, log]).toEqual(['roundTotal', 'cart.add(apple);', 'TypeError: apple is undefined']);
  });

  it('keep a heading that is no question of the form', () => {
    expect(textsOf('Totals\n\n## Rounding of carts\n\ntext').prose).toContain('Rounding of carts');
  });

  it('keep of a trace its error and the frames in own files', () => {
    const { log } = textsOf(
      'Error: no price\n    at total (/srv/src/cart.js:3:1)\n    at run (/srv/node_modules/runner/worker.js:1:1)\n',
    );
    expect(log).toContain('no price');
    expect(log).toContain('cart.js');
    expect(log).not.toContain('worker');
  });

  it.each([
    [
      'a sentence below the section about the machine',
      '### Environment\n\n- Node 20\n\nThe cart of gift cards is emptied twice\n',
    ],
    ['an error below it', '### Environment\n\nCartError: gift cards are emptied\n'],
    ['an error in its code', '### Environment\n\n```\nCartError: gift cards are emptied\n```\n'],
    ['a whole report on one line', `Title: totals ${'are rounded, and '.repeat(70)} gift cards are emptied`],
  ])('keep %s', (_, report) => {
    const { prose, log } = textsOf(report.startsWith('Title') ? report : `Totals\n\n${report}`);
    expect(`${prose}${log}`).toContain('emptied');
  });

  it.each([
    '✓ opens the cart (3 ms)',
    '--- PASS: TestCart (0.00s)',
    'tests/test_cart.py::test_open PASSED',
    'test cart::opens ... ok',
    'PASS test/cart.test.js',
  ])('leave a test that passed out: %s', (line) => {
    const { prose, code, log } = textsOf(`Totals\n\n\`\`\`\n${line}\n\`\`\`\n${line}\n`);
    expect([prose.trim(), code, log]).toEqual(['', '', '']);
    expect(findSignals(`Totals\n\n${line}\n`).words.map(({ word }) => word)).toEqual(['totals']);
  });

  it('have each line of a log once', () => {
    const failure = 'ERROR cart is empty\n';
    expect(textsOf(`Totals\n\n${failure}\nIt stops.\n${failure}`).log).toBe(failure.trim());
  });

  it.each(['| React | v16.12.0 |', '  npm: 6.14.8', '- `shop`: ^4.11.3'])(
    'leave the row of a table of versions out: %s',
    (row) => {
      expect(textsOf(`Totals\n\n${row}\n`).prose.trim()).toBe('');
    },
  );

  it.each([
    'npm install cart',
    '`yarn add cart`',
    '```sh\n$ git clone https://shop.example/cart\n```',
    'pip3 install cart',
  ])('leave the command that gets a project out: %j', (line) => {
    const { prose, name, code } = textsOf(`Totals\n\n${line}\n`);
    expect([prose.trim(), name, code]).toEqual(['', '', '']);
    expect(findSignals(`Totals\n\n${line}\n`).words.map(({ word }) => word)).toEqual(['totals']);
  });

  it('of a hostile length are read, and asked for in hundreds of terms', () => {
    for (const piece of ['word ', '`a', '<!-- ', '**a', '# ', '\n```\n', 'aB1_']) {
      const texts = textsOf(piece.repeat(200_000));
      const query = createQuery({ ...texts, test: '' });
      expect(query.terms.length).toBeLessThanOrEqual(700);
    }
    const many = Array.from({ length: 5_000 }, (_, index) => `wordOf${index}x`).join('\n');
    const { terms, names } = createQuery({ ...textsOf(`Title\n\n${many}`), test: '' });
    expect([terms.length, names.length]).toEqual([700, 200]);
    const { prose } = textsOf(`Title\n\n${'What people write, line by line.\n'.repeat(10_000)}`);
    expect(prose).toHaveLength(100_000);
  });
});

describe('a query', () => {
  const none = { title: '', prose: '', name: '', code: '', log: '', test: '' };

  it('counts each term in each part, names whole and in parts', () => {
    const { terms } = createQuery({ ...none, title: 'readCart', prose: 'cart by cart, because' });
    expect(terms.map(({ term, whole, counts }) => [term, whole, counts.title, counts.prose])).toEqual([
      ['readcart', true, 1, 0],
      ['read', false, 1, 0],
      ['cart', false, 1, 2],
      ['by', false, 0, 1],
    ]);
  });

  it('has no words of test frameworks from logs and tests', () => {
    const test = 'assertEquals(1, cart); expected verify';
    expect(createQuery({ ...none, log: 'junit.framework.AssertionFailedError', test }).terms).toMatchObject([
      { term: 'cart' },
    ]);
    expect(createQuery({ ...none, title: 'assertEquals fails' }).terms.length).toBeGreaterThan(0);
  });

  it.each([
    ["doc['x']['k'] = v", '__setitem__'],
    ['del cart[1]', '__delitem__'],
    ['left @ right', '__matmul__'],
    ['with open_cart(one) as cart:', '__enter__'],
  ])('has the method that implements an operator: %s', (code, method) => {
    expect(createQuery({ ...none, code }).names.map(({ word }) => word)).toContain(method);
  });

  it('tells names of code from words that may be names', () => {
    const { names } = createQuery({ ...none, name: 'strict', prose: 'the readLine of strict headers' });
    expect(names.map(({ word, isCode, parts }) => [word, isCode, [...parts]])).toEqual([
      ['strict', true, ['name', 'prose']],
      ['readLine', true, ['prose']],
      ['headers', false, ['prose']],
    ]);
  });
});
