// The fingerprint of a report: equal for the same report seen again, different for a different problem.
import { createHash } from 'node:crypto';
import { removeAnsi } from './report-text.ts';

const HEX = '[0-9a-fA-F]';
const UUID = new RegExp(`\\b${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}\\b`, 'g');
const ISO_TIME = /\b\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z\b| ?[+-]\d\d:?\d\d\b)?/g;
/** Web server logs: `02/Jan/2024:13:55:36 +0000`. */
const ACCESS_LOG_TIME = /\b\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?/g;
const SYSLOG_DAY = /\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2}(?= \d\d:\d\d:\d\d)/g;
/** Not after a colon or letter: `file.ts:12:34:56` is a place, not a clock. */
const CLOCK_TIME = /(?<![\w:.])\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[AaPp][Mm]\b)?/g;
const EPOCH = /(?<![\w.])1[5-9]\d{8}(?:\d{3}|\.\d{1,9})(?![\w.])/g;
/** Eight digits that begin with 8 or C are result codes (0x80070005, 0xC0000005): those name the error and stay. */
const ADDRESS = /\b0x(?![89cC][0-9a-fA-F]{7}\b)[0-9a-fA-F]{6,16}\b/g;
const DURATION =
  /(?<![\w.])(?:\d{1,6}h)?(?:\d{1,6}m)?\d{1,9}(?:\.\d{1,9})?(?:[nµu]?s| ?ms| ?(?:sec|second|minute|min|hour|millisecond)s?)(?!\w)/g;

/** SHA-256 (hex) of the text without what differs between two sightings of one problem: colours, times, durations, UUIDs, addresses, white space. */
export function computeReportFingerprint(text: string): string {
  return createHash('sha256').update(normaliseText(text)).digest('hex');
}

function normaliseText(text: string): string {
  return removeAnsi(text)
    .replace(UUID, '<uuid>')
    .replace(ISO_TIME, '<time>')
    .replace(ACCESS_LOG_TIME, '<time>')
    .replace(SYSLOG_DAY, '<day>')
    .replace(CLOCK_TIME, '<time>')
    .replace(EPOCH, '<time>')
    .replace(ADDRESS, '<address>')
    .replace(DURATION, '<duration>')
    .replace(/\s+/g, ' ')
    .trim();
}
