// Untrusted text as data: invisible characters removed, and what is too long cut. Nothing is rendered here.

/** Colours and other sequences that a terminal obeys; one that is never closed must not swallow the lines after it. */
const ESCAPE = /\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001b\r\n]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;

/**
 * Zero-width and bidirectional characters, tag characters and variation selectors (all can carry a hidden message), C0
 * but tab and line feed, C1, Unicode's own line breaks. Joiners go as well: a text for people stays legible, a hidden
 * channel does not.
 */
const UNSEEN =
  /[\p{Default_Ignorable_Code_Point}\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** A run of it, with the character that it stands behind. */
const UNSEEN_RUN = new RegExp(`.?${UNSEEN.source}+`, 'gsu');

/** What is looked at for each character that is kept: text of invisible characters alone must not cost more. */
const LOOK_AHEAD = 4;

/** The text without what cannot be seen, line ends as LF, at most `max` UTF-16 units (then ending in `…`). */
export function sanitiseText(text: string, max: number): string {
  const seen = removeInvisible(text.slice(0, max * LOOK_AHEAD)).trim();
  return seen.length > max ? `${truncate(seen, max - 1).trimEnd()}…` : seen;
}

/** The same on one line. */
export function sanitiseLine(text: string, max: number): string {
  return sanitiseText(text.slice(0, max * LOOK_AHEAD).replace(/\s+/g, ' '), max);
}

/** The text without what cannot be seen, whole. */
export function removeInvisible(text: string): string {
  return text.toWellFormed().replace(ESCAPE, '').replace(/\r\n?/g, '\n').replace(UNSEEN, '');
}

/** The same of every string of a JSON-like value (not of keys). */
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
 * The text with what cannot be seen told by its number, such as `[U+202E]`: for code, which must not read otherwise
 * than it runs.
 */
export function withUnseenTold(text: string): string {
  return text.toWellFormed().replace(UNSEEN, (unseen) => {
    const number = unseen.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    return `[U+${number}]`;
  });
}

/** What nobody can see in the text: each run of it, in order, with the character that it stands behind. */
export function unseenIn(text: string): readonly string[] {
  return text.match(UNSEEN_RUN) ?? [];
}

/** At most `max` units, never half of a character. */
export function truncate(text: string, max: number): string {
  const cut = text.slice(0, max);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/**
 * The beginning of the text, at most `length` characters, cut at white space; a word that does not fit is left out
 * whole, however long it is. The text itself where it is short enough.
 */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text;
  if (/\s/.test(text.charAt(length))) return text.slice(0, length);
  return text
    .slice(0, length)
    .replace(/(?<!\S)\S+$/, '')
    .trimEnd();
}

/** The beginning of a text, at most `bytes` of UTF-8 and no half a character; says how much was cut. */
export function keepBeginning(text: string, bytes: number): string {
  const all = Buffer.from(text);
  if (all.length <= bytes) return text;
  const kept = all
    .subarray(0, bytes)
    .toString()
    .replace(/(?<!\ufffd)\ufffd+$/, '');
  return `${kept}\n[${all.length - Buffer.byteLength(kept)} bytes more were left out]`;
}
