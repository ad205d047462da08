// What to do next about one cause: the end of the line that stands above it in our check run.

import { codeSpan } from '../../core/markdown/github.ts';
import { type Cause, type CauseFix, type CheckRunGround, isOnDefault, isRed } from './check-run-ground.ts';
import { isOfRepository } from './headline.ts';
import { baseOf, whoseFault } from './whose-fault.ts';

/** Markdown, inert. */
export function nextAction(ground: CheckRunGround, cause: Cause): string {
  const { finding, fix } = cause;
  if (!isRed(finding)) return `nothing to do, it passed${leftOpen(ground, fix)}`;
  if (fix.kind !== 'none' && !isSeenBefore(ground, cause)) return fixAction(ground, fix);
  if (cause.inquiry.kind === 'running') return 'the cause is being looked for';
  return byVerdict(ground, cause);
}

function byVerdict(ground: CheckRunGround, cause: Cause): string {
  switch (cause.finding.verdict) {
    case 'base_broken':
      return isOnDefault(ground) ? 'next: mend what was red before' : brokenAction(ground, cause);
    case 'flaky':
      return 'next: run it again';
    case 'infrastructure':
      return 'next: run it again once the machine is well';
    case 'code':
    case 'inconclusive':
      return faultAction(ground, cause);
  }
}

function faultAction(ground: CheckRunGround, cause: Cause): string {
  const whose = whoseFault(ground, cause);
  if (whose.kind === 'elsewhere')
    return `next: see ${toldAt(ground, cause, { otherwise: 'it there', words: 'what was found there' })}`;
  if (whose.kind === 'since') return sinceAction(ground, cause);
  if (hasSteps(cause)) return 'next: do what stands below';
  if (cause.finding.verdict === 'code' || whose.kind === 'open') return 'next: read the log below';
  return 'next: look at the check itself';
}

/** What a push found red already is not for whoever pushed. */
function sinceAction(ground: CheckRunGround, cause: Cause): string {
  const { fix } = cause;
  if (fix.kind === 'opened' && fix.state === 'open') return `nothing to do here, see ${pullLink(ground, fix)}`;
  if (fix.kind !== 'none') return fixAction(ground, fix);
  const told = toldAt(ground, cause, { otherwise: '', words: 'its check run', isNumbered: true });
  return told === '' ? 'nothing to do here, see the commits below' : `nothing to do here, see ${told}`;
}

/** Whether what is to be done about it is to be done here. */
export function isForHere(ground: CheckRunGround, cause: Cause): boolean {
  const { finding, fix } = cause;
  if (!isRed(finding) || finding.verdict === 'base_broken') return false;
  if (fix.kind === 'on_request') return true;
  return !isSeenBefore(ground, cause) && !isToldElsewhere(ground, cause);
}

function isToldElsewhere(ground: CheckRunGround, cause: Cause): boolean {
  return whoseFault(ground, cause).kind === 'elsewhere' && isOfRepository(cause.toldAt, ground);
}

function isSeenBefore(ground: CheckRunGround, cause: Cause): boolean {
  const { verdict } = cause.finding;
  return (verdict === 'code' || verdict === 'inconclusive') && whoseFault(ground, cause).kind === 'since';
}

function brokenAction(ground: CheckRunGround, cause: Cause): string {
  const words = `${codeSpan(baseOf(ground)) || 'the base'}’s check run`;
  const told = toldAt(ground, cause, { otherwise: '', words, isNumbered: true });
  return told === '' ? 'next: nothing here, it is to be mended there' : `next: nothing here, follow ${told}`;
}

function hasSteps({ inquiry }: Cause): boolean {
  return inquiry.kind === 'concluded' && inquiry.issue.solutionSteps.length > 0;
}

interface Told {
  /** Where it is told nowhere. */
  readonly otherwise: string;
  readonly words: string;
  /** Whether a pull request is named by its number. */
  readonly isNumbered?: boolean;
}

/** A link to where the cause is told. */
function toldAt(ground: CheckRunGround, { toldAt: url }: Cause, { otherwise, words, isNumbered }: Told): string {
  if (!isOfRepository(url, ground)) return otherwise;
  const pull = /\/pull\/(\d{1,9})(?:#|$)/.exec(url)?.[1];
  return isNumbered === true && pull !== undefined ? `[#${pull}](${url})` : `[${words}](${url})`;
}

function fixAction(ground: CheckRunGround, fix: Exclude<CauseFix, { kind: 'none' }>): string {
  if (fix.kind === 'opening') return 'a pull request is being opened';
  if (fix.kind === 'on_request') return `next: the button “${fix.button}” opens a pull request (needs write access)`;
  const link = pullLink(ground, fix);
  if (fix.isEarlier) return `next: review or close ${link}, which is still open from the last time`;
  if (fix.state === 'merged') return `merged in ${link}`;
  return fix.state === 'closed' ? `${link} was closed unmerged` : `next: review ${link}`;
}

function leftOpen(ground: CheckRunGround, fix: CauseFix): string {
  return fix.kind === 'opened' && fix.state === 'open' ? `; ${pullLink(ground, fix)} is still open` : '';
}

function pullLink(ground: CheckRunGround, { number, url }: Extract<CauseFix, { kind: 'opened' }>): string {
  return isOfRepository(url, ground) ? `[#${number}](${url})` : codeSpan(`#${number}`);
}
