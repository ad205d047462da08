// SQLite asked without Kysely in between, known by its adapter; whoever uses PostgreSQL loads nothing of SQLite by it.
import type Sqlite from 'better-sqlite3';
import { SqliteAdapter } from 'kysely';

/** Asks the connection itself: what Kysely does around a statement takes longer than most statements do. */
export class DirectAdapter extends SqliteAdapter {
  readonly #connection: Sqlite.Database;

  constructor(connection: Sqlite.Database) {
    super();
    this.#connection = connection;
  }

  /** SQLite can roll back DDL; Kysely does not count on it, and a kill in a migration would leave half a schema. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** Whoever is outside of it must wait until it ends, since it would be shown what is not committed. */
  get isInTransaction(): boolean {
    return this.#connection.inTransaction;
  }

  /** Compiled; SQLite compiles it again by itself when the schema has changed. */
  statement(text: string): Sqlite.Statement<unknown[]> {
    return this.#connection.prepare<unknown[]>(text);
  }
}
