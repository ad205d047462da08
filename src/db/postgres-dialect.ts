// PostgreSQL as Kysely is to speak it: tables that order and count as SQLite's, and commits that can be asked after.
import {
  CompiledQuery,
  type Dialect,
  PostgresAdapter,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  sql,
} from 'kysely';
import { type CommitMark, markConnection, markStatement } from './commit-marks.ts';
import type { TableForm } from './migrations/table-form.ts';
import { isLostConnection, UnansweredCommit } from './postgres-errors.ts';

/** As in SQLite: text is compared by its bytes, and no number is given twice; those of transactions that failed are left out. */
export const POSTGRES_TABLES: TableForm = {
  types: {
    SEQUENCE: 'bigint generated always as identity primary key',
    TEXT: 'text collate "C"',
    INTEGER: 'bigint',
  },
  end: '',
  findTable: (name) => sql`select oid from pg_class where oid = to_regclass(${name})`,
};

export function postgresDialect(pool: PostgresPool): Dialect {
  const dialect = new PostgresDialect({ pool });
  return {
    createDriver: () => new AskableDriver({ pool }),
    createAdapter: () => new LocklessAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (kysely) => dialect.createIntrospector(kysely),
  };
}

/** Kysely's lock around migrations is one of the session, which outlives them on a pooled one; migrate.ts has one that does not. */
class LocklessAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

type Connection = Parameters<PostgresDriver['rollbackTransaction']>[0];

class AskableDriver extends PostgresDriver {
  readonly #connections = new WeakMap<Connection, () => CommitMark>();
  readonly #marks = new WeakMap<Connection, CommitMark>();

  // In one message, so that the mark costs no time on the way. A migration, which makes its table, is asked after by what it made.
  override async beginTransaction(connection: Connection, settings: { isolationLevel?: string }): Promise<void> {
    const isVerb = settings.isolationLevel === 'serializable';
    const begin = isVerb ? `begin isolation level serializable; ${markStatement(this.#mark(connection))}` : 'begin';
    try {
      await connection.executeQuery(CompiledQuery.raw(begin));
    } catch (error) {
      // It may have begun: Kysely ends none whose beginning failed.
      await this.rollbackTransaction(connection);
      throw error;
    }
  }

  #mark(connection: Connection): CommitMark {
    const next = this.#connections.get(connection) ?? markConnection();
    this.#connections.set(connection, next);
    const mark = next();
    this.#marks.set(connection, mark);
    return mark;
  }

  override async commitTransaction(connection: Connection): Promise<void> {
    try {
      await super.commitTransaction(connection);
    } catch (error) {
      const mark = this.#marks.get(connection);
      throw mark !== undefined && isLostConnection(error) ? new UnansweredCommit(mark, { cause: error }) : error;
    }
  }

  // Where the connection is gone, so is the transaction; the failure of this would hide the reason.
  override async rollbackTransaction(connection: Connection): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => {});
  }
}
