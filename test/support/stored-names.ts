// The names in stored JSON: whether what today's program writes has those that an earlier release read.

/** By place, such as `threads.record.comment`, the names of the objects there. */
type Names = ReadonlyMap<string, readonly ReadonlySet<string>[]>;

/** A row of any table, with its name. */
export interface StoredRow {
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/**
 * Names that every object of the earlier rows has at a place, and none of the later ones there, such as `threads.record.comment.digest`. Rows
 * that are the same in both say nothing.
 */
export function listLostNames(earlier: readonly StoredRow[], later: readonly StoredRow[]): readonly string[] {
  const before = new Set(listTexts(earlier).map(([column, text]) => `${column} ${text}`));
  const written = readNames(listTexts(later).filter(([column, text]) => !before.has(`${column} ${text}`)));
  const lost = [...readNames(listTexts(earlier))].flatMap(([place, objects]) => {
    const now = written.get(place);
    const [first, ...others] = objects;
    if (now === undefined || first === undefined) return [];
    const always = [...first].filter((name) => others.every((names) => names.has(name)));
    return always.filter((name) => !now.some((names) => names.has(name))).map((name) => `${place}.${name}`);
  });
  return lost.toSorted();
}

type Text = readonly [column: string, text: string];

/** What may be JSON. */
function listTexts(rows: readonly StoredRow[]): readonly Text[] {
  return rows.flatMap(({ table, row }) =>
    Object.entries(row).flatMap(([column, value]) =>
      typeof value === 'string' && /^[[{]/.test(value) ? [[`${table}.${column}`, value] as const] : [],
    ),
  );
}

function readNames(texts: readonly Text[]): Names {
  const found = new Map<string, ReadonlySet<string>[]>();
  const walk = (place: string, value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) walk(place, one);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    // Of a union each member has names of its own.
    const { kind } = value as { readonly kind?: unknown };
    const at = typeof kind === 'string' ? `${place}(${kind})` : place;
    found.set(at, [...(found.get(at) ?? []), new Set(Object.keys(value))]);
    for (const [name, one] of Object.entries(value)) walk(`${at}.${name}`, one);
  };
  for (const [column, text] of texts) walk(column, parse(text));
  return found;
}

/** Null for a text that only looks like JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
