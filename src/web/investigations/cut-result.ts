// What a step has found, held to what a page can show, with words for what was cut.
import { cutAt, withoutUnseen } from '../../core/inert-text.ts';
import { count, plural } from '../words.ts';

export interface CutResult {
  readonly text: string;
  /** Lines of the whole. */
  readonly lines: number;
  /** What is not shown, in words; "" where all is. */
  readonly cut: string;
}

export interface ResultLimits {
  readonly lines: number;
  readonly characters: number;
}

/** Whole lines, unless the first alone is too long. What nobody can see is taken out. */
export function cutResult(result: string, { lines: mostLines, characters }: ResultLimits): CutResult {
  const all = withoutUnseen(result).trimEnd();
  if (all === '') return { text: '', lines: 0, cut: '' };
  const lines = all.split('\n');
  let kept = Math.min(lines.length, mostLines);
  let length = lines.slice(0, kept).join('\n').length;
  while (kept > 1 && length > characters) {
    kept -= 1;
    length -= (lines[kept] ?? '').length + 1;
  }
  const whole = lines.slice(0, kept).join('\n');
  const text = whole.length > characters ? cutAt(whole, characters) : whole;
  return { text, lines: lines.length, cut: cutWords(lines.length - kept, whole.length - text.length) };
}

function cutWords(lines: number, characters: number): string {
  const parts = [
    ...(characters > 0 ? [`${count(characters)} characters of this line`] : []),
    ...(lines > 0 ? [plural(lines, 'more line')] : []),
  ];
  return parts.length === 0 ? '' : `Not shown here: ${parts.join(' and ')}.`;
}
