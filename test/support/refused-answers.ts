// Answers that a review had refused, as the first release stored them, and what a migration leaves of them.
import { expect } from 'vitest';
import type { Store } from '../../src/db/store.ts';
import { acceptance, accepted, conclusion, ground, NOW, started } from './store-samples.ts';

const step = (action: string, analysis = '') => ({ action, result: 'found', analysis });

/** What migrations after this one made: they are made again with it. */
export const LATER_TABLES = [
  ...['foreign_proofs', 'put_backs', 'reruns', 'overrides', 'known_hits', 'known_ties', 'known_issues'],
];

/** Ids of their Issues, by the first line of each report. */
export async function storeRefusedAnswers(store: Store): Promise<Readonly<Record<string, string>>> {
  const sample = conclusion();
  const facts = { ...sample, problem: 'The shop is closed', investigationSteps: [step('read the report')] };
  const refused = (reason: string) => ({
    ...sample,
    problem: 'canaryproblem',
    rootCause: 'Assumption: canaryclaim.',
    stepsToReproduce: [{ stepNumber: 1, description: 'canaryreproduction' }],
    solutionSteps: [{ stepNumber: 1, description: 'canarysolution' }],
    investigationSteps: [
      step('read the report'),
      step('read a.js', 'canaryremark'),
      step('replace in a.js', 'canaryedit'),
    ],
    analysis: {
      ...sample.analysis,
      ...{ outcome: 'inconclusive' as const, model: 'm', reason: `Cut short. ${reason} Ruled out: canaryruledout.` },
      suspects: [{ file: 'b.js', line: 1, function: 'canaryfunction', score: 1, reasons: ['canarywhy'] }],
      citations: [{ claim: 'canaryclaim', step: 1, quote: 'canaryquote' }],
      questions: ['canaryquestion'],
    },
  });
  const ids: Record<string, string> = {};
  const base = await ground(store);
  const conclude = async (name: string, given: ReturnType<typeof refused>, records: readonly object[]) => {
    const run = await started(store, (await accepted(store, acceptance(base, { text: name }))).runId);
    for (const record of records) await store.appendTranscript(run, JSON.stringify(record), NOW);
    for (const one of given.investigationSteps) await store.recordStep(run, one, NOW);
    ids[name] = (await store.conclude(run, given, NOW))[0] ?? '';
  };
  const answer = (number: number, one: object) => ({
    kind: 'answer',
    reply: { kind: 'step', number, status: 'found', step: one },
  });
  const calls = (...names: readonly string[]) => ({
    kind: 'turn',
    content: 'canaryremark',
    toolCalls: names.map((each) => ({ name: each })),
  });
  const records = [
    { kind: 'facts', conclusion: facts },
    ...[
      calls('read_files'),
      answer(2, step('read a.js')),
      calls('replace'),
      answer(3, step('replace in a.js', 'canaryedit')),
    ],
  ];
  const unproven = 'Not shown: a code fix was announced, but no file was changed.';
  const unrelated =
    'None of the quotes is about the failed check: not the failing test, its error, its stack trace or the change under test.';
  await conclude('Refused', refused(unproven), records);
  await conclude('Beside the point', refused(unrelated), records);
  await conclude('Without a transcript', refused(unproven), []);
  await conclude('Honest', refused('Nothing is proven.'), records);
  return ids;
}

export async function expectNoRefusedAnswers(store: Store, ids: Readonly<Record<string, string>>): Promise<void> {
  const read = async (name: string) => store.findIssue(ids[name] ?? '');
  const found = await read('Refused');
  expect(found).toMatchObject({
    problem: 'The shop is closed',
    investigationSteps: [step('read the report'), step('read a.js')],
    diff: { files: [] },
    analysis: {
      outcome: 'inconclusive',
      reason: "Cut short. The model's answer was discarded: it doesn't prove what it says.",
    },
  });
  const other = await read('Beside the point');
  expect(other?.analysis.reason).toBe("Cut short. The model's answer wasn't about this failure and was discarded.");
  const bare = await read('Without a transcript');
  expect(bare).toMatchObject({
    problem: 'Without a transcript',
    rootCause: "I don't know the cause.",
    investigationSteps: [],
  });
  expect(JSON.stringify([found, other, bare])).not.toContain('canary');
  expect((await read('Honest'))?.problem).toBe('canaryproblem');
}
