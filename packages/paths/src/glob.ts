// Which paths match a glob, in time that grows with path times pattern.

const MAX_ALTERNATIVES = 32;

/** Five real choices already make that many alternatives. */
const MAX_BRACES = 8;

const BRACES = /\{([^{}]*)\}/;

/** The cost of matching, in steps of similar duration; callers that match many paths set a limit. */
export interface Effort {
  steps: number;
}

/** `*` and `?` stay within a name, `**` spans folders, `{a,b}` is either; everything else is literal. */
export function createGlobMatcher(glob: string, effort: Effort = { steps: 0 }): (path: string) => boolean {
  const patterns = [...new Set(expandBraces(glob))].map(splitPattern);
  return (path) => {
    const parts = path.split('/');
    effort.steps += parts.length;
    return patterns.some((pattern) => matchesParts(parts, pattern, effort));
  };
}

/** The parts of a pattern without braces; consecutive `**` are one. */
export function splitPattern(pattern: string): readonly string[] {
  return pattern.split('/').filter((part, index, parts) => part !== '**' || parts[index - 1] !== '**');
}

/** At index i: whether the pattern matches the first i names of the path. Braces are literal. */
export function computeReach(path: readonly string[], pattern: readonly string[], effort: Effort): readonly boolean[] {
  let reach: readonly boolean[] = [true, ...path.map(() => false)];
  for (const part of pattern) {
    effort.steps += reach.length;
    const first = reach.indexOf(true);
    if (first === -1) break;
    const before = reach;
    reach = before.map((_, index) => {
      if (part === '**') return index >= first;
      return index > 0 && before[index - 1] === true && matchesSegment(path[index - 1] ?? '', part, effort);
    });
  }
  return reach;
}

function matchesParts(path: readonly string[], pattern: readonly string[], effort: Effort): boolean {
  effort.steps += 1;
  // The last name alone rules out most paths.
  const last = pattern.at(-1) ?? '';
  if (last !== '**' && !matchesSegment(path.at(-1) ?? '', last, effort)) return false;
  return computeReach(path, pattern, effort).at(-1) === true;
}

/**
 * Two pointers with backtracking to the last star: at most name × pattern steps, where a regular expression may take
 * exponential time.
 */
function matchesSegment(name: string, pattern: string, effort: Effort): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let resume = 0;
  let steps = 1;
  while (at < name.length) {
    steps += 1;
    if (pattern[next] === '*') {
      star = next;
      resume = at;
      next += 1;
    } else if (pattern[next] === '?' || (next < pattern.length && pattern[next] === name[at])) {
      at += 1;
      next += 1;
    } else if (star !== -1) {
      resume += 1;
      at = resume;
      next = star + 1;
    } else {
      break;
    }
  }
  effort.steps += steps;
  while (pattern[next] === '*') next += 1;
  return at === name.length && next === pattern.length;
}

function expandBraces(glob: string): readonly string[] {
  let expanded: readonly string[] = [glob];
  for (let round = 0; round < MAX_BRACES && expanded.length < MAX_ALTERNATIVES; round += 1) {
    expanded = expanded.flatMap(expandFirst).slice(0, MAX_ALTERNATIVES);
  }
  return expanded;
}

function expandFirst(glob: string): readonly string[] {
  const match = BRACES.exec(glob);
  if (match === null) return [glob];
  const rest = glob.slice(match.index + match[0].length);
  const choices = (match[1] ?? '').split(',').slice(0, MAX_ALTERNATIVES);
  return choices.map((choice) => `${glob.slice(0, match.index)}${choice}${rest}`);
}
