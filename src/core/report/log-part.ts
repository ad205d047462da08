// Texts that say what a log holds, and how what they hold is found again: parts of a failed check's report, and the
// result of the step that read a log.

const LOG_HEADING = 'What its log says first';
const TESTS_HEADING = 'Failed tests';
/** The parts stand before everything that is long. */
const MAX_READ = 64 * 1_024;

export interface LogPart {
  /** Around its first error. */
  readonly lines: readonly string[];
  /** Names of failed tests. */
  readonly tests: readonly string[];
}

export function formatSection(heading: string, text: string): string {
  return text === '' ? '' : `=== ${heading} ===\n${text}`;
}

/** `step`: "" if it isn't known. */
export function formatLogSections({ lines, tests }: LogPart, step: string): readonly string[] {
  const where = step === '' ? '' : ` (step ${step})`;
  return [formatSection(`${LOG_HEADING}${where}`, lines.join('\n')), formatSection(TESTS_HEADING, formatItems(tests))];
}

export function readLogSections(report: string): LogPart {
  const lines = report.slice(0, MAX_READ).split('\n');
  const read = (heading: string) => {
    const at = lines.findIndex((line) => line.startsWith(`=== ${heading}`));
    const end = lines.findIndex((line, index) => index > at && line.startsWith('=== '));
    const own = at === -1 ? [] : lines.slice(at + 1, end === -1 ? lines.length : end);
    return own.filter((line) => line !== '');
  };
  return { lines: read(LOG_HEADING), tests: readItems(read(TESTS_HEADING)) };
}

export function formatLogResult({ lines, tests }: LogPart): string {
  return [...lines, ...(tests.length === 0 ? [] : ['', TESTS_LEAD, formatItems(tests)])].join('\n');
}

export function readLogResult(result: string): LogPart {
  const lines = result.split('\n');
  const at = lines.lastIndexOf(TESTS_LEAD);
  return at === -1 ? { lines, tests: [] } : { lines: lines.slice(0, at), tests: readItems(lines.slice(at + 1)) };
}

const TESTS_LEAD = `${TESTS_HEADING}:`;

function formatItems(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

function readItems(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replace(/^- /, ''));
}
