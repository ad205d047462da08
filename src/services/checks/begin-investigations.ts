// Links findings to the investigations of their causes, and begins one in the name of our own bot where there is none
// and one may begin.

import { sharesCause } from '../../ci/index.ts';
import { createSigningSecret } from '../../core/account/index.ts';
import {
  ALL_OUTPUT,
  addOverrides,
  type CheckRules,
  type Failure,
  type Finding,
  type Head,
  type HeadPlace,
  type NotBegun,
} from '../../core/check/index.ts';
import { hasCause } from '../../core/outcome/index.ts';
import { nameScopes, type Person } from '../../core/project/index.ts';
import { isEnded } from '../../core/report/index.ts';
import { createThreadId, type Subject } from '../../core/thread/index.ts';
import type { ThreadPart } from '../../db/index.ts';
import { acceptReport } from '../accept-report.ts';
import { readCheckTexts, shortenForReport } from './check-texts.ts';
import { composeFailureReport } from './failure-report.ts';
import type { Look } from './look.ts';
import type { Recorded } from './sightings.ts';

/** What decides whether an investigation begins at this commit. */
interface Situation {
  readonly place: HeadPlace;
  readonly rules: CheckRules;
  /** Names of checks that have not ended. */
  readonly stillWaiting: Head['stillWaiting'];
}

/** The findings as they are shown, those that the change caused first. */
export async function beginInvestigations(
  look: Look,
  situation: Situation,
  recorded: readonly Recorded[],
): Promise<readonly Finding[]> {
  const { place } = situation;
  const linked: Recorded[] = [];
  for (const one of await addSaid(look, place, sortRecorded(recorded))) {
    linked.push({ ...one, finding: await linkFinding(look, place, one) });
  }
  const findings: Finding[] = [];
  let begun: Begun | null = null;
  for (const one of linked) {
    const { finding } = one;
    const state = await readInvestigation(look, one);
    if (state === 'kept') {
      findings.push({ ...finding, notBegun: null });
      continue;
    }
    begun ??= await countBegun(look, place, linked);
    const isLead = !findings.some(({ isOwnThread }) => isOwnThread);
    const isAgain = state === 'rerequested';
    const result =
      explainNotBegun(one, situation, begun) ?? (await beginOne(look, situation, { ...one, isLead, isAgain }));
    if ('code' in result) {
      const refused = { ...finding, threadId: finding.threadId ?? begun.requestedIn, notBegun: result };
      findings.push(isAgain ? { ...finding, notBegun: null } : refused);
      continue;
    }
    begun = addOne(begun);
    findings.push({ ...(await linkFinding(look, place, { ...one, failure: result })), notBegun: null });
  }
  return findings;
}

/** What people with write said of the failures of this pull request, also at earlier commits. */
async function addSaid(
  { services: { store }, project }: Look,
  place: HeadPlace,
  recorded: readonly Recorded[],
): Promise<readonly Recorded[]> {
  if (place.kind !== 'pull_request') return recorded;
  const overrides = await store.listOverrides(project.id, place.number);
  const findings = addOverrides(
    recorded.map(({ finding }) => finding),
    overrides,
  );
  return recorded.map((one, at) => ({ ...one, finding: findings[at] ?? one.finding }));
}

const ORDER: readonly Finding['verdict'][] = ['code', 'inconclusive', 'base_broken', 'flaky', 'infrastructure'];

/** By verdict, then by the number of checks, then by name, so that the order never changes. */
function sortRecorded(recorded: readonly Recorded[]): readonly Recorded[] {
  const getName = ({ finding }: Recorded) => finding.checks[0]?.name ?? '';
  return recorded.toSorted(
    (a, b) =>
      ORDER.indexOf(a.finding.verdict) - ORDER.indexOf(b.finding.verdict) ||
      b.finding.checks.length - a.finding.checks.length ||
      (getName(a) < getName(b) ? -1 : 1),
  );
}

type LookStore = Look['services']['store'];
type InvestigationLink = Pick<Finding, 'investigationId' | 'threadId' | 'isOwnThread' | 'sharedFrom'>;

/** The finding with the investigation of its failure, as far as that holds for this place. */
async function linkFinding(look: Look, place: HeadPlace, one: Recorded): Promise<Finding> {
  const { sharedFrom: _, ...finding } = one.finding;
  return { ...finding, ...(await findLink(look, place, one)) };
}

/** Its own, that of the default branch, or that of another pull request which has the failure for the same reason. */
async function findLink({ services: { store } }: Look, place: HeadPlace, one: Recorded): Promise<InvestigationLink> {
  const { id, investigationId, threadId } = one.failure;
  const subject = threadId === null ? undefined : (await store.findThread(threadId))?.subject;
  const isOwnThread =
    (place.kind === 'pull_request' && subject?.kind === 'pull_request' && subject.number === place.number) ||
    (place.kind === 'default' && subject?.kind === 'failure' && subject.failureId === id);
  const ofFailure: InvestigationLink = { investigationId, threadId, isOwnThread, sharedFrom: null };
  if (isOwnThread) return ofFailure;
  const answers = await listSiblingInvestigations(store, one, subject);
  const own = place.kind === 'pull_request' && answers.find(({ pullRequest }) => pullRequest === place.number);
  if (own) return { ...toLink(own), isOwnThread: true };
  const isOfDefault = subject?.kind === 'failure';
  const held = await findHeld(store, one, isOfDefault);
  if (held !== null) return held;
  if (isOfDefault) return ofFailure;
  const live = await filterLive(store, one, answers);
  return place.kind === 'default' ? toLink(chooseOfBase(live)) : await findShared(store, one, live);
}

/** What was shown here stays while it is an answer, or may become one. */
async function findHeld(
  store: LookStore,
  { group: { before } }: Recorded,
  isOfDefault: boolean,
): Promise<InvestigationLink | null> {
  if (before === null || before.isOwnThread) return null;
  const { investigationId, threadId, isOwnThread, sharedFrom } = before;
  if (isOfDefault && typeof sharedFrom !== 'number') return null;
  if ((await readSiblingAnswer(store, investigationId)) === 'nothing') return null;
  return { investigationId, threadId, isOwnThread, ...(sharedFrom !== undefined && { sharedFrom }) };
}

/** That of a pull request with the same cause; only one that found something counts, or that still may. */
async function findShared(
  store: LookStore,
  { finding }: Recorded,
  answers: readonly SiblingInvestigation[],
): Promise<InvestigationLink> {
  const found: SiblingInvestigation[] = [];
  const pending: SiblingInvestigation[] = [];
  for (const answer of answers) {
    const state = await readSiblingAnswer(store, answer.investigationId);
    if (state === 'found') found.push(answer);
    if (state === 'pending') pending.push(answer);
  }
  const useful = [...found, ...pending];
  if (!mayBeOwn(finding)) return toLink(chooseOfBase(useful));
  const best = useful.find((other) => other.finding !== null && sharesCause(finding, other.finding)) ?? null;
  return { ...toLink(best), sharedFrom: best?.pullRequest ?? null };
}

/** What was begun for a pull request with the same failure. */
interface SiblingInvestigation {
  readonly pullRequest: number;
  readonly isClosed: boolean;
  readonly investigationId: string;
  readonly threadId: string | null;
  /** Null: not known any more. */
  readonly finding: Finding | null;
}

/** Of this opening of the failure, the newest of each pull request, the newest first. */
async function listSiblingInvestigations(
  store: LookStore,
  { failure, finding: { opening = 1 } }: Recorded,
  subject: Subject | undefined,
): Promise<readonly SiblingInvestigation[]> {
  const found = (await store.listInvestigated(failure)).filter(({ finding }) => (finding.opening ?? 1) === opening);
  const answers = found.map(({ pullRequest, isClosed, finding }): SiblingInvestigation => {
    const { investigationId, threadId } = finding;
    return { pullRequest, isClosed, investigationId, threadId, finding };
  });
  const { investigationId, threadId } = failure;
  if (subject?.kind === 'pull_request' && investigationId !== null) {
    answers.push({ pullRequest: subject.number, isClosed: false, investigationId, threadId, finding: null });
  }
  const newest = new Map(answers.toReversed().map((answer) => [answer.pullRequest, answer]));
  return answers.filter((answer) => newest.get(answer.pullRequest) === answer);
}

/** What was found for a pull request holds while it fails there, or on the default branch: the fix is still to come. */
async function filterLive(
  store: LookStore,
  { failure }: Recorded,
  answers: readonly SiblingInvestigation[],
): Promise<readonly SiblingInvestigation[]> {
  if (failure.state === 'open' && failure.isOnDefault) return answers;
  const live: SiblingInvestigation[] = [];
  for (const answer of answers) if (await store.isOpenIn(failure.id, answer.pullRequest)) live.push(answer);
  return live;
}

/** The one of the change that was merged; while none is known to be, of several none. */
function chooseOfBase(answers: readonly SiblingInvestigation[]): SiblingInvestigation | null {
  const [first = null, ...others] = answers;
  return answers.find(({ isClosed }) => isClosed) ?? (others.length === 0 ? first : null);
}

function toLink(answer: SiblingInvestigation | null): InvestigationLink {
  const { investigationId, threadId } = answer ?? { investigationId: null, threadId: null };
  return { investigationId, threadId, isOwnThread: false, sharedFrom: null };
}

/** Whether the change under test may be the cause: the other verdicts name another. */
function mayBeOwn({ verdict }: Finding): boolean {
  return verdict === 'code' || verdict === 'inconclusive';
}

/** `nothing`: it has ended without a cause, or is gone. */
async function readSiblingAnswer(
  store: LookStore,
  investigationId: string | null,
): Promise<'found' | 'pending' | 'nothing'> {
  const investigation = investigationId === null ? null : await store.findInvestigation(investigationId);
  if (investigation === null) return 'nothing';
  const { outcome } = investigation;
  if (!isEnded(outcome)) return 'pending';
  const issue = outcome.state === 'concluded' ? await store.findIssue(outcome.issueId) : null;
  return issue !== null && hasCause(issue) ? 'found' : 'nothing';
}

/**
 * `none`: one without a result is followed by another at a later commit, not when the same commit is looked at again.
 * `rerequested`: a person re-ran our check run since, and the one of this commit has ended.
 */
async function readInvestigation(
  { services, head }: Look,
  { finding, group }: Recorded,
): Promise<'none' | 'kept' | 'rerequested'> {
  const id = finding.investigationId;
  const investigation = id === null ? null : await services.store.findInvestigation(id);
  if (investigation === null) return 'none';
  const { outcome, createdAt } = investigation;
  if (finding.isOwnThread && isEnded(outcome) && createdAt < head.rerequestedAt) return 'rerequested';
  return outcome.state !== 'gave_up' || id === group.before?.investigationId ? 'kept' : 'none';
}

/** What was begun already. */
interface Begun {
  /** The thread of a person who had the pull request analysed since this commit is known; null: none. */
  readonly requestedIn: string | null;
  /** Begun automatically for this commit. */
  readonly atHead: number;
  readonly today: Today;
}

/** Begun automatically in the project within 24 hours. */
interface Today {
  readonly all: number;
  /** For pull requests of bots; not counted where it is none. */
  readonly ofBots: number;
}

async function countBegun(look: Look, place: HeadPlace, linked: readonly Recorded[]): Promise<Begun> {
  const { services, head, project } = look;
  const isSinceHead = async (id: string | null) => {
    const investigation = id === null ? null : await services.store.findInvestigation(id);
    return investigation !== null && investigation.createdAt >= head.createdAt;
  };
  let atHead = 0;
  for (const { finding } of linked) {
    if (finding.isOwnThread && (await isSinceHead(finding.investigationId))) atHead += 1;
  }
  const subject = place.kind === 'pull_request' && ({ kind: 'pull_request', number: place.number } as const);
  const thread = subject ? await services.store.findThreadOfSubject(project.id, subject) : null;
  const isRequested =
    thread !== null && thread.trigger.kind !== 'checks' && (await isSinceHead(thread.investigationId));
  return {
    requestedIn: isRequested ? thread.id : null,
    atHead,
    today: await countToday(look, place, await services.checks.findSelf(look.signal)),
  };
}

/** Only for a bot's pull request does it matter how many of these there are. */
function addOne({ requestedIn, atHead, today }: Begun): Begun {
  return { requestedIn, atHead: atHead + 1, today: { all: today.all + 1, ofBots: today.ofBots + 1 } };
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** `self`: our own user; automatic investigations begin in its name. */
async function countToday({ services, project }: Look, place: HeadPlace, { id: githubId }: Person): Promise<Today> {
  const since = new Date(services.now().getTime() - DAY_MS).toISOString();
  const { store } = services;
  return {
    all: await store.countInvestigationsSince(project.id, { githubId, since }),
    ofBots: isBotsOwn(place)
      ? await store.countInvestigationsSince(project.id, { githubId, since, isOfBots: true })
      : 0,
  };
}

/** Investigations that begin automatically: a storm of red checks must not become a bill. */
const MOST_AT_HEAD = 5;
const MOST_A_DAY = 20;
const MOST_A_DAY_OF_BOTS = 5;

/** The first reason that holds; null: an investigation may begin. */
function explainNotBegun({ group, finding }: Recorded, situation: Situation, begun: Begun): NotBegun | null {
  const { place, rules, stillWaiting } = situation;
  const { verdict } = finding;
  // Where one had begun and the commit names none any more, it was erased.
  const isErased = group.before !== null && group.before.notBegun === null && group.before.investigationId === null;
  if (isErased || finding.notBegun?.code === 'erased') return { code: 'erased' };
  if (finding.override?.whose === 'not_mine') return { code: 'not_mine' };
  if (finding.known?.code === 'known') return { code: 'known', issue: finding.known.issue };
  // Whose it is was the only doubt, and a person has answered that.
  const isSaid = finding.override?.whose === 'mine';
  if (!isSaid && (verdict === 'base_broken' || verdict === 'flaky' || verdict === 'infrastructure'))
    return { code: verdict };
  if (verdict === 'inconclusive' && finding.notBegun?.code === 'uninformative') return finding.notBegun;
  if (begun.requestedIn !== null) return { code: 'requested' };
  const atPlace = explainPlace(place, rules);
  if (atPlace !== null) return atPlace;
  // A check that has not ended may be red for the same cause, or say more about it.
  if (stillWaiting.length > 0) return { code: 'checks_running', names: stillWaiting };
  const isPullRequest = place.kind === 'pull_request';
  if (begun.atHead >= MOST_AT_HEAD) return { code: 'commit_limit', limit: MOST_AT_HEAD, isPullRequest };
  return explainDay(place, begun.today);
}

function explainPlace(place: HeadPlace, { bots }: CheckRules): NotBegun | null {
  if (place.kind === 'default') return null;
  if (place.kind === 'branch') return { code: 'no_pull_request' };
  if (place.isFork) return { code: 'fork' };
  if (place.isDraft) return { code: 'draft' };
  if (place.isTrusted) return null;
  if (!isBotsOwn(place)) return { code: 'untrusted_author' };
  return bots === 'investigate' ? null : { code: 'bot_author' };
}

/** A bot's pull request to which no person has pushed. */
function isBotsOwn(place: HeadPlace): boolean {
  return place.kind === 'pull_request' && place.isBot === true && !place.isTrusted;
}

function explainDay(place: HeadPlace, today: Today): NotBegun | null {
  if (isBotsOwn(place) && today.ofBots >= MOST_A_DAY_OF_BOTS) return { code: 'bot_limit', limit: MOST_A_DAY_OF_BOTS };
  if (today.all < MOST_A_DAY) return null;
  return { code: 'daily_limit', limit: MOST_A_DAY, isPullRequest: place.kind === 'pull_request' };
}

/** The failure as it is then, or why no investigation began after all. */
async function beginOne(
  look: Look,
  { place, rules }: Situation,
  one: Recorded & { readonly isLead: boolean; readonly isAgain: boolean },
): Promise<Failure | NotBegun> {
  const { services, head, project, signal } = look;
  const { store, checks } = services;
  const { failure, finding } = one;
  const self = await checks.findSelf(signal);
  const account = { login: self.login, githubId: self.id, signingSecret: createSigningSecret(), now: look.now() };
  const { id: accountId } = await store.ensureAccount(account);
  const isPullRequest = place.kind === 'pull_request';
  const report = {
    projectId: project.id,
    accountId,
    callbackUrl: '',
    isTrusted: false,
    fresh: one.isAgain,
    origin: 'check-run' as const,
    text: await composeLookReport(look, place, one),
    reference: isPullRequest ? `${project.name}#${place.number}` : `${project.name}@${head.sha}`,
    revision: isPullRequest ? place.sha : head.sha,
    settings: {
      ...rules.settings,
      scopes: nameScopes(rules.settings.scopes, { checks: finding.checks.map(({ name }) => name) }),
    },
    verdict: finding.verdict,
  };
  // Other commits of the project may have used up the day while the checks were read.
  const full = explainDay(place, await countToday(look, place, self));
  if (full !== null) return full;
  signal.throwIfAborted();
  const thread = makeThread(look, { place, rules }, one, self);
  // The same failure is investigated once at a place; again at a later commit where that was erased or had no result.
  const first = `failure ${failure.id} ${failure.opening}${isPullRequest ? ` #${place.number}` : ''}`;
  const later = `${first} ${head.id}${one.isAgain ? ` ${head.rerequestedAt}` : ''}`;
  const accept = (key: string) => acceptReport(services, report, { idempotency: { key, bodyHash: key }, thread });
  const accepted = await accept(failure.investigationId === null ? first : later);
  const isGone = accepted.kind === 'repeated' && (await store.findInvestigation(accepted.investigationId)) === null;
  if (isGone) await accept(later);
  services.log.info({ head: head.id, failure: failure.id, verdict: finding.verdict }, 'red checks are investigated');
  return (await store.findFailure(failure.id)) ?? failure;
}

async function composeLookReport(look: Look, place: HeadPlace, { group, finding, failure }: Recorded): Promise<string> {
  const read = group.reads.find(({ suspect }) => suspect.isRed);
  const check = read?.suspect.check ?? group.suspects.find(({ isRed }) => isRed)?.check;
  // Texts that were not kept are read again.
  const limits = { ...ALL_OUTPUT, resultBudget: look.resultBudget };
  const readAgain = async () =>
    check === undefined ? null : await shortenForReport(await readCheckTexts(look, check, limits), look.signal);
  const texts = read?.texts ?? (await readAgain());
  return composeFailureReport({
    projectName: look.project.name,
    sha: look.head.sha,
    place,
    finding,
    range: failure.range,
    changed: await look.readChanged(place),
    check: check === undefined || texts === null ? null : { name: check.name, ...texts },
  });
}

/**
 * A pull request belongs to a person with write access: the pusher on the default branch, or else the author of the
 * change.
 */
function makeThread(
  look: Look,
  { place, rules }: Pick<Situation, 'place' | 'rules'>,
  { failure, isLead }: { readonly failure: Failure; readonly isLead: boolean },
  self: Person,
): ThreadPart {
  const pusher = place.kind === 'default' ? place.pushedBy : null;
  const author = place.kind === 'pull_request' && place.isBot !== true ? place.author : null;
  const person = author ?? pusher;
  const role = person === null ? 'none' : 'write';
  const subject: Subject =
    place.kind === 'pull_request'
      ? { kind: 'pull_request', number: place.number }
      : { kind: 'failure', failureId: failure.id };
  return {
    kind: 'found',
    threadId: createThreadId(look.services.memory, look.project, subject),
    subject,
    trigger: { kind: 'checks', by: person ?? self, role, commentId: null, guidance: '', at: look.now() },
    fixRequest: rules.opens && isLead ? pusher : null,
    failureId: failure.id,
    isLead: place.kind === 'default' || isLead,
  };
}
