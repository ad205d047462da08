// Code within a sentence, as Markdown that our own surfaces read.

/** A fence that is longer than any run of backticks inside: the text stays as it is, but for line feeds. */
export function formatInlineCode(text: string): string {
  const line = text.replaceAll('\n', ' ');
  const longest = (line.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}
