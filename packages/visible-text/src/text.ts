// Untrusted text: removes invisible characters and cuts what is too long. Renders nothing.

/** Terminal escape sequences. An unterminated one must not swallow the following lines. */
const ESCAPE = /\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001b\r\n]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;

/**
 * Zero-width and bidirectional characters, tags and variation selectors (which can hide a message), control characters
 * except tab and line feed, and Unicode line breaks. Joiners are removed too: text stays legible, a hidden channel does
 * not.
 */
const UNSEEN =
  /[\p{Default_Ignorable_Code_Point}\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** A run of invisible characters, with the character before it. */
const UNSEEN_RUN = new RegExp(`.?${UNSEEN.source}+`, 'gsu');

/** Characters read for each one kept, so that text of only invisible characters costs no more. */
const LOOK_AHEAD = 4;

/** Removes invisible characters, normalises line ends to LF, and cuts to `max` UTF-16 units (then ending in `…`). */
export function sanitiseText(text: string, max: number): string {
  const seen = removeInvisible(text.slice(0, max * LOOK_AHEAD)).trim();
  return seen.length > max ? `${truncate(seen, max - 1).trimEnd()}…` : seen;
}

/**
 * As `sanitiseText`, on one line: each run of white space becomes one space. At most `max` UTF-16 units (then ending in
 * `…`).
 */
export function sanitiseLine(text: string, max: number): string {
  return sanitiseText(text.slice(0, max * LOOK_AHEAD).replace(/\s+/g, ' '), max);
}

/** The whole text without invisible characters. */
export function removeInvisible(text: string): string {
  return text.toWellFormed().replace(ESCAPE, '').replace(/\r\n?/g, '\n').replace(UNSEEN, '');
}

/** Applied to every string of a JSON value (not to keys). */
export function removeInvisibleIn<T>(value: T): T {
  return sanitiseValue(value) as T;
}

function sanitiseValue(value: unknown): unknown {
  if (typeof value === 'string') return removeInvisible(value);
  if (Array.isArray(value)) return value.map(sanitiseValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, sanitiseValue(each)]));
}

/**
 * Replaces invisible characters by their number, such as `[U+202E]`: code must not look different from what it runs.
 */
export function showInvisible(text: string): string {
  return text.toWellFormed().replace(UNSEEN, (unseen) => {
    const number = unseen.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    return `[U+${number}]`;
  });
}

/** Each run of invisible characters, in order, with the character before it. */
export function listInvisible(text: string): readonly string[] {
  return text.match(UNSEEN_RUN) ?? [];
}

/** At most `max` units; never splits a character. */
export function truncate(text: string, max: number): string {
  const cut = text.slice(0, max);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/**
 * The beginning of the text, at most `length` characters, cut at white space. A word that does not fit is left out
 * entirely.
 */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  if (/\s/.test(text.charAt(length))) return text.slice(0, length);
  return text
    .slice(0, length)
    .replace(/(?<!\S)\S+$/, '')
    .trimEnd();
}

/** The beginning of a text, at most `bytes` of UTF-8 without splitting a character; says how much was cut. */
export function keepBeginning(text: string, bytes: number): string {
  const all = Buffer.from(text);
  if (all.length <= bytes) return text;
  const kept = all
    .subarray(0, bytes)
    .toString()
    .replace(/(?<!\ufffd)\ufffd+$/, '');
  return `${kept}\n[${all.length - Buffer.byteLength(kept)} bytes more were left out]`;
}

/** Blanks that look like a space and are none; the wide one of East Asian texts is ordinary there. */
const ODD_BLANK = /[\u00a0\u1680\u2000-\u200a\u202f\u205f]/g;

/** As `markBlanks` writes them. */
const MARKED_BLANK = /\[U\+(00A0|1680|20(?:0[0-9A]|2F|5F))\]/g;

/** The text with each blank that only looks like a space written by its number, such as `[U+00A0]`. */
export function markBlanks(text: string): string {
  return text.replace(ODD_BLANK, (blank) => `[U+${blank.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`);
}

/** The blanks themselves in place of what `markBlanks` wrote. */
export function restoreBlanks(text: string): string {
  return text.replace(MARKED_BLANK, (_, number: string) => String.fromCharCode(Number.parseInt(number, 16)));
}

/** On one line: each run of white space as one space, none at the ends. Nothing else is changed. */
export function foldSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
