// A proof of somebody else's pull request as programs read it: as the API shows it, and as a certificate.
import { type ForeignProof, type ForeignState, findForeignState, nameProofBranch, type RedPlan } from './foreign.ts';
import { listProofInstructions } from './foreign-advice.ts';
import { describeForeignResult, listForeignCommands } from './foreign-text.ts';
import type { ProvenCheck } from './proof.ts';

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
  /** In which file each of them is. */
  readonly places: RedPlan['titled'];
  /** Those of them that did not fail without its change: they prove nothing. */
  readonly quiet: readonly string[];
  /** Of the tests alone; "" for none. */
  readonly firstError: string;
  readonly checks: readonly ProvenCheck[];
  readonly turned: readonly string[];
  /** What both halves ran on besides; "" where it is not known. */
  readonly redBase: string;
  readonly greenBase: string;
  /** Our branch with the tests alone, while there is one. */
  readonly branch: string;
  /** The commit with the tests alone, and the draft that ran it; "" and null where nothing was pushed. */
  readonly testCommit: string;
  readonly draft: number | null;
  /** Lines for a shell in a clone, with which people see both halves themselves. */
  readonly commands: readonly string[];
  /** What to do about the tests, what is expected, and what not to do, without a word from outside. Empty where nothing is to be done about them. */
  readonly instructions: readonly string[];
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
    result: result === null ? '' : describeForeignResult(proof),
    tests: judged?.tests ?? [],
    places: (judged !== null && 'plan' in progress ? progress.plan?.titled : undefined) ?? [],
    quiet: judged?.quiet ?? [],
    firstError: judged?.firstError ?? '',
    checks: proven?.checks ?? [],
    turned: proven?.turned ?? [],
    redBase: judged?.redBase ?? '',
    greenBase: judged?.greenBase ?? '',
    branch: nameProofBranch(proof),
    testCommit: posted?.testCommit ?? '',
    draft: posted?.number ?? null,
    commands: proven === null ? listForeignCommands(proof) : [],
    instructions: result === null ? [] : listProofInstructions(result),
    certificate: toCertificate(proof, repository),
  };
}
