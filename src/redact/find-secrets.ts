// Finds every secret of a text: all its readings, each by all means, mapped back to the text itself.
import { REDACTED } from '../core/redacted.ts';
import { exactSpans, type Needle, needlesOf } from './exact-values.ts';
import { focusedView, overSeam } from './focus.ts';
import { maintainedSpans } from './maintained-rules.ts';
import { ruleSpans } from './match-rules.ts';
import {
  base64View,
  cleanView,
  decodedView,
  escapedControlOffsets,
  escapeOffsets,
  gappedViews,
  noiseOffsets,
} from './normalise.ts';
import { privateKeySpans } from './private-keys.ts';
import { mergedSpans, type Span, withoutCuts } from './spans.ts';
import { unwrappedView } from './unwrap.ts';
import { editedView, plainView, toSource, type View } from './view.ts';

/** Percent-encoding may be encoded again; a secret three layers deep is not met in practice. */
const DECODINGS = 3;
/** Base64 in base64, as Kubernetes has it. */
const BASE64_LAYERS = 2;
/** What is left after a cut can read as a secret of its own; more than two rounds have not been seen. */
const ROUNDS = 4;
/** Lines looked at on either side of one that reads differently: what names a value stands on its line or the one before. */
const AROUND = 3;

/**
 * The stretches of `text` that hold secrets, ascending and apart. Looking again at the text without them finds nothing more.
 * `exactValues`: secrets to find whatever their form; those under 8 characters are ignored.
 */
export async function secretSpans(text: string, exactValues: readonly string[]): Promise<Span[]> {
  const needles = needlesOf(exactValues);
  const source = plainView(text);
  let spans: Span[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const cut = editedView(
      source,
      spans.map((span) => ({ ...span, text: REDACTED })),
    );
    // What a cut leaves can only be a secret where the cut is.
    const seen = round === 0 ? cut : focusedView(cut, markerOffsets(cut.text), AROUND);
    const found = seen === null ? [] : await spansOf(seen, needles);
    if (found.length === 0) break;
    spans = mergedSpans([...spans, ...found]);
  }
  return spans;
}

/** The text without the exact values, in any spelling; nothing else is looked for. For where waiting is impossible. */
export function removeExactValues(text: string, exactValues: readonly string[]): string {
  const needles = needlesOf(exactValues);
  const readings = readingsOf(plainView(text), BASE64_LAYERS);
  const spans = readings.flatMap((view) =>
    exactSpans(view, unwrappedView(view), needles)
      .filter((span) => !overSeam(view, span))
      .map((span) => toSource(view, span)),
  );
  return withoutCuts(
    text,
    mergedSpans(spans).map((span) => ({ ...span, kind: 'secret' })),
  );
}

function markerOffsets(text: string): number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(REDACTED); at >= 0; at = text.indexOf(REDACTED, at + 1)) offsets.push(at);
  return offsets;
}

async function spansOf(source: View, needles: readonly Needle[]): Promise<Span[]> {
  const spans: Span[] = [];
  for (const view of readingsOf(source, BASE64_LAYERS)) {
    const found = [
      ...ruleSpans(view),
      ...privateKeySpans(view.text),
      ...(needles.length > 0 ? exactSpans(view, unwrappedView(view), needles) : []),
      ...(await maintainedSpans(view.text)),
    ];
    const whole = found.filter((span) => span.end > span.start && !overSeam(view, span));
    spans.push(...whole.map((span) => toSource(view, span)));
  }
  return spans;
}

/** The text cleaned, and of each other reading the lines in which it differs, with some around: looking at all of each took three times as long. */
function readingsOf(source: View, base64Layers: number): View[] {
  const clean = cleanView(source);
  const readings = [clean];
  const noisy = focusedView(source, noiseOffsets(source.text), AROUND);
  if (noisy) readings.push(...gappedViews(noisy));
  // Escapes in JSON are decoded before sequences are taken out as well: of `\\u001b[1m` cleaning alone would leave the beginning.
  const controlled = focusedView(source, escapedControlOffsets(source.text), AROUND);
  if (controlled) readings.push(cleanView(decodedView(controlled)));
  let last = clean;
  for (let i = 0; i < DECODINGS; i++) {
    const escaped = focusedView(last, escapeOffsets(last.text), AROUND);
    if (!escaped) break;
    last = cleanView(decodedView(escaped));
    readings.push(last);
  }
  if (base64Layers === 0) return readings;
  const contents = [...new Set([clean, last])].map(base64View).filter((view) => view !== null);
  return [...readings, ...contents.flatMap((view) => readingsOf(view, base64Layers - 1))];
}
