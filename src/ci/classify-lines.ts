// What a line of a long log is worth keeping for: one expression finds candidates, the tables of this folder say what
// they are.
import { matchError } from './error-patterns.ts';
import { findFailedTests, findTestName, mayNameTestLast } from './failed-tests.ts';
import { findSteps, type LogLine, readLogLine } from './log-lines.ts';
import { isFinding } from './written-places.ts';

/**
 * `opening`: a step starts. `part`: a part of the log ends. `marked`: the runner says what ended the step. `end`: a
 * program says that it is over. `listed`: on a list of what failed, under a heading. `finding`: a place with a message,
 * which counts where nothing is an error.
 */
export type LineKind = 'opening' | 'part' | 'marked' | 'verdict' | 'heading' | 'listed' | 'error' | 'finding' | 'end';

export interface ClassifiedLine {
  readonly kind: LineKind;
  /** How many lines of the step were like it, including this one. */
  readonly count: number;
}

/** That GitHub Actions puts before each line. */
export const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z /;
/**
 * One expression for everything by which any table of this folder knows a failure or a step, except words of trouble,
 * which only count at the end of a step. A word too many costs time, one too few loses a cause: `condense-log.test.ts`
 * compares it with every table.
 */
const MAY_MATTER = new RegExp(
  [
    'error|err!|fail|fatal|panic|exception|traceback|severe|critical|interrupt|sanitizer|not ok|undefined|unresolved',
    'segmentation|core dumped|sig(?:segv|abrt|bus|kill)|killed|not found|no such|permission denied|connection refused',
    'no space|enospc|out ?of ?memory|could not|unable|broken|violation|offen[cs]e|issues?\\b|warnings?\\b|went wrong|timed out|time ?out|too ?many|time limit|reformat',
    'diff in |code style|\\[warn\\]|curl: \\(|-unexpected-|process-crash|exit(?:ed)? (?:code|status|with)|lifecycle',
    'did not complete|problem|\\[junit\\]|={4}|_{4}|-{4} |<<< |methodsource|to see the full|re-run maven|for more info|\\[help ',
    'after correct|\\* (?:try:|get more)|> run with|test suite|tests: {2}|snapshots: |finished: |run with --',
    'was canceled|longer than|exceeded the max|no output|command took >|build stopped|\\*{3}',
    // Names of tests
    "\\] › |\\) (?:test|doctest|property) |#test_| \\[e\\]|rspec '?\\./|cucumber |^\\s{0,2}x |^\\s{0,12}\\d{1,5}\\) ",
    // Places without an error: `a.go:1:2: `, `A.java:[1,2] `, `a.ts(1,2): `, `a.js: line 1, `, rows under the name of a
    // file
    '[a-z\\d](?::\\[?|\\[)\\d|\\.\\w{1,10} {2,20}\\d|\\d\\): |: line \\d|\\w line \\d{1,6}[.,]| - warn|\\| warn|\\d {1,3}warn| {4}warn| warning \\(|\\d {1,2}(?:info|notice)',
    '^ {2}\\d{1,6} {3}|^(?:e: |e {3}|[×xX] )| e(?::| {2}) |[●✕✗✖✘❌❯×⨯⚠ℹ‼]',
    // Steps
    '##\\[|post job|post run|cleaning up|starting: |\\[pipeline\\]|travis_fold|section_(?:start|end)|the command "',
    '\\u001b\\[(?:32;1m|0K)\\$',
  ].join('|'),
  'i',
);

/** Whether a line may say anything of a failure or of a step. */
export function mayMatter(raw: string): boolean {
  return MAY_MATTER.test(raw.replace(STAMP, ''));
}

const LISTED = /^\s{0,12}\d{1,4}\) \S/;
/** Headings of lists of failures that say too little to be patterns of an error. */
const LIST_HEADING =
  /^(?:There (?:was|were) \d+ (?:failures?|errors?)|[Ff]ailures|(?:Failing|Errored) scenarios|The following tests FAILED): ?$/;
/** How many different lines are remembered; then the memory is cleared. */
const MAX_SHAPES = 5_000;
const MAX_SHAPE = 1_200;

/** Says what a line is kept for. Lines that differ only in numbers are looked at once and counted by step. */
export class LineClassifier {
  readonly #shapes = new Map<string, { readonly kind: LineKind | null; step: number; count: number }>();
  #step = 0;

  classify(raw: string): ClassifiedLine | null {
    if (!mayMatter(raw)) return null;
    const text = raw.slice(0, MAX_SHAPE);
    const key = text.replace(STAMP, '').replace(/\d+/g, (digits) => (digits === '0' ? '0' : '1'));
    const known = this.#shapes.get(key);
    if (known === undefined && this.#shapes.size >= MAX_SHAPES) this.#shapes.clear();
    const shape = known ?? { kind: classifyLine(text), step: this.#step, count: 0 };
    // A copy: a part of a string would keep the whole chunk that it came from in memory.
    if (known === undefined) this.#shapes.set(Buffer.from(key).toString(), shape);
    const { kind } = shape;
    if (kind === null) return null;
    if (kind === 'opening') this.#step += 1;
    if (shape.step !== this.#step) Object.assign(shape, { step: this.#step, count: 0 });
    shape.count += 1;
    return { kind, count: shape.count };
  }
}

function classifyLine(raw: string): LineKind | null {
  const line = readLogLine(raw);
  if (isOpening(line)) return 'opening';
  if (line.mark === 'end' && !raw.includes('##[')) return 'part';
  if (line.mark === 'error') return 'marked';
  return line.mark === '' ? classifyOutput(line) : null;
}

/** One line is one step, which has a name only where the line opens it. */
function isOpening(line: LogLine): boolean {
  const mayOpen = line.step === '' && (line.mark === '' || line.mark === 'begin' || line.mark === 'shell');
  return mayOpen && findSteps([line])[0]?.name !== '';
}

function classifyOutput(line: LogLine): LineKind | null {
  const { text } = line;
  if (LIST_HEADING.test(text)) return 'heading';
  const match = matchError(text, false);
  if ((match?.kind !== 'verdict' || match.isHeading) && findTestName(text) !== null) return 'verdict';
  if (match === null || match.kind === 'weak') return classifyPlainOutput(line);
  if (match.isHeading && match.kind === 'verdict') return 'heading';
  return match.kind === 'verdict' || match.kind === 'end' ? match.kind : 'error';
}

function classifyPlainOutput(line: LogLine): LineKind | null {
  // Some lines name a test only where no other line does.
  if (mayNameTestLast(line) && findFailedTests([line], 0, 1).length > 0) return 'verdict';
  if (LISTED.test(line.text)) return 'listed';
  return isFinding(line.text) ? 'finding' : null;
}
