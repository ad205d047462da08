// The report of a failure as an investigation reads it: first what is known, then what the check says itself, its log
// last.
import { condenseText, type FailedResult } from 'causeway-ci-log';
import { keepBeginning } from 'causeway-visible-text';
import {
  type ChangedFiles,
  type CommitRange,
  describeReason,
  type Finding,
  type HeadPlace,
  type Verdict,
} from '../../core/check/index.ts';
import { formatLogSections, formatSection, MAX_REPORT_BYTES } from '../../core/report/index.ts';
import { type CleanTexts, REPORT_LOG_BYTES } from './check-texts.ts';

export interface FailureReport {
  readonly projectName: string;
  readonly sha: string;
  readonly place: HeadPlace;
  readonly finding: Finding;
  /** On the default branch: the commits since it was green; null: not known. */
  readonly range: CommitRange | null;
  /** Null: not known. */
  readonly changed: ChangedFiles | null;
  /** The one that is shown for all; null: nothing can be read. */
  readonly check: ({ readonly name: string } & CleanTexts) | null;
}

/** What a report may contain in bytes of UTF-8, less what says how much was cut. */
const REPORT_BYTES = MAX_REPORT_BYTES - 2_048;
const OUTPUT_BYTES = 64 * 1_024;
const ANNOTATION_BYTES = 64 * 1_024;
const RESULT_BYTES = 128 * 1_024;
const LIST_BYTES = 32 * 1_024;
const MOST_PATHS = 300;
const MOST_TESTS = 50;

const VERDICTS: Readonly<Record<Verdict, string>> = {
  code: 'the change under test breaks it',
  base_broken: 'the base is broken as well',
  flaky: 'it passes and fails by chance',
  infrastructure: 'the machine or a service failed',
  inconclusive: 'what breaks it cannot be said without a closer look',
};

/** At most 1 MiB of UTF-8; what was cut is marked in its place. */
export function composeFailureReport(report: FailureReport): string {
  const { finding, range, changed, check } = report;
  const { excerpt } = finding;
  const step = excerpt.step === '' ? '' : quoteText(excerpt.step);
  const name = quoteText(check?.name ?? '');
  const { log = '', noLog = '', annotations = [], results = [] } = check?.words ?? {};
  const annotationLines = annotations.map(
    (one) => `${one.path}:${one.line}: ${one.level}: ${one.title === '' ? '' : `${one.title}: `}${one.message}`,
  );
  const parts = [
    describeFailedCheck(report),
    `What is known without a closer look: ${VERDICTS[finding.verdict]}.\n${formatReportList(finding.reasons.map(describeReason))}`,
    finding.override?.whose === 'mine' ? 'Somebody with write access says that this change broke it.' : '',
    ...formatLogSections(
      {
        lines: [...excerpt.lines, ...(excerpt.cut === '' ? [] : [`[${excerpt.cut}]`])],
        tests: excerpt.tests.slice(0, MOST_TESTS),
      },
      step,
    ),
    changed === null ? '' : formatSection('Files that the change under test touches', formatPaths(changed)),
    range === null ? '' : formatSection('Commits since it was last green', formatCommits(range)),
    formatSection(`Annotations of the check ${name}`, keepBeginning(annotationLines.join('\n'), ANNOTATION_BYTES)),
    formatSection(
      `Result files that the check ${name} uploaded`,
      keepBeginning(results.map(formatResult).join('\n\n'), RESULT_BYTES),
    ),
    formatSection(`Output of the check ${name}`, keepBeginning(check?.output ?? '', OUTPUT_BYTES)),
  ].filter((part) => part !== '');
  const head = parts.join('\n\n').toWellFormed();
  if (log === '') return noLog === '' ? head : `${head}\n\n[There is no log: ${noLog}]`;
  const title = `\n\n=== Log of the check ${name}, to its end ===\n`;
  const left = REPORT_BYTES - Buffer.byteLength(head) - Buffer.byteLength(title);
  return `${head}${title}${condenseText(log.toWellFormed(), Math.min(left, REPORT_LOG_BYTES))}`;
}

function describeFailedCheck({ projectName, sha, place, finding }: FailureReport): string {
  const red = finding.checks.filter(({ isRed }) => isRed).map(({ name }) => quoteText(name));
  const subject =
    red.length === 1 ? `The check ${red[0]} is red` : `${red.length} checks are red of one cause: ${red.join(', ')}`;
  return keepBeginning(
    `${subject}.\nRepository ${projectName}, commit ${sha}, ${describeReportPlace(place)}.`,
    LIST_BYTES,
  );
}

function describeReportPlace(place: HeadPlace): string {
  switch (place.kind) {
    case 'default':
      return `on the default branch ${quoteText(place.branch)}`;
    case 'branch':
      return `on the branch ${quoteText(place.branch)}`;
    case 'pull_request': {
      const queue = place.isQueue ? ', in the merge queue' : '';
      return `of pull request #${place.number} into ${quoteText(place.base.branch)} at ${place.base.sha}${queue}`;
    }
  }
}

function formatPaths({ paths, isCut }: ChangedFiles): string {
  const more = paths.length > MOST_PATHS || isCut ? '\n[there are more]' : '';
  return keepBeginning(formatReportList(paths.slice(0, MOST_PATHS)), LIST_BYTES) + more;
}

/** The trace as it is: frames in it are read like those of a log. */
function formatResult({ kind, scope, name, path, line, message, trace }: FailedResult): string {
  const title = kind === 'test' ? `Failed test ${quoteText(name)} of ${quoteText(scope)}` : `Error ${quoteText(scope)}`;
  const place = path === '' ? '' : ` in ${path}${line === 0 ? '' : `:${line}`}`;
  const told = trace.includes(message.split('\n', 1)[0] ?? '') && message.length < trace.length ? '' : `\n${message}`;
  return `${title}${place}${told}${trace === '' ? '' : `\n${trace}`}`;
}

/** For people and models; ranking reads the range itself, since a log may contain lines that look like these. */
function formatCommits({ from, to, total, commits }: CommitRange): string {
  const more = total > commits.length ? `\n[${total - commits.length} more]` : '';
  const listed = formatReportList(commits.map(({ sha, author, subject }) => `${sha} ${author}: ${subject}`));
  return `Green at ${from}, red at ${to}, ${total} between them:\n${keepBeginning(listed, LIST_BYTES)}${more}`;
}

function formatReportList(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

function quoteText(text: string): string {
  return JSON.stringify(text.slice(0, 300));
}
