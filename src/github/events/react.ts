// A reaction where words would be chatter: "eyes" says that we are at it, or have done it, "confused" that a command was understood and is not carried out.
import { type GithubProject, repositoryOf } from '../../core/project.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import type { ReadConfig } from '../configuration/repository-config.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import { mayPost } from './may-post.ts';

interface Place {
  readonly project: GithubProject;
  readonly configuration: ReadConfig;
  readonly subject: { readonly number: number };
  /** Null: the issue or pull request itself. */
  readonly comment: { readonly id: number } | null;
}

type ReactDeps = Pick<CausewayAppDeps, 'clients' | 'ceiling' | 'paused' | 'log'>;

/**
 * Whether it stands there now. Doing it twice leaves one: GitHub answers a second time with the first. Nothing where nothing may be written;
 * a refusal (the conversation is locked, the comment is gone) is not worth failing for.
 */
export async function react(
  deps: ReactDeps,
  place: Place,
  content: 'eyes' | 'confused',
  signal: AbortSignal,
): Promise<boolean> {
  const { project, configuration, subject, comment } = place;
  if (!mayPost(deps, configuration.config)) return false;
  const at = { ...repositoryOf(project), content };
  try {
    await deps.clients.repository(project.source, 'talk').call(async ({ rest: { reactions } }, request) => {
      if (comment !== null) await reactions.createForIssueComment({ ...at, comment_id: comment.id, request });
      else await reactions.createForIssue({ ...at, issue_number: subject.number, request });
    }, signal);
    return true;
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.kind === 'busy' || error.kind === 'unsure') throw error;
    deps.log.info({ err: error, project: project.id }, 'a reaction was not accepted');
    return false;
  }
}
