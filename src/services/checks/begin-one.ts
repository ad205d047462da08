// Begins the investigation of one failure, in our own bot's name, once for each time that the failure was opened.

import type { CheckRules } from '../../core/check.ts';
import type { Failure } from '../../core/failure.ts';
import type { Finding, HeadPlace } from '../../core/head.ts';
import { newId } from '../../core/ids.ts';
import type { Report } from '../../core/report.ts';
import type { Person, Subject, Trigger } from '../../core/thread.ts';
import type { ThreadPart } from '../../db/store.ts';
import { acceptReport } from '../accept-report.ts';
import { begunOfDay } from './circumstances.ts';
import { type Look, nowOf } from './deps.ts';
import { composeFailureReport } from './failure-report.ts';
import type { Judged } from './judge-groups.ts';
import { whyFullDay } from './why-not-begun.ts';
import { wordsForReport, wordsOf } from './words-of.ts';

export interface Beginning {
  readonly place: HeadPlace;
  readonly rules: CheckRules;
  readonly judged: Judged;
  readonly finding: Finding;
  readonly failure: Failure;
  /** Of the pull request's thread, or of those of the default branch. */
  readonly isLead: boolean;
}

/** `failure`: as it is then. `full`: why it was not begun after all, in words. */
export type Begun =
  | { readonly kind: 'begun'; readonly failure: Failure }
  | { readonly kind: 'full'; readonly why: string };

/** Throws what `Checks` throws. */
export async function beginOne(look: Look, beginning: Beginning): Promise<Begun> {
  const { deps, head } = look;
  const { failure } = beginning;
  const self = await deps.checks.self(look.signal);
  const now = nowOf(look);
  const account = { login: self.login, githubId: self.id, signingSecret: deps.newSigningSecret(), now };
  const { id: accountId } = await deps.store.ensureAccount(account);
  const report = await reportOf(look, beginning, accountId);
  // Other heads begin theirs meanwhile. Counted here, a day's most is passed by no more than there are looks at once, less one.
  const why = whyFullDay(beginning.place, await begunOfDay(look, self));
  if (why !== '') return { kind: 'full', why };
  look.signal.throwIfAborted();
  const thread = threadPart(look, beginning, self);
  // One that was erased or brought nothing may be followed by another, of a head that comes later.
  const first = `failure ${failure.id} ${failure.opening}`;
  const anew = `${first} ${head.id}`;
  const key = failure.investigationId === null ? first : anew;
  const accepted = await acceptReport(deps, report, { idempotency: { key, bodyHash: key }, thread });
  if (accepted.kind === 'repeated' && (await deps.store.investigation(accepted.investigationId)) === null) {
    await acceptReport(deps, report, { idempotency: { key: anew, bodyHash: anew }, thread });
  }
  deps.log.info(
    { head: head.id, failure: failure.id, verdict: beginning.finding.verdict },
    'red checks are looked into',
  );
  return { kind: 'begun', failure: (await deps.store.failure(failure.id)) ?? failure };
}

async function reportOf(look: Look, beginning: Beginning, accountId: string): Promise<Report> {
  const { project } = look;
  const { place, rules, finding } = beginning;
  return {
    ...{ projectId: project.id, accountId, origin: 'check-run', callbackUrl: '', isTrusted: false, fresh: false },
    text: await textOf(look, beginning),
    reference: place.kind === 'pull_request' ? `${project.name}#${place.number}` : `${project.name}@${look.head.sha}`,
    revision: place.kind === 'pull_request' ? place.sha : look.head.sha,
    settings: rules.settings,
    verdict: finding.verdict,
  };
}

async function textOf(look: Look, { place, judged, finding, failure }: Beginning): Promise<string> {
  const { reads, suspects } = judged.group;
  const read = reads.find(({ suspect }) => suspect.isRed);
  const check = read?.suspect.check ?? suspects.find(({ isRed }) => isRed)?.check;
  // Judged at an earlier look, or one of many causes, it has to be read again.
  const said =
    read?.said ?? (check === undefined ? null : await wordsForReport(await wordsOf(look, check), look.signal));
  return composeFailureReport({
    ...{ projectName: look.project.name, sha: look.head.sha, place, finding, range: failure.range },
    changed: await look.changed(place),
    said: check === undefined || said === null ? null : { name: check.name, output: said.output, words: said.words },
  });
}

function threadPart(look: Look, { place, rules, failure, isLead }: Beginning, self: Person): ThreadPart {
  const isOnDefault = place.kind === 'default';
  const pusher = isOnDefault ? place.pushedBy : null;
  return {
    kind: 'found',
    threadId: newId('thr'),
    subject: subjectOf(place, failure),
    trigger: triggerOf(look, place, self),
    fixRequest: rules.opens && isLead ? pusher : null,
    failureId: failure.id,
    isLead: isOnDefault || isLead,
  };
}

function subjectOf(place: HeadPlace, { id }: Failure): Subject {
  return place.kind === 'pull_request'
    ? { kind: 'pull_request', number: place.number }
    : { kind: 'failure', failureId: id };
}

/** Only where somebody with write stands behind the commit does an analysis begin on a pull request; a push may be that of a bot. */
function triggerOf(look: Look, place: HeadPlace, self: Person): Trigger {
  const behind = behindIt(place);
  const role = behind === null ? 'none' : 'write';
  return { kind: 'checks', by: behind ?? self, role, commentId: null, guidance: '', at: nowOf(look) };
}

function behindIt(place: HeadPlace): Person | null {
  if (place.kind === 'branch') return null;
  return place.kind === 'default' ? place.pushedBy : place.author;
}
