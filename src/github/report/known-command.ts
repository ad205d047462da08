// `/analyse known #123 "pattern"`: ties a failure or a pattern to an issue, confirms the pattern, or unties the issue.
import { readQuotedText } from './quoted-text.ts';

export interface KnownCommand {
  readonly kind: 'known';
  /** Null: none is named, which on an issue means that one. */
  readonly issue: number | null;
  /** Of the issue, where its address or `owner/name#123` stands; null: the repository itself. */
  readonly repository: string | null;
  readonly what: /** The failure of that id; "": the one that is found here. */
    | { readonly kind: 'failure'; readonly failureId: string }
    | { readonly kind: 'pattern'; readonly pattern: string }
    /** What was proposed before. `pattern`: only this one; "": whichever it is. */
    | { readonly kind: 'confirm'; readonly pattern: string }
    | { readonly kind: 'untie' }
    /** `below`: what may be meant as a pattern stands on the next line, where it is not looked for. */
    | { readonly kind: 'malformed'; readonly isBelow: boolean };
}

/** After the word `known`: what follows it otherwise is a hint, such as `known to work in 1.2`. */
const LED =
  /^known(?:[ \t]+(?:issue|failure|as))?:?(?=\s*$|\s+(?:#|\d|https?:|[\w.-]{1,100}\/[\w.-]{1,100}#|fal_|["“”„«»'‘`]|yes\b|no\b))\s*/i;
const ISSUE =
  /^(?:(?:https?:\/\/[^\s/]{1,255}\/)?([\w.-]{1,100}\/[\w.-]{1,100})(?:\/issues\/|#)|#)?(\d{1,9})(?![\w/])(?:#issue[\w-]*)?[:,]?/i;
const FAILURE = /^(fal_[0-9A-Za-z]{1,40})(?!\w)/;
const ANSWER = /^(yes|no)?[.!]*$/i;

/** Null: another command, or none. `after`: the lines below it. */
export function readKnownCommand(words: string, after: string): KnownCommand | null {
  const led = LED.exec(words)?.[0];
  if (led === undefined) return null;
  const said = words.slice(led.length).trim();
  const [named = '', repository = null, number] = ISSUE.exec(said) ?? [];
  const issue = number === undefined ? null : Number(number);
  const behind = said.slice(named.length).trim();
  const failureId = FAILURE.exec(behind)?.[1] ?? '';
  const rest = behind.slice(failureId.length).trim();
  const quoted = readQuotedText(rest, 'last');
  const [isAnswer, answer] = ANSWER.exec((quoted?.rest ?? rest).trim()) ?? [];
  if (isAnswer === undefined) return { kind: 'known', issue, repository, what: { kind: 'malformed', isBelow: false } };
  const what = toWhat(failureId, quoted?.text.trim() ?? '', answer?.toLowerCase());
  // Tied would be whatever is red here, instead of what the person quotes.
  const isBelow = what.kind === 'failure' && failureId === '' && isQuotation(after);
  return { kind: 'known', issue, repository, what: isBelow ? { kind: 'malformed', isBelow } : what };
}

/** Whether the first line that is not empty is a quotation, or begins a block of code. */
function isQuotation(after: string): boolean {
  const first = after.trimStart().split('\n', 1)[0] ?? '';
  return /^(?:```|~~~)/.test(first) || readQuotedText(first, 'last') !== null;
}

function toWhat(failureId: string, pattern: string, answer: string | undefined): KnownCommand['what'] {
  const isOne = failureId === '' || (pattern === '' && answer === undefined);
  if (!isOne || (answer === 'no' && pattern !== '')) return { kind: 'malformed', isBelow: false };
  if (answer === 'no') return { kind: 'untie' };
  if (answer === 'yes') return { kind: 'confirm', pattern };
  return pattern === '' ? { kind: 'failure', failureId } : { kind: 'pattern', pattern };
}
