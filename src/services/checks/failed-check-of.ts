// What is known of the red checks that a run looks into, as data: what its conclusion must be about.
import type { FailedCheckGround } from '../../agent/review.ts';
import { matchError } from '../../ci/error-patterns.ts';
import type { Failure } from '../../core/failure.ts';
import type { Finding, Head } from '../../core/head.ts';
import { isSafePath } from '../../core/paths.ts';
import type { Repository } from '../../core/source.ts';
import type { FailureStore, HeadStore, InvestigationStore, Run } from '../../db/store.ts';

export interface FailedCheckStore
  extends Pick<HeadStore, 'findHeadOfCommit'>,
    Pick<FailureStore, 'findFailure'>,
    Pick<InvestigationStore, 'findInvestigation'> {}

/** Null: the report is of no check, or its commit was not judged, such as one of a branch of our own. */
export async function readFailedCheck(
  store: FailedCheckStore,
  run: Run,
  repository: Repository,
  signal: AbortSignal,
): Promise<FailedCheckGround | null> {
  const investigation = await store.findInvestigation(run.investigationId);
  if (investigation?.origin !== 'check-run') return null;
  const head = await store.findHeadOfCommit(run.projectId, run.revision);
  const failures = head === null ? [] : await readFailures(store, run, head);
  if (head === null || failures.length === 0) return null;
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
      const known = read.get(file) ?? readTexts(repository, revisions, file, signal);
      read.set(file, known);
      return known;
    },
  };
}

interface Failed {
  readonly finding: Finding;
  /** Null: erased. */
  readonly failure: Failure | null;
}

/** Those that the run was begun for; all that are red where a person asked about the pull request. */
async function readFailures(store: FailedCheckStore, run: Run, { findings }: Head): Promise<readonly Failed[]> {
  const red: Failed[] = [];
  for (const finding of findings.filter(({ checks }) => checks.some(({ isRed }) => isRed)))
    red.push({ finding, failure: await store.findFailure(finding.failureId) });
  const own = red.filter(({ failure }) => failure?.investigationId === run.investigationId);
  return own.length > 0 ? own : red;
}

/** That a process ended, and what says nothing by itself, is in every log. */
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
