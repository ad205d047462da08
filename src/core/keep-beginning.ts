// Text held to a number of bytes, with words for what was cut.

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
