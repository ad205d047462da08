// What an answer adds from a project's source, cleaned like that of an investigation. It does without where reading takes too long.
import type { Repository } from 'causeway-git-objects';
import type { Project } from '../core/project/index.ts';
import { cleanRepository, createRunRedactor } from './run-redaction.ts';
import type { CoreServices } from './services.ts';

/** `otherwise`: the answer where the source cannot be opened or read in time. Throws only the caller's own abort. */
export type SourceReader = <T>(
  read: (repository: Repository, signal: AbortSignal) => Promise<T>,
  otherwise: T,
) => Promise<T>;

/** Opens the source with the first reading; from then on all of them together have `ms` milliseconds. */
export function createSourceReader(
  { source, redactor, log }: Pick<CoreServices, 'source' | 'redactor' | 'log'>,
  project: Project,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): SourceReader {
  let opened: { readonly repository: Promise<Repository>; readonly until: AbortSignal } | null = null;
  const open = async (until: AbortSignal) =>
    cleanRepository(await source.open(project, until), createRunRedactor(redactor));
  return async (read, otherwise) => {
    try {
      if (opened === null) {
        const until = AbortSignal.any([signal, AbortSignal.timeout(ms)]);
        opened = { until, repository: open(until) };
      }
      return await read(await opened.repository, opened.until);
    } catch (error) {
      signal.throwIfAborted();
      log.debug({ project: project.id, err: error }, 'failed to read the source for an answer');
      return otherwise;
    }
  };
}
