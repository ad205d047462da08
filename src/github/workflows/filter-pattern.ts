// Which names the filters of a workflow choose, by GitHub's rules. Where its documentation leaves a pattern open, the answer is "perhaps". Pure.

export type Certainty = 'yes' | 'no' | 'perhaps';

export function negate(certainty: Certainty): Certainty {
  if (certainty === 'perhaps') return certainty;
  return certainty === 'yes' ? 'no' : 'yes';
}

export function isAll(all: readonly Certainty[]): Certainty {
  if (all.includes('no')) return 'no';
  return all.includes('perhaps') ? 'perhaps' : 'yes';
}

export function isAny(all: readonly Certainty[]): Certainty {
  return negate(isAll(all.map(negate)));
}

/** Real patterns have less than a hundred characters; a longer one is not looked at. */
const MAX_PATTERN = 300;
/** Steps of matching: a second or less. A filter that takes more is not decided. */
const MAX_STEPS = 20_000_000;

/** Of one question, over all its patterns and names. */
export interface FilterEffort {
  steps: number;
}

/** `paths`, `branches` and `tags`: a later pattern outweighs an earlier one, and `!` takes names out again. */
export function choosesName(patterns: readonly string[], name: string, effort: FilterEffort): Certainty {
  // GitHub asks for at least one pattern that chooses, and does not say what it does without.
  let chosen: Certainty = patterns.some((pattern) => !pattern.startsWith('!')) ? 'no' : 'perhaps';
  for (const pattern of patterns) {
    const isOut = pattern.startsWith('!');
    const found = matchFilterPattern(isOut ? pattern.slice(1) : pattern, name, effort);
    if (found === 'no') continue;
    const then: Certainty = isOut ? 'no' : 'yes';
    chosen = found === 'yes' || chosen === then ? then : 'perhaps';
  }
  return chosen;
}

/** `paths-ignore`, `branches-ignore` and `tags-ignore`, which have no `!`. */
export function ignoresName(patterns: readonly string[], name: string, effort: FilterEffort): Certainty {
  return isAny(
    patterns.map((pattern) => (pattern.startsWith('!') ? 'perhaps' : matchFilterPattern(pattern, name, effort))),
  );
}

/** The whole name against the whole pattern, in time that grows with both. */
export function matchFilterPattern(pattern: string, name: string, effort: FilterEffort = { steps: 0 }): Certainty {
  const readings = pattern.length > MAX_PATTERN ? null : readPattern(pattern);
  if (readings === null) return 'perhaps';
  const answers = new Set(readings.map((tokens) => matchesTokens(tokens, name, effort)));
  const [only = 'perhaps'] = answers;
  return answers.size === 1 ? only : 'perhaps';
}

interface Token {
  /** `folders`: any characters up to a slash, which only `enter` before it leads to or past. */
  readonly kind: 'one' | 'optional' | 'many' | 'enter' | 'folders';
  readonly accepts: (character: string) => boolean;
}

const acceptsAll = (): boolean => true;
const acceptsInName = (character: string): boolean => character !== '/';

/** Not how a path or branch is written, or special elsewhere: nothing says that GitHub takes them literally. */
const DOUBTFUL = /^\.?\/|\/$|[{}()|^$]/;

// What it may mean: mostly one thing. `docs/**/x` is `docs/x` too, as GitHub's examples show; they don't show whether `a**/x`
// is `ax`, so that has two readings. Null: GitHub refuses the pattern, or may take it otherwise than it looks.
function readPattern(pattern: string): readonly (readonly Token[])[] | null {
  if (pattern === '' || DOUBTFUL.test(pattern)) return null;
  const strict = readTokens(pattern, false);
  const loose = readTokens(pattern, true);
  return strict === null || loose === null ? null : [strict, loose];
}

function readTokens(pattern: string, isLoose: boolean): readonly Token[] | null {
  const tokens: Token[] = [];
  for (let at = 0, repeatable = -1; at < pattern.length; ) {
    const character = pattern[at] ?? '';
    if (character === '?' || character === '+') {
      const last = repeatable === at ? tokens.pop() : undefined;
      if (last === undefined) return null;
      tokens.push(
        ...(character === '?' ? [{ ...last, kind: 'optional' as const }] : [last, { ...last, kind: 'many' as const }]),
      );
      at += 1;
      continue;
    }
    const read = character === '*' ? readStars(pattern, at, isLoose) : readOne(pattern, at);
    if (read === null) return null;
    tokens.push(...read.tokens);
    at = read.end;
    if (character !== '*') repeatable = at;
  }
  return tokens;
}

interface ReadTokens {
  readonly tokens: readonly Token[];
  readonly end: number;
}

function readStars(pattern: string, at: number, isLoose: boolean): ReadTokens | null {
  const [stars = ''] = /^\*+/.exec(pattern.slice(at)) ?? [];
  if (stars.length > 2) return null;
  const end = at + stars.length;
  if (stars === '*') return { tokens: [{ kind: 'many', accepts: acceptsInName }], end };
  const isOfFolders = pattern[end] === '/' && (isLoose || at === 0 || pattern[at - 1] === '/');
  if (!isOfFolders) return { tokens: [{ kind: 'many', accepts: acceptsAll }], end };
  const tokens: readonly Token[] = [
    { kind: 'enter', accepts: () => false },
    { kind: 'folders', accepts: acceptsAll },
  ];
  return { tokens, end: end + 1 };
}

function readOne(pattern: string, at: number): ReadTokens | null {
  if (pattern[at] === '[') return readSet(pattern, at);
  const isEscaped = pattern[at] === '\\';
  const wanted = pattern[isEscaped ? at + 1 : at];
  if (wanted === undefined || wanted === ']') return null;
  const accepts = (character: string): boolean => character === wanted;
  return { tokens: [{ kind: 'one', accepts }], end: at + (isEscaped ? 2 : 1) };
}

/** Letters, digits and ranges of them, which is all that GitHub documents. */
function readSet(pattern: string, at: number): ReadTokens | null {
  const [whole, inside = ''] =
    /^\[((?:[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]|[a-zA-Z0-9])+)\]/.exec(pattern.slice(at)) ?? [];
  if (whole === undefined) return null;
  const ranges = [...inside.matchAll(/(.)-(.)|(.)/g)].map(
    ([, from, to, one = '']) => [from ?? one, to ?? one] as const,
  );
  if (ranges.some(([from, to]) => from > to)) return null;
  const accepts = (character: string): boolean => ranges.some(([from, to]) => character >= from && character <= to);
  return { tokens: [{ kind: 'one', accepts }], end: at + whole.length };
}

/** All places of the pattern at once, so that no pattern takes longer than its length times that of the name. */
function matchesTokens(tokens: readonly Token[], name: string, effort: FilterEffort): Certainty {
  let places = spread(tokens, [0]);
  for (let at = 0; at < name.length && places.length > 0; at += 1) {
    effort.steps += places.length;
    if (effort.steps > MAX_STEPS) return 'perhaps';
    const character = name[at] ?? '';
    places = spread(
      tokens,
      places.flatMap((place) => {
        const token = tokens[place];
        if (token === undefined || !token.accepts(character)) return [];
        if (token.kind === 'many') return [place];
        if (token.kind === 'folders') return character === '/' ? [place, place + 1] : [place];
        return [place + 1];
      }),
    );
  }
  return places.includes(tokens.length) ? 'yes' : 'no';
}

/** With the places that are reached without a further character. */
function spread(tokens: readonly Token[], places: readonly number[]): readonly number[] {
  const reached = new Set<number>();
  const open = [...places];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    if (reached.has(place)) continue;
    reached.add(place);
    const kind = tokens[place]?.kind;
    if (kind === 'optional' || kind === 'many') open.push(place + 1);
    if (kind === 'enter') open.push(place + 1, place + 2);
  }
  return [...reached];
}
