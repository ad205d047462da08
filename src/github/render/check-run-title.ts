// The title of our check run: what is known, in one calm sentence, on the one line that stands in the list of checks.

import { describeReason, type Verdict } from '../../core/check.ts';
import { formatCodeSpan } from '../../core/markdown/github.ts';
import { filterIssue } from '../../core/shown-issue.ts';

import {
  type Attribution,
  attributeFailure,
  baseOf,
  describeInMarkdown,
  describeInPlain,
  inOrder,
} from './attribute-failure.ts';
import {
  type Cause,
  type CheckRunGround,
  causeFound,
  isOnDefault,
  isRed,
  shownError,
  uncited,
} from './check-run-ground.ts';
import { firstSentences } from './issue-parts.ts';
import { plainWords } from './plain-words.ts';

/** What GitHub takes. */
export const MAX_TITLE = 255;
const MAX_NAME = 40;
const MAX_SHORT = 70;
const RUNNING = ' · the cause is being looked for';

/** Plain words that GitHub reads nothing into; at most 255 characters. */
export function renderTitle(ground: CheckRunGround): string {
  const { causes, head } = ground;
  if (causes.length === 0) return head.state === 'green' ? 'All checks are green now' : 'Nothing is left to be said';
  const tail = causes.some(({ inquiry }) => inquiry.kind === 'running') ? RUNNING : '';
  const [only] = causes;
  const told = causes.length === 1 && only !== undefined ? renderCauseTitle(ground, only, MAX_TITLE - tail.length) : '';
  return `${told || renderSeveral(ground, MAX_TITLE - tail.length)}${tail}`;
}

/** Each by the check and two or three words: what does not fit is counted, and no sentence ends halfway. */
function renderSeveral(ground: CheckRunGround, max: number): string {
  const { causes } = ground;
  const lead = `${causes.length} causes: `;
  const named: string[] = [];
  for (const [index, cause] of causes.entries()) {
    const part = `${nameChecks(cause)}: ${describeShort(ground, cause)}`;
    const more = causes.length - index;
    if ([lead, ...named, part].join('; ').length + 20 > max)
      return `${lead}${[...named, `and ${more} more`].join('; ')}`;
    named.push(part);
  }
  return `${lead}${named.join('; ')}`;
}

function nameChecks({ finding }: Cause): string {
  const [first] = inOrder(finding.checks);
  const more = finding.checks.length - 1;
  return `${plainWords(first?.name ?? '', MAX_NAME) || 'a check'}${more > 0 ? ` and ${more} more` : ''}`;
}

function describeShort(ground: CheckRunGround, cause: Cause): string {
  const { verdict } = cause.finding;
  if (verdict === 'base_broken') return plainWords(toLower(describeBroken(ground, keepName)), MAX_SHORT);
  if (verdict === 'flaky') return 'flaky';
  if (verdict === 'infrastructure') return plainWords(describeFault(cause), MAX_SHORT);
  const whose = attributeFailure(ground, cause);
  if (whose.kind === 'unknown' || whose.kind === 'open') return 'not known';
  if (whose.kind !== 'here') return toLower(describeInPlain(ground, cause, whose));
  return whose.base === 'green' ? `green on ${plainWords(baseOf(ground), MAX_NAME)}` : 'red here';
}

function renderCauseTitle(ground: CheckRunGround, cause: Cause, max: number): string {
  const { finding } = cause;
  switch (finding.verdict) {
    case 'code':
    case 'inconclusive':
      return renderFaultTitle(ground, cause, max);
    case 'base_broken': {
      const lead = describeBroken(ground, keepName);
      return plainWords(isOnDefault(ground) ? lead : `${lead}, not your change`, max);
    }
    case 'flaky':
      return plainWords(
        `Flaky: ${isRed(finding) ? describeFirstReason(cause) : 'it has passed at this commit since'}`,
        max,
      );
    case 'infrastructure':
      return plainWords(`${capital(describeFault(cause))}, not your code`, max);
  }
}

function renderFaultTitle(ground: CheckRunGround, cause: Cause, max: number): string {
  const whose = attributeFailure(ground, cause);
  const lead = describeInPlain(ground, cause, whose);
  const rest = whose.kind === 'unknown' ? describeUnknown(cause) : describeError(ground, cause);
  return rest === '' ? lead : `${lead}: ${plainWords(rest, max - lead.length - 2)}`;
}

/** A check that tells in words of its own why it is red has said more than we can. */
function describeUnknown(cause: Cause): string {
  const said = ownWords(cause);
  return said === '' ? describeFirstReason(cause) : `${cause.finding.checks[0]?.name || 'the check'} says “${said}”`;
}

/** What a check without a log says of itself; "" for nothing. */
export function ownWords({ finding }: Cause): string {
  const { step, headline } = finding.excerpt;
  return step === '' && finding.verdict === 'inconclusive' ? headline.trim() : '';
}

const WORDS: Readonly<Record<Exclude<Verdict, 'code' | 'inconclusive' | 'base_broken'>, string>> = {
  flaky: 'Flaky',
  infrastructure: 'Not your code',
};

/** Markdown, inert: the verdict in a few words. */
export function verdictWords(ground: CheckRunGround, cause: Cause): string {
  const { verdict } = cause.finding;
  if (verdict === 'base_broken') return describeBroken(ground, (name) => formatCodeSpan(name) || '–');
  if (verdict !== 'code' && verdict !== 'inconclusive') return WORDS[verdict];
  return describeInMarkdown(ground, cause, attributeFailure(ground, cause));
}

/** In plain words, for a mark in the code: who it is that is meant, where that is known. */
export function describeMark(ground: CheckRunGround, cause: Cause, whose: Attribution): string {
  const isMeant = whose.kind === 'change' || whose.kind === 'push' || whose.kind === 'pushes' || whose.kind === 'back';
  return isMeant ? describeInPlain(ground, cause, whose) : 'A check fails here';
}

function describeBroken(ground: CheckRunGround, name: (name: string) => string): string {
  return isOnDefault(ground) ? 'Red since before this push' : `Red on ${name(baseOf(ground))} as well`;
}

function keepName(name: string): string {
  return name;
}

function describeError({ isPublic }: CheckRunGround, cause: Cause): string {
  const { finding } = cause;
  const found = causeFound(cause);
  if (found !== null) {
    const { rootCause } = filterIssue(found, { isPublic }).issue;
    return dropStop(firstSentences(uncited(rootCause), 1).first.split('\n')[0] ?? '');
  }
  return shownError(finding.excerpt).error;
}

/** What the machine or a service did, without the line that says so. */
function describeFault({ finding }: Cause): string {
  const [reason] = finding.reasons;
  return reason?.code === 'infrastructure' ? reason.what : 'the machine failed';
}

function describeFirstReason({ finding }: Cause): string {
  const [reason] = finding.reasons;
  return toLower(dropStop(reason ? describeReason(reason) : 'nothing tells the cause'));
}

function dropStop(sentence: string): string {
  return sentence.trim().replace(/\.$/, '');
}

/** But for names, which have capitals further on. */
function toLower(words: string): string {
  return /^\p{Lu}[\p{Ll}' ]*(?:[\s,]|$)/u.test(words) && !/^I(?:'|\s)/.test(words)
    ? `${words.charAt(0).toLowerCase()}${words.slice(1)}`
    : words;
}

export function capital(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
