// Links findings to what tells of their cause, and begins an investigation where there is none and one may begin.

import type { CheckRules } from '../../core/check.ts';
import type { Failure } from '../../core/failure.ts';
import type { Finding, Head, HeadPlace } from '../../core/head.ts';
import { beginOne } from './begin-one.ts';
import { type Circumstances, circumstancesOf } from './circumstances.ts';
import type { Look } from './deps.ts';
import type { Remembered } from './remember-findings.ts';
import { ERASED, whyNotHere, whyNotNow } from './why-not-begun.ts';

interface Here {
  readonly place: HeadPlace;
  readonly rules: CheckRules;
  /** Names of checks that have not ended. */
  readonly stillWaiting: Head['stillWaiting'];
}

/** The findings as they are to be shown, those of the change under test first. Throws what `Checks` throws. */
export async function beginInvestigations(
  look: Look,
  here: Here,
  remembered: readonly Remembered[],
): Promise<readonly Finding[]> {
  const linked: Finding[] = [];
  const told: { readonly one: Remembered; readonly finding: Finding }[] = [];
  for (const one of inOrder(remembered)) told.push({ one, finding: await linkOf(look, here.place, one) });
  let begun = 0;
  let asked: Circumstances | null = null;
  for (const { one, finding } of told) {
    if (await isToldOf(look, one, finding)) {
      linked.push({ ...finding, notBegun: '' });
      continue;
    }
    asked ??= await circumstancesOf(
      look,
      here.place,
      told.map((each) => each.finding),
    );
    const why = whyNot(one, here, { ...asked, ofHead: asked.ofHead + begun, ofDay: asked.ofDay + begun });
    const isLead = !linked.some(({ isOwnThread }) => isOwnThread);
    const done = why === '' ? await beginOne(look, { ...here, ...one, isLead }) : ({ kind: 'full', why } as const);
    if (done.kind === 'full') {
      linked.push({ ...finding, threadId: finding.threadId ?? asked.askedIn, notBegun: done.why });
      continue;
    }
    linked.push({ ...(await linkOf(look, here.place, { ...one, failure: done.failure })), notBegun: '' });
    begun += 1;
  }
  return linked;
}

const ORDER: readonly Finding['verdict'][] = ['code', 'inconclusive', 'base_broken', 'flaky', 'infrastructure'];

/** Of one verdict the one with the most checks; then by name, so that the same is first each time. */
function inOrder(remembered: readonly Remembered[]): readonly Remembered[] {
  const name = ({ finding }: Remembered) => finding.checks[0]?.name ?? '';
  return remembered.toSorted(
    (a, b) =>
      ORDER.indexOf(a.finding.verdict) - ORDER.indexOf(b.finding.verdict) ||
      b.finding.checks.length - a.finding.checks.length ||
      (name(a) < name(b) ? -1 : 1),
  );
}

/** The finding with what its failure says of the investigation by now, as far as that is one for this place. */
async function linkOf(
  { deps }: Look,
  place: HeadPlace,
  { finding, failure, judged }: Pick<Remembered, 'finding' | 'failure' | 'judged'>,
): Promise<Finding> {
  const { id, investigationId, threadId } = failure;
  const subject = threadId === null ? undefined : (await deps.store.thread(threadId))?.subject;
  const isOwnThread =
    (place.kind === 'pull_request' && subject?.kind === 'pull_request' && subject.number === place.number) ||
    (place.kind === 'default' && subject?.kind === 'failure' && subject.failureId === id);
  const isBefore = investigationId !== null && investigationId === judged.group.before?.investigationId;
  const elsewhere = subject?.kind === 'pull_request' && !isOwnThread && !isBefore ? subject.number : null;
  if (elsewhere !== null && !(await isLent(deps.store, failure, elsewhere))) {
    return { ...finding, investigationId: null, threadId: null, isOwnThread: false };
  }
  return { ...finding, investigationId, threadId, isOwnThread };
}

/** What another pull request was told goes for this one as long as it fails there still, or on the default branch: its mend is to come. */
async function isLent(store: Look['deps']['store'], { id, state, isOnDefault }: Failure, number: number) {
  return (state === 'open' && isOnDefault) || (await store.isOpenIn(id, number));
}

/** Whether there is an investigation that tells of it, or may still. */
async function isToldOf({ deps }: Look, { judged }: Remembered, { investigationId }: Finding): Promise<boolean> {
  const current = investigationId === null ? null : await deps.store.investigation(investigationId);
  // One that ended with nothing is followed by another where a later head shows the failure, not where the same is looked at again.
  return (
    current !== null && (current.outcome.state !== 'gave_up' || current.id === judged.group.before?.investigationId)
  );
}

/** "": nothing speaks against it. */
function whyNot({ judged }: Remembered, { place, stillWaiting }: Here, circumstances: Circumstances): string {
  const before = judged.finding;
  // The head names no investigation that is gone.
  const isErased = before.notBegun === ERASED || (before.notBegun === '' && before.investigationId === null);
  if (isErased) return ERASED;
  const isAsked = circumstances.askedIn !== null;
  return whyNotHere(before, { place, isAsked, stillWaiting }) || whyNotNow(place, circumstances);
}
