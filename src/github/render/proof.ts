// The proof of a fix as people read it in the pull request: what is under way, what is proven, and the certificate.
import { formatCodeSpan, sanitiseInline } from 'causeway-safe-markdown';
import {
  describeProofVerdict,
  type EndedProof,
  isWithoutCi,
  leadDoubt,
  listCommands,
  type ProofProgress,
  type ProofState,
  type ProvenCheck,
  toProof,
} from '../../core/proof/index.ts';
import type { ChecksState, PostedPullRequest } from '../../core/thread/index.ts';
import { isOfRepository, type PostPlace } from './comment.ts';
import { type Block, code, type Fold, formatList } from './page.ts';

/** `opening`: before the first commit. Null: there is nothing to prove the change with. */
export type ShownProof = ProofProgress | 'opening' | null;

const SHOWN = 20;
const SQUASH = 'Squash when you merge: the test comes first in the history, so its commit alone fails.';
/** Where the test is not known to fail. */
const SQUASH_TEST = 'Squash when you merge: the test is a commit of its own.';

/** What CI says of a pull request. */
export interface ShownCi {
  readonly proof: ShownProof;
  readonly checks: ChecksState;
  readonly state: PostedPullRequest['state'];
}

const CHECKS: Readonly<Record<ChecksState, string>> = {
  waiting: "CI hasn't finished on this commit.",
  green: 'CI passes on this commit.',
  red: 'CI is failing on this commit.',
  none: 'There is no CI result on this commit.',
  moved: 'Others have pushed since, so CI is no longer tracked here.',
};

/** The only thing that the body says of its checks: from their state and the proof together. */
export function describeCi({ proof, checks, state }: ShownCi, place: PostPlace): string {
  const isLeft = checks === 'waiting' && state !== 'open';
  const said = isLeft ? `CI hadn't finished when this was ${state}.` : CHECKS[checks];
  if (proof === null) return said;
  if (proof === 'opening' || proof.phase !== 'ended') return describeUnderWay(proof, checks);
  return [describeEnd(proof, place), addsToProof(proof, checks) ? said : ''].filter(Boolean).join(' ');
}

/** Where CI did not run, or the proof names the checks, another sentence would contradict or repeat it. */
function addsToProof({ verdict, fixCommit }: EndedProof, checks: ChecksState): boolean {
  if (checks === 'moved') return verdict.state !== 'not_run';
  if (fixCommit === null || checks === 'none' || verdict.state === 'not_run') return false;
  if (verdict.state === 'proven') return checks === 'red';
  return verdict.state !== 'fails_otherwise' || verdict.because.code !== 'still_red';
}

function describeUnderWay(proof: Exclude<ShownProof, EndedProof | null>, checks: ChecksState): string {
  if (proof === 'opening' || proof.phase === 'red' || proof.phase === 'judged') {
    return "**Proof under way:** this branch has only the new test so far, so that CI shows it failing. The fix follows as the next commit; please don't merge yet.";
  }
  if (proof.phase === 'second_try') {
    return "**Proof under way:** the new test passes without the fix, so it doesn't show the reported fault. A second try looks for one that does; please don't merge yet.";
  }
  const now = checks === 'red' ? 'With the fix, CI is failing.' : 'CI now runs with the fix.';
  const squash = hasTestCommit(proof) ? SQUASH : '';
  return `**Proof under way:** without the fix, ${listTests(proof.red.turned)} failed as expected. ${now} ${squash}`.trim();
}

function describeEnd(proof: EndedProof, place: PostPlace): string {
  const { verdict } = proof;
  if (verdict.state !== 'proven') {
    const tail = proof.fixCommit === null ? 'The fix was not pushed.' : hasTestCommit(proof) ? SQUASH_TEST : '';
    if (isWithoutCi(proof)) return `**Not verified:** ${describeProofVerdict(verdict)}.`;
    return `**${leadDoubt(verdict.state)}:** ${sanitiseInline(describeProofVerdict(verdict), 900)}. ${tail}`.trim();
  }
  const checks = verdict.checks.map((check) => describeProvenCheck(check, place));
  const turned = `${listTests(verdict.turned)} failed without the fix and passed with it.`;
  const commit = formatCodeSpan((proof.fixCommit ?? '').slice(0, 12));
  return [
    `**Proven in this repository's own CI at ${commit}:** ${turned}\n${formatList(checks, SHOWN)}`,
    `CI can't tell whether the test expects the right thing, so read it before you merge. ${hasTestCommit(proof) ? SQUASH : ''}`.trim(),
  ].join('\n\n');
}

/** A fix of failing checks has none: what failed is the commit that it is based on. */
function hasTestCommit({ base, testCommit }: ProofProgress): boolean {
  return testCommit !== '' && testCommit !== base;
}

function listTests(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => formatCodeSpan(name));
  return [...shown, ...(names.length > 3 ? [`${names.length - 3} more`] : [])].filter(Boolean).join(', ');
}

function describeProvenCheck({ name, red, green }: ProvenCheck, place: PostPlace): string {
  return `${formatCodeSpan(name)}: ${linkRun('failed', red.url, place)}, then ${linkRun('passed', green.url, place)}`;
}

/** Checks of others may lead anywhere. */
function linkRun(word: string, url: string, place: PostPlace): string {
  return isOfRepository(url, place) ? `[${word}](${url})` : word;
}

/** How people see both halves of the pull request of that number themselves, where CI does not show them. */
export function foldOwnRun(proof: ShownProof, number: number): Fold {
  const commands = proof === null || proof === 'opening' ? [] : listCommands(proof, number);
  return {
    summary: 'Run the test yourself',
    blocks: commands.length === 0 ? [] : [code(commands.join('\n'), 'sh')],
  };
}

/** What `causeway verify-proof` reads. `pullRequest`: the address of the one that it is in. */
export function foldCertificate(proof: ShownProof, place: PostPlace, pullRequest: string): Fold {
  const shown = proof === null || proof === 'opening' ? null : toProof(proof);
  const certificate = shown?.state === 'proven' ? { repository: place.repository, pullRequest, ...shown } : null;
  return {
    summary: 'Certificate, to be checked with <code>causeway verify-proof</code>',
    blocks: certificate === null ? [] : [codeCertificate(certificate)],
  };
}

/**
 * As it is read again, to the letter. Names of tests may have what a block of code can't, or what is changed in it: a grave accent, `fixes #12`,
 * `[skip ci]`, characters that nobody can see.
 */
export function codeCertificate(certificate: object): Block {
  const toNumber = (found: string) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  // Of strings, which end before their line does: a list opens at its end.
  const json = JSON.stringify(certificate, null, 2).replaceAll(/[^\n -~]|[`#<@]|\[(?!\]?,?$)/gm, toNumber);
  return code(json, 'json');
}

/** Whether merging would bring a fix that its own test doesn't contradict. */
export function mayClose(proof: ShownProof): boolean {
  if (proof === null || proof === 'opening') return proof === null;
  if (proof.phase !== 'ended') return proof.phase === 'green';
  return proof.fixCommit !== null && !isContradicted(proof);
}

/** Whether its own test, or CI after the last attempt, speaks against a fix. */
export function isContradicted(proof: ShownProof): boolean {
  const states: readonly ProofState[] = ['not_reproduced', 'fails_otherwise'];
  return proof !== null && proof !== 'opening' && proof.phase === 'ended' && states.includes(proof.verdict.state);
}

/** Whether CI still fails with the fix after the last attempt. */
export function isRefuted(proof: ShownProof): boolean {
  return proof !== null && proof !== 'opening' && toProof(proof)?.failing !== undefined;
}
