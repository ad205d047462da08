// Links findings to the investigations of their causes, and begins one, in our own bot's name, where there is none and one may begin.
import type { CheckRules } from '../../core/check.ts';
import type { Failure } from '../../core/failure.ts';
import type { Finding, Head, HeadPlace, NotBegun } from '../../core/head.ts';
import { createId } from '../../core/ids.ts';
import type { Report } from '../../core/report.ts';
import type { Person, Subject, Trigger } from '../../core/thread.ts';
import type { ThreadPart } from '../../db/store.ts';
import { acceptReport } from '../accept-report.ts';
import { readCheckTexts, shortenForReport } from './check-texts.ts';
import { composeFailureReport } from './failure-report.ts';
import type { Judged } from './judge-groups.ts';
import { formatNow, type Look } from './look.ts';
import type { Remembered } from './remember-findings.ts';
import { explainFullDay, explainNotHere, explainNotNow } from './why-not-begun.ts';

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
  for (const one of sortRemembered(remembered)) told.push({ one, finding: await linkFinding(look, here.place, one) });
  let begun = 0;
  let asked: Circumstances | null = null;
  for (const { one, finding } of told) {
    if (await hasInvestigation(look, one, finding)) {
      linked.push({ ...finding, notBegun: null });
      continue;
    }
    asked ??= await readCircumstances(
      look,
      here.place,
      told.map((each) => each.finding),
    );
    const why = explainNotBegun(one, here, { ...asked, ofHead: asked.ofHead + begun, ofDay: asked.ofDay + begun });
    const isLead = !linked.some(({ isOwnThread }) => isOwnThread);
    const done = why === null ? await beginOne(look, { ...here, ...one, isLead }) : ({ kind: 'full', why } as const);
    if (done.kind === 'full') {
      linked.push({ ...finding, threadId: finding.threadId ?? asked.askedIn, notBegun: done.why });
      continue;
    }
    linked.push({ ...(await linkFinding(look, here.place, { ...one, failure: done.failure })), notBegun: null });
    begun += 1;
  }
  return linked;
}

const ORDER: readonly Finding['verdict'][] = ['code', 'inconclusive', 'base_broken', 'flaky', 'infrastructure'];

/** Of one verdict the one with the most checks; then by name, so that the same is first each time. */
function sortRemembered(remembered: readonly Remembered[]): readonly Remembered[] {
  const name = ({ finding }: Remembered) => finding.checks[0]?.name ?? '';
  return remembered.toSorted(
    (a, b) =>
      ORDER.indexOf(a.finding.verdict) - ORDER.indexOf(b.finding.verdict) ||
      b.finding.checks.length - a.finding.checks.length ||
      (name(a) < name(b) ? -1 : 1),
  );
}

/** The finding with what its failure says of the investigation by now, as far as that is one for this place. */
async function linkFinding(
  { deps }: Look,
  place: HeadPlace,
  { finding, failure, judged }: Pick<Remembered, 'finding' | 'failure' | 'judged'>,
): Promise<Finding> {
  const { id, investigationId, threadId } = failure;
  const subject = threadId === null ? undefined : (await deps.store.findThread(threadId))?.subject;
  const isOwnThread =
    (place.kind === 'pull_request' && subject?.kind === 'pull_request' && subject.number === place.number) ||
    (place.kind === 'default' && subject?.kind === 'failure' && subject.failureId === id);
  const isBefore = investigationId !== null && investigationId === judged.group.before?.investigationId;
  const elsewhere = subject?.kind === 'pull_request' && !isOwnThread && !isBefore ? subject.number : null;
  if (elsewhere !== null && !(await isStillFailingThere(deps.store, failure, elsewhere))) {
    return { ...finding, investigationId: null, threadId: null, isOwnThread: false };
  }
  return { ...finding, investigationId, threadId, isOwnThread };
}

/** What another pull request was told goes for this one as long as it fails there still, or on the default branch: its mend is to come. */
async function isStillFailingThere(store: Look['deps']['store'], { id, state, isOnDefault }: Failure, number: number) {
  return (state === 'open' && isOnDefault) || (await store.isOpenIn(id, number));
}

/** Whether there is an investigation that tells of it, or may still. */
async function hasInvestigation(
  { deps }: Look,
  { judged }: Remembered,
  { investigationId }: Finding,
): Promise<boolean> {
  const current = investigationId === null ? null : await deps.store.findInvestigation(investigationId);
  // One that ended with nothing is followed by another where a later head shows the failure, not where the same is looked at again.
  return (
    current !== null && (current.outcome.state !== 'gave_up' || current.id === judged.group.before?.investigationId)
  );
}

/** Null: nothing speaks against it. */
function explainNotBegun(
  { judged }: Remembered,
  { place, stillWaiting }: Here,
  circumstances: Circumstances,
): NotBegun | null {
  const before = judged.finding;
  // Where one was begun and the head names none any more, it was erased.
  const isErased = before.notBegun === null ? before.investigationId === null : before.notBegun.code === 'erased';
  if (isErased) return { code: 'erased' };
  const isRequested = circumstances.askedIn !== null;
  return explainNotHere(before, { place, isRequested, stillWaiting }) ?? explainNotNow(place, circumstances);
}

interface Circumstances {
  /** The thread of a person who had the pull request analysed since this head is known; null: nobody has. */
  readonly askedIn: string | null;
  /** Begun unasked: for this head, and in the project within 24 hours. */
  readonly ofHead: number;
  readonly ofDay: number;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** `findings`: as they are linked by now. Throws what `Checks.self` throws. */
async function readCircumstances(look: Look, place: HeadPlace, findings: readonly Finding[]): Promise<Circumstances> {
  let ofHead = 0;
  for (const { isOwnThread, investigationId } of findings) {
    if (isOwnThread && (await isSinceHead(look, investigationId))) ofHead += 1;
  }
  const asked = place.kind === 'pull_request' ? await findAskedThread(look, place.number) : null;
  const self = await look.deps.checks.self(look.signal);
  return { askedIn: asked, ofHead, ofDay: await countBegunOfDay(look, self) };
}

/** Begun unasked in the project within 24 hours, whichever head it was for. `self`: our own user. */
async function countBegunOfDay(look: Look, { id: githubId }: Person): Promise<number> {
  const { deps, project } = look;
  const since = new Date(Date.parse(formatNow(look)) - DAY_MS).toISOString();
  return await deps.store.countInvestigationsSince(project.id, { githubId, since });
}

/** Made since this head is known: then it is of this head, or of one that was pushed after it. */
async function isSinceHead({ deps, head }: Look, id: string | null): Promise<boolean> {
  const investigation = id === null ? null : await deps.store.findInvestigation(id);
  return investigation !== null && investigation.createdAt >= head.createdAt;
}

async function findAskedThread(look: Look, number: number): Promise<string | null> {
  const thread = await look.deps.store.findThreadOfSubject(look.project.id, { kind: 'pull_request', number });
  if (thread === null || thread.trigger.kind === 'checks') return null;
  return (await isSinceHead(look, thread.investigationId)) ? thread.id : null;
}

interface Beginning {
  readonly place: HeadPlace;
  readonly rules: CheckRules;
  readonly judged: Judged;
  readonly finding: Finding;
  readonly failure: Failure;
  /** Of the pull request's thread, or of those of the default branch. */
  readonly isLead: boolean;
}

/** `failure`: as it is then. `full`: why it was not begun after all. */
type Begun = { readonly kind: 'begun'; readonly failure: Failure } | { readonly kind: 'full'; readonly why: NotBegun };

/** Throws what `Checks` throws. */
async function beginOne(look: Look, beginning: Beginning): Promise<Begun> {
  const { deps, head } = look;
  const { failure } = beginning;
  const self = await deps.checks.self(look.signal);
  const now = formatNow(look);
  const account = { login: self.login, githubId: self.id, signingSecret: deps.newSigningSecret(), now };
  const { id: accountId } = await deps.store.ensureAccount(account);
  const report = await makeReport(look, beginning, accountId);
  // Other heads begin theirs meanwhile. Counted here, a day's most is passed by no more than there are looks at once, less one.
  const why = explainFullDay(beginning.place, await countBegunOfDay(look, self));
  if (why !== null) return { kind: 'full', why };
  look.signal.throwIfAborted();
  const thread = makeThreadPart(look, beginning, self);
  // One that was erased or brought nothing may be followed by another, of a head that comes later.
  const first = `failure ${failure.id} ${failure.opening}`;
  const anew = `${first} ${head.id}`;
  const key = failure.investigationId === null ? first : anew;
  const accepted = await acceptReport(deps, report, { idempotency: { key, bodyHash: key }, thread });
  if (accepted.kind === 'repeated' && (await deps.store.findInvestigation(accepted.investigationId)) === null) {
    await acceptReport(deps, report, { idempotency: { key: anew, bodyHash: anew }, thread });
  }
  deps.log.info(
    { head: head.id, failure: failure.id, verdict: beginning.finding.verdict },
    'red checks are looked into',
  );
  return { kind: 'begun', failure: (await deps.store.findFailure(failure.id)) ?? failure };
}

async function makeReport(look: Look, beginning: Beginning, accountId: string): Promise<Report> {
  const { project } = look;
  const { place, rules, finding } = beginning;
  return {
    ...{ projectId: project.id, accountId, origin: 'check-run', callbackUrl: '', isTrusted: false, fresh: false },
    text: await makeReportText(look, beginning),
    reference: place.kind === 'pull_request' ? `${project.name}#${place.number}` : `${project.name}@${look.head.sha}`,
    revision: place.kind === 'pull_request' ? place.sha : look.head.sha,
    settings: rules.settings,
    verdict: finding.verdict,
  };
}

async function makeReportText(look: Look, { place, judged, finding, failure }: Beginning): Promise<string> {
  const { reads, suspects } = judged.group;
  const read = reads.find(({ suspect }) => suspect.isRed);
  const check = read?.suspect.check ?? suspects.find(({ isRed }) => isRed)?.check;
  // Judged at an earlier look, or one of many causes, it has to be read again.
  const said =
    read?.said ?? (check === undefined ? null : await shortenForReport(await readCheckTexts(look, check), look.signal));
  return composeFailureReport({
    ...{ projectName: look.project.name, sha: look.head.sha, place, finding, range: failure.range },
    changed: await look.changed(place),
    said: check === undefined || said === null ? null : { name: check.name, output: said.output, words: said.words },
  });
}

function makeThreadPart(look: Look, { place, rules, failure, isLead }: Beginning, self: Person): ThreadPart {
  const isOnDefault = place.kind === 'default';
  const pusher = isOnDefault ? place.pushedBy : null;
  return {
    kind: 'found',
    threadId: createId('thr'),
    subject: findSubject(place, failure),
    trigger: makeTrigger(look, place, self),
    fixRequest: rules.opens && isLead ? pusher : null,
    failureId: failure.id,
    isLead: isOnDefault || isLead,
  };
}

function findSubject(place: HeadPlace, { id }: Failure): Subject {
  return place.kind === 'pull_request'
    ? { kind: 'pull_request', number: place.number }
    : { kind: 'failure', failureId: id };
}

/** Only where somebody with write stands behind the commit does an analysis begin on a pull request; a push may be that of a bot. */
function makeTrigger(look: Look, place: HeadPlace, self: Person): Trigger {
  const behind = findPersonBehind(place);
  const role = behind === null ? 'none' : 'write';
  return { kind: 'checks', by: behind ?? self, role, commentId: null, guidance: '', at: formatNow(look) };
}

function findPersonBehind(place: HeadPlace): Person | null {
  if (place.kind === 'branch') return null;
  return place.kind === 'default' ? place.pushedBy : place.author;
}
