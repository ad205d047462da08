// The scopes of a monorepo, as its configuration defines them: which one a report is about, and which one has a file.
import { createGlobMatcher } from 'causeway-paths';

/** What an investigation needs to know of a scope. */
export interface Scope {
  /** Globs. */
  readonly paths: readonly string[];
  readonly labels: readonly string[];
  /** Logins and teams with their `@`, as `CODEOWNERS` writes them. */
  readonly owners: readonly string[];
  /** US dollars for one investigation; null: as for the whole repository. */
  readonly budget: { readonly run: number | null };
  /** Other repositories that a report about the scope is investigated in as well, besides those of the project. */
  readonly context: readonly string[];
  /** Whether a label of the report's issue or the name of its failed check points at it. */
  readonly isNamed?: boolean;
}

/** What says which scope a report is about, before anything is looked up. */
export interface ScopeNames {
  /** Labels of its issue. */
  readonly labels?: readonly string[];
  /** Names of its failed checks. */
  readonly checks?: readonly string[];
}

/** A check points at a scope with one of its labels, or with the last folder of its paths as a word of its name. */
export function nameScopes(scopes: readonly Scope[], { labels = [], checks = [] }: ScopeNames): readonly Scope[] {
  const given = new Set(labels.map((label) => label.toLowerCase()));
  const words = new Set(checks.flatMap((name) => name.toLowerCase().split(/[^\p{L}\p{N}_-]/u)));
  return scopes.map((scope) => {
    const own = scope.labels.map((label) => label.toLowerCase());
    const folders = listFixedFolders(scope).map((folder) => folder.split('/').at(-1)?.toLowerCase() ?? '');
    const isNamed = own.some((label) => given.has(label)) || [...own, ...folders].some((word) => words.has(word));
    return isNamed ? { ...scope, isNamed } : scope;
  });
}

/** Named as those of an earlier run of the same report were, whose labels and checks are not read again. */
export function keepNamed(scopes: readonly Scope[], earlier: readonly Scope[]): readonly Scope[] {
  const toKey = ({ paths }: Scope) => JSON.stringify(paths);
  const named = new Set(earlier.filter(({ isNamed }) => isNamed).map(toKey));
  return scopes.map((scope) => (named.has(toKey(scope)) ? { ...scope, isNamed: true } : scope));
}

/**
 * The scopes that a report is about: those named by a label or a check, or else the only one whose folder its text
 * names. A text that names the folders of several says nothing.
 */
export function findReportScopes(scopes: readonly Scope[], text: string): readonly Scope[] {
  const named = scopes.filter(({ isNamed }) => isNamed);
  if (named.length > 0) return named;
  const written = scopes.filter((scope) => listFixedFolders(scope).some((folder) => text.includes(`${folder}/`)));
  return written.length === 1 ? written : [];
}

/** The first one that has the file, in the order of the configuration; null: none has. */
export function findScopeOf<S extends Pick<Scope, 'paths'>>(scopes: readonly S[], file: string): S | null {
  return scopes.find((scope) => createScopeMatcher([scope])(file)) ?? null;
}

export function createScopeMatcher(scopes: readonly Pick<Scope, 'paths'>[]): (path: string) => boolean {
  const matchers = scopes.flatMap(({ paths }) => paths.map((glob) => createGlobMatcher(glob)));
  return (path) => matchers.some((matches) => matches(path));
}

/** What each pattern says before its first wildcard; patterns such as `**` or `*.md` have none. */
function listFixedFolders({ paths }: Pick<Scope, 'paths'>): readonly string[] {
  return paths.flatMap((glob) => {
    const parts = glob.split('/');
    const wild = parts.findIndex((part) => /[*?{]/.test(part));
    return wild === 0 ? [] : [parts.slice(0, wild === -1 ? undefined : wild).join('/')];
  });
}
