// What was told of a project once and is not to be told again, such as the fault in its configuration file.

import type { Database } from './database.ts';
import type { ToldStore } from './store.ts';

export function toldVerbs(database: Database): ToldStore {
  return {
    async wasTold(projectId, digest) {
      const row = await database.read((reader) =>
        reader
          .selectFrom('config_notices')
          .select('digest')
          .where('project_id', '=', projectId)
          .where('digest', '=', digest)
          .executeTakeFirst(),
      );
      return row !== undefined;
    },
    async rememberTold(projectId, digest, now) {
      await database.write((trx) =>
        trx
          .insertInto('config_notices')
          .values({ project_id: projectId, digest, posted_at: now })
          .onConflict((conflict) => conflict.columns(['project_id', 'digest']).doNothing())
          .execute(),
      );
    },
  };
}
