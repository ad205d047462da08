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
  /** Of a frame: where it is in the report's stack traces. */
  readonly frame?: FrameOrder;
}

interface FrameOrder {
  /** Number of its trace in the report, and its place among the own files of that trace; 0: the innermost. */
  readonly trace: number;
  readonly position: number;
  /** Whether no other file of its trace may rank before this one: the innermost own frame, and the commit fits it. */
  readonly leads: boolean;
}

/** What speaks for a file: a place that the report names, names from code, or nothing but everyday words. */
export type Evidence = 'firm' | 'names' | 'words';

export function evidenceOf(clues: readonly Clue[]): Evidence {
  if (clues.some(isFirm)) return 'firm';
  const saysMore = ({ kind, names = [] }: Clue): boolean =>
    kind === 'definition' || kind === 'tested' || (kind === 'use' && names.length > 0);
  return clues.some(saysMore) ? 'names' : 'words';
}

/** Whether the clue is about this very place; definitions, uses and names only lead near it. */
export function isFirm({ kind }: Clue): boolean {
  return kind === 'frame' || kind === 'place' || kind === 'message' || kind === 'path';
}
