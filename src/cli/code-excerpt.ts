// The code around a suspect's line, taken from the step of the investigation that read it.
import type { Issue, Suspect } from '../core/issue.ts';

export interface ExcerptLine {
  readonly number: number;
  readonly text: string;
}

/** A numbered line as steps show it: `  41 | code`, `> 42: code`. */
const NUMBERED = /^[ >*]*(\d{1,7})\s?[|│:](?: (.*)|(\S.*)|)$/;
const LINES_AROUND = 3;

/** At most seven consecutive lines around the suspect's; empty where no step holds them. */
export function codeExcerpt(issue: Issue, suspect: Suspect): readonly ExcerptLine[] {
  for (const step of issue.investigationSteps) {
    if (!step.action.includes(suspect.file)) continue;
    const lines = numberedLines(step.result).filter((line) => Math.abs(line.number - suspect.line) <= LINES_AROUND);
    if (lines.some((line) => line.number === suspect.line)) return lines;
  }
  return [];
}

function numberedLines(text: string): ExcerptLine[] {
  return text.split('\n').flatMap((line) => {
    const match = NUMBERED.exec(line);
    return match === null ? [] : [{ number: Number(match[1]), text: match[2] ?? match[3] ?? '' }];
  });
}
