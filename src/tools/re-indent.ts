// New lines brought to the indentation of the place where they come to stand.

/** What one old line tells: its indentation as it was written, and as the file has it. */
interface Anchor {
  readonly written: string;
  readonly there: string;
}

/**
 * `fresh` as it must stand where `region` (rows of the file) stood, given that it was written beside `old` (the same rows as their
 * writer spaced them). A row that `old` has too comes back as the file has it.
 */
export function fitNewLines(
  region: readonly string[],
  old: readonly string[],
  fresh: readonly string[],
): readonly string[] {
  const anchors = anchorsOf(region, old);
  const kept = keptRows(region, old, fresh);
  const first = anchors[0] ?? { written: '', there: '' };
  const usual = usualAnchor(anchors.slice(1)) ?? restAnchor(first, fresh);
  return fresh.map((row, index) => {
    const own = kept.get(index);
    if (own !== undefined) return own;
    if (row.trim() === '') return '';
    return shifted(row, index === 0 ? first : usual);
  });
}

export function indentOf(row: string): string {
  return row.slice(0, row.length - row.trimStart().length);
}

/** Old lines with content, each beside the line of the file that begins with the same content. */
function anchorsOf(region: readonly string[], old: readonly string[]): Anchor[] {
  const there = region.filter((row) => row.trim() !== '');
  const written = old.filter((row) => row.trim() !== '');
  const anchors: Anchor[] = [];
  let next = 0;
  for (const [index, row] of written.entries()) {
    const found = there.findIndex((other, at) => at >= next && other.trim() === row.trim());
    const at = found === -1 ? (index === 0 ? 0 : -1) : found;
    if (at === -1) continue;
    anchors.push({ written: indentOf(row), there: indentOf(there[at] ?? '') });
    next = at + 1;
  }
  return anchors;
}

/** The anchor whose shift most of the others share. */
function usualAnchor(anchors: readonly Anchor[]): Anchor | undefined {
  const counts = Map.groupBy(anchors, ({ written, there }) => there.length - written.length);
  const largest = [...counts.values()].reduce<readonly Anchor[]>(
    (best, each) => (each.length > best.length ? each : best),
    [],
  );
  // The least indented line tells most plainly what its neighbours' indentation becomes.
  return largest.reduce<Anchor | undefined>(
    (best, each) => (best === undefined || each.written.length < best.written.length ? each : best),
    undefined,
  );
}

/** One old line alone was written without its indentation: the rows after the first either lack it too, or have it already. */
function restAnchor(first: Anchor, fresh: readonly string[]): Anchor {
  const rest = fresh.slice(1).filter((row) => row.trim() !== '');
  const least = Math.min(...rest.map((row) => indentOf(row).length));
  const have = rest.length > 0 && first.written === '' && first.there !== '' && least >= first.there.length;
  return have ? { written: first.there, there: first.there } : first;
}

function shifted(row: string, { written, there }: Anchor): string {
  const own = indentOf(row);
  if (written === there) return row;
  const content = row.slice(own.length);
  if (own.startsWith(written)) return `${there}${inStyleOf(there, own.slice(written.length))}${content}`;
  return `${there.slice(0, Math.max(0, there.length - (written.length - own.length)))}${content}`;
}

/** Deeper indentation in the file's own style: where it has tabs, four blanks are one. */
function inStyleOf(there: string, deeper: string): string {
  if (!there.includes('\t')) return deeper;
  return deeper.replaceAll(/ {4}/g, '\t').replaceAll(/ {2}/g, '\t');
}

/** Rows of `fresh` that are rows of `old`, in order, with what the file has for them. */
function keptRows(region: readonly string[], old: readonly string[], fresh: readonly string[]): Map<number, string> {
  const kept = new Map<number, string>();
  if (region.length !== old.length) return kept;
  if (!old.every((row, index) => row.trim() === region[index]?.trim())) return kept;
  let head = 0;
  while (head < old.length && head < fresh.length && sameRow(old[head], fresh[head])) {
    kept.set(head, region[head] ?? '');
    head += 1;
  }
  for (let back = 1; back <= old.length - head && back <= fresh.length - head; back += 1) {
    if (!sameRow(old.at(-back), fresh.at(-back))) break;
    kept.set(fresh.length - back, region.at(-back) ?? '');
  }
  return kept;
}

function sameRow(a: string | undefined, b: string | undefined): boolean {
  return a?.trimEnd() === b?.trimEnd();
}
