// Finds every secret of a text: all its readings, each by all means, mapped back to the text itself.
import { REDACTED } from '../domain/redacted.ts';
import { exactSpans, type Needle, needlesOf } from './exact-values.ts';
import { maintainedSpans } from './maintained-rules.ts';
import { ruleSpans } from './match-rules.ts';
import { base64View, cleanView, decodedView, gappedViews, unwrappedView } from './normalise.ts';
import { privateKeySpans } from './private-keys.ts';
import { mergedSpans, type Span, withoutCuts } from './spans.ts';
import { editedView, plainView, toSource, type View } from './view.ts';

/** Percent-encoding may be encoded again; a secret three layers deep is not met in practice. */
const DECODINGS = 3;
/** Base64 in base64, as Kubernetes has it. */
const BASE64_LAYERS = 2;
/** What is left after a cut can read as a secret of its own; more than two rounds have not been seen. */
const ROUNDS = 4;

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
    const found = await spansOf(cut, needles);
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
    exactSpans(view, unwrappedView(view), needles).map((span) => toSource(view, span)),
  );
  return withoutCuts(
    text,
    mergedSpans(spans).map((span) => ({ ...span, kind: 'secret' })),
  );
}

async function spansOf(source: View, needles: readonly Needle[]): Promise<Span[]> {
  const spans: Span[] = [];
  for (const view of readingsOf(source, BASE64_LAYERS)) {
    const unwrapped = unwrappedView(view);
    const found = [
      ...ruleSpans(view, unwrapped),
      ...privateKeySpans(view.text),
      ...exactSpans(view, unwrapped, needles),
      ...(await maintainedSpans(view.text)),
    ];
    spans.push(...found.filter((span) => span.end > span.start).map((span) => toSource(view, span)));
  }
  return spans;
}

function readingsOf(source: View, base64Layers: number): View[] {
  const clean = cleanView(source);
  // Escapes in JSON are decoded before sequences are taken out as well: of `\\u001b[1m` cleaning alone would leave the beginning.
  const readings = [clean, ...gappedViews(source), cleanView(decodedView(source))];
  let last = clean;
  for (let i = 0; i < DECODINGS; i++) {
    const decoded = cleanView(decodedView(last));
    if (decoded.text === last.text) break;
    readings.push(decoded);
    last = decoded;
  }
  if (base64Layers === 0) return readings;
  const contents = [...new Set([clean, last])].map(base64View).filter((view) => view !== null);
  return [...readings, ...contents.flatMap((view) => readingsOf(view, base64Layers - 1))];
}
