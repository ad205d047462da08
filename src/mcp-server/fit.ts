// A result within the bytes that an agent should spend on it: lists and texts are shortened alike until it fits.

/** Most members of each list, and characters of each text. */
const STEPS = [
  [60, 4_000],
  [30, 1_200],
  [20, 600],
  [12, 400],
  [8, 240],
  [5, 160],
  [3, 120],
  [2, 80],
  [1, 60],
] as const;

export interface FittedResult {
  readonly value: Readonly<Record<string, unknown>>;
  /** Whether something was left out. */
  readonly isCut: boolean;
}

/** `whole`: names whose texts are never shortened, such as that of a patch. What does not fit at the last step is returned as it is then. Pure. */
export function fitToBytes(
  value: Readonly<Record<string, unknown>>,
  most: number,
  whole: ReadonlySet<string> = new Set(),
): FittedResult {
  if (measureBytes(value) <= most) return { value, isCut: false };
  let shortened = value;
  for (const [members, characters] of STEPS) {
    shortened = shortenValue(value, members, characters, whole) as Readonly<Record<string, unknown>>;
    if (measureBytes(shortened) <= most) break;
  }
  return { value: shortened, isCut: true };
}

/** The longest beginning of a text that has so many bytes as JSON, with a note of what it was cut from. Pure. */
export function cutToBytes(text: string, most: number): string {
  if (text.length <= most && measureBytes(text) <= most) return text;
  const [first, note] = [text.slice(0, most), `… (${text.length} characters)`];
  const room = most - measureBytes(note);
  let [fits, tooMany] = [0, first.length + 1];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (measureBytes(first.slice(0, middle).toWellFormed()) <= room) fits = middle;
    else tooMany = middle;
  }
  return `${first.slice(0, fits).toWellFormed()}${note}`;
}

export function measureBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function shortenValue(value: unknown, members: number, characters: number, whole: ReadonlySet<string>): unknown {
  if (typeof value === 'string') {
    return value.length <= characters
      ? value
      : `${value.slice(0, characters).toWellFormed()}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) {
    const kept = value.slice(0, members).map((member) => shortenValue(member, members, characters, whole));
    return kept.length === value.length ? kept : [...kept, `… and ${value.length - kept.length} more`];
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      whole.has(name) ? member : shortenValue(member, members, characters, whole),
    ]),
  );
}
