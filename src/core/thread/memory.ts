// What outlives the process: records of our own, or only what GitHub shows, as in a job of GitHub Actions.
import { createId, deriveId } from '../ids.ts';
import type { Project } from '../project/index.ts';
import { type Subject, toSubjectKey } from './thread.ts';

/**
 * `records`: ids are random. `github`: there are no records of earlier processes, and ids follow from what they name, so
 * that the markers of our texts on GitHub (comment, branch, check run) are found again by whichever process comes next.
 */
export type Memory = 'records' | 'github';

export function createThreadId(memory: Memory | undefined, project: RememberedProject, subject: Subject): string {
  return memory === 'github' ? deriveId('thr', [nameSource(project), toSubjectKey(subject)]) : createId('thr');
}

export function createHeadId(memory: Memory | undefined, project: RememberedProject, sha: string): string {
  return memory === 'github' ? deriveId('hed', [nameSource(project), sha]) : createId('hed');
}

export function createFailureId(memory: Memory | undefined, project: RememberedProject, fingerprint: string): string {
  return memory === 'github' ? deriveId('fal', [nameSource(project), fingerprint]) : createId('fal');
}

type RememberedProject = Pick<Project, 'id' | 'source'>;

/** What stays when the repository is renamed. */
function nameSource({ id, source }: RememberedProject): string {
  return source.kind === 'github' ? String(source.repositoryId) : id;
}
