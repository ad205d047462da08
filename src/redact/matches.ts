// All matches of an expression, without the copy of it that `matchAll` makes for each text: most find nothing, and to copy took as long as to look.

/**
 * In their order, as `matchAll` gives them. One at a time: all two million of a text of nothing but escapes at once took 300 MB and as long
 * again. `pattern` must be global, and without `u` and `v` if it can match nothing: it goes on behind one UTF-16 unit then. Where it goes on is
 * kept here, so that whoever is given a match may use the same expression before the next.
 */
export function* matchesOf(text: string, pattern: RegExp): Generator<RegExpExecArray, void, void> {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const next = match[0] === '' ? pattern.lastIndex + 1 : pattern.lastIndex;
    yield match;
    pattern.lastIndex = next;
  }
}
