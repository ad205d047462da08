// Conditions are decided as far as they can be before a run starts.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions of GitHub
import { describe, expect, it } from 'vitest';
import { judgeCondition } from '../../../src/github/workflows/condition.ts';
import { describeContexts } from '../../../src/github/workflows/start-contexts.ts';

const PLACE = {
  branch: 'causeway/prove/7',
  base: 'main',
  defaultBranch: 'main',
  repository: 'octo/shop',
  actor: 'causeway[bot]',
  title: 'Proof for #7 (do not merge)',
  body: 'Only the tests of #7.',
};

function judge(condition: string, event = 'pull_request', act: 'open' | 'push' | 'lock' | 'close' | 'follow' = 'open') {
  return judgeCondition(condition, describeContexts(PLACE, { act, event, followed: { event: 'push', name: 'CI' } }));
}

const may = (...given: Parameters<typeof judge>) => judge(...given).may;

describe('a condition', () => {
  it.each([
    ['false', 'no'],
    ['${{ false }}', 'no'],
    ['always()', 'yes'],
    ['success()', 'perhaps'],
    ['!cancelled()', 'perhaps'],
    ["github.event_name == 'push'", 'no'],
    ["github.event_name != 'push' && false", 'no'],
    ["vars.X == 'y'", 'perhaps'],
    ["vars.X == 'y' && github.event_name == 'push'", 'no'],
    ["vars.X == 'y' || github.event_name == 'pull_request'", 'yes'],
    ["!(github.event_name == 'push' || github.repository != 'octo/shop')", 'yes'],
    ["github.actor == 'dependabot[bot]'", 'no'],
    ["endsWith(github.actor, '[bot]')", 'yes'],
    ["contains(github.actor, '[BOT]')", 'yes'],
    ["github.event.pull_request.user.login != 'renovate[bot]'", 'yes'],
    ['github.event.pull_request.head.repo.full_name == github.repository', 'yes'],
    ['github.event.pull_request.draft == false', 'no'],
    ['!github.event.pull_request.draft', 'no'],
    ['github.event.pull_request.merged == true', 'no'],
    ["contains(github.event.pull_request.labels.*.name, 'ci')", 'no'],
    ['contains(fromJSON(\'["push", "schedule"]\'), github.event_name)', 'no'],
    ["startsWith(github.ref, 'refs/tags/')", 'no'],
    ["contains(toJSON(github.event.commits.*.message), '[skip ci]')", 'no'],
    ["toJSON(github.event) == ''", 'perhaps'],
    ["startsWith(github.event.pull_request.title, 'proof for')", 'yes'],
    ["contains(github.event.pull_request.body, 'automated')", 'no'],
    ["github.ref == 'refs/heads/main'", 'no'],
    ["github.head_ref == 'causeway/prove/7'", 'yes'],
    ["github['head_ref'] == 'x'", 'no'],
    ["github.event.inputs.deploy == 'true'", 'no'],
    ["github.event.workflow_run.conclusion == 'success'", 'no'],
    ['github.event.pull_request.commits > 3', 'perhaps'],
    ["needs.changes.outputs.src == 'true'", 'perhaps'],
    ["(github.head_ref || github.ref_name) == 'main'", 'no'],
    ["github.event_name == 'push' && 'a' || 'b'", 'yes'],
    ["inputs.x == 'a'", 'no'],
    ['1 < 2', 'yes'],
    ["'' == null", 'yes'],
    ["'it''s' == 'IT''S'", 'yes'],
  ])('%s is %s', (condition, expected) => {
    expect(may(condition)).toBe(expected);
  });

  it.each([
    ['${{ false }} && true'],
    ['github.event_name == "push"'],
    ['a b'],
    ['(a'],
    ['a.'],
    ['contains('],
    ['&& a'],
    ['a == '],
    ['x'.repeat(2_001)],
    [''],
  ])('%s, which is no expression that we read, is perhaps true', (condition) => {
    expect(judge(condition)).toMatchObject({ may: 'perhaps', names: ['?'] });
  });

  it('is asked where another job was skipped if it names a status', () => {
    expect(judge('always() && true').isOfAnyStatus).toBe(true);
    expect(judge('true').isOfAnyStatus).toBe(false);
  });

  it('knows the moment: a closed draft, the push of a branch, a run that follows', () => {
    expect(may("github.event.action == 'closed'", 'pull_request', 'close')).toBe('yes');
    expect(may("github.event.action == 'locked'", 'pull_request', 'lock')).toBe('yes');
    expect(may("contains(github.event.pull_request.labels.*.name, 'ci')", 'pull_request', 'close')).toBe('perhaps');
    expect(may("github.ref_name == 'causeway/prove/7'", 'push', 'push')).toBe('yes');
    expect(may('github.event.deleted', 'push', 'push')).toBe('no');
    expect(may("github.event.workflow_run.head_branch == 'main'", 'workflow_run', 'follow')).toBe('no');
    expect(may("github.event.workflow_run.event == 'push'", 'workflow_run', 'follow')).toBe('yes');
    expect(may("github.event.workflow_run.conclusion == 'success'", 'workflow_run', 'follow')).toBe('perhaps');
    expect(may("github.event.check_suite.head_branch == 'main'", 'check_suite', 'follow')).toBe('no');
    expect(may('github.event.deployment_status.state', 'deployment_status', 'follow')).toBe('perhaps');
  });

  it('names its contexts as far as they are written out', () => {
    const condition =
      "github.event.pull_request.labels[0].name == 'x' || contains(toJSON(github), needs[inputs.job].result)";
    expect(judge(condition).names).toEqual([
      ...['github.event.pull_request.labels.0.name', 'github', 'needs', 'inputs.job'],
    ]);
  });
});
