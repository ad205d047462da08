// What a repository's own configuration says about its investigations, pinned when the report arrives.

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
