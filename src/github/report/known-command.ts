// `/analyse known #123 "pattern"`: ties a failure or a pattern to an issue, confirms the pattern, or unties the issue.

export interface KnownCommand {
  readonly kind: 'known';
  /** Null: none is named, which on an issue means that one. */
  readonly issue: number | null;
  readonly what: /** The failure of that id; "": the one that is found here. */
    | { readonly kind: 'failure'; readonly failureId: string }
    | { readonly kind: 'pattern'; readonly pattern: string }
    /** What was proposed before. `pattern`: only this one; "": whichever it is. */
    | { readonly kind: 'confirm'; readonly pattern: string }
    | { readonly kind: 'untie' }
    | { readonly kind: 'malformed' };
}

/** After the word `known`: what follows it otherwise is a hint, such as `known to work in 1.2`. */
const LED = /^known(?=\s*$|\s+(?:#|\d|fal_|["“”]|yes\b|no\b))\s*/i;
const PARTS = /^(?:#?(\d{1,9})(?!\w)\s*)?(?:(fal_[0-9A-Za-z]{1,40})(?!\w)\s*)?(?:["“”](.+)["“”]\s*)?(yes|no)?[.!]*$/i;

/** Null: another command, or none. */
export function readKnownCommand(words: string): KnownCommand | null {
  const led = LED.exec(words)?.[0];
  if (led === undefined) return null;
  const [whole, number, failureId = '', pattern = '', answer] = PARTS.exec(words.slice(led.length).trim()) ?? [];
  const issue = number === undefined ? null : Number(number);
  if (whole === undefined) return { kind: 'known', issue: null, what: { kind: 'malformed' } };
  return { kind: 'known', issue, what: toWhat(failureId, pattern.trim(), answer?.toLowerCase()) };
}

function toWhat(failureId: string, pattern: string, answer: string | undefined): KnownCommand['what'] {
  const isOne = failureId === '' || (pattern === '' && answer === undefined);
  if (!isOne || (answer === 'no' && pattern !== '')) return { kind: 'malformed' };
  if (answer === 'no') return { kind: 'untie' };
  if (answer === 'yes') return { kind: 'confirm', pattern };
  return pattern === '' ? { kind: 'failure', failureId } : { kind: 'pattern', pattern };
}
