// What every text of somebody has in GraphQL: who wrote it, when, and how it was before.
import { nodeId } from '../resources/node-id.ts';
import { associationOf } from '../roles.ts';
import type { Edit, Repository } from '../state.ts';
import { actorView } from './actor-view.ts';
import { connection, type PageArguments, type View } from './context.ts';

interface Text {
  readonly authorId: number | null;
  readonly body: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly edits: readonly Edit[];
}

/** What every text of somebody has. */
export function written(call: View, repository: Repository, of: Text) {
  const last = of.edits.at(-1);
  return {
    author: actorView(call, of.authorId),
    authorAssociation: associationOf(call.state, repository, of.authorId),
    body: of.body ?? '',
    createdAt: of.createdAt,
    updatedAt: of.updatedAt,
    editor: last === undefined ? null : actorView(call, last.byId),
    lastEditedAt: last?.at ?? null,
    includesCreatedEdit: last !== undefined,
    repository: () => call.show.repository(call, repository),
    userContentEdits: (args: PageArguments) =>
      connection(of.edits.toReversed(), args, (edit) => ({
        id: nodeId('RE', edit.id),
        createdAt: edit.at,
        editedAt: edit.at,
        updatedAt: edit.at,
        deletedAt: null,
        diff: edit.text,
        editor: actorView(call, edit.byId),
      })),
  };
}
