// A check's own words: its title, its summary, a status's description. Mostly they say no more than that it failed.
import type { Excerpt } from '../core/head.ts';
import { cutExcerpt, headlineText } from './cut-excerpt.ts';
import { type Cause, ERROR, findCause, NOTHING, rankOf, type TellingLine } from './find-cause.ts';
import { hasPlace } from './places.ts';
import { type PlainLine, plainLines } from './plain-lines.ts';
import { findSteps } from './steps.ts';

const DURATION = '[\\d.]{1,8} ?[a-z]{1,8}(?:,? (?:and )?[\\d.]{1,8} ?[a-z]{1,8}){0,2}';
const FAILED =
  '(?:not (?:pass(?:ed)?|succeed(?:ed)?|successful)|fail(?:ed|ing|s|ure|ures)?|errored|cancell?ed|aborted|broken|red|unsuccessful)';
const AFTER = `(?:,? (?:in|after) ${DURATION})?(?: on [\\w.-]{1,40}(?: [\\w.-]{1,40})?)?(?: \\((?=[^()]{0,40}\\d)[\\d\\s:.,a-z]{1,40}\\))?[.!]{0,3}$`;
/** That it failed, and nothing of why. */
const ONLY_FAILED: readonly RegExp[] = [
  new RegExp(
    `^(?:error: )?(?:[\\w./#&-]{1,40} ){0,5}?(?:builds?|deploys?|deployments?|tests?|pipelines?|checks?|jobs?|workflows?|gate|runs?|previews?|suites?|tasks?|stages?|steps?|analysis|status)(?: #?[\\d.]{1,20})?:? (?:(?:has|have|had|was|were|is|are|did) )?(?:been )?${FAILED}${AFTER}`,
    'i',
  ),
  new RegExp(`^(?:error|(?:it )?(?:has )?${FAILED})${AFTER}`, 'i'),
  /^(?:error: )?(?:process completed|command failed|exited) with (?:exit )?(?:code|status) \d{1,5}\.?$/i,
  /^(?:this commit (?:cannot be built|has test failures)|the (?:[\w.-]{1,40} ){0,3}build could not complete due to an error|some (?:checks|tests) (?:failed|were not successful))[.!]?$/i,
];

export interface OwnWords {
  readonly lines: readonly PlainLine[];
  /** Tells only where a tool's error, a test or a place of the code is named: words of trouble are in every check that is red. */
  readonly cause: Cause;
}

/** What of its own words tells of a cause. */
export function readOwnWords(output: string): OwnWords {
  const lines = output === '' ? [] : plainLines(output).map(withoutPhrases);
  const cause = findCause(lines, findSteps(lines));
  if (cause.tests.length > 0 || rankOf(cause) >= ERROR) return { lines, cause };
  const placed = lines.flatMap(({ text }, at): readonly TellingLine[] =>
    hasPlace(text) ? [{ at, kind: 'error', isHeading: false, isOpening: false }] : [],
  );
  const headline = placed[0]?.at ?? -1;
  return { lines, cause: { ...NOTHING, headline, message: headline, telling: placed } };
}

function withoutPhrases(line: PlainLine): PlainLine {
  return isOnlyFailed(line.text) ? { ...line, text: '' } : line;
}

/** What it says where none of it is an error: for people to read. Null: nothing but that it failed. */
export function saidExcerpt({ name, output }: { readonly name: string; readonly output: string }): Excerpt | null {
  const lines = plainLines(output).filter(({ text }) => text.trim() !== '');
  const said = lines.findIndex(({ text }) => saysSomething(text) && bareText(text) !== name);
  if (said < 0) return null;
  const told = { at: said, kind: 'weak', isHeading: false, isOpening: false } as const;
  const excerpt = cutExcerpt(lines, { ...NOTHING, headline: said, message: said, telling: [told] });
  const headline = headlineText(bareText(lines[said]?.text ?? ''));
  return { ...excerpt, headline, cut: excerpt.cut.replace('of the log', 'of what it says') };
}

/** A word alone is a heading. */
function saysSomething(text: string): boolean {
  return /\p{L}{2}/u.test(bareText(text)) && /\S\s\S/.test(bareText(text)) && !isOnlyFailed(text);
}

function isOnlyFailed(text: string): boolean {
  const bare = bareText(text);
  return ONLY_FAILED.some((pattern) => pattern.test(bare));
}

/** Without the marks of Markdown and HTML. */
function bareText(text: string): string {
  return text
    .replace(/!\[[^\]]{0,200}\]\([^)]{0,500}\)/g, ' ')
    .replace(/\[([^\]]{0,200})\]\([^)]{0,500}\)/g, '$1')
    .replace(/<\/?[a-z][^<>]{0,300}>/gi, ' ')
    .replace(/^[\s#>*_❌✖✗×:-]{1,40}|[\s*_|]{1,40}$/g, '')
    .replace(/\*\*|__|`/g, '')
    .trim();
}
