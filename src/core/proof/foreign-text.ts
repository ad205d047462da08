// A proof of somebody else's pull request in words: what will be done for it, what it came to, and how people see it themselves.
import { quoteLiteral } from '../command-words.ts';
import { formatOrdinal } from '../counted.ts';
import {
  type ForeignAct,
  type ForeignProof,
  MOST_NEEDED,
  type NeededList,
  nameProofBranch,
  nameProofDraft,
  type ProveRefusal,
  type RefusedCall,
} from './foreign.ts';
import type { OtherFailure, ProofVerdict } from './proof.ts';
import { describeProofVerdict } from './proof-view.ts';
import { describeFullDay, type RunOfDay } from './run-of-day.ts';

const NAMES_SHOWN = 3;
const MAX_NAME = 200;

interface ProofPlan extends Pick<ForeignProof, 'pullRequest'> {
  /** Absent: it isn't known. */
  readonly run?: RunOfDay | undefined;
  /** Whether the checks of the commit have passed. */
  readonly isReady?: boolean;
}

/** What will be pushed, and what it costs: said before anything is. */
export function describeProofPlan({ pullRequest, run, isReady = false }: ProofPlan): string {
  const which =
    run === undefined ? '' : `, the ${formatOrdinal(run.number)} of the ${run.limit} that are allowed here in 24 hours`;
  const branch = `\`${nameProofBranch({ pullRequest })}\``;
  const draft = `\`${nameProofDraft({ pullRequest })}\``;
  const when = isReady ? 'The tests of this commit' : 'Once the checks of this commit pass, its tests';
  return `${when} run without its change: pushed as ${branch}, with a draft ${draft} onto the same base, without reviewers. Both go when the checks there have ended. This costs one run of CI${which}.`;
}

/** In one sentence without a full stop, in which names and errors come from logs: untrusted. "" while it runs. */
export function describeForeignResult({ progress }: Pick<ForeignProof, 'progress'>): string {
  if (progress.phase !== 'ended') return '';
  const { result } = progress;
  if (result.kind === 'refused')
    return `${progress.posted === null ? 'Not run' : 'Given up'}: ${describeProveRefusal(result.because)}`;
  const { verdict, tests, quiet, firstError } = result;
  const all = tests.length;
  const touched = progress.plan?.adds === false ? 'changed' : 'added';
  const [subject, does] = all === 1 ? [`The test ${touched} here`, 'does'] : [`The ${all} tests ${touched} here`, 'do'];
  if (verdict.state === 'proven') {
    const error = firstError === '' ? '' : ` (${quoteShort(firstError)})`;
    return all === 1
      ? `${subject} fails without the change${error} and passes with it`
      : `${subject} fail without the change${error} and pass with it`;
  }
  if (verdict.state !== 'not_reproduced') {
    const lead = verdict.state === 'not_run' ? 'Not verified' : 'Not proven';
    return `${lead}: ${describeForeignVerdict(verdict, all)}`;
  }
  const names = listShortly(quiet);
  if (quiet.length >= all) return `${subject} ${does} not fail without the change: ${names}`;
  return quiet.length === 1
    ? `1 of ${all} ${touched} tests does not fail without the change: ${names} proves nothing`
    : `${quiet.length} of ${all} ${touched} tests do not fail without the change: ${names} prove nothing`;
}

/** Completes "Not proven:". `count`: of its tests. */
function describeForeignVerdict(verdict: ProofVerdict, count: number): string {
  const tests = count === 1 ? 'the test' : 'the tests';
  switch (verdict.state) {
    case 'not_covered':
      return verdict.seen?.kind === 'statuses'
        ? `only commit statuses were seen (${listShortly(verdict.seen.checks)}), whose logs GitHub doesn't have, so no check was seen running ${tests}`
        : `no check was seen running ${tests} both without the change and with it`;
    case 'base_red':
      return `${listShortly(verdict.checks)} ${verdict.checks.length === 1 ? 'fails' : 'fail'} on the base as well`;
    case 'not_run':
      if (verdict.because === 'no_checks') return `no CI ran on the draft with ${tests} alone`;
      if (verdict.because === 'no_ci') return 'no check ran for this commit';
      return verdict.because === 'too_long' ? 'CI took longer than two hours' : describeProofVerdict(verdict);
    case 'fails_otherwise':
      return describeForeignFailure(verdict.because, count);
    default:
      return describeProofVerdict(verdict);
  }
}

function describeForeignFailure(because: OtherFailure, count: number): string {
  const tests = count === 1 ? 'the test' : 'the tests';
  switch (because.code) {
    case 'other_tests':
      return `without the change, tests fail besides those that are added or changed here by name: ${listShortly(because.tests)}`;
    case 'other_checks':
      return `without the change, other checks fail too: ${listShortly(because.checks)}`;
    case 'unnamed':
      return `without the change, ${listShortly(because.checks)} ${because.checks.length === 1 ? 'fails, but its log does' : 'fail, but their logs do'} not name ${tests}`;
    case 'flaky':
      return `${listShortly(because.checks)} both passed and failed at the same commit`;
    case 'still_red':
      return `checks of this commit itself fail: ${listShortly(because.checks)}`;
    case 'other_error':
      return `without the change, ${tests} ${count === 1 ? 'does' : 'do'} not get as far as an assertion: ${quoteShort(because.line)}`;
    case 'other_runs':
      return `without the change, ${listShortly(because.checks)} ${because.checks.length === 1 ? 'fails' : 'fail'} in a run that others started, not our branch or draft`;
    case 'hides_error':
      return `${tests} only ${count === 1 ? 'asserts' : 'assert'} that nothing is thrown, which a change that hides an error passes as well`;
    case 'snapshot':
      return 'without the change, a snapshot differs that is recorded with it: it says what the code gives, not what it should';
    case 'other_bases': {
      const name = (sha: string) => (sha === '' ? 'a commit that its log does not name' : sha.slice(0, 12));
      return `${tests} alone ran merged with ${name(because.red)}, the checks of this commit with ${name(because.green)}, so more than the change may differ`;
    }
    default:
      return describeProofVerdict({ state: 'fails_otherwise', because });
  }
}

function listShortly(names: readonly string[]): string {
  const more = names.length - NAMES_SHOWN;
  return `${names.slice(0, NAMES_SHOWN).map(quoteShort).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function quoteShort(text: string): string {
  return `“${text.length > MAX_NAME ? `${text.slice(0, MAX_NAME).toWellFormed()}…` : text}”`;
}

/** Completes "Not run:". Without a full stop. */
function describeProveRefusal(because: ProveRefusal): string {
  switch (because.code) {
    case 'moved':
      return `there is a newer commit (${because.head.slice(0, 7)}) than the one that it was asked for; comment \`/analyse prove\` again`;
    case 'besides':
      return `${listActs(because.acts)} on a draft of ours and did not on this pull request`;
    case 'day_limit':
      return describeFullDay(because);
    case 'not_permitted':
      return because.refused === undefined
        ? 'GitHub refused the branch, the draft or what they take, such as by a rule of the repository'
        : describeRefusedCall(because.refused);
    case 'rules_unread':
      return `it is not known which workflows rulesets require of pull requests here: ${describeRefusedCall(because.refused)}`;
    case 'too_many':
      return describeTooMany(because.list);
    default:
      return REFUSALS[because.code];
  }
}

/** Names come from GitHub: untrusted. */
function listActs(acts: readonly ForeignAct[]): string {
  const verb = acts.every(({ kind }) => kind === 'run') ? 'started' : 'acted';
  return `${listShortly(acts.map((act) => (act.kind === 'app' ? act.slug : act.path)))} ${verb}`;
}

/** Where a call is none of these, its route is named. */
const CALLS: Readonly<Record<string, string>> = {
  'POST /repos/{owner}/{repo}/git/trees': 'the commit with the tests alone',
  'POST /repos/{owner}/{repo}/git/commits': 'the commit with the tests alone',
  'POST /repos/{owner}/{repo}/git/refs': 'our branch',
  'POST /repos/{owner}/{repo}/pulls': 'our draft',
  'GET /repos/{owner}/{repo}/rules/branches/{branch}': 'the rules of the base branch',
};

/** What GitHub says is untrusted. */
function describeRefusedCall({ route, status, permission, said }: RefusedCall): string {
  const what = CALLS[route] ?? quoteShort(route);
  const lead = `GitHub refused ${what}${status === null ? '' : ` (${status})`}`;
  if (permission !== '')
    return `${lead}, which takes the permission ${quoteShort(permission)}: grant it to the App, and accept it at its installation`;
  if (said !== '') return `${lead}: ${quoteShort(said)}`;
  return status === 404
    ? `${lead}: it is gone, or the App has lost access to it`
    : `${lead}: a rule of the repository or of its organisation forbids it, or it is archived`;
}

function describeTooMany(list: NeededList): string {
  const { more, repair = '' } = TOO_MANY[list];
  const advice = repair === '' ? '' : `; ${repair}, and comment \`/analyse prove\` there`;
  return `${more} than the ${MOST_NEEDED} that are read, and one that is not read could speak against it${advice}`;
}

const TOO_MANY: Readonly<Record<NeededList, { readonly more: string; readonly repair?: string }>> = {
  rules: { more: 'the base branch has more rules' },
  head_runs: { more: 'this commit has more runs of GitHub Actions', repair: 'push a new one' },
  jobs: { more: 'a run of GitHub Actions has more jobs' },
  head_checks: { more: 'this commit has more checks', repair: 'push a new one' },
  base_checks: {
    more: 'the commit of the base that this branch left has more checks',
    repair: 'bring the branch up to date with its base',
  },
  red_checks: { more: 'the commit with the tests alone has more checks' },
  acts: { more: 'a draft of ours has more checks, runs or events' },
};

type PlainRefusal = Exclude<
  ProveRefusal['code'],
  'moved' | 'besides' | 'day_limit' | 'not_permitted' | 'rules_unread' | 'too_many'
>;

const REFUSALS: Readonly<Record<PlainRefusal, string>> = {
  guarded: 'the pull request changes what decides which tests run, or what CI does',
  starts: 'a branch or draft of ours would start more than the checks that have run here',
  fork: "its branch is in a fork, whose code would run with this repository's rights",
  dependabot: "Dependabot's runs have fewer rights than ours",
  closed: 'the pull request is closed',
  absent: 'there is no pull request of that number',
  retargeted: 'it was set to another base branch in the meantime; comment `/analyse prove` again',
  no_write: 'the person who asked has no write access (any more)',
  no_tests: 'the pull request adds or changes no tests',
  tests_alone: 'the pull request changes tests alone, so there is no change that they could fail without',
  unnamed_tests:
    'in the test files that the pull request changes, no test that it adds or changes is found by its name',
  no_drafts: 'GitHub offers no draft pull requests here',
  branch_taken: 'its branch name is taken by others',
  too_large: 'it changes 300 files or more, which GitHub does not compare',
  many_tests: 'it adds or changes more than 50 tests, which are more than a log is read for',
  reads_run: 'its tests read for which branch, event or person CI runs, so they could fail on our draft alone',
  mode: 'it takes a branch of ours, and this repository is not in mode `fix` (any more)',
  cancelled: 'its branch or draft was changed by others while the tests ran',
  failed: 'Causeway failed at it several times, which the log of its service explains; comment `/analyse prove` again',
};

/** How people see both halves themselves, whatever runs the tests: lines for a shell in a clone. Empty where nothing is known of its files. */
export function listForeignCommands({
  pullRequest,
  progress,
}: Pick<ForeignProof, 'pullRequest' | 'progress'>): readonly string[] {
  const plan = 'plan' in progress ? progress.plan : null;
  if (plan === null || plan.tests.length === 0) return [];
  return [
    `git fetch origin pull/${pullRequest}/head`,
    `git switch --detach ${plan.base.slice(0, 12)}`,
    `git checkout FETCH_HEAD -- ${plan.tests.map(quoteLiteral).join(' ')}   # the tests alone: they should fail`,
    'git switch --detach FETCH_HEAD   # and the change: they should pass',
  ];
}
