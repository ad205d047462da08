// All strings of a JSON-like value as one text, and back.
import { type Cut, withoutCuts } from './spans.ts';

/** The strings of the value (not its keys) in document order, a line break between them, so that what runs through several is seen whole. */
export function joinedStrings(value: unknown): string {
  const strings: string[] = [];
  mapStrings(value, (text) => {
    strings.push(text);
    return text;
  });
  return strings.join('\n');
}

/** The value with the cuts, which are of `joinedStrings(value)`, applied to its strings. */
export function withStrings(value: unknown, cuts: readonly Cut[]): unknown {
  let from = 0;
  let next = 0;
  return mapStrings(value, (text) => {
    const start = from;
    const end = start + text.length;
    from = end + 1;
    while ((cuts[next]?.end ?? end) <= start && next < cuts.length) next++;
    const own: Cut[] = [];
    for (let i = next; i < cuts.length; i++) {
      const cut = cuts[i];
      if (!cut || cut.start >= end) break;
      own.push({ kind: cut.kind, start: Math.max(cut.start, start) - start, end: Math.min(cut.end, end) - start });
    }
    return own.length === 0 ? text : withoutCuts(text, own);
  });
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapStrings(each, change)]));
}
