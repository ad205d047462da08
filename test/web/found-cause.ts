// A conclusion with all that an issue can have: a cause with citations, a change of every kind, guards, questions.
import type { ChangeSet } from 'causeway-diff';
import type { Conclusion } from '../../src/core/issue/issue.ts';
import { conclusion, SHA } from '../support/store-samples.ts';

const CART = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`).join('');

export const CHANGE: ChangeSet = {
  base: SHA,
  files: [
    {
      ...{ kind: 'modified', path: 'src/cart.ts', mode: '100755', before: CART },
      after: CART.replace('line 20\n', 'line twenty\nand more\n'),
    },
    { kind: 'added', path: 'test/cart.test.ts', mode: '100644', after: 'expect(<b>1</b>)' },
    { kind: 'deleted', path: 'src/old.ts', before: 'gone\n' },
    { kind: 'renamed', path: 'docs/new.md', previousPath: 'docs/old.md', before: 'text\n', after: 'text\n' },
  ],
};

const QUOTE = 'const last = items[items.length];';

/** What a model has found; `analysis` changes parts of it. */
export function foundCause(analysis: Partial<Conclusion['analysis']> = {}, more: Partial<Conclusion> = {}): Conclusion {
  return conclusion({
    problem: 'Checkout crashes for empty carts\n\nIt says `TypeError`.',
    rootCause: 'The cart reads one item too far. [step 2]\n\nSee `src/cart.ts:20`.',
    stepsToReproduce: [{ stepNumber: 1, description: 'Check out with:\n```sh\ncurl localhost\n```' }],
    solutionSteps: [
      { stepNumber: 1, description: 'Read the last item only where there is one.' },
      { stepNumber: 2, description: 'Add a test.' },
    ],
    changeSet: CHANGE,
    investigationSteps: [
      { action: 'read the report', result: 'errors: TypeError', analysis: 'One error.' },
      { action: 'read src/cart.ts:10-30', result: `20 | ${QUOTE}\n21 | }`, analysis: '' },
    ],
    analysis: {
      ...conclusion().analysis,
      outcome: 'code_fix',
      confidence: 0.824,
      citations: [{ claim: 'The cart reads one item too far.', step: 2, quote: QUOTE }],
      suspects: [
        { file: 'src/cart.ts', line: 20, function: 'lastItem', score: 0.9, reasons: ['own frame of the stack trace'] },
        { file: 'src/odd name#1.ts', line: 3, function: '', score: 0.2, reasons: ['mentioned in the report'] },
      ],
      questions: ['Which coupon was it?', 'Since when?'],
      model: 'a-model',
      usage: {
        turns: 7,
        promptTokens: 30_000,
        cachedTokens: 12_000,
        completionTokens: 1_000,
        costUsd: 0.1234,
        seconds: 125,
      },
      ...analysis,
    },
    ...more,
  });
}
