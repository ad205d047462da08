// Finds every secret of a text: all its readings, each by all means, mapped back to the text itself.

import { lintSource } from '@secretlint/core';
import { secretLintProfiler } from '@secretlint/profiler';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { REDACTED } from '../core/redacted.ts';
import { findExactValues, getNeedles, type Needle } from './exact-values.ts';
import { findByRules, unwrapView } from './match-rules.ts';
import { findPrivateKeys } from './private-keys.ts';

import {
  applyCuts,
  createCleanView,
  createGappedViews,
  createView,
  crossesSeam,
  decodeBase64View,
  decodeView,
  editView,
  findEscapedControls,
  findEscapes,
  findNoise,
  focusView,
  mergeSpans,
  type Span,
  toSource,
  type View,
} from './views.ts';

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
export async function findSecrets(text: string, exactValues: readonly string[]): Promise<Span[]> {
  const needles = getNeedles(exactValues);
  const source = createView(text);
  let spans: Span[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const cut = editView(
      source,
      spans.map((span) => ({ ...span, text: REDACTED })),
    );
    // What a cut leaves can only be a secret where the cut is.
    const seen = round === 0 ? cut : focusView(cut, findMarkers(cut.text), AROUND);
    const found = seen === null ? [] : await findInReadings(seen, needles);
    if (found.length === 0) break;
    spans = mergeSpans([...spans, ...found]);
  }
  return spans;
}

/** The text without the exact values, in any spelling; nothing else is looked for. For where waiting is impossible. */
export function removeExactValues(text: string, exactValues: readonly string[]): string {
  const needles = getNeedles(exactValues);
  const readings = listReadings(createView(text), BASE64_LAYERS);
  const spans = readings.flatMap((view) =>
    findExactValues(view, unwrapView(view), needles)
      .filter((span) => !crossesSeam(view, span))
      .map((span) => toSource(view, span)),
  );
  return applyCuts(
    text,
    mergeSpans(spans).map((span) => ({ ...span, kind: 'secret' })),
  );
}

function findMarkers(text: string): number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf(REDACTED); at >= 0; at = text.indexOf(REDACTED, at + 1)) offsets.push(at);
  return offsets;
}

async function findInReadings(source: View, needles: readonly Needle[]): Promise<Span[]> {
  const spans: Span[] = [];
  for (const view of listReadings(source, BASE64_LAYERS)) {
    const found = [
      ...findByRules(view),
      ...findPrivateKeys(view.text),
      ...(needles.length > 0 ? findExactValues(view, unwrapView(view), needles) : []),
      ...(await findByMaintainedRules(view.text)),
    ];
    const whole = found.filter((span) => span.end > span.start && !crossesSeam(view, span));
    spans.push(...whole.map((span) => toSource(view, span)));
  }
  return spans;
}

/** The text cleaned, and of each other reading the lines in which it differs, with some around: looking at all of each took three times as long. */
function listReadings(source: View, base64Layers: number): View[] {
  const clean = createCleanView(source);
  const readings = [clean];
  const noisy = focusView(source, findNoise(source.text), AROUND);
  if (noisy) readings.push(...createGappedViews(noisy));
  // Escapes in JSON are decoded before sequences are taken out as well: of `\\u001b[1m` cleaning alone would leave the beginning.
  const controlled = focusView(source, findEscapedControls(source.text), AROUND);
  if (controlled) readings.push(createCleanView(decodeView(controlled)));
  let last = clean;
  for (let i = 0; i < DECODINGS; i++) {
    const escaped = focusView(last, findEscapes(last.text), AROUND);
    if (!escaped) break;
    last = createCleanView(decodeView(escaped));
    readings.push(last);
  }
  if (base64Layers === 0) return readings;
  const contents = [...new Set([clean, last])].map(decodeBase64View).filter((view) => view !== null);
  return [...readings, ...contents.flatMap((view) => listReadings(view, base64Layers - 1))];
}

// Its marks are never cleared: 176 for each text, 37 KB that stay (6,000 small texts: 220 MB).
secretLintProfiler.setEnabled(false);

/** Rules of the preset that are off, each with its reason. */
const OFF: Readonly<Record<string, string>> = {
  aws: 'reports a secret key from the start of its name for the length of its value: the tail would leave',
  gcp: 'opens the named file; the keys inside are PEM',
  privatekey: 'needs both markers, one layout and no escapes; private-keys.ts does not',
  basicauth: 'reports the whole address instead of the password',
  'database-connection-string': 'reports the whole address instead of the password',
  sendgrid: 'takes `SG.Config.value` in source code for a key; the table has the real form',
  'filter-comments': 'a comment in the text could switch every rule off',
};

const PREFIX = '@secretlint/secretlint-rule-';

const config = {
  rules: rules
    .filter((rule) => !Object.hasOwn(OFF, rule.meta.id.slice(PREFIX.length)))
    .map((rule) => ({ id: rule.meta.id, rule })),
};

// secretlint compares its findings pairwise, so one text of 60,000 keys would take minutes: bounded pieces, overlapping by more than its longest token.
const PIECE = 24_576;

const OVERLAP = 4_096;

/** What the maintained rules find. */
export async function findByMaintainedRules(text: string): Promise<Span[]> {
  const spans: Span[] = [];
  for (let from = 0; from === 0 || from + OVERLAP < text.length; from += PIECE - OVERLAP) {
    const content = text.slice(from, from + PIECE);
    const { messages } = await lintSource({
      source: { filePath: 'text', ext: '', contentType: 'text', content },
      options: { config, noPhysicFilePath: true },
    });
    for (const { range } of messages) spans.push({ start: from + range[0], end: from + range[1] });
  }
  return spans;
}
