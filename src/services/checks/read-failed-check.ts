// The red checks that a run investigates, as data: what its conclusion must be about.
import type { FailedCheckGround } from '../../agent/review.ts';
import { matchError } from '../../ci/error-patterns.ts';
import { nameFailure } from '../../core/failed-check.ts';
import type { Failure } from '../../core/failure.ts';
import type { Finding, Head } from '../../core/head.ts';
import { isSafePath } from '../../core/paths.ts';
import type { Repository } from '../../core/source.ts';
import type { Run } from '../../db/runs.ts';
import type { Store } from '../../db/store.ts';

interface Red {
  readonly finding: Finding;
  /** Null: deleted. */
  readonly failure: Failure | null;
}

/** Null: the report is about no check, or its commit was not judged, such as one of our own branches. */
export async function readFailedCheck(
  store: Store,
  run: Run,
  repository: Repository,
  signal: AbortSignal,
): Promise<FailedCheckGround | null> {
  const found = await readRed(store, run);
  if (found === null) return null;
  const { head, failures } = found;
  const findings = failures.map(({ finding }) => finding);
  const excerpts = findings.map(({ excerpt }) => excerpt);
  const ranges = failures.flatMap(({ failure }) => failure?.range ?? []);
  const before = head.place?.kind === 'pull_request' ? [head.place.base.sha] : ranges.map(({ from }) => from);
  const revisions = listDistinct([run.revision, ...before]);
  const read = new Map<string, Promise<readonly string[]>>();
  return {
    tests: listDistinct(excerpts.flatMap(({ tests }) => tests)),
    lines: listDistinct(excerpts.flatMap(({ headline, lines }) => [headline, ...lines.filter(isQuotable)])),
    files: listDistinct(
      findings.flatMap(({ places, changed = [] }) => [...places.map(({ path }) => path), ...changed]),
    ),
    commits: listDistinct([head.sha, ...ranges.flatMap(({ commits }) => commits.map(({ sha }) => sha))]),
    textsOf: (file) => {
      const texts = read.get(file) ?? readTexts(repository, revisions, file, signal);
      read.set(file, texts);
      return texts;
    },
  };
}

/** What failed, in a line for each cause; "" where nothing is known of it. */
export async function nameFailedCheck(store: Store, run: Run): Promise<string> {
  const failures = (await readRed(store, run))?.failures ?? [];
  return listDistinct(failures.map(({ finding }) => nameFailure(finding.excerpt)))
    .slice(0, MOST_NAMED)
    .join('\n');
}

const MOST_NAMED = 5;

/** Whether the change of a pull request breaks all of them: older commits do not. */
export async function isOfPullRequest(store: Store, run: Run): Promise<boolean> {
  const red = await readRed(store, run);
  return red?.head.place?.kind === 'pull_request' && red.failures.every(({ finding }) => finding.verdict === 'code');
}

/** Never without a failure; null as in `readFailedCheck`. */
async function readRed(
  store: Store,
  run: Run,
): Promise<{ readonly head: Head; readonly failures: readonly Red[] } | null> {
  const investigation = await store.findInvestigation(run.investigationId);
  const head = investigation?.origin === 'check-run' ? await store.findHeadOfCommit(run.projectId, run.revision) : null;
  if (head === null) return null;
  const red: Red[] = [];
  for (const finding of head.findings.filter(({ checks }) => checks.some(({ isRed }) => isRed))) {
    red.push({ finding, failure: await store.findFailure(finding.failureId) });
  }
  if (red.length === 0) return null;
  // All that are red where a person requested the analysis of a pull request.
  const own = red.filter(({ failure }) => failure?.investigationId === run.investigationId);
  return { head, failures: own.length > 0 ? own : red };
}

/** Every log says that a process ended; that proves nothing. */
function isQuotable(line: string): boolean {
  const kind = matchError(line, false)?.kind;
  return line.trim() !== '' && kind !== 'end' && kind !== 'weak';
}

async function readTexts(
  repository: Repository,
  revisions: readonly string[],
  file: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const sha of isSafePath(file) ? revisions : []) {
    if ((await repository.resolve(sha, signal)) === null) continue;
    const read = await repository.tree(sha).read(file, {}, signal);
    if (read.kind === 'text') texts.push(read.text);
  }
  return texts;
}

function listDistinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.filter((text) => text !== ''))];
}
