// Where the pull request of a result stands, as far as it can be said without asking GitHub. Pure.
import type { Issue } from '../../core/issue.ts';
import type { PostedPullRequest, Thread } from '../../core/thread.ts';
import type { FixStanding } from '../render/ground.ts';
import type { Result, View } from './deps.ts';
import { isAskedAgain, refusedFor } from './fix-request.ts';
import { placeNumber } from './place-of.ts';

/** From here on a fix of a red default branch is opened without being asked for. */
const SURE = 0.78;

export function fixStanding(view: View, { issue }: Result): FixStanding {
  const { record, published } = view;
  const posted = record.pullRequest;
  const isThis = posted?.issueId === issue.id && !isAskedAgain(view.thread, posted);
  if (posted !== null && (isThis || isStillThere(posted, published, issue))) return opened(posted);
  if (issue.analysis.outcome !== 'code_fix' || issue.diff.files.length === 0) return { kind: 'none' };
  const isAsked = isAskedFor(view, issue);
  if (!isAsked && !isOffered(view)) return { kind: 'none' };
  const reason = forbidden(view, issue);
  if (reason !== null) return { kind: 'withheld', reason };
  if (!isAsked) return { kind: 'on_request' };
  const refused = refusedFor(view.thread, record.withheld);
  if (refused !== null) return { kind: 'withheld', reason: refused };
  const shown = unseen(view.thread, issue);
  return shown === null ? { kind: 'opening' } : { kind: 'withheld', reason: shown };
}

/** The same change of an earlier analysis is open: it is the pull request of this one as well. */
function isStillThere(posted: PostedPullRequest, published: Issue | null, issue: Issue): boolean {
  return posted.state === 'open' && published !== null && changeOf(published) === changeOf(issue);
}

/** Equal where two Issues say the same about cause and repair. */
export function diagnosisOf(issue: Issue): string {
  return JSON.stringify([issue.analysis.outcome, issue.rootCause, issue.diff, issue.analysis.questions]);
}

function changeOf(issue: Issue): string {
  return JSON.stringify(issue.diff);
}

function opened(posted: PostedPullRequest): FixStanding {
  const { number, url, state, checks, attempts, handedOver } = posted;
  if (number === 0) return { kind: 'observed' };
  const isTrying = state === 'open' && attempts.at(-1)?.outcome === null;
  const pushed = attempts.filter(({ outcome }) => outcome !== null).length;
  return { kind: 'opened', number, url, state, checks, attempts: pushed, isTrying, isHandedOver: handedOver !== null };
}

/** Who has not asked for a pull request is told of one only where they would get it: nothing is pushed to forks. */
function isOffered({ opens, thread, pull }: View): boolean {
  const { kind } = thread.subject;
  return opens && (kind === 'issue' || kind === 'failure' || (kind === 'pull_request' && pull?.isFork === false));
}

/**
 * Whether somebody stands behind a pull request of this very analysis. One that red checks began answers no wish of before; and what was
 * pushed to a red default branch is only mended unseen where the fix is sure.
 */
function isAskedFor({ thread, investigation }: View, issue: Issue): boolean {
  const { fixRequest, trigger, subject } = thread;
  if (fixRequest === null || trigger.kind !== 'checks') return fixRequest !== null;
  // GitHub's times are whole seconds.
  if (Date.parse(fixRequest.at) + 1_000 <= Date.parse(investigation.createdAt)) return false;
  return subject.kind !== 'failure' || isAskedAfterSeeing(thread, issue) || isSure(issue);
}

function isSure({ analysis }: Issue): boolean {
  const { outcome, partial, verdict, confidence, guards } = analysis;
  const isProven = outcome === 'code_fix' && !partial && verdict === 'code';
  return isProven && (confidence ?? 0) >= SURE && guards.length === 0;
}

function forbidden({ opens, lacks }: View, issue: Issue): string | null {
  const never = issue.analysis.guards.find(({ rule }) => rule.startsWith('never/'));
  if (never !== undefined) {
    return `${guardWords(never)}.`;
  }
  if (opens) return null;
  if (lacks.length === 0) return 'pull requests are switched off here (mode `comment`).';
  const wanted = lacks.map((name) => `\`${name}: write\``).join(' and ');
  return `Causeway was not granted ${wanted} here. Whoever administers the App's installation can grant that in its settings on GitHub.`;
}

/** What a person with write must have seen before they ask; null where nothing is left to be seen, or they have. */
function unseen(thread: Thread, issue: Issue): string | null {
  const guards = issue.analysis.guards.filter(({ rule }) => rule.startsWith('person/'));
  if (guards.length === 0 || isAskedAfterSeeing(thread, issue)) return null;
  const what = guards.slice(0, 3).map(guardWords);
  const how = placeNumber(thread.subject) === null ? ' once more' : ' with `/analyse fix`';
  return `${what.join('; ')}. Read the change first; someone with write access can then ask for it${how}.`;
}

function guardWords({ file, reason }: Issue['analysis']['guards'][number]): string {
  return file === '' ? reason : `\`${file.replaceAll('`', '')}\`: ${reason}`;
}

/** A request that came with the trigger was made before there was anything to see. */
export function isAskedAfterSeeing({ fixRequest }: Pick<Thread, 'fixRequest'>, issue: Issue): boolean {
  // GitHub dates a comment by whole seconds: within the same one it counts as before.
  return fixRequest !== null && Date.parse(fixRequest.at) > Date.parse(issue.createdAt);
}
