// Whether a path matches a pattern with wildcards, in time bounded by their lengths: patterns come from repositories and models.

const MAX_ALTERNATIVES = 32;
const BRACES = /\{([^{}]*)\}/;

/** `*` and `?` stay within a name, `**` spans folders, `{a,b}` is either; everything else is literal. */
export function globMatcher(glob: string): (path: string) => boolean {
  const patterns = [...new Set(expandBraces(glob))].map((each) => each.split('/').filter(isNoRepeat));
  return (path) => {
    const parts = path.split('/');
    return patterns.some((pattern) => matchesParts(parts, pattern));
  };
}

/** Any number of folders twice is any number of folders. */
function isNoRepeat(part: string, index: number, parts: readonly string[]): boolean {
  return part !== '**' || parts[index - 1] !== '**';
}

/** The same for a pattern already split at "/", in which braces are literal. */
export function matchesParts(path: readonly string[], pattern: readonly string[]): boolean {
  if (pattern.filter((part) => part !== '**').length > path.length) return false;
  // reach[i]: the patterns so far match the first i names.
  let reach: readonly boolean[] = [true, ...path.map(() => false)];
  for (const part of pattern) {
    const before = reach;
    let spanned = false;
    reach = before.map((_, index) => {
      if (part === '**') {
        spanned = spanned || before[index] === true;
        return spanned;
      }
      return index > 0 && before[index - 1] === true && matchesName(path[index - 1] ?? '', part);
    });
  }
  return reach.at(-1) === true;
}

/** Two pointers and the last star to return to: at most name × pattern steps, where a regular expression may take exponentially many. */
function matchesName(name: string, pattern: string): boolean {
  let at = 0;
  let next = 0;
  let star = -1;
  let resume = 0;
  while (at < name.length) {
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
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(next));
}

function expandBraces(glob: string): readonly string[] {
  let expanded: readonly string[] = [glob];
  while (expanded.length < MAX_ALTERNATIVES && expanded.some((each) => BRACES.test(each))) {
    expanded = expanded.flatMap((each) => {
      const match = BRACES.exec(each);
      if (match === null) return [each];
      const rest = each.slice(match.index + match[0].length);
      return (match[1] ?? '').split(',').map((choice) => `${each.slice(0, match.index)}${choice}${rest}`);
    });
  }
  return expanded.slice(0, MAX_ALTERNATIVES);
}
