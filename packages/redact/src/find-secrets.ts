// Finds every secret of a text: all its readings, each by all rules, mapped back to the text itself.
import { lintSource } from '@secretlint/core';
import { secretLintProfiler } from '@secretlint/profiler';
import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { findExactValues, getNeedles, type Needle } from './exact-values.ts';
import { findByRules } from './match-rules.ts';
import { findPrivateKeys } from './private-keys.ts';
import {
  createReading,
  crossesSeam,
  decodeBase64,
  decodeEscapes,
  editReading,
  findEscapes,
  findNoise,
  focusLines,
  iterateMatches,
  mergeSpans,
  type Reading,
  removeNoise,
  replaceNoiseByGaps,
  type TextSpan,
  toSource,
} from './readings.ts';
import { REDACTED } from './redacted.ts';

/**
 * Percent-encoding may be encoded again, and an escape may be interrupted by a colour. Two decodings leave 25 of 47 kinds of
 * secrets that were percent-encoded three times.
 */
const DECODINGS = 3;

/** Base64 in base64, as Kubernetes has it: with one layer all 47 kinds of secrets are left there. */
const BASE64_LAYERS = 2;

/** What is left after a cut can read as a secret of its own; more than two rounds have not been seen. */
const ROUNDS = 4;

/**
 * Lines looked at on either side of one that reads differently: what names a value is on its line or the one before.
 */
const AROUND = 3;

/**
 * The stretches of `text` that hold secrets, ascending and disjoint. Searching the text again without them finds no
 * more. `exactValues`: secrets to find in any form; those under 8 characters are ignored.
 */
export async function findSecrets(text: string, exactValues: readonly string[]): Promise<TextSpan[]> {
  const needles = getNeedles(exactValues);
  const source = createReading(text);
  let spans = await findInReadings(source, needles);
  for (let round = 1; round < ROUNDS && spans.length > 0; round++) {
    const cut = editReading(
      source,
      spans.map((span) => ({ ...span, text: REDACTED })),
    );
    // What a cut leaves can only be a secret where the cut is.
    const near = focusLines(cut, findMarkers(cut.text), AROUND);
    const found = near === null ? [] : await findInReadings(near, needles);
    if (found.length === 0) break;
    spans = mergeSpans([...spans, ...found]);
  }
  return spans;
}

function findMarkers(text: string): number[] {
  return [...iterateMatches(text, /\[redacted\]/g)].map(({ index }) => index);
}

async function findInReadings(source: Reading, needles: readonly Needle[]): Promise<TextSpan[]> {
  const spans: TextSpan[] = [];
  for (const reading of listReadings(source, BASE64_LAYERS)) {
    const found = [
      ...findByRules(reading.text),
      ...findPrivateKeys(reading.text),
      ...findExactValues(reading.text, needles),
      ...(await findBySecretlint(reading.text)),
    ];
    for (const span of found) {
      if (span.end > span.start && !crossesSeam(reading, span)) spans.push(toSource(reading, span));
    }
  }
  return mergeSpans(spans);
}

/**
 * The text cleaned, and of each other reading the lines in which it differs: looking at all of each took three times as
 * long.
 */
function listReadings(source: Reading, base64Layers: number): Reading[] {
  const clean = removeNoise(source);
  const readings = [clean];
  const noisy = focusLines(source, findNoise(source), AROUND);
  if (noisy) readings.push(...replaceNoiseByGaps(noisy));
  // Decoded before noise is taken out: of `\\u001b[1m` cleaning first would leave the beginning.
  let decoded = source;
  for (let i = 0; i < DECODINGS; i++) {
    const escaped = focusLines(decoded, findEscapes(decoded), AROUND);
    if (!escaped) break;
    decoded = removeNoise(decodeEscapes(escaped));
    readings.push(decoded);
  }
  if (base64Layers === 0) return readings;
  const contents = [clean, decoded].map(decodeBase64).filter((reading) => reading !== null);
  return [...readings, ...contents.flatMap((reading) => listReadings(reading, base64Layers - 1))];
}

// Its marks are never cleared: 176 for each text, 37 KB that stay (6,000 small texts: 220 MB).
secretLintProfiler.setEnabled(false);

/** Rules of the preset that are off, each with its reason. */
const OFF: Readonly<Record<string, string>> = {
  aws: 'reports a secret key from the start of its name for the length of its value: the tail would stay',
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

// secretlint compares its findings pairwise, so one text of 60,000 keys would take minutes: bounded pieces, overlapping
// by more than its longest token.
const PIECE = 24_576;

const OVERLAP = 4_096;

/** What the rules of secretlint's preset find. */
async function findBySecretlint(text: string): Promise<TextSpan[]> {
  const spans: TextSpan[] = [];
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
