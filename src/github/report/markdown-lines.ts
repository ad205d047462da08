// The lines of a comment as people see them: what is quoted, what is code, and without HTML comments.

export interface MarkedMarkdown {
  readonly lines: readonly MarkdownLine[];
  /** How many more lines the text has. */
  readonly leftOut: number;
}

interface MarkdownLine {
  /** Without the HTML comments that were in it, unless it is code. */
  readonly text: string;
  readonly kind: 'prose' | 'quote' | 'code';
}

/** Each line costs: 64 kB are 32,000 of `x`, which took 12 ms, where a log of that size has some 1,000. */
const MAX_LINES = 10_000;

interface Fence {
  readonly mark: string;
  readonly length: number;
}

/** One entry for each of the first 10,000 lines. Hidden text in prose is left out; the line that held it stays. */
export function markLines(markdown: string): MarkedMarkdown {
  let fence: Fence | null = null;
  let hidden = false;
  let preformatted = false;
  const all = markdown.split(/\r\n|[\r\n]/);
  const lines = all.slice(0, MAX_LINES).map((line): MarkdownLine => {
    if (fence !== null) {
      if (closesFence(line, fence)) fence = null;
      return { text: line, kind: 'code' };
    }
    const shown = withoutComments(line, hidden);
    hidden = shown.isOpen;
    if (!shown.wasOpen) fence = opened(line);
    if (fence !== null) return { text: line, kind: 'code' };
    const wasPreformatted = preformatted;
    preformatted = isPreformatted(shown.text, preformatted);
    return { text: shown.text, kind: wasPreformatted || preformatted ? 'code' : findLineKind(shown.text) };
  });
  return { lines, leftOut: all.length - lines.length };
}

/** The text without its HTML comments: issue templates are full of them. */
export function formatShown({ lines, leftOut }: MarkedMarkdown): string {
  const text = lines
    .map(({ text }) => text)
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return leftOut === 0 ? text : `${text}\n[${leftOut} lines more were left out]`;
}

function opened(line: string): Fence | null {
  const marks = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/s.exec(line);
  const found = marks?.[1] ?? marks?.[2];
  return found === undefined ? null : { mark: found.charAt(0), length: found.length };
}

function closesFence(line: string, fence: Fence): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return found?.charAt(0) === fence.mark && found.length >= fence.length;
}

function findLineKind(text: string): MarkdownLine['kind'] {
  if (/^ {0,3}>/.test(text)) return 'quote';
  return /^(?: {4}|\t)/.test(text) ? 'code' : 'prose';
}

function isPreformatted(text: string, before: boolean): boolean {
  const opens = text.toLowerCase().lastIndexOf('<pre');
  const closes = text.toLowerCase().lastIndexOf('</pre');
  return opens === closes ? before : opens > closes;
}

/** `isOpen`: a comment runs on into the next line. */
function withoutComments(line: string, wasOpen: boolean): { text: string; isOpen: boolean; wasOpen: boolean } {
  let text = '';
  let at = 0;
  let isOpen = wasOpen;
  while (at <= line.length) {
    const next = line.indexOf(isOpen ? '-->' : '<!--', at);
    if (!isOpen) text += line.slice(at, next === -1 ? line.length : next);
    if (next === -1) break;
    at = next + (isOpen ? 3 : 4);
    isOpen = !isOpen;
  }
  return { text, isOpen, wasOpen };
}
