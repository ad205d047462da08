// A text as its lines.

/** Each with what ends it; none for the empty text. */
export function splitLines(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}
