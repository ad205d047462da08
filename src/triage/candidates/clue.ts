// A clue: one reason why a file may be where the fault is.

export type ClueKind = 'frame' | 'place' | 'message' | 'definition' | 'use' | 'path' | 'name' | 'tested' | 'commit';

export interface Clue {
  readonly kind: ClueKind;
  readonly path: string;
  /** 0 where the clue is about the file as a whole. */
  readonly line: number;
  /** Name of the function where the clue itself says it; else "". */
  readonly function: string;
  /** 0 to 1: how far this alone would make the file a suspect. */
  readonly strength: number;
  /** For people, to be read after "because"; names only what was found. */
  readonly reason: string;
  /** Names that the reason rests on, where it rests on names; empty: on everyday words alone. */
  readonly names?: readonly string[];
}

/** Whether the clue is about this very place; definitions, uses and names only lead near it. */
export function isFirm({ kind }: Clue): boolean {
  return kind === 'frame' || kind === 'place' || kind === 'message' || kind === 'path';
}
