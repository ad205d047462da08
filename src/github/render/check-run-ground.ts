// What our own check run on a head is rendered from. Rendering is pure: the same ground gives the same texts.

import type { Reason } from '../../core/check.ts';
import type { ChangeSet } from '../../core/diff/diff.ts';
import type { Failure } from '../../core/failure.ts';
import type { Excerpt, Finding, Head } from '../../core/head.ts';
import type { FailureReason, WaitCode } from '../../core/reason.ts';
import type { SourcedIssue } from '../../core/shown-issue.ts';

export interface CheckRunGround {
  /** `owner/name`. */
  readonly repository: string;
  /** GitHub's base address for people, such as https://github.com. */
  readonly webUrl: string;
  readonly isPublic: boolean;
  readonly defaultBranch: string;
  readonly head: Pick<Head, 'sha' | 'state' | 'place' | 'leftOut' | 'stillWaiting'>;
  /** One for each finding, in its order. */
  readonly causes: readonly Cause[];
}

/** Red checks of one cause, with what is known of it. */
export interface Cause {
  readonly finding: Finding;
  /** Null: erased. */
  readonly failure: Failure | null;
  readonly inquiry: Inquiry;
  /** Where else it is told, an address for people; "" for nowhere. */
  readonly toldAt: string;
  readonly fix: CauseFix;
}

/** Where the investigation of a cause stands. */
export type Inquiry =
  | { readonly kind: 'none' }
  /** `waitsFor`: such as a model out of reach; null: for nothing. */
  | { readonly kind: 'running'; readonly waitsFor: WaitCode | null }
  /** `changeSet`: the edits behind the Issue's diff; null: erased. */
  | {
      readonly kind: 'concluded';
      readonly issue: SourcedIssue;
      readonly changeSet: ChangeSet | null;
      readonly recordUrl: string;
    }
  | { readonly kind: 'ended'; readonly reason: FailureReason }
  /** It is not there any more. */
  | { readonly kind: 'lost' };

/** Where the pull request for a cause stands, as far as this head is the place to ask for it. */
export type CauseFix =
  | { readonly kind: 'none' }
  /** There is a button. `refused`: why it was not opened when somebody asked before, in words; "" for nothing. */
  | { readonly kind: 'on_request'; readonly button: string; readonly refused: string }
  | { readonly kind: 'opening' }
  | {
      readonly kind: 'opened';
      readonly number: number;
      readonly url: string;
      readonly state: 'open' | 'merged' | 'closed';
      /** Whether it is of an analysis before this one. */
      readonly isEarlier: boolean;
    };

export function isOnDefault({ head }: Pick<CheckRunGround, 'head'>): boolean {
  return head.place?.kind === 'default';
}

/** Whether one of its checks is red now. */
export function isRed({ checks }: Finding): boolean {
  return checks.some((check) => check.isRed);
}

/** A result that says more than where to look. */
export function causeFound({ inquiry }: Pick<Cause, 'inquiry'>): SourcedIssue | null {
  return inquiry.kind === 'concluded' && tellsCause(inquiry.issue) ? inquiry.issue : null;
}

export function tellsCause({ analysis: { outcome } }: SourcedIssue): boolean {
  return outcome !== 'facts_only' && outcome !== 'inconclusive' && outcome !== 'needs_information';
}

/** Without the numbers of steps, which a check run does not show. */
export function uncited(text: string): string {
  return text.replace(/(?<!\s)\s*\[step \d+\]/g, '');
}

/** How long a test took differs each time, and tells nothing. */
const TIME = /(?<!\s)\s*[([]\d{1,6}(?:\.\d{1,9})?\s?m?s[)\]]$/;

const MARK = /^(?:[✖✗✘×●❌✕]|not ok \d{1,6} -|--- FAIL:|FAIL:?|\d{1,4}\))\s+/;

const FRAME = /^\s*(?:at |File "|from \/)/;

const ERROR = /\b\w{0,60}(?:Error|Exception|Failure|Failed|panic)\b|^\s*(?:E\s|error\b|assert|expected\b|panicked\b)/i;

interface ShownError {
  /** The first error line; "" where nothing tells. */
  readonly error: string;
  /** The line that names the failed test, where the excerpt begins with that; "" otherwise. */
  readonly test: string;
}

export function withoutTime(line: string): string {
  return line.replace(TIME, '').trim();
}

export function shownError({ headline, lines, tests }: Excerpt): ShownError {
  const first = withoutTime(headline);
  if (!isNameOfTest(first, tests)) return { error: first, test: '' };
  const at = lines.findIndex((line) => line.replace(/\s+/g, ' ').trim() === headline.trim());
  const below = at === -1 ? [] : lines.slice(at + 1);
  const error = below.find((line) => ERROR.test(line) && !FRAME.test(line) && !isNameOfTest(line, tests));
  return error === undefined ? { error: first, test: '' } : { error: error.trim(), test: first };
}

/** Both, one below the other. */
export function errorLines({ error, test }: ShownError): string {
  return [test, error].filter((line) => line !== '').join('\n');
}

function isNameOfTest(line: string, tests: readonly string[]): boolean {
  const bare = withoutTime(line).replace(MARK, '');
  return bare !== '' && tests.some((test) => test === bare || test.endsWith(bare) || bare.endsWith(test));
}

/** Whether a reason says no more than those lines do. */
export function isRepeated(reason: Reason, { error, test }: ShownError): boolean {
  const isMore = (reason.code === 'says' && reason.isAll) || (reason.code === 'test_failed' && reason.others > 0);
  const said = isMore ? '' : withoutTime(quotedLine(reason));
  return said !== '' && [error, test].some((line) => line.startsWith(said) || (line !== '' && line.endsWith(said)));
}

/** What a reason quotes of the check; "" for nothing. */
export function quotedLine(reason: Reason): string {
  if (reason.code === 'says') return reason.headline;
  return reason.code === 'test_failed' ? reason.test : '';
}
