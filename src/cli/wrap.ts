// Text laid out in columns: wrapped at words, never inside a path or an address, code left as it is.

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /\p{Mn}|\p{Me}|\p{Cf}/u;

/** Columns that the text takes on a terminal: East Asian wide characters and emoji take two. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}

/** The text in at most `columns`, its end replaced by `…` where it does not fit. */
export function truncate(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let out = '';
  let width = 0;
  for (const character of text) {
    width += displayWidth(character);
    if (width > columns - 1) break;
    out += character;
  }
  return `${out.trimEnd()}…`;
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

/**
 * Lines of at most `columns`, each after `indent`; the first after `lead` (as wide as `indent`) where one is given.
 * Lines between ``` fences, and lines that begin with four spaces, are code: not wrapped.
 */
export function wrap(text: string, columns: number, indent: string, lead: string = indent): string[] {
  const out: string[] = [];
  let fenced = false;
  let prose = '';
  const flush = () => {
    if (prose !== '') out.push(...wrapLine(prose, columns - displayWidth(indent)));
    prose = '';
  };
  for (const line of text.split('\n')) {
    const fence = /^\s*(```|~~~)/.test(line);
    if (!fenced && !fence && goesOn(prose, line)) {
      prose += ` ${line}`;
      continue;
    }
    flush();
    if (fence) fenced = !fenced;
    else if (fenced) out.push(`    ${line}`);
    else if (/^ {4}|^$/.test(line)) out.push(line);
    else prose = line;
  }
  flush();
  return out.map((line, at) => `${at === 0 ? lead : indent}${line}`.trimEnd());
}

/** Prose that came wrapped is unwrapped first, or every second line would hold one word: a long line that goes on in lower case. */
function goesOn(before: string, line: string): boolean {
  return displayWidth(before) >= 50 && /^\p{Ll}.* /u.test(line);
}

function wrapLine(line: string, width: number): string[] {
  const own = /^\s*(?:[-*•]\s+)?/.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = own;
  for (const word of line.slice(own.length).split(/\s+/).filter(Boolean)) {
    const empty = current.trim() === '' || current === own;
    if (!empty && displayWidth(current) + 1 + displayWidth(word) > width) {
      lines.push(current);
      current = ' '.repeat(own.length) + word;
    } else {
      current += empty ? word : ` ${word}`;
    }
  }
  return [...lines, current];
}
