// Whether a conclusion is about the check that failed. A true quotation proves that a line is there, not that it explains the failure.
import type { GroundStep, StepTexts } from './check-citation.ts';
import type { CheckedClaim } from './check-evidence.ts';
import { isTelling, quotable, standsIn } from './quotation.ts';

/** What a failed check is about, known without a model. */
interface FailedCheck {
  /** Names of the failed tests. */
  readonly tests: readonly string[];
  /** What its log says of the failure: errors with their values, frames. */
  readonly lines: readonly string[];
  /** Files that the failure names, and those that the change under test touches. */
  readonly files: readonly string[];
  /** Full shas of the commits under test. */
  readonly commits: readonly string[];
}

export interface FailedCheckGround extends FailedCheck {
  /** What the file holds at the analysed commit, and what it held before the change; empty where it is not there. */
  readonly textsOf: (file: string) => Promise<readonly string[]>;
}

type Citation = CheckedClaim['citations'][number];

/** A shorter name or line of a log may be in any text. */
const LEAST_CHARACTERS = 12;
/** A claim names few places; the steps that it cites may name many files. */
const MOST_FILES = 20;

/**
 * Whether a claim quotes the failed test, its error, its values or a frame from the log, a file of these, or the change under test. True
 * where nothing is known of the failure that could be quoted.
 */
export async function isAboutFailure(
  claims: readonly CheckedClaim[],
  steps: StepTexts,
  failed: FailedCheckGround,
): Promise<boolean> {
  if (failed.tests.length + failed.lines.length + failed.files.length === 0) return true;
  for (const claim of claims) {
    for (const citation of claim.citations) {
      if (quotesFailure(citation, failed)) return true;
      const step = steps.get(citation.step)?.step;
      if (step !== undefined && (await quotesFile(citation, filesIn(claim, step, failed), failed))) return true;
    }
  }
  return false;
}

/** Whether the quotation contains what is said of the failure, or is contained in it: a log that is quoted raw has timestamps before its lines. */
function quotesFailure({ quote }: Citation, { tests, lines, commits }: FailedCheck): boolean {
  const ready = quotable(quote);
  if (standsIn(ready, quotable(lines.join('\n')))) return true;
  const said = [...tests, ...lines].map((text) => quotable(text));
  return (
    said.some((text) => text.plain.length >= LEAST_CHARACTERS && isTelling(text) && standsIn(text, ready)) ||
    commits.some((sha) => quote.toLowerCase().includes(sha.slice(0, 7)))
  );
}

/** Files of the failure that the claim or its step names. */
function filesIn({ places }: CheckedClaim, { action, result }: GroundStep, { files }: FailedCheck): readonly string[] {
  return files
    .filter((file) => places.some((place) => place.file === file) || action.includes(file) || result.includes(file))
    .slice(0, MOST_FILES);
}

async function quotesFile({ quote }: Citation, files: readonly string[], failed: FailedCheckGround): Promise<boolean> {
  const ready = [quotable(quote), quotable(quote.replace(/^[+-]/gm, ''))];
  for (const file of files) {
    const texts = (await failed.textsOf(file)).map((text) => quotable(text));
    if (texts.some((text) => ready.some((one) => standsIn(one, text)))) return true;
  }
  return false;
}
