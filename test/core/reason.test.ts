// Every reason that an investigation can have, and what people are told of it.
import { ModelFailure } from 'causeway-models';
import { describe, expect, it } from 'vitest';
import { CausewayError, describeFailure } from '../../src/core/errors.ts';
import {
  createFailureReason,
  describeForOperator,
  describeForPeople,
  describeWaitReason,
  type EndReason,
  getAudience,
  type Refusal,
  type StopReason,
  type WaitCode,
} from '../../src/core/reason.ts';
import { expectForPeople } from '../support/for-people.ts';

const REFUSALS: readonly Refusal[] = [
  'other_failure',
  'cause_unquoted',
  'report_only',
  'no_fixing_commit',
  'fix_unquoted',
  'intent_unquoted',
];

/** One or more of each code: a code without one here does not compile. */
const SAMPLES: { readonly [Code in StopReason['code']]: readonly Omit<Extract<StopReason, { code: Code }>, 'code'>[] } =
  {
    revision_not_found: [{}, { revision: 'v9', defaultBranch: 'main' }],
    repository_empty: [{}],
    repository_unreachable: [{}],
    access_lost: [{}],
    project_forgotten: [{}],
    cancelled: [{}],
    stopped_by_command: [{}],
    replaced: [{}],
    subject_gone: [{}],
    internal: [{}],
    took_too_long: [{ seconds: 600 }],
    model_unavailable: [{}],
    model_rejected: [{}],
    model_refused: [{}],
    model_misbehaved: [{}],
    model_script_ended: [{}],
    model_overflow: [{}],
    no_conclusion: [{}],
    conclusion_faulty: [{}],
    no_tool_call: [{}],
    edits_lost: [{}],
    run_budget: (['turns', 'seconds', 'tokens', 'usd'] as const).flatMap((unit) =>
      (['concluding', 'over', 'unspent'] as const).map((phase) => ({ unit, limit: 30, phase })),
    ),
    month_budget: [
      { of: 'repository', usd: 25 },
      { of: 'all', usd: 200 },
    ],
    answer_refused: REFUSALS.map((why) => ({ why })),
    claims_dropped: [{ dropped: 1, given: 3 }],
    quotes_not_found: [{ missing: 1, given: 3 }],
  };

const ALL = Object.entries(SAMPLES).flatMap(([code, samples]) =>
  samples.map((data) => ({ code, ...data }) as unknown as StopReason),
);

const WAITS: Readonly<Record<WaitCode, string>> = {
  model_unavailable: 'the language model',
  repository_unreachable: 'the repository',
  disk_full: 'disk space',
};

describe('a reason', () => {
  it.each(ALL.map((reason) => [JSON.stringify(reason), reason] as const))(
    '%s tells people no matter of the operator',
    (_, reason) => {
      const text = describeForPeople(reason);
      expectForPeople(text);
      if (getAudience(reason) === 'operator') expect(text).toBe('');
      else expect(text).toMatch(/^[A-Z0-9].*\.$/);
      expect(describeForOperator(reason)).not.toBe('');
    },
  );

  it('of an error comes from its code and data, whatever its message says', () => {
    const words = 'GET http://127.0.0.1:4130/v1 failed: check OPENAI_BASE_URL and /srv/data';
    for (const code of ['repository_unreachable', 'internal', 'usage'] as const) {
      expectForPeople(describeFailure(new CausewayError(code, words)).detail);
    }
    expectForPeople(describeFailure(new ModelFailure('model_rejected', words)).detail);
    expectForPeople(describeFailure(new Error(words)).detail);
    const reason: EndReason = { code: 'revision_not_found', revision: 'v9' };
    expect(describeFailure(new CausewayError('revision_not_found', words, { reason }))).toEqual(
      createFailureReason(reason),
    );
  });

  it('to wait is named as people know it', () => {
    for (const [code, words] of Object.entries(WAITS)) expect(describeWaitReason(code as WaitCode)).toBe(words);
  });
});
