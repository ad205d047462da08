// What a repository's own configuration says about its investigations, pinned when the report arrives.
import type { Project } from './project.ts';

export interface InvestigationSettings {
  /** False: facts only, whatever the operator offers. */
  readonly useModel: boolean;
  /** The one of the operator's models that is asked; "": the operator's first choice. */
  readonly model: string;
  /** US dollars of one investigation and of the repository in a month, below the operator's own limits; null: those. */
  readonly budget: { readonly run: number | null; readonly month: number | null };
  /** Language of what people read, such as `de` or `Portuguese`; "": English. */
  readonly language: string;
  /** What maintainers want to be heeded; "" for nothing. */
  readonly instructions: string;
  /** Globs of paths: a change touches only what `allow` names (empty: everything) and nothing that `block` names. */
  readonly paths: { readonly allow: readonly string[]; readonly block: readonly string[] };
}

export const DEFAULT_SETTINGS: InvestigationSettings = {
  useModel: true,
  model: '',
  budget: { run: null, month: null },
  language: '',
  instructions: '',
  paths: { allow: [], block: [] },
};

export interface EffectiveConfiguration {
  readonly values: readonly EffectiveValue[];
  /** Why a file cannot be used, with its line; "": nothing is wrong. */
  readonly problem: string;
  /** Page of the file, where there is one. */
  readonly url: string;
}

export interface EffectiveValue {
  /** As the file calls it, such as `checks.exclude`. */
  readonly name: string;
  /** What it does, in one sentence. */
  readonly means: string;
  /** For people; "" for nothing. Outside text. */
  readonly value: string;
  readonly from: ValueSource;
  /**
   * Where a value of the file does not count in full, such as a mode above the operator's ceiling: what counts instead,
   * and why; also where it stands in a private repository, and is not told; "" else.
   */
  readonly limit: string;
}

/**
 * `file`: the repository's own. `owner`: that of the owner's `.github` repository. `operator`: an environment variable,
 * named.
 */
export type ValueSource =
  | { readonly kind: 'default' }
  | { readonly kind: 'file' }
  | { readonly kind: 'owner'; readonly repository: string }
  | { readonly kind: 'operator'; readonly variable: string };

/** Throws `github_failed` where it cannot be read just now. */
export type ConfigurationOf = (project: Project, signal: AbortSignal) => Promise<EffectiveConfiguration>;
