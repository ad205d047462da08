// What a remark at lines suggests in place of them: its first fence of the kind `suggestion`.

export interface Suggestion {
  /** None: the lines go. */
  readonly lines: readonly string[];
  readonly before: string;
  readonly after: string;
}

/** Of a remark's Markdown; null: it suggests nothing. A fence ends at one that is at least as long. */
export function readSuggestion(body: string): Suggestion | null {
  const lines = body.replaceAll('\r\n', '\n').split('\n');
  const start = lines.findIndex((line) => /^ {0,3}(`{3,}|~{3,})\s*suggestion\s*$/.test(line));
  if (start === -1) return null;
  const fence = /(`{3,}|~{3,})/.exec(lines[start] ?? '')?.[1] ?? '```';
  const length = lines.slice(start + 1).findIndex((line) => {
    const closing = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line)?.[1] ?? '';
    return closing.startsWith(fence);
  });
  const end = length === -1 ? lines.length : start + 1 + length;
  return {
    lines: lines.slice(start + 1, end),
    before: lines.slice(0, start).join('\n').trim(),
    after: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}
