// Asks the reviewers of the configuration, people and teams; a name that GitHub does not take loses none of the others.
import { repositoryOf } from '../../core/project.ts';
import { GithubFailure } from '../clients/github-clients.ts';
import type { Work } from './deps.ts';
import type { Reviewers } from './outbox.ts';

/** Refusals are logged: a pull request without reviewers is one all the same. */
export async function askReviewers(work: Work, number: number): Promise<void> {
  const all = reviewersOf(work);
  const each = [
    ...all.people.map((login) => ({ people: [login], teams: [] })),
    ...all.teams.map((slug) => ({ people: [], teams: [slug] })),
  ];
  if (each.length === 0 || (await ask(work, number, all)) || each.length === 1) return;
  for (const one of each) await ask(work, number, one);
}

/** `organisation/team` is a team of the repository's owner: those of others cannot be asked. */
function reviewersOf({ view, deps }: Work): Reviewers {
  const owner = repositoryOf(view.project).owner.toLowerCase();
  const people: string[] = [];
  const teams: string[] = [];
  for (const name of view.config.pullRequest.reviewers) {
    const [organisation = '', slug] = name.split('/');
    if (slug === undefined) people.push(name);
    else if (organisation.toLowerCase() === owner) teams.push(slug);
    else deps.log.warn({ thread: view.thread.id, reviewer: name }, 'a team of another organisation cannot be asked');
  }
  return { people, teams };
}

async function ask({ outbox, view, deps, signal }: Work, number: number, reviewers: Reviewers): Promise<boolean> {
  try {
    await outbox.requestReviewers(number, reviewers, signal);
    return true;
  } catch (error) {
    if (!(error instanceof GithubFailure) || error.kind !== 'refused') throw error;
    deps.log.warn({ thread: view.thread.id, err: error, ...reviewers }, 'GitHub refused to ask for reviews');
    return false;
  }
}
