// A report of at most 1 MiB made of a text and a log of any size: the log's end is kept, where the failure stands.
import { MAX_REPORT_BYTES } from '../core/report.ts';

/** What a report may hold, in bytes of UTF-8. */
export const REPORT_LIMIT = MAX_REPORT_BYTES;
/** Room left for the words that say what was cut. */
const WORDS = 512;

/**
 * Text and log as one report. The log follows under a heading; what does not fit is left out of its beginning,
 * or, where the text alone is too long, out of the text's middle. Both are said in the report and in `cut` ("" = nothing).
 */
export function composeReport(text: string, log: NamedLog): Composed {
  const body = cutMiddle(text.trim(), REPORT_LIMIT - WORDS);
  if (log.text.trim() === '') return { text: body.text, cut: body.cut };
  const heading = body.text === '' ? '' : `\n\n--- Log: ${log.name} ---\n\n`;
  const room = REPORT_LIMIT - WORDS - Buffer.byteLength(body.text) - Buffer.byteLength(heading);
  const tail = cutBeginning(log.text.trimEnd(), room, log.missing ?? 0);
  return { text: `${body.text}${heading}${tail.text}`, cut: [body.cut, tail.cut].filter(Boolean).join(' ') };
}

interface NamedLog {
  readonly name: string;
  readonly text: string;
  /** Bytes of the log before the text, which were not even read. */
  readonly missing?: number;
}

interface Composed {
  readonly text: string;
  readonly cut: string;
}

function cutBeginning(text: string, limit: number, missing: number): Composed {
  const bytes = Buffer.from(text);
  const fits = bytes.length <= limit;
  if (fits && missing === 0) return { text, cut: '' };
  const kept = fits ? bytes : wholeLines(bytes.subarray(bytes.length - Math.max(limit, 0)));
  const cut = `The first ${missing + bytes.length - kept.length} bytes of the log were left out (a report holds 1 MiB).`;
  return { text: `[${cut}]\n${kept.toString()}`, cut };
}

function cutMiddle(text: string, limit: number): Composed {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return { text, cut: '' };
  const head = bytes.subarray(0, 64 * 1024);
  const begin = head.subarray(0, head.lastIndexOf(0x0a) + 1 || head.length - 4);
  const end = wholeLines(bytes.subarray(bytes.length - limit + begin.length));
  const cut = `${bytes.length - begin.length - end.length} bytes of the report's middle were left out (a report holds 1 MiB).`;
  return { text: `${begin.toString()}\n[${cut}]\n${end.toString()}`, cut };
}

/** Without the first, torn line; a text without line breaks only loses a torn character. */
function wholeLines(bytes: Buffer): Buffer {
  const lineEnd = bytes.indexOf(0x0a);
  return bytes.subarray(lineEnd === -1 ? 4 : lineEnd + 1);
}
