// What a repository's configuration says about its investigations, fixed when the report arrives.
import type { Project } from './project.ts';
import type { Scope } from './scopes.ts';

export interface InvestigationSettings {
  /** False: facts only, even if the operator offers a model. */
  readonly useModel: boolean;
  /** One of the operator's models; "": the operator's default. */
  readonly model: string;
  /**
   * US dollars for one investigation and for the repository in a month; cannot exceed the operator's limits. Null:
   * those limits.
   */
  readonly budget: { readonly run: number | null; readonly month: number | null };
  /** Language of texts for people, such as `de` or `Portuguese`; "": English. */
  readonly language: string;
  /** Instructions from the maintainers; "" for none. */
  readonly instructions: string;
  /** Path globs: a change may touch only `allow` (empty: everything) and nothing in `block`. */
  readonly paths: { readonly allow: readonly string[]; readonly block: readonly string[] };
  /** Parts of the repository with owners and budgets of their own. */
  readonly scopes: readonly Scope[];
  /** Other repositories that are read as well: `owner/name`. */
  readonly context: readonly string[];
}

export const DEFAULT_SETTINGS: InvestigationSettings = {
  useModel: true,
  model: '',
  budget: { run: null, month: null },
  language: '',
  instructions: '',
  paths: { allow: [], block: [] },
  scopes: [],
  context: [],
};

export interface EffectiveConfiguration {
  readonly values: readonly EffectiveValue[];
  /** Why a file cannot be used, with its line; "" if it can. */
  readonly problem: string;
  /** Page of the file, if any. */
  readonly url: string;
  /** Null: a repository on this disk, where nothing is posted. */
  readonly mode: EffectiveMode | null;
  /** What applies as a file that could be put there, without what is in a private repository; "" if none is read. */
  readonly yaml: string;
}

/** What may be posted; `isCapped`: the file asks for more than the operator allows. */
export interface EffectiveMode {
  readonly mode: 'observe' | 'comment' | 'fix';
  readonly isCapped: boolean;
}

export interface EffectiveValue {
  /** The name in the file, such as `checks.exclude`. */
  readonly name: string;
  /** What it does, in one sentence. */
  readonly means: string;
  /** As text; "" for none. Untrusted. */
  readonly value: string;
  readonly from: ValueSource;
  /**
   * Why the value of the file does not apply in full, such as a mode above the operator's limit, and what applies
   * instead; also used when the value is in a private repository and must not be shown. "" otherwise.
   */
  readonly limit: string;
}

/**
 * `file`: the repository's own. `owner`: the owner's `.github` repository. `operator`: the named environment variable.
 */
export type ValueSource =
  | { readonly kind: 'default' }
  | { readonly kind: 'file' }
  | { readonly kind: 'owner'; readonly repository: string }
  | { readonly kind: 'operator'; readonly variable: string };

/** Throws `github_failed` if it cannot be read now. */
export type ConfigurationOf = (project: Project, signal: AbortSignal) => Promise<EffectiveConfiguration>;
