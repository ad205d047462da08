// Foreign text for a terminal, which interprets control characters and shows others not at all.

/** Colour codes of a log carry no information; every other escape sequence is made visible. */
const COLOUR_CODE = /\u001b\[[0-9;:]*m/g;

/**
 * C0 (but tab and line feed), DEL and C1 (0x9b by itself starts an escape sequence in some terminals), bidirectional
 * controls (CVE-2021-42574), invisible characters, lone surrogates. Joiners (U+200C, U+200D) stay: scripts and emoji
 * need them.
 */
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}\p{Cs}]/gu;

/** The text with control characters made visible (ESC as ␛, others as <U+202E>); tabs as two spaces; CR LF as LF. */
export function toPrintable(text: string): string {
  return text.replace(COLOUR_CODE, '').replaceAll('\r\n', '\n').replace(UNSAFE, makeVisible).replaceAll('\t', '  ');
}

/** As `toPrintable`, on one line: line breaks and runs of white space become one space. */
export function toPrintableLine(text: string): string {
  return toPrintable(text).replace(/\s+/g, ' ').trim();
}

/** JSON with every character that a terminal interprets escaped, so that the value parses the same. */
export function toPrintableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(UNSAFE, (character) =>
    [...Array(character.length).keys()].map((at) => `\\u${toHex(character.charCodeAt(at))}`).join(''),
  );
}

function makeVisible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : `<U+${toHex(code).toUpperCase()}>`;
}

function toHex(code: number): string {
  return code.toString(16).padStart(4, '0');
}
