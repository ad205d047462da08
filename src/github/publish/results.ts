// What an investigation has concluded, with the edits behind it.
import type { Investigation } from '../../core/investigation.ts';
import type { IssueStore } from '../../db/store.ts';
import type { Result } from './deps.ts';

/** Null: it has not, or what it concluded was erased. */
export async function resultOf(
  { store }: { readonly store: Pick<IssueStore, 'issue' | 'changeSet'> },
  { outcome }: Investigation,
): Promise<Result | null> {
  if (outcome.state !== 'concluded') return null;
  const issue = await store.issue(outcome.issueId);
  return issue === null ? null : { issue, changeSet: await store.changeSet(issue.id) };
}
