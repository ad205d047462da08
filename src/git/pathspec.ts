// Paths and globs that an asker names, as git pathspecs that mean just that and nothing else.

/** How one asked-for path is passed to git; `known` is false where nothing in the commit can match it. */
export interface PathFilter {
  readonly specs: readonly string[];
  /** Paths that the commit does not have, in the asker's words. */
  readonly unknown: readonly string[];
}

const GLOB = /[*?[]/;
const BRACES = /\{([^{}]+)\}/;
const MAX_ALTERNATIVES = 32;

/** One file or folder, whatever characters its name holds. */
export function literalSpec(path: string): string {
  return `:(top,literal)${path}`;
}

/** Everything but this file. */
export function excludeSpec(path: string): string {
  return `:(top,exclude,literal)${path}`;
}

/**
 * Folders, files and globs to pathspecs. `exists` says whether the commit has a file or folder of that name:
 * such a name is literal even if it holds `*` or `[`. A glob without a slash matches in every folder; `{a,b}` is expanded.
 */
export function pathFilter(paths: readonly string[], exists: (path: string) => boolean): PathFilter {
  const specs: string[] = [];
  const unknown: string[] = [];
  for (const asked of paths) {
    const path = asked.replace(/^(?:\.?\/)+/, '').replace(/(?<!\/)\/+$/, '');
    if (path === '' || path === '.') return { specs: [], unknown: [] };
    if (exists(path)) specs.push(literalSpec(path));
    else if (isGlob(path)) specs.push(...expandBraces(path).map(globSpec));
    else unknown.push(asked);
  }
  return { specs, unknown };
}

function isGlob(path: string): boolean {
  return (GLOB.test(path) || BRACES.test(path)) && !path.split('/').includes('..');
}

function globSpec(glob: string): string {
  return glob.includes('/') ? `:(top,glob)${glob}` : `:(top,glob)**/${glob}`;
}

function expandBraces(glob: string): readonly string[] {
  let expanded: readonly string[] = [glob];
  while (expanded.length < MAX_ALTERNATIVES && expanded.some((each) => BRACES.test(each))) {
    expanded = expanded.flatMap(expandFirst);
  }
  return expanded.slice(0, MAX_ALTERNATIVES);
}

function expandFirst(glob: string): readonly string[] {
  const match = BRACES.exec(glob);
  if (match?.[1] === undefined) return [glob];
  const before = glob.slice(0, match.index);
  const after = glob.slice(match.index + match[0].length);
  return match[1].split(',').map((choice) => `${before}${choice}${after}`);
}
