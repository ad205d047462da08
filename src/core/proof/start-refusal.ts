// What a branch or a draft of ours would start besides, by its place in a workflow file: stored with the proof that it ends.

/** What we do: push a new branch, open a draft from it, lock and close that, and delete the branch. `follow`: what others do then. */
export type StartAct = 'push' | 'open' | 'lock' | 'close' | 'delete' | 'follow';

/** `yaml`: no YAML, or two documents. `form`: not as a workflow is written. `size`: more than we read. `missing`: no text. */
export type UnreadReason = 'missing' | 'size' | 'yaml' | 'form';

export type FilterName = 'branches' | 'branches-ignore' | 'tags' | 'tags-ignore' | 'paths' | 'paths-ignore';

interface RefusedPlace {
  readonly path: string;
  readonly line: number;
}

interface RefusedEvent extends RefusedPlace {
  readonly act: StartAct;
  readonly event: string;
  /** The filters of the event that already are there; which decides what would leave our branches out. */
  readonly filters: readonly FilterName[];
}

export type StartRefusal =
  /**
   * `besides`: no run of the head shows that workflow for that event; `required`: nor one that a ruleset asks for. `target`: it
   * runs with the base's rights.
   */
  | ({ readonly code: 'besides' | 'required' | 'target' | 'other_event' | 'unknown_event' } & RefusedEvent)
  /** It follows the run of another. */
  | ({ readonly code: 'follows'; readonly after: string } & RefusedEvent)
  /** The head's run of it waited for somebody's approval. */
  | ({ readonly code: 'approval' } & RefusedEvent)
  /**
   * `more_rights`: at the head that job is without some of its rights. `job_besides`: it is not known to have run, and may
   * run for us with rights that nothing else of that run had.
   */
  | ({ readonly code: 'job_besides' | 'more_rights'; readonly job: string } & RefusedEvent)
  | ({ readonly code: 'unread'; readonly why: UnreadReason } & RefusedPlace);
