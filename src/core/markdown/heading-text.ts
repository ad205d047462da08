// Headings of Markdown that are marked with `#`.

/** The words of a heading, without its marks at either end; null where the line is none. */
export function headingText(line: string): string | null {
  const mark = /^\s{0,3}#{1,6}(?=\s|$)/.exec(line);
  if (mark === null) return null;
  return line
    .slice(mark[0].length)
    .trim()
    .replace(/(?<!\s)\s+#+$/, '');
}
