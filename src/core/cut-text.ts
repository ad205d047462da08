// Shortens text without leaving half a word: half of a secret is one that no rule knows any more.

/**
 * The beginning of the text, at most `length` characters, cut at white space; a word that does not fit is left out whole,
 * however long it is. The text itself where it is short enough.
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
