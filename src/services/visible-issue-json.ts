// An Issue that a person may see, as the JSON of the interface.
import type { IssueJson, IssueStore } from '../db/store.ts';
import { type AccessDeps, type Asking, isId, seenOrAbsent } from './access.ts';

type Deps = AccessDeps & { readonly store: Pick<IssueStore, 'issueJson'> };

/** The JSON of what `visibleIssue` gives; null where it is absent for this person. Throws as `visibleProject` does. */
export async function visibleIssueJson(deps: Deps, asking: Asking, id: string): Promise<IssueJson['json'] | null> {
  const found = isId(id) ? await deps.store.issueJson(id) : null;
  return found && (await seenOrAbsent(deps, asking, found.project)) && found.json;
}
