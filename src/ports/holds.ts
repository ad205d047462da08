// The door to what is known of others who want to be left alone: learnt by one process by a refusal, kept by all over its database.

export interface Hold {
  /** Who, such as `github installation 7`. */
  readonly name: string;
  /** From then on it may be asked again. */
  readonly until: Date;
}

/** In memory, since it is looked at before every call; what another process learns stands here within seconds. */
export interface Holds {
  /** Until when that one is left alone; null: it may be asked. */
  until(name: string): Date | null;
  /** Never shortens what stands, and never throws: where it cannot be told to the others, each learns by a refusal of its own. */
  hold(name: string, until: Date): void;
  /** All that stand at this moment. */
  standing(): readonly Hold[];
}

/** How the installations of GitHub, and the App itself, begin. */
export const GITHUB_HOLDS = 'github ';
/** How the endpoints of models begin. */
export const MODEL_HOLDS = 'model ';
