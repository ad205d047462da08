// The section of a report that says what whoever asked for it wants heeded: always its last one.

/** What follows the report. "" where nothing is asked for. */
export function guidanceSection(login: string, guidance: string): string {
  return guidance === '' ? '' : `\n\n## What ${login} asks to be heeded\n\n${guidance}`;
}

/** Whoever it names: logins change, and the report is known to be of one person. */
const SECTION = /(?:^|\n\n)## What \S+ asks to be heeded\n\n/;

/**
 * The report without it. From the first such heading on: the words below it may hold another one. Where somebody else's words hold one, the
 * report loses what follows there.
 */
export function withoutGuidance(report: string): string {
  const at = report.search(SECTION);
  return at < 0 ? report : report.slice(0, at);
}
