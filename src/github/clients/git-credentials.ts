// With what git reads a project on GitHub: a token of that one repository, which may read and nothing else.
import { CausewayError } from '../../core/errors.ts';
import { isGithubProject, type Project } from '../../core/project.ts';
import { SourceBusy } from '../../core/source.ts';
import { type GithubClients, GithubFailure } from './github-clients.ts';

/**
 * Null for a project that is not on GitHub. Throws `access_lost` where the App may not read it any more, SourceBusy at a limit of
 * GitHub, `repository_unreachable` for what may pass.
 */
export async function gitCredentials(
  clients: Pick<GithubClients, 'gitToken'>,
  project: Project,
  signal: AbortSignal,
): Promise<{ readonly username: string; readonly password: string } | null> {
  if (!isGithubProject(project)) return null;
  try {
    return { username: 'x-access-token', password: await clients.gitToken(project.source, signal) };
  } catch (error) {
    throw error instanceof GithubFailure ? withoutToken(error, project.name) : error;
  }
}

function withoutToken(failure: GithubFailure, name: string): CausewayError {
  const message = `The repository of ${name} could not be read. ${failure.message}`;
  if (failure.retryAt !== null) return new SourceBusy(message, failure.retryAt, { cause: failure });
  const code = failure.kind === 'gone' ? 'access_lost' : 'repository_unreachable';
  return new CausewayError(code, message, { cause: failure });
}
