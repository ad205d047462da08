// The pull request that a thread is about, as GitHub says it is at this moment.
import { repositoryOf } from '../../core/project.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import type { LivePull, Work } from './deps.ts';

/** What is not there for us counts as closed. */
const GONE: LivePull = { state: 'closed', headSha: '', isDraft: false, isFork: true };

export async function lookAtPull({ deps, view, signal }: Omit<Work, 'outbox'>, number: number): Promise<LivePull> {
  const pull = { ...repositoryOf(view.project), pull_number: number };
  try {
    const { data } = await deps.clients
      .repository(view.project.source, 'read')
      .call(({ rest }, request) => rest.pulls.get({ ...pull, request }), signal);
    return {
      state: data.state === 'open' ? 'open' : 'closed',
      headSha: data.head.sha,
      isDraft: data.draft ?? false,
      isFork: data.head.repo?.id !== data.base.repo.id,
    };
  } catch (error) {
    if (!(error instanceof GithubFailure) || (error.kind !== 'gone' && error.kind !== 'refused')) throw error;
    deps.log.info({ thread: view.thread.id, err: error }, 'a pull request cannot be looked at');
    return GONE;
  }
}
