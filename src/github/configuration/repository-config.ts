// What a repository (or its organisation) may set in `.github/causeway.yml`, as the rest of the house reads it.

/** `observe`: writes nothing. `comment`: no pull requests. `fix`: everything. Ascending. */
export const MODES = ['observe', 'comment', 'fix'] as const;
export type Mode = (typeof MODES)[number];

export interface RepositoryConfig {
  readonly mode: Mode;
  /** Names of labels that start an analysis, compared whatever the case. */
  readonly labels: readonly string[];
  readonly checks: {
    readonly include: readonly string[];
    readonly exclude: readonly string[];
    readonly branches: readonly string[];
  };
  readonly pullRequest: {
    /** Further attempts on its own red checks: 0 to 3. */
    readonly attempts: number;
    readonly draft: boolean;
    /** Marked ready for review when its checks are green: it asks code owners for a review. */
    readonly ready: boolean;
    /** "": the default branch. */
    readonly base: string;
    readonly reviewers: readonly string[];
  };
  readonly paths: { readonly allow: readonly string[]; readonly block: readonly string[] };
  /** US dollars, below the operator's own limits; null: those. */
  readonly budget: { readonly run: number | null; readonly month: number | null };
  /** `asked`: comments only where a person asked for an analysis. */
  readonly comments: 'all' | 'asked';
  readonly language: string;
  /** One of the operator's models by its name, or `none`; "": the one that the operator asks by default. */
  readonly model: string;
  readonly instructions: string;
}

export const DEFAULT_CONFIG: RepositoryConfig = {
  mode: 'fix',
  labels: ['analyse', 'analyze'],
  checks: { include: [], exclude: [], branches: [] },
  pullRequest: { attempts: 1, draft: true, ready: false, base: '', reviewers: [] },
  paths: { allow: [], block: [] },
  budget: { run: null, month: null },
  comments: 'all',
  language: '',
  model: '',
  instructions: '',
};

export interface ReadConfig {
  readonly config: RepositoryConfig;
  /** What is wrong with the file, in one text for a person, with the line; null: nothing. The safe defaults stand then. */
  readonly problem: ConfigProblem | null;
  /** Keys that the file decides, such as `checks.exclude`; absent where there is no file. Of one with a fault those of the safe defaults too. */
  readonly given?: ReadonlySet<string>;
  /** The project that holds the file, where that is the owner's `.github`: whoever may read the repository need not be able to read that one. */
  readonly heldBy?: { readonly projectId: string; readonly isPrivate: boolean };
}

export interface ConfigProblem {
  /** Such as `.github/causeway.yml` or `octo/.github: .github/causeway.yml`. */
  readonly file: string;
  /** From 1; 0 where no line is to blame. */
  readonly line: number;
  readonly message: string;
  /** Equal for equal files: one complaint for each. */
  readonly digest: string;
}
