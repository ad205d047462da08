// Finds the values of cookies, however clients, servers, frameworks, browsers and their logs write them.
import { isCredential, isPlaceholder, isRandomRun } from './literals.ts';
import { iterateMatches, type TextSpan } from './readings.ts';

/** What leads from the word to its list, sign by sign: `: `, `': [ '`, `"=>"`, `","value":"`, `"]=> string(36) "`. */
const JOINT =
  '((?:(?:\\(\\))?\\.(?:set|add|append|save)(?=\\()|[:,[{(][ \\t]{0,40}\\r?\\n[ \\t]{0,40}(?:- )?|[ \\t"\'`\\\\[({<>%:=,|]|\\](?=[ \\t]{0,3}=)|b(?=["\'])|\\bvalue(?=\\\\{0,3}["\'`]?[ \\t]{0,3}[:=])|string\\(\\d{1,6}\\)|Sensitive\\(|\\.(?=[\\w-]{1,40}["\'`]?[ \\t]{0,3}[:=])){1,30})';

const MARK = new RegExp(`cookies?(?:2|_?jar|_?hash)?${JOINT}`, 'gi');

/** curl, whose `-b` may be on a line of its own. */
const FLAG = new RegExp(`(?<![\\w-])-b(?: \\$(?='))?(?=[ ="'])${JOINT}`, 'g');

const CLOSERS: Readonly<Record<string, RegExp>> = {
  '[': /\](?=[\s,;})\]>"'`]|$)/g,
  '{': /\}/g,
  '(': /\)/g,
};

/** A list in brackets may run over lines; a session of 4 kB is what browsers keep at most. */
const LONGEST_LIST = 4_096;

/** Up to the quote that was opened. */
const QUOTED: Readonly<Record<string, RegExp>> = {
  '"': /[^\n\r"\uFFFF]{0,8000}/y,
  "'": /[^\n\r'\uFFFF]{0,8000}/y,
  '`': /[^\n\r`\uFFFF]{0,8000}/y,
};

/** The rest of a line, with quotes around a value only. */
const LINE = /(?:[^\n\r"'`\uFFFF]|(?<=[=:][ \t]{0,3})["']|["'](?=[;,])){0,8000}/y;

const PAIR = /([^\s=;,"'`[\](){}<>]{1,100})=["'`]?((?:[^\s;,"'`\\<\uFFFF]|<(?!\/)){4,8000})/g;

/** A key with its value, two arguments, or a field of an object. */
const ENTRY =
  /([\w.$-]{1,100})["'`]?\]?[ \t]{0,3}(?:(?:=>|[:=,])\s{0,10}b?["'`]|:[ \t]{1,10})([^"'`\s\\,;[\](){}\uFFFF]{4,8000})/g;

const ATTRIBUTES = /^(?:path|domain|expires|max-age|samesite|priority|version)$/i;

const SESSION = /sess|sid|auth|token|csrf|xsrf|jwt|remember|login|user/i;

/** Where values of cookies are. */
export function findCookies(text: string): TextSpan[] {
  const spans: TextSpan[] = [];
  for (const mark of [MARK, FLAG]) {
    let searched = 0;
    for (const match of iterateMatches(text, mark)) {
      const start = match.index + match[0].length;
      // A second header in what the first one led to has been searched with it.
      if (start <= searched) continue;
      const joint = match[1] ?? '';
      const { end, isWhole } = findListEnd(text, start, joint);
      const isHeader = mark === MARK && isWhole && /[:=>|]|["'`]\s*,\s*b?["'`]/.test(joint);
      spans.push(...findPairs(text.slice(start, end), isHeader).map((span) => shift(span, start)));
      searched = end;
    }
  }
  return spans;
}

function shift({ start, end }: TextSpan, by: number): TextSpan {
  return { start: start + by, end: end + by };
}

/** `isWhole`: false where a bracket was opened that is never closed. */
function findListEnd(text: string, start: number, joint: string): { readonly end: number; readonly isWhole: boolean } {
  const closer = CLOSERS[/[[{(](?=[^[{(]*$)/.exec(joint.replace(/string\(\d+\)/, ''))?.[0] ?? ''];
  if (closer) {
    const list = text.slice(start, start + LONGEST_LIST);
    closer.lastIndex = 0;
    const closed = closer.exec(list);
    return { end: start + (closed?.index ?? list.length), isWhole: closed !== null };
  }
  const line = QUOTED[joint.at(-1) ?? ''] ?? LINE;
  line.lastIndex = start;
  line.test(text);
  return { end: Math.max(start, line.lastIndex), isWhole: true };
}

/** `isHeader`: nothing but cookies is in the list, so that a value need not look random. */
function findPairs(list: string, isHeader: boolean): TextSpan[] {
  const spans: TextSpan[] = [];
  const search = (pattern: RegExp, accepts: (name: string, value: string) => boolean): void => {
    for (const { 0: pair, 1: name = '', 2: value = '', index } of iterateMatches(list, pattern)) {
      if (ATTRIBUTES.test(name) || isPlaceholder(value) || !accepts(name, value)) continue;
      const end = index + pair.length;
      spans.push({ start: end - value.length, end });
    }
  };
  search(PAIR, isHeader ? (name, value) => SESSION.test(name) || isCredential(value) : isSessionValue);
  search(ENTRY, isSessionValue);
  return spans;
}

/** Commits, digests of images, checksums of packages and UUIDs look drawn at random as well, and are no secret under any name. */
const PUBLIC =
  /^sha(?:1|256|384|512)-[A-Za-z0-9+/]{27,88}={0,2}$|^(?:sha\d{1,3}:)?[0-9a-f]{40}(?:[0-9a-f]{24})?$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Where more than cookies may be. */
function isSessionValue(name: string, value: string): boolean {
  return SESSION.test(name) ? isCredential(value) : isRandomRun(value) && !PUBLIC.test(value);
}

/** Whether an object with `name` and `value` is a cookie: by the name, or by what else it says of it. */
export function isCookieObject(name: string, value: string, object: string): boolean {
  if (ATTRIBUTES.test(name) || isPlaceholder(value) || !isRandomRun(value)) return false;
  if (/cookie|\b(?:domain|httpOnly|sameSite)["']?\s{0,3}[:=]/i.test(object)) return isSessionValue(name, value);
  return /sess|sid|csrf|xsrf|jwt|remember/i.test(name);
}

/** A line of a cookie jar as curl, wget and browsers keep it: its name is the last word of the context. */
export function isInCookieJar(value: string, context: string): boolean {
  return !isPlaceholder(value) && isSessionValue(context.trimEnd().split(/\s/).at(-1) ?? '', value);
}
