// Text from outside as the model gets it: without characters that a person would not see, since orders hide in them; and how many there were.
import { withoutUnseen } from '../core/inert-text.ts';

export interface ModelCopy {
  readonly text: string;
  /** Invisible characters and characters of escape sequences that were taken out. */
  readonly removed: number;
}

/** CR of line ends and the emoji presentation mark go as well, but are no news. */
export function modelCopy(text: string): ModelCopy {
  const clean = withoutUnseen(text);
  const ordinary = text.replace(/\r\n?/g, '\n').replaceAll('\ufe0f', '');
  return { text: clean, removed: Math.max(0, ordinary.length - clean.length) };
}
