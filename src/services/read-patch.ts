// The change of an Issue as a patch that git applies.

import type { ChangeSet } from 'causeway-diff';
import { DiffRefused, toUnifiedPatch } from 'causeway-diff';
import type { Issue } from '../core/issue/index.ts';
import type { Store } from '../db/index.ts';

/** Null where the Issue shows no change. */
export async function loadChange(
  { store }: { readonly store: Pick<Store, 'findChangeSet'> },
  { id, diff }: Pick<Issue, 'id' | 'diff'>,
): Promise<ChangeSet | null> {
  return diff.files.length === 0 ? null : await store.findChangeSet(id);
}

/** "" for no change; null where no patch can carry it. */
export function toPatch(changeSet: ChangeSet): string | null {
  try {
    return toUnifiedPatch(changeSet);
  } catch (error) {
    if (!(error instanceof DiffRefused)) throw error;
    return null;
  }
}

/** Why the change has no patch. */
export const UNWRITABLE = "This change can't be written as a patch, because of its paths or contents.";

/** As every door answers with a patch. */
export function listPatchHeaders({ id }: Pick<Issue, 'id'>): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'text/x-patch; charset=utf-8',
    'Content-Disposition': `attachment; filename="${id}.patch"`,
  };
}
