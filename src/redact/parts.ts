// Looking at a large text in parts when the whole cannot be looked at: what fails is halved, and in the end withheld.
import type { Cut, Span } from './spans.ts';

/** A part that fails is halved down to this, then withheld. */
const SMALLEST = 8_192;
/** A part is looked at with this much around it, so that no secret is lost at its edges (a 4096-bit key in PEM has 3,300 characters). */
const AROUND = 16_384;

/** Where the secrets of a stretch are, as offsets of the whole text; null where that could not be found out. */
type Look = (stretch: Span) => Promise<readonly Span[] | null>;

/** Everything that must not leave, ascending and apart. */
export async function cutsOf(text: string, part: Span, look: Look): Promise<Cut[]> {
  const stretch = { start: Math.max(0, part.start - AROUND), end: Math.min(text.length, part.end + AROUND) };
  const secrets = await look(stretch);
  if (secrets) return clipped(secrets, part);
  if (part.end - part.start <= SMALLEST) return [{ ...part, kind: 'unchecked' }];
  const middle = middleOf(text, part);
  const before = await cutsOf(text, { start: part.start, end: middle }, look);
  return [...before, ...(await cutsOf(text, { start: middle, end: part.end }, look))];
}

function clipped(spans: readonly Span[], part: Span): Cut[] {
  return spans
    .map(
      ({ start, end }): Cut => ({ kind: 'secret', start: Math.max(start, part.start), end: Math.min(end, part.end) }),
    )
    .filter((cut) => cut.start < cut.end);
}

/** A line start near the middle, so that what is withheld are lines; else the middle, but never inside a surrogate pair. */
function middleOf(text: string, part: Span): number {
  const middle = (part.start + part.end) >> 1;
  const line = text.lastIndexOf('\n', middle) + 1;
  if (line > part.start + (part.end - part.start) / 4) return line;
  const unit = text.charCodeAt(middle);
  return unit >= 0xdc00 && unit <= 0xdfff ? middle + 1 : middle;
}
