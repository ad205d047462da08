// The conclusion of a run: what was proven, what was not, and how far to believe it.

import { type FileChange, toDiff } from 'causeway-diff';
import { describe, expect, it } from 'vitest';
import type { CutReason } from '../../src/core/reason.ts';
import { concludeRun, type FinishedRun } from '../../src/investigate/conclude.ts';
import { type ConfidenceInputs, computeConfidence } from '../../src/investigate/confidence.ts';
import type { FailedCheckGround } from '../../src/investigate/relevance.ts';
import { CLAIM, FACTS, FIXED, STEPS, sampleRun } from './conclusion-samples.ts';

const REMARK = { text: 'canaryremark', isOfAnswer: false };
const INVENTED = { ...CLAIM, citations: [{ step: 1, quote: 'moon.phase(full)' }] };

async function conclude(...given: Parameters<typeof sampleRun>) {
  return concludeRun(await sampleRun(...given));
}

describe('a proven fix', () => {
  it('says its cause with its steps and places, and carries its edits', async () => {
    const conclusion = await conclude();
    expect(conclusion.rootCause).toBe(
      'An unknown code makes the lookup give undefined, which cannot be taken apart (`src/coupons.js:14`) [step 1].',
    );
    expect(conclusion.changeSet.files).toEqual([FIXED]);
    expect(conclusion.investigationSteps).toHaveLength(6);
    expect(Object.keys(conclusion.investigationSteps[0]!)).toEqual(['action', 'result', 'analysis']);
    expect(Object.keys(conclusion.analysis).sort()).toEqual(Object.keys(FACTS.analysis).sort());
    expect(conclusion.analysis).toMatchObject({
      outcome: 'code_fix',
      partial: false,
      reason: '',
      confidence: 0.95,
      citations: [{ claim: CLAIM.text, step: 1, quote: CLAIM.citations[0]!.quote }],
      questions: [],
      model: 'scripted',
    });
    expect(conclusion.analysis.suspects.map(({ file }) => file)).toEqual(['src/coupons.js', 'src/money.js']);
    expect(conclusion.analysis.suspects[0]?.reasons).toEqual([
      'takes apart what may be undefined',
      'top frame of the trace in this repository',
    ]);
  });

  it('has the title of its change, where there are edits and the model gave one', async () => {
    const title = 'Accept coupon codes in any case';
    expect((await conclude({ title })).changeTitle).toBe(title);
    expect(await conclude()).not.toHaveProperty('changeTitle');
    expect(await conclude({ title, outcome: 'inconclusive', ruledOut: ['x'] })).not.toHaveProperty('changeTitle');
  });

  it('puts the places of the cause in edited files first, before a place that does it right or is named besides', async () => {
    const right = {
      text: 'The caller passes the coupon on as it is.',
      citations: [{ step: 2, quote: 'const off = discountFor(basket.coupon, total);' }],
      places: [{ file: 'src/checkout.js', line: 30 }],
    };
    const besides = { file: 'src/coupons.js', line: 15, function: 'discountFor', why: 'is in the same function' };
    const { analysis } = await conclude({ rootCause: [right, CLAIM], suspects: [besides] });
    expect(analysis.suspects.map(({ file, line }) => `${file}:${line}`)).toEqual([
      'src/coupons.js:14',
      'src/checkout.js:30',
      'src/money.js:0',
    ]);
  });

  it('is surer where the trace runs through the place of the cause, for any reasons of the suspects', async () => {
    const proof = async (framed: readonly string[]) =>
      (await concludeRun(await sampleRun({}, { framed }))).analysis.confidence ?? 0;
    expect(await proof(['src/coupons.js'])).toBeGreaterThan(await proof(['src/server.js']));
    expect(FACTS.analysis.suspects[0]?.reasons[0]).toContain('frame');
  });

  it('marks what is assumed, and says what was dropped', async () => {
    const { rootCause, analysis } = await conclude({
      rootCause: [CLAIM, { text: 'Hence the crash.' }, { ...INVENTED, places: [] }],
    });
    expect(rootCause).toContain('[step 1]. Assumption: Hence the crash.');
    expect(rootCause.match(/An unknown code/g)).toHaveLength(1);
    expect(analysis.reason).toContain('1 of 3 claims were left out');
    expect(analysis.reason).not.toContain('quot');
    expect(analysis.confidence).toBeLessThan(0.78);
  });

  it('is less sure without a claim whose quotation does not hold, and opens nothing where that one was the fix', async () => {
    const right = {
      text: 'The caller passes the coupon on as it is.',
      citations: [{ step: 2, quote: 'const off = discountFor(basket.coupon, total);' }],
      places: [{ file: 'src/checkout.js', line: 30 }],
    };
    const sure = async (...rootCause: object[]) => (await conclude({ rootCause })).analysis.confidence ?? 1;
    const all = await sure(CLAIM, right);
    expect(
      await sure(CLAIM, { ...right, citations: [...right.citations, { step: 1, quote: 'nowhere.at(all)' }] }),
    ).toBeLessThan(all);
    expect(await sure(CLAIM, { ...right, citations: [{ step: 1, quote: 'nowhere.at(all)' }] })).toBeLessThan(0.78);
    // The edited file is named by the claim that fell: nothing backs the change.
    expect(await sure({ ...INVENTED, text: 'It is here' }, right)).toBeLessThan(0.5);
  });

  it('takes no reference to a step from the text of the model', async () => {
    const { rootCause } = await conclude({ rootCause: [CLAIM, { text: 'It is so [step 2], truly [Steps 1, 2]' }] });
    expect(rootCause.match(/\[step/gi)).toHaveLength(1);
  });
});

describe('an edit that has nothing to do with the proof', () => {
  const other = { kind: 'added', path: 'src/notes.js', mode: '100644', after: 'export const note = 1;\n' } as const;

  it('is not trusted for parsing: it opens no automatic pull request', async () => {
    const { analysis } = await conclude({}, {}, [other]);
    expect(analysis.outcome).toBe('code_fix');
    expect(analysis.confidence).toBeLessThan(0.78);
    expect((await conclude({}, {}, [FIXED, other])).analysis.confidence).toBe(0.95);
  });
});

describe('a proven cause without a fix', () => {
  const comment = 'a\n  // canaryedit\n  const { percent, minimum } = COUPONS.get(code);\n';
  const blanks = 'a\n\n    const {percent, minimum} = COUPONS.get(code);\n';

  it.each<readonly [string, readonly FileChange[]]>([
    ['no edit', []],
    ['an edited comment', [{ ...FIXED, after: comment } as typeof FIXED]],
    ['edited white space', [{ ...FIXED, after: blanks } as typeof FIXED]],
  ])('keeps its cause with what to do, and claims no fix: %s', async (_, files) => {
    const modelRule = { path: 'CONTRIBUTING.md', text: 'Say which model wrote it.' };
    const { rootCause, solutionSteps, changeSet, analysis } = await conclude({}, { modelRule }, files);
    expect(rootCause).toMatch(/^An unknown code makes the lookup give undefined.*\[step 1\]\.$/);
    expect(solutionSteps).toEqual([{ stepNumber: 1, description: 'Treat an unknown coupon as none.' }]);
    expect(changeSet.files).toEqual([]);
    expect(analysis).toMatchObject({ outcome: 'action_recommended', confidence: 0.3, guards: [] });
    expect(analysis.reason).toBe('The model changed no code, so there is a cause but no fix.');
    expect(analysis.suspects[0]).toMatchObject({ file: 'src/coupons.js', line: 14 });
  });

  it('is refused where no quotation from the repository holds', async () => {
    const { analysis } = await conclude({ rootCause: [INVENTED] }, {}, []);
    expect(analysis).toMatchObject({ outcome: 'inconclusive', confidence: null });
  });
});

describe('an answer that the review refuses', () => {
  /** Each field of the answer has a word that nothing else has. */
  const WORDS = {
    problem: 'canaryproblem',
    stepsToReproduce: ['canaryreproduction'],
    solutionSteps: ['canarysolution'],
    questions: ['canaryquestion'],
    suspects: [{ file: 'src/checkout.js', line: 3, function: 'canaryfunction', why: 'canarywhy' }],
    ruledOut: ['canaryruledout'],
  };
  const claim = (over: object) => ({ ...CLAIM, text: 'canaryclaim', ...over });
  const false_ = claim({ citations: [{ step: 1, quote: 'canaryquote.phase(full)' }] });
  const edit: typeof FIXED = {
    ...FIXED,
    after: 'a\n  const canaryedit = COUPONS.get(code) ?? NO_COUPON;\n',
  } as typeof FIXED;
  const reported = claim({ citations: [{ step: 7, quote: 'the coupon canaryreport is refused' }] });
  const unrelated: FailedCheckGround = {
    ...{ tests: ['a basket is worth what is in it'], lines: [], errors: [] },
    textsOf: async () => ({ now: null, before: null }),
    reach: async () => 'none',
  };

  it.each<[string, object, Partial<FinishedRun>, readonly FileChange[], string]>([
    [
      'code_fix whose quotations are invented',
      { rootCause: [false_] },
      {},
      [edit],
      'quotes nothing that shows the cause',
    ],
    ['code_fix that quotes only the report', { rootCause: [reported] }, {}, [edit], 'quotes only the report'],
    [
      'already_fixed by an unknown commit',
      { outcome: 'already_fixed', fixedBy: ['deadbeef'], rootCause: [claim({})] },
      {},
      [edit],
      'names no commit',
    ],
    [
      'already_fixed without a quotation',
      { outcome: 'already_fixed', fixedBy: ['b1946ac924'], rootCause: [false_] },
      {},
      [edit],
      'quotes nothing from the repository',
    ],
    ['not_a_bug without a quotation', { outcome: 'not_a_bug', rootCause: [false_] }, {}, [edit], 'quotes nothing'],
    [
      'advice without a quotation',
      { outcome: 'action_recommended', rootCause: [false_] },
      {},
      [edit],
      'quotes nothing',
    ],
    [
      'a cause of something else than the failed check',
      { rootCause: [claim({})] },
      { failedCheck: unrelated },
      [edit],
      "wasn't about this failure",
    ],
    [
      'a cause that was cut short',
      { rootCause: [false_] },
      { partial: true, reason: { code: 'model_misbehaved' } },
      [edit],
      'gave no usable answer',
    ],
  ])('is gone: %s', async (_, draft, over, files, why) => {
    const steps = [
      ...STEPS.map((step) => (step.kind === 'edit' ? { ...step, result: 'placed: canaryedit' } : step)),
      {
        number: 7,
        source: 'report',
        action: 'read the report',
        result: 'the coupon canaryreport is refused',
        analysis: '',
        remark: REMARK,
      },
    ] as const;
    const found = await concludeRun(await sampleRun({ ...WORDS, ...draft }, { steps, ...over }, files));
    expect(JSON.stringify({ ...found, investigationSteps: [] })).not.toContain('canary');
    expect(JSON.stringify(found)).not.toMatch(/canaryedit|canaryremark/);
    expect(found).toMatchObject({
      problem: FACTS.problem,
      stepsToReproduce: FACTS.stepsToReproduce,
      solutionSteps: FACTS.solutionSteps,
      changeSet: { files: [] },
      analysis: { outcome: 'inconclusive', confidence: null, suspects: FACTS.analysis.suspects, guards: [] },
    });
    expect(found.rootCause).toMatch(/^I don't know the cause\. Closest match: `src\/coupons\.js:14`/);
    expect(found.analysis.questions).toEqual(FACTS.analysis.questions);
    expect(found.analysis.reason).toContain(why);
    // Once, wherever the two are shown together.
    expect(found.rootCause).not.toContain(why);
  });

  it.each<[string, CutReason, string]>([
    [
      'that nothing was left to correct it with',
      { code: 'model_script_ended' },
      'A script plays the language model here, and it has no answer for this.',
    ],
    [
      'what is wrong with it, where the model was only asked to be quick',
      { code: 'run_budget', unit: 'turns', limit: 30, phase: 'concluding' },
      "The model's answer was discarded: it quotes nothing that shows the cause.",
    ],
  ])('gives one reason: %s', async (_, reason, said) => {
    const { analysis } = await concludeRun(await sampleRun({ rootCause: [false_] }, { partial: true, reason }, []));
    expect(analysis.reason).toBe(said);
  });

  it('leaves the lookups, without what the model said of them, up to its first edit', async () => {
    const steps = STEPS.map((step) => ({ ...step, remark: REMARK }));
    const { investigationSteps } = await concludeRun(await sampleRun({ rootCause: [false_] }, { steps }, [edit]));
    expect(investigationSteps).toEqual(
      STEPS.slice(0, 4).map(({ action, result, analysis }) => ({ action, result, analysis })),
    );
  });
});

describe('other results', () => {
  it('already_fixed names the commit and changes nothing', async () => {
    const { analysis, changeSet } = await conclude({ outcome: 'already_fixed', fixedBy: ['b1946ac924'] });
    expect(analysis).toMatchObject({ outcome: 'already_fixed', reason: 'Fixed by b1946ac924.' });
    expect(changeSet.files).toEqual([]);
  });

  it('needs_information brings its questions, inconclusive what was ruled out', async () => {
    const asked = await conclude({ outcome: 'needs_information', rootCause: [], questions: ['Which version?'] });
    expect(asked.analysis).toMatchObject({
      outcome: 'needs_information',
      questions: ['Which version?'],
      confidence: null,
    });
    const none = await conclude({ outcome: 'inconclusive', rootCause: [], ruledOut: ['The cache.', 'The clock'] });
    expect(none.analysis.reason).toContain('Ruled out, as the model says: The cache; The clock.');
  });
});

describe('a change that may not be made', () => {
  it('becomes a proposal in words; what is left out is not in the diff', async () => {
    const workflow = {
      kind: 'added',
      path: '.github/workflows/x.yml',
      mode: '100644',
      after: 'on: push\n```\n@everyone\n',
    } as const;
    const { analysis, changeSet, solutionSteps } = await conclude({}, {}, [FIXED, workflow]);
    expect(analysis).toMatchObject({
      outcome: 'action_recommended',
      guards: [{ rule: 'never/repository-settings', file: workflow.path }],
    });
    expect(analysis.reason).toContain('only proposed');
    expect(toDiff(changeSet).files.map(({ fileName }) => fileName)).toEqual(['src/coupons.js']);
    expect(solutionSteps.at(-1)).toEqual({
      stepNumber: 2,
      description: expect.stringContaining('was to create it:\n    +on: push\n    +```\n    +@everyone'),
    });
  });

  it('shows no content of a file of secrets', async () => {
    const secret = { kind: 'added', path: '.env', mode: '100644', after: 'KEY=hunter2\n' } as const;
    expect(JSON.stringify(await conclude({}, {}, [secret]))).not.toContain('hunter2');
  });
});

describe('a run that ended without a conclusion', () => {
  it('is honest: inconclusive, partial, where the facts point, no edits', async () => {
    const { rootCause, changeSet, solutionSteps, analysis } = await conclude(null, {
      reason: { code: 'run_budget', unit: 'turns', limit: 30, phase: 'over' },
    });
    expect(rootCause).toBe(
      "I don't know the cause: the investigation ended before a conclusion. Closest match: `src/coupons.js:14`, in `discountFor` (top frame of the trace in this repository).",
    );
    expect(changeSet.files).toEqual([]);
    expect(solutionSteps).toEqual(FACTS.solutionSteps);
    expect(analysis).toMatchObject({
      outcome: 'inconclusive',
      partial: true,
      confidence: null,
      model: 'scripted',
      suspects: FACTS.analysis.suspects,
    });
    expect(analysis.reason).toMatch(
      /^The investigation used up its budget of 30 turns\. 6 steps .* Unfinished edits are left out/,
    );
  });
});

describe('confidence', () => {
  const PROVEN: ConfidenceInputs = {
    outcome: 'code_fix',
    claims: { proven: 3, assumed: 0, dropped: 0 },
    quotations: { given: 3, false: 0 },
    place: 'read',
    backed: true,
    inSource: 3,
    reproduced: true,
    guards: 'clean',
    partial: false,
    downgraded: false,
  };

  it('reaches the level of automatic pull requests only when all is proven', () => {
    expect(computeConfidence(PROVEN)).toBe(0.87);
    expect(computeConfidence({ ...PROVEN, place: 'frame' })).toBe(0.95);
    expect(computeConfidence({ ...PROVEN, reproduced: false })).toBe(0.77);
    expect(computeConfidence({ ...PROVEN, claims: { proven: 2, assumed: 1, dropped: 0 } })).toBe(0.74);
  });

  it.each<[string, Partial<ConfidenceInputs>]>([
    ['an assumption', { claims: { proven: 2, assumed: 1, dropped: 0 } }],
    ['a dropped claim', { claims: { proven: 2, assumed: 0, dropped: 1 } }],
    ['a false quotation', { quotations: { given: 3, false: 1 } }],
    ['a place that only exists', { place: 'exists' }],
    ['edits that do not parse', { backed: false }],
    ['no reproduction', { reproduced: false }],
    ['a guard', { guards: 'needs_person' }],
    ['a budget that ended the run', { partial: true }],
    ['a downgrade', { downgraded: true }],
  ])('falls by %s', (_, spoilt) => {
    expect(computeConfidence({ ...PROVEN, ...spoilt })).toBeLessThan(computeConfidence(PROVEN)!);
  });

  it('rests on what was proven where no edit can back a result', () => {
    const intended: ConfidenceInputs = { ...PROVEN, outcome: 'not_a_bug', backed: false, inSource: 1 };
    expect(computeConfidence(intended)).toBe(0.58);
    expect(computeConfidence({ ...intended, inSource: 2 })).toBe(0.63);
    expect(computeConfidence({ ...intended, inSource: 9 })).toBe(0.73);
    expect(computeConfidence({ ...intended, outcome: 'code_fix', inSource: 9 })).toBe(0.58);
  });

  it('is no number where no cause is proven', () => {
    expect(computeConfidence({ ...PROVEN, outcome: 'inconclusive' })).toBeNull();
    expect(computeConfidence({ ...PROVEN, claims: { proven: 0, assumed: 3, dropped: 0 } })).toBeNull();
  });

  it('without edits or a commit behind it stays below two thirds', () => {
    expect(computeConfidence({ ...PROVEN, backed: false, place: 'frame' })).toBe(0.66);
  });
});
