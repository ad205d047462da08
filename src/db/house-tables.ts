// The tables of what all processes over a database mind, as Kysely sees them: the operator's marks, and who is to be left alone.

export interface MarkTable {
  name: string;
  set_at: string;
}

export interface HoldTable {
  /** Who, such as `github installation 7`. */
  name: string;
  until: string;
}
