// What is known of the red checks that a run looks into, as data: what its conclusion must be about.
import type { FailedCheckGround } from '../../agent/failed-check.ts';
import type { Finding, Head } from '../../domain/head.ts';
import type { FailureStore, HeadStore } from '../../ports/check-store.ts';
import type { Repository } from '../../ports/source.ts';
import type { InvestigationStore, Run } from '../../ports/store.ts';
import { signOf } from '../../triage/ci/error-signs.ts';

export interface FailedCheckStore
  extends Pick<HeadStore, 'headOf'>,
    Pick<FailureStore, 'failure'>,
    Pick<InvestigationStore, 'investigation'> {}

/** Null: the report is of no check, or its commit was not judged, such as one of a branch of our own. */
export async function failedCheckOf(
  store: FailedCheckStore,
  run: Run,
  repository: Repository,
  signal: AbortSignal,
): Promise<FailedCheckGround | null> {
  const investigation = await store.investigation(run.investigationId);
  if (investigation?.origin !== 'check-run') return null;
  const head = await store.headOf(run.projectId, run.revision);
  const findings = head === null ? [] : await findingsOf(store, run, head);
  if (head === null || findings.length === 0) return null;
  const excerpts = findings.map(({ excerpt }) => excerpt);
  const before = head.place?.kind === 'pull_request' ? head.place.base.sha : null;
  const revisions = [run.revision, ...(before === null ? [] : [before])];
  return {
    tests: distinct(excerpts.flatMap(({ tests }) => tests)),
    lines: distinct(excerpts.flatMap(({ headline, lines }) => [headline, ...lines.filter(isTold)])),
    files: distinct(findings.flatMap(({ places, changed = [] }) => [...places.map(({ path }) => path), ...changed])),
    commits: [head.sha],
    textsOf: async (file) => (await Promise.all(revisions.map((sha) => textOf(repository, sha, file, signal)))).flat(),
  };
}

/** Those that the run was begun for; all that are red where a person asked about the pull request. */
async function findingsOf(store: FailedCheckStore, run: Run, { findings }: Head): Promise<readonly Finding[]> {
  const red = findings.filter(({ checks }) => checks.some(({ isRed }) => isRed));
  const own: Finding[] = [];
  for (const finding of red) {
    const failure = await store.failure(finding.failureId);
    if (failure?.investigationId === run.investigationId) own.push(finding);
  }
  return own.length > 0 ? own : red;
}

/** That a process ended, and what says nothing by itself, is in every log. */
function isTold(line: string): boolean {
  const kind = signOf(line, false)?.kind;
  return line.trim() !== '' && kind !== 'end' && kind !== 'weak';
}

async function textOf(
  repository: Repository,
  sha: string,
  file: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if ((await repository.resolve(sha, signal)) === null) return [];
  const read = await repository.tree(sha).read(file, {}, signal);
  return read.kind === 'text' ? [read.text] : [];
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.filter((text) => text !== ''))];
}
