// A reaction where words would be chatter: "confused" says that a command was understood and is not carried out.
import { type GithubProject, repositoryOf } from '../../domain/project.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import type { ReadConfig } from '../configuration/repository-config.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import { mayPost } from './may-post.ts';

interface Place {
  readonly project: GithubProject;
  readonly configuration: ReadConfig;
  /** Null: there is nothing to react to. */
  readonly comment: { readonly id: number } | null;
}

type ReactDeps = Pick<CausewayAppDeps, 'clients' | 'ceiling' | 'paused' | 'log'>;

/**
 * Doing it twice leaves one: GitHub answers a second time with the first. Nothing where nothing may be written; a refusal (the conversation
 * is locked, the comment is gone) is not worth failing for.
 */
export async function react(deps: ReactDeps, place: Place, content: 'confused', signal: AbortSignal): Promise<void> {
  const { project, configuration, comment } = place;
  if (comment === null || !mayPost(deps, configuration.config)) return;
  const target = { ...repositoryOf(project), comment_id: comment.id, content };
  try {
    await deps.clients
      .repository(project.source, 'talk')
      .call((octokit, request) => octokit.rest.reactions.createForIssueComment({ ...target, request }), signal);
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.kind === 'busy' || error.kind === 'unsure') throw error;
    deps.log.info({ err: error, project: project.id }, 'a reaction was not accepted');
  }
}
