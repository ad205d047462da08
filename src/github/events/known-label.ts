// The label `known failure` on an issue: the account area proposes the issue for the failures that its text names. Nothing is
// written on GitHub, and nothing counts.
import { type Failure, KNOWN_LABEL } from '../../core/check/index.ts';
import type { GithubProject } from '../../core/project/index.ts';
import type { IssuePayload } from '../clients/index.ts';
import type { CausewayAppDeps, EventHandler } from './app-deps.ts';

const MOST_FAILURES_READ = 200;
const MOST_TEXT = 65_536;
const TITLE_CHARACTERS = 200;
/** A shorter headline may be in any text. */
const LEAST_HEADLINE = 12;
const MOST_CANDIDATES = 5;

export function isKnownLabel(name: string | undefined): boolean {
  return name?.trim().toLowerCase() === KNOWN_LABEL;
}

/** By a person with triage, which the caller has checked. The text is read now, and no later edit of it. */
export async function noteKnownLabel(
  deps: CausewayAppDeps,
  project: GithubProject,
  issue: IssuePayload,
): Promise<void> {
  const { store, redactor } = deps;
  const text = `${issue.title}\n${issue.body ?? ''}`.slice(0, MOST_TEXT).toWellFormed();
  const clean = await redactor.redact(text);
  const failures = await store.listFailures([project.id], { limit: MOST_FAILURES_READ });
  const named = failures.filter((failure) => isNamedIn(clean, failure)).slice(0, MOST_CANDIDATES);
  const title = (await redactor.redact(issue.title)).slice(0, TITLE_CHARACTERS).toWellFormed();
  const { number } = issue;
  const now = deps.now().toISOString();
  await store.noteLabelledIssue({ projectId: project.id, number, title, named: named.map(({ id }) => id), now });
}

function isNamedIn(text: string, { id, headline }: Failure): boolean {
  return text.includes(id) || (headline.length >= LEAST_HEADLINE && text.includes(headline));
}

export const onIssueUnlabeled: EventHandler<'issues.unlabeled'> = async (deps, { payload }) => {
  const { repository, issue, label } = payload;
  if (!isKnownLabel(label?.name)) return;
  const project = await deps.store.findProjectOfRepository(repository.id);
  if (project !== null) await deps.store.forgetLabelledIssue(project.id, issue.number, deps.now().toISOString());
};
