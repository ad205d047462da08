// The door to what an operator has erased at somebody's request: a person, or a project, with what is known of them.

/** In numbers; what it was is gone. */
export interface ErasedAccount {
  readonly sessions: number;
  readonly tokens: number;
  /** Webhooks of theirs, with the addresses that they went to. */
  readonly webhooks: number;
  /** Threads and heads that named them. */
  readonly mentions: number;
  /** Investigations that they started: those are their project's, of no account, and without what they asked to be heeded. */
  readonly kept: number;
}

export interface ErasedProject {
  readonly id: string;
  readonly investigations: number;
  readonly issues: number;
  readonly threads: number;
  readonly heads: number;
  readonly failures: number;
}

export interface ErasureStore {
  /**
   * The person of that login (whatever its case, a former one too) or of that number on GitHub: sessions, tokens, secrets, webhooks, login,
   * number, and what they asked to be heeded. By number also somebody who never had an account, but is named. Null: nobody of that name is known. Who comes again is somebody new.
   */
  eraseAccount(loginOrNumber: string, now: string): Promise<ErasedAccount | null>;
  /**
   * The project of that id or name, hidden or not, with all that is its own, in whatever state; what runs for it ends with `lease_lost`.
   * Cut short it is hidden until GitHub or PROJECTS shows it again, and the same call erases the rest. Null: there is none.
   */
  eraseProject(idOrName: string, now: string): Promise<ErasedProject | null>;
}
