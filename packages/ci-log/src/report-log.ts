// The logs in a report: how one is marked where its text begins, and what was read from it.
import type { Excerpt } from './excerpt.ts';

/** The line over a log in a report. Callers may write it too: what follows is then read as a log whatever it looks like. */
function formatLogHeading(name: string): string {
  return `--- Log: ${name.replace(/\s+/g, ' ').trim().slice(0, MAX_NAME)} ---`;
}

const MAX_NAME = 200;

/** The log as it is below its heading. Logs follow one another with a line feed between, words come before them. */
export function formatLog(name: string, log: string): string {
  return `${formatLogHeading(name)}\n\n${log}`;
}

/** Names may hold anything but line breaks. */
const HEADING = /^--- Log: (.{1,300}) ---\s*$/;

/** The log's name; null: the line is something else. */
export function readLogHeading(line: string): string | null {
  return HEADING.exec(line)?.[1] ?? null;
}

/** One log of a report, read as the log of a check is. */
export interface ReadLog {
  /** As its heading says; "" where it has none. */
  readonly name: string;
  readonly lines: number;
  readonly excerpt: Excerpt;
}

export interface ReadReport {
  /** What people wrote of it; "" where the report is nothing but logs. */
  readonly words: string;
  /** Those that say what failed, the most informative first. */
  readonly logs: readonly ReadLog[];
  /** The report without time stamps, colours and marks of its logs, what they say of the cause first. */
  readonly text: string;
}
