// The door to what a project's configuration comes to, with where each value is from, for people to look at.
import type { Project } from '../core/project.ts';

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
  /** Where a value of the file does not count in full, such as a mode above the operator's ceiling: what counts instead, and why; also where it stands in a private repository, and is not told; "" else. */
  readonly limit: string;
}

/** `file`: the repository's own. `owner`: that of the owner's `.github` repository. `operator`: an environment variable, named. */
export type ValueSource =
  | { readonly kind: 'default' }
  | { readonly kind: 'file' }
  | { readonly kind: 'owner'; readonly repository: string }
  | { readonly kind: 'operator'; readonly variable: string };

/** Throws `github_failed` where it cannot be read just now. */
export type ConfigurationOf = (project: Project, signal: AbortSignal) => Promise<EffectiveConfiguration>;
