// A proof of somebody else's pull request as people and programs read it: in a sentence, as commands, as the API shows it, and as a certificate.
import { quoteLiteral } from '../command-words.ts';
import { formatCounted } from '../counted.ts';
import {
  type ForeignAct,
  type ForeignProof,
  type ForeignResult,
  type ForeignState,
  findForeignState,
  type ProveRefusal,
} from './foreign.ts';
import type { ProvenCheck } from './proof.ts';
import { describeProofVerdict } from './proof-view.ts';

const NAMES_SHOWN = 3;

/** In one sentence without a full stop, in which names and errors come from logs: untrusted. */
export function describeForeignResult(result: ForeignResult): string {
  if (result.kind === 'refused') return `Not run: ${describeProveRefusal(result.because)}`;
  const { verdict, tests, quiet, firstError } = result;
  const all = tests.length;
  if (verdict.state === 'proven') {
    const error = firstError === '' ? '' : ` (“${firstError}”)`;
    if (all === 1) return `The test added here fails without the change${error} and passes with it`;
    return `The ${all} tests added here fail without the change${error} and pass with it`;
  }
  if (verdict.state !== 'not_reproduced') return `Not proven: ${describeProofVerdict(verdict)}`;
  const named = quiet.slice(0, NAMES_SHOWN).map((name) => `“${name}”`);
  const more = quiet.length > NAMES_SHOWN ? ` and ${quiet.length - NAMES_SHOWN} more` : '';
  if (quiet.length >= all) {
    return `${all === 1 ? 'The test added here does' : `The ${all} tests added here do`} not fail without the change: ${named.join(', ')}${more}`;
  }
  return `${quiet.length} of ${all} added tests ${quiet.length === 1 ? 'does' : 'do'} not fail without the change: ${named.join(', ')}${more} ${quiet.length === 1 ? 'proves' : 'prove'} nothing`;
}

/** Completes "Not run:". Without a full stop. */
function describeProveRefusal(because: ProveRefusal): string {
  switch (because.code) {
    case 'moved':
      return `there is a newer commit (${because.head.slice(0, 12)}) than the one that it was asked for; comment \`/analyse prove\` again`;
    case 'guarded':
      return 'the pull request changes what decides which tests run, or what CI does';
    case 'starts':
      return 'a branch or draft of ours would start more than the checks that have run here';
    case 'besides':
      return `${listActs(because.acts)} on a draft of ours and did not on this pull request`;
    case 'day_limit':
      return `this repository has had its ${formatCounted(because.limit, 'run')} of CI for proofs in 24 hours; ask again later`;
    default:
      return REFUSALS[because.code];
  }
}

/** Names come from GitHub: untrusted. */
function listActs(acts: readonly ForeignAct[]): string {
  const shown = acts.slice(0, NAMES_SHOWN).map((act) => (act.kind === 'app' ? `“${act.slug}”` : `“${act.path}”`));
  const more = acts.length > NAMES_SHOWN ? ` and ${acts.length - NAMES_SHOWN} more` : '';
  const verb = acts.every(({ kind }) => kind === 'run') ? 'started' : 'acted';
  return `${shown.join(', ')}${more} ${verb}`;
}

type ToldRefusal = 'moved' | 'guarded' | 'starts' | 'besides' | 'day_limit';

const REFUSALS: Readonly<Record<Exclude<ProveRefusal['code'], ToldRefusal>, string>> = {
  fork: "its branch is in a fork, whose code would run with this repository's rights",
  dependabot: "Dependabot's runs have fewer rights than ours",
  closed: 'the pull request is closed',
  own: 'it is a pull request of Causeway, which proves it by itself',
  no_write: 'the person who asked has no write access (any more)',
  no_tests: 'the pull request has no tests beside its change, or none that can be told apart by name',
  no_ci: 'no check runs for this pull request',
  no_drafts: 'GitHub offers no draft pull requests here',
  not_permitted: 'GitHub refused what it takes, such as the branch or the draft',
  branch_taken: 'its branch name is taken by others',
  too_large: 'it changes 300 files or more, which GitHub does not compare',
  reads_run: 'its tests read for which branch, event or person CI runs, so they could fail on our draft alone',
  mode: 'this repository is not in mode `fix`, so nothing is pushed',
  cancelled: 'its branch or draft was changed by others while the tests ran',
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

/** What anybody can check against GitHub: it is read from our check run alone. */
export interface ForeignCertificate {
  readonly kind: 'foreign';
  readonly repository: string;
  /** Its address. */
  readonly pullRequest: string;
  readonly state: 'proven';
  readonly head: string;
  readonly base: string;
  readonly testCommit: string;
  readonly redBase: string;
  readonly greenBase: string;
  readonly author: string;
  readonly checks: readonly ProvenCheck[];
  readonly turned: readonly string[];
  readonly diffHash: string;
}

/** Null where it isn't proven. */
export function toCertificate(
  { progress, head }: Pick<ForeignProof, 'progress' | 'head'>,
  repository: string,
): ForeignCertificate | null {
  if (progress.phase !== 'ended' || progress.result.kind !== 'judged') return null;
  const { plan, posted, result } = progress;
  if (plan === null || posted === null || result.verdict.state !== 'proven') return null;
  const { checks, turned, state } = result.verdict;
  return {
    kind: 'foreign',
    repository,
    pullRequest: plan.url,
    ...{ state, head, base: plan.base, testCommit: posted.testCommit },
    ...{ redBase: result.redBase, greenBase: result.greenBase, author: plan.author?.login ?? '' },
    ...{ checks, turned, diffHash: result.diffHash },
  };
}

/** As the API shows it. */
export interface ForeignProofView {
  readonly id: string;
  readonly projectId: string;
  readonly pullRequest: number;
  readonly head: string;
  readonly state: ForeignState;
  /** What it came to, or why it was not run, in a sentence; "" while it runs. */
  readonly result: string;
  /** Titles of the tests that the pull request adds, or changes where it adds none. */
  readonly tests: readonly string[];
  /** Those of them that did not fail without its change: they prove nothing. */
  readonly quiet: readonly string[];
  /** Of the tests alone; "" for none. */
  readonly firstError: string;
  readonly checks: readonly ProvenCheck[];
  readonly turned: readonly string[];
  /** What both halves ran on besides; "" where it is not known. */
  readonly redBase: string;
  readonly greenBase: string;
  /** The commit with the tests alone, and the draft that ran it; "" and null where nothing was pushed. */
  readonly testCommit: string;
  readonly draft: number | null;
  /** Lines for a shell in a clone, with which people see both halves themselves. */
  readonly commands: readonly string[];
  readonly certificate: ForeignCertificate | null;
  readonly createdAt: string;
}

export function toForeignView(proof: ForeignProof, repository: string): ForeignProofView {
  const { id, projectId, pullRequest, head, progress, createdAt } = proof;
  const result = progress.phase === 'ended' ? progress.result : null;
  const judged = result?.kind === 'judged' ? result : null;
  const proven = judged?.verdict.state === 'proven' ? judged.verdict : null;
  const posted = 'posted' in progress ? progress.posted : null;
  return {
    ...{ id, projectId, pullRequest, head, createdAt },
    state: findForeignState(proof),
    result: result === null ? '' : describeForeignResult(result),
    tests: judged?.tests ?? [],
    quiet: judged?.quiet ?? [],
    firstError: judged?.firstError ?? '',
    checks: proven?.checks ?? [],
    turned: proven?.turned ?? [],
    redBase: judged?.redBase ?? '',
    greenBase: judged?.greenBase ?? '',
    testCommit: posted?.testCommit ?? '',
    draft: posted?.number ?? null,
    commands: proven === null ? listForeignCommands(proof) : [],
    certificate: toCertificate(proof, repository),
  };
}
