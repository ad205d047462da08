// The title of our check run: who or what caused a failure, as far as it is known for certain, and the error or its cause.

import type { ChangeSet } from 'causeway-diff';
import { formatCodeSpan, formatPlain } from 'causeway-safe-markdown';
import {
  type CommitRange,
  countWhose,
  describeReason,
  describeWhoseCount,
  type Failure,
  type Finding,
  type Head,
  isMoreThanOnBase,
  nameBareError,
  type Override,
  splitError,
} from '../../core/check/index.ts';
import { filterIssue, removeCitations, type SourcedIssue, splitSentences } from '../../core/issue/index.ts';
import { hasCause } from '../../core/outcome/index.ts';
import type { ProofState } from '../../core/proof/index.ts';
import type { FailureReason, WaitCode } from '../../core/reason.ts';
import { sortByName } from './comment.ts';
import type { CauseRevert } from './revert.ts';

/** What the check run on a head is rendered from. */
export interface CheckRunContent {
  /** `owner/name`. */
  readonly repository: string;
  /** GitHub's address for people, such as https://github.com. */
  readonly webUrl: string;
  readonly isPublic: boolean;
  readonly defaultBranch: string;
  readonly head: Pick<Head, 'sha' | 'state' | 'place' | 'leftOut' | 'stillWaiting'>;
  readonly causes: readonly ShownCause[];
  /** A sentence on what was not read; absent or "": nothing. */
  readonly notRead?: string;
}

/** Failing checks of one cause, with what is known of it. */
export interface ShownCause {
  readonly finding: Finding;
  /** Null: deleted. */
  readonly failure: Failure | null;
  /** How often it was seen on each of the days up to the head's, the oldest first; absent: not known. */
  readonly days?: readonly number[];
  readonly inquiry: CauseInquiry;
  /** Where else on GitHub it is described; "" for nowhere. */
  readonly reportUrl: string;
  readonly fix: CauseFix;
  /** The revert of the commit that it came with; absent: none. */
  readonly revert?: CauseRevert;
}

/** The state of a cause's investigation. */
export type CauseInquiry =
  | { readonly kind: 'none' }
  /** `waitsFor`: null where it is running. */
  | { readonly kind: 'running'; readonly waitsFor: WaitCode | null }
  | {
      readonly kind: 'concluded';
      readonly issue: SourcedIssue;
      /** Null: deleted. */
      readonly changeSet: ChangeSet | null;
      readonly recordUrl: string;
    }
  | { readonly kind: 'ended'; readonly reason: FailureReason }
  | { readonly kind: 'deleted' };

/** The pull request for a cause, if this head is where it can be requested. */
export type CauseFix =
  | { readonly kind: 'none' }
  /** `refused`: why it wasn't opened when it was requested before; "" if it wasn't. */
  /** `button`: null where a comment requests it. */
  | { readonly kind: 'on_request'; readonly button: string | null; readonly refused: string }
  | { readonly kind: 'opening' }
  | {
      readonly kind: 'opened';
      readonly number: number;
      readonly url: string;
      readonly state: 'open' | 'merged' | 'closed';
      /** Absent or null: it isn't known yet, or there is nothing to prove it with. */
      readonly proof?: ProofState | null;
      /** Whether it is from an earlier analysis. */
      readonly isEarlier: boolean;
    };

/** GitHub's limit. */
export const MAX_CHECK_TITLE = 255;
const MAX_NAME = 60;
const MAX_SHORT = 70;
const LONG_ERROR = 140;
const RUNNING = ' · looking for the cause';

/** Plain text of at most 255 characters. */
export function renderTitle(content: CheckRunContent): string {
  const { causes, head } = content;
  const [first] = causes;
  if (first === undefined) return head.state === 'green' ? 'All checks pass now' : 'Nothing to report';
  const tail = causes.some(({ inquiry }) => inquiry.kind === 'running') ? RUNNING : '';
  const max = MAX_CHECK_TITLE - tail.length;
  return `${causes.length === 1 ? renderCauseTitle(content, first, max) : renderSeveral(content, max)}${tail}`;
}

/** Whole parts only; the rest is counted. */
function renderSeveral(content: CheckRunContent, max: number): string {
  const { causes } = content;
  const answer = answerWhose(content);
  const lead = answer === '' ? `${causes.length} causes: ` : `${answer} · `;
  const parts: string[] = [];
  for (const [index, cause] of causes.entries()) {
    const part = `${formatPlainLabel(nameChecks(cause, cutName), MAX_NAME)}: ${describeShort(content, cause)}`;
    const more = `and ${causes.length - index} more`;
    if (`${lead}${[...parts, part, more].join('; ')}`.length > max) {
      parts.push(more);
      break;
    }
    parts.push(part);
  }
  return `${lead}${parts.join('; ')}`;
}

/** Whether the red checks are the change's, in our words; "" on the default branch, or where none is red. No full stop. */
export function answerWhose(content: CheckRunContent): string {
  if (isOnDefault(content)) return '';
  const answer = describeWhoseCount(countWhose(content.causes));
  const { leftOut, stillWaiting } = content.head;
  if (answer === '') return '';
  const besides = [
    leftOut.length > 0 ? `${leftOut.length} not examined` : '',
    stillWaiting.length > 0 ? `${stillWaiting.length} still running` : '',
  ];
  return [answer, ...besides.filter(Boolean)].join('; ');
}

function describeShort(content: CheckRunContent, cause: ShownCause): string {
  const source = attributeFailure(content, cause);
  if (source.kind === 'infrastructure') return formatPlainLabel(describeInfrastructureFault(cause), MAX_SHORT);
  const base = formatPlainLabel(findBase(content), MAX_NAME);
  if (source.kind === 'here') return source.base === 'green' ? `passes on ${base}` : 'fails here';
  const lead = describeInPlain(content, cause, source);
  return `${lead.charAt(0).toLowerCase()}${lead.slice(1)}`;
}

function renderCauseTitle(content: CheckRunContent, cause: ShownCause, max: number): string {
  const source = attributeFailure(content, cause);
  const lead = describeInPlain(content, cause, source);
  if (source.kind === 'base_broken') return `${lead}${describeBaseRest(content, cause)}`;
  const rest = describeRest(content, cause, source);
  const sign = source.kind === 'known' ? ' ·' : ':';
  return rest === '' ? lead : `${lead}${sign} ${formatPlainLabel(rest, max - lead.length - 3)}`;
}

function describeBaseRest(content: CheckRunContent, { finding }: ShownCause): string {
  if (isOnDefault(content)) return '';
  return isMoreThanOnBase(finding.reasons) ? ', but with more errors here' : ', not your change';
}

function describeRest({ isPublic }: CheckRunContent, cause: ShownCause, source: Attribution): string {
  const { finding } = cause;
  if (source.kind === 'infrastructure') return describeInfrastructureFault(cause);
  if (source.kind === 'said' && source.override.reason !== '') return `“${source.override.reason}”`;
  if (source.kind === 'flaky') {
    const tests = describeTests(finding);
    if (!isRed(finding)) return `${tests || 'it'} passed on a re-run of this commit`;
    return [describeFirstReason(finding), tests].filter(Boolean).join(': ');
  }
  const found = findCauseIssue(cause);
  if (found !== null) {
    const { rootCause } = filterIssue(found, { isPublic }).issue;
    const [line = ''] = splitSentences(removeCitations(rootCause), 1).first.split('\n');
    return line.trim().replace(/\.$/, '');
  }
  if (source.kind !== 'unclear' || isUntied(finding))
    return nameBareError(finding.excerpt) ?? shortenError(splitError(finding.excerpt).error);
  const output = readOutput(finding);
  return output === '' ? describeFirstReason(finding) : `${finding.checks[0]?.name || 'the check'} says “${output}”`;
}

/** Of a long error only its first sentence, where that is one and not the beginning of a value. */
function shortenError(error: string): string {
  const { first } = splitSentences(error, 1);
  return error.length > LONG_ERROR && first.length > LONG_ERROR / 3 ? first : error;
}

function describeTests({ excerpt: { tests } }: Finding): string {
  const [first = ''] = tests;
  return tests.length > 1 ? `${first} and ${tests.length - 1} more` : first;
}

/** What failed, which stays true whatever is found out later. Plain text of at most 255 characters. */
export function describeFailed(cause: ShownCause): string {
  const tests = describeTests(cause.finding);
  return formatPlainLabel(`${nameChecks(cause, cutName)} failed${tests === '' ? '' : `: ${tests}`}`, MAX_CHECK_TITLE);
}

function describeInfrastructureFault({ finding: { reasons } }: ShownCause): string {
  return reasons[0]?.code === 'infrastructure' ? reasons[0].what : 'the machine failed';
}

function describeFirstReason({ reasons: [reason] }: Finding): string {
  return reason === undefined ? 'the checks give no reason' : describeReason(reason).trim().replace(/\.$/, '');
}

/** Who or what caused a failure. */
export type Attribution =
  | { readonly kind: 'base_broken' | 'flaky' | 'infrastructure' }
  /** People tied it to that issue. */
  | { readonly kind: 'known'; readonly number: number }
  /** The change under test touches what fails. */
  | { readonly kind: 'change' }
  /** The analysis of another pull request explains it. `isOwn`: both changes touch what fails, so it is this one's as well. */
  | { readonly kind: 'elsewhere'; readonly number: number; readonly isOwn: boolean }
  /** Fails here. `base`: the result of the same checks there; null: not known. */
  | { readonly kind: 'here'; readonly base: 'green' | 'red' | null }
  /** On the default branch, since it last passed: this many commits, the pushed one among them. */
  | { readonly kind: 'push'; readonly commits: number }
  | { readonly kind: 'back' }
  /** Failing on the default branch already; "": it isn't known since which commit. */
  | { readonly kind: 'since'; readonly sha: string }
  | { readonly kind: 'default' }
  /** The change is documentation alone, which nothing that failed reads. */
  | { readonly kind: 'documentation' }
  | { readonly kind: 'unclear' }
  /** It is unclear, and the failing test gets to what the change touches. */
  | { readonly kind: 'leaning' }
  /** It was unclear until the investigation found the cause. */
  | { readonly kind: 'found' }
  /** A person with write said so, whatever was judged. */
  | { readonly kind: 'said'; readonly override: Override };

export function attributeFailure(content: CheckRunContent, cause: ShownCause): Attribution {
  const { override } = cause.finding;
  return override === undefined ? attributeJudged(content, cause) : { kind: 'said', override };
}

/** Without what people said. */
export function attributeJudged(content: CheckRunContent, cause: ShownCause): Attribution {
  const { finding } = cause;
  const { verdict, known } = finding;
  if (known?.code === 'known' && isRed(finding)) return { kind: 'known', number: known.issue };
  if (verdict !== 'code' && verdict !== 'inconclusive') return { kind: verdict };
  const number = isOnDefault(content) ? null : findElsewhere(content, cause);
  if (number !== null) return { kind: 'elsewhere', number, isOwn: verdict === 'code' && finding.isTouched === true };
  if (verdict === 'inconclusive') {
    if (findCauseIssue(cause) !== null) return { kind: 'found' };
    if (finding.reasons.some(({ code }) => code === 'only_documentation')) return { kind: 'documentation' };
    return { kind: finding.leaning === undefined ? 'unclear' : 'leaning' };
  }
  if (isOnDefault(content)) return attributeOnDefault(content, cause);
  return finding.isTouched === true ? { kind: 'change' } : { kind: 'here', base: finding.base ?? null };
}

/** Number of the other pull request whose analysis holds here as well. */
function findElsewhere({ head: { place } }: CheckRunContent, { finding, failure }: ShownCause): number | null {
  if (finding.sharedFrom !== undefined) return finding.sharedFrom;
  if (finding.standing === 'new' || finding.isOwnThread) return null;
  const number = failure?.firstSeen.pullRequest ?? null;
  return place?.kind === 'pull_request' && place.number === number ? null : number;
}

/** The range belongs to the commit that first failed, and is kept as long as the branch fails. */
function attributeOnDefault({ head }: CheckRunContent, cause: ShownCause): Attribution {
  const { finding, failure } = cause;
  if (finding.standing === 'regression') return { kind: 'back' };
  const range = findRangeOf(cause);
  if (range !== null) {
    return range.to === head.sha ? { kind: 'push', commits: range.total } : { kind: 'since', sha: range.to };
  }
  const first = failure?.firstSeen ?? null;
  if (first === null || finding.standing === 'new' || first.sha === head.sha) return { kind: 'default' };
  return { kind: 'since', sha: first.isOnDefault && (finding.opening ?? failure?.opening) === 1 ? first.sha : '' };
}

/** Whether the failure has not been closed and come back since. */
export function isCurrent({ finding: { opening = 1 }, failure }: Pick<ShownCause, 'finding' | 'failure'>): boolean {
  return failure?.opening === opening;
}

/** The commits that brought it when it was found: a later time of the failure has others. Null: unknown. */
export function findRangeOf(cause: Pick<ShownCause, 'finding' | 'failure'>): CommitRange | null {
  const { finding, failure } = cause;
  return (isCurrent(cause) ? failure?.range : finding.range) ?? null;
}

/** That it fails elsewhere too takes nothing away from what is certain here. */
function leadElsewhere({ isOwn }: Extract<Attribution, { kind: 'elsewhere' }>): string {
  return isOwn ? 'Your change, the same failure as' : 'Same failure as';
}

/** Plain text, in which GitHub links nothing. */
function describeInPlain(content: CheckRunContent, cause: ShownCause, source: Attribution): string {
  if (source.kind === 'elsewhere') return `${leadElsewhere(source)} #${source.number}`;
  if (source.kind === 'known') return `Known: #${source.number}`;
  return formatPlainLabel(describeAttribution(content, cause, source, cutName), 4 * MAX_NAME);
}

/** Sanitised Markdown. */
export function describeInMarkdown(content: CheckRunContent, cause: ShownCause, source: Attribution): string {
  if (source.kind === 'elsewhere') {
    const { number } = source;
    return `${leadElsewhere(source)} [#${number}](${content.webUrl}/${content.repository}/pull/${number})`;
  }
  if (source.kind === 'known') return `Known: ${linkIssue(content, source.number)}`;
  return describeAttribution(content, cause, source, (name) => formatCodeSpan(name.slice(0, MAX_NAME)));
}

export function linkIssue({ webUrl, repository }: CheckRunContent, number: number): string {
  return `[#${number}](${webUrl}/${repository}/issues/${number})`;
}

function describeAttribution(
  content: CheckRunContent,
  cause: ShownCause,
  source: Exclude<Attribution, { kind: 'elsewhere' | 'known' }>,
  format: (name: string) => string,
): string {
  const { place } = content.head;
  const main = format(place?.kind === 'default' ? place.branch : content.defaultBranch) || 'the default branch';
  switch (source.kind) {
    case 'base_broken':
      return isOnDefault(content)
        ? 'Failing since before this push'
        : `Broken on ${format(findBase(content)) || 'the base'}`;
    case 'here':
      return describeHere(content, cause, source.base, format);
    case 'push':
      return source.commits === 1 ? 'This push' : `Broken on ${main} by one of ${source.commits} commits`;
    case 'back':
      return `Broken again on ${main}`;
    case 'since':
      return `Broken on ${main} since ${source.sha === '' ? 'before this push' : format(source.sha.slice(0, 7))}`;
    case 'default':
      return `Broken on ${main}`;
    case 'said':
      return describeSaid(source.override, format);
    default:
      return LEADS[source.kind];
  }
}

/** Named without a mention. */
function describeSaid({ whose, by }: Override, format: (name: string) => string): string {
  const who = by === null ? 'someone with write access' : format(by.login) || 'someone with write access';
  return `${whose === 'mine' ? 'Your change' : 'Not your change'}, says ${who}`;
}

const LEADS = {
  change: 'Your change',
  flaky: 'Flaky',
  infrastructure: 'CI machine',
  documentation: 'Not your change',
  unclear: 'Unclear',
  leaning: 'Probably your change',
  found: 'Cause found',
} as const;

function describeHere(
  content: CheckRunContent,
  cause: ShownCause,
  base: 'green' | 'red' | null,
  format: (name: string) => string,
): string {
  const fails = `${nameChecks(cause, format)} ${cause.finding.checks.length === 1 ? 'fails' : 'fail'} here`;
  const branch = format(findBase(content)) || 'the base';
  if (base === null) return fails;
  return base === 'green' ? `${fails}, passing on ${branch}` : `${fails}, for a different reason than on ${branch}`;
}

/** Plain text, in which GitHub links nothing. */
export function formatPlainLabel(text: string, max: number): string {
  return formatPlain(text, max, 'label');
}

function cutName(name: string): string {
  return formatPlainLabel(name, MAX_NAME);
}

export function nameChecks({ finding: { checks } }: ShownCause, format: (name: string) => string): string {
  const more = checks.length - 1;
  return `${format(sortByName(checks)[0]?.name ?? '') || 'a check'}${more > 0 ? ` and ${more} more` : ''}`;
}

export function isOnDefault({ head }: CheckRunContent): boolean {
  return head.place?.kind === 'default';
}

/** The branch that the head is compared with. */
export function findBase({ head, defaultBranch }: CheckRunContent): string {
  return head.place?.kind === 'pull_request' ? head.place.base.branch : defaultBranch;
}

/** Whether one of its checks still fails. */
export function isRed({ checks }: Finding): boolean {
  return checks.some((check) => check.isRed);
}

/** Nothing connects the failure with the change, but the error itself is known. */
function isUntied({ reasons, excerpt }: Finding): boolean {
  return excerpt.headline !== '' && reasons.some(({ code }) => code === 'untied');
}

/** The Issue, if it says more than where to look. */
export function findCauseIssue({ inquiry }: ShownCause): SourcedIssue | null {
  return inquiry.kind === 'concluded' && hasCause(inquiry.issue) ? inquiry.issue : null;
}

/** What a check without a log says of itself; "" for nothing. */
export function readOutput({ excerpt: { step, headline }, verdict }: Finding): string {
  return step === '' && verdict === 'inconclusive' ? headline.trim() : '';
}
