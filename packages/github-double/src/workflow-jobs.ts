// What depends on a job of a workflow run: read from the workflow's file, as GitHub does when a job is run again.
import { parse } from 'yaml';
import { entryAt, readBlob, resolveCommit } from './git/read-objects.ts';
import type { ActionsRun, GithubRepository, PendingJob } from './state.ts';

export interface FileJob {
  readonly id: string;
  readonly name: string;
  readonly needs: readonly string[];
  readonly isAlways: boolean;
}

/**
 * The jobs that have to follow those, in no order; none where the repository has no such file. `names`: of the jobs of the last attempt, since
 * one job of the file may be several of a matrix.
 */
export async function listDependents(
  repository: GithubRepository,
  run: ActionsRun,
  { jobs, names }: { readonly jobs: readonly string[]; readonly names: readonly string[] },
): Promise<readonly PendingJob[]> {
  const all = await readJobs(repository, run);
  const isOf = (job: FileJob) => (name: string) => name === job.name || name.startsWith(`${job.name} (`);
  const again = new Set(all.filter((job) => jobs.some(isOf(job))).map(({ id }) => id));
  const dependents: FileJob[] = [];
  const findNext = () => all.find((job) => !dependents.includes(job) && job.needs.some((id) => again.has(id)));
  for (let next = findNext(); next !== undefined; next = findNext()) {
    dependents.push(next);
    again.add(next.id);
  }
  const toNames = (job: FileJob) => {
    const known = names.filter(isOf(job));
    return known.length === 0 ? [job.name] : known;
  };
  return dependents.flatMap((job) => {
    const needs = all.filter(({ id }) => job.needs.includes(id)).flatMap(toNames);
    return toNames(job).map((name) => ({ name, needs, isAlways: job.isAlways }));
  });
}

/** GitHub merges the file of a pull request with that of its base: here that of the head counts, or else that of the default branch. */
async function readJobs({ gitDir, defaultBranch }: GithubRepository, run: ActionsRun): Promise<readonly FileJob[]> {
  for (const name of [run.headSha, defaultBranch]) {
    const commit = await resolveCommit(gitDir, name);
    const entry = commit === null ? null : await entryAt(gitDir, commit, run.path);
    if (entry === null) continue;
    return toFileJobs(parse((await readBlob(gitDir, entry.sha)).toString('utf8')));
  }
  return [];
}

/** Of a workflow's file that was parsed. */
export function toFileJobs(file: Readonly<Record<string, unknown>>): readonly FileJob[] {
  const jobs = (file['jobs'] ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  return Object.entries(jobs).map(([id, job]) => ({
    id,
    name: typeof job['name'] === 'string' ? job['name'] : id,
    needs: [job['needs'] ?? []].flat().map(String),
    isAlways: /always\(\)|!\s*cancelled\(\)/.test(String(job['if'] ?? '')),
  }));
}
