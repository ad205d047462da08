// Expressions that are slow over long texts, and read none: each with the bound that its callers keep. They are screened at that length.

interface Bound {
  /** A file whose expressions read such texts alone; `only` narrows it to expressions that begin so. */
  readonly file: string;
  readonly only?: string;
  /** Characters. */
  readonly most: number;
  readonly why: string;
}

const OUTLINE = 'readOutline (packages/git-objects/src/outline.ts) skips lines of more than 1,000 characters';
const LOG_LINE = 'readLogLine (packages/ci-log/src/log-lines.ts) cuts each line of a log at 1,000 characters';
const REPORT_LINE = 'toPlainLines (src/triage/report-text.ts) cuts each line of a report at 2,000 characters';

export const BOUNDED: readonly Bound[] = [
  { file: 'packages/git-objects/src/outline.ts', most: 1_000, why: OUTLINE },
  {
    file: 'packages/redact/src/private-keys.ts',
    only: '(?<![A-Za-z0-9+/])(',
    most: 1_000,
    why: 'lines up to MAX_KEY_LINE',
  },
  { file: 'packages/ci-log/src/condense-log.ts', only: '^[\\s"', most: 1_000, why: 'isKeyLine skips longer lines' },
  { file: 'packages/ci-log/src/read-check.ts', most: 1_000, why: LOG_LINE },
  { file: 'packages/ci-log/src/written-places.ts', most: 1_000, why: LOG_LINE },
  { file: 'packages/ci-log/src/failed-tests.ts', most: 1_000, why: LOG_LINE },
  { file: 'src/triage/rank-commits.ts', most: 1_000, why: LOG_LINE },
  { file: 'src/triage/traces/frame-readers.ts', most: 2_000, why: REPORT_LINE },
  { file: 'src/triage/traces/error-head.ts', most: 2_000, why: REPORT_LINE },
  {
    file: 'src/triage/traces/frame-forms.ts',
    most: 2_000,
    why: 'read-forms.ts cuts what it reads, also where it joins lines',
  },
  { file: 'src/triage/traces/read-forms.ts', most: 2_000, why: REPORT_LINE },
  { file: 'src/triage/traces/symbol-names.ts', most: 2_000, why: `Names in frames: ${REPORT_LINE}` },
  { file: 'src/triage/paths.ts', most: 2_000, why: `Paths and symbols of frames: ${REPORT_LINE}` },
  { file: 'src/triage/signals.ts', most: 2_000, why: REPORT_LINE },
  { file: 'src/triage/listing-lines.ts', most: 400, why: 'isListing reads no longer line' },
  { file: 'src/triage/passing-mentions.ts', most: 2_000, why: REPORT_LINE },
  { file: 'src/triage/references.ts', most: 2_000, why: 'Lines of a report are cut at 2,000 characters' },
  { file: 'src/triage/report-errors.ts', most: 2_000, why: REPORT_LINE },
  { file: 'src/triage/named-range.ts', most: 2_000, why: REPORT_LINE },
  { file: 'src/triage/reproduction.ts', most: 2_000, why: REPORT_LINE },
  {
    file: 'src/triage/report-text.ts',
    only: '^#{1,6}\\s+',
    most: 90,
    why: 'readReportHeading reads no line of more than 90 characters',
  },
  {
    file: 'src/triage/report-text.ts',
    only: '[:：',
    most: 90,
    why: 'readReportHeading reads no line of more than 90 characters',
  },
  { file: 'src/triage/report-text.ts', most: 2_000, why: REPORT_LINE },
  {
    file: 'src/triage/localise/query.ts',
    only: '^#{1,6}',
    most: 100,
    why: 'headingOf reads at most 100 characters',
  },
];

/** How long the texts of an expression are at most; null where nothing bounds them. */
export function mostCharacters(file: string, source: string): number | null {
  return BOUNDED.find((bound) => bound.file === file && source.startsWith(bound.only ?? ''))?.most ?? null;
}
