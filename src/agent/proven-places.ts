// Places in the source, named and ranked: those that the model gives and the commit has, then those of the facts.
import type { Suspect } from '../core/issue.ts';
import type { ConclusionDraft } from './conclusion-draft.ts';

const MAX_SUSPECTS = 8;
/** The least that a suspect of a checked conclusion is worth: half, as what stands in the list is best first. */
const LEAST_SCORE = 0.5;

/** The model's come first with at least the facts' best score; what the facts say of the same file is kept with it. */
export function mergedSuspects(own: ConclusionDraft['suspects'], facts: readonly Suspect[]): readonly Suspect[] {
  const score = Math.max(LEAST_SCORE, ...facts.map((suspect) => suspect.score));
  const files = new Set(own.map(({ file }) => file));
  const first = own.map(({ why, ...place }): Suspect => {
    const known = facts.find(({ file }) => file === place.file);
    return { ...place, score, reasons: [why, ...(known?.reasons ?? [])].filter((reason) => reason !== '') };
  });
  return [...first, ...facts.filter(({ file }) => !files.has(file))].slice(0, MAX_SUSPECTS);
}

/** `src/a.ts:14` as inline code, which a backtick inside must not end. */
export function placeOf({ file, line }: { readonly file: string; readonly line: number }): string {
  return inlineCode(line > 0 ? `${file}:${line}` : file);
}

/** The same with the function. */
export function placeName(suspect: Pick<Suspect, 'file' | 'line' | 'function'>): string {
  return suspect.function === '' ? placeOf(suspect) : `${placeOf(suspect)}, in ${inlineCode(suspect.function)}`;
}

function inlineCode(text: string): string {
  return `\`${text.replaceAll('`', "'").replaceAll('\n', ' ')}\``;
}
