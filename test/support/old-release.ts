// What an earlier release left on its machine (test/fixtures/upgrade), moved to this moment and to the addresses of a test.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import type { GithubDouble, GithubRepository } from 'causeway-github-double';
import { gitIn } from '../../packages/git-objects/test/git-repository.ts';
import { createSeal, type Seal } from '../../src/db/seal.ts';
import type { TestDatabase } from './postgres.ts';

const ARCHIVE = path.join(import.meta.dirname, '..', 'fixtures', 'upgrade', '1ff8cd27.tar.zst');

/** Of a job that was given up, failed twice, ran when its process was killed, and is due. */
export type InStates<T> = { readonly [state in 'dead' | 'delayed' | 'running' | 'waiting']: T };

/** What it answered in the end, and what no answer says. */
export interface Left {
  /** When it had ended. */
  readonly endedAt: string;
  readonly addresses: Omit<Addresses, 'receiver'> & { readonly receivers: readonly string[] };
  readonly tokens: {
    readonly [name in 'local' | 'mara' | 'narrow' | 'revoked']: string;
  } & { readonly lee: Readonly<Record<string, string>> };
  /** Of a browser that was signed in. */
  readonly cookie: string;
  readonly secrets: { readonly [name in 'mara' | 'local' | 'oldLocal' | 'subscription']: string };
  /** The subject of each kind. */
  readonly jobs: InStates<Readonly<Record<string, string>>>;
  /** Of all jobs. */
  readonly queue: readonly { readonly kind: string; readonly state: string; readonly count: number }[];
  /** Issues of corner/counter that wait for a comment, commits of corner/gate to be judged, those of corner/porch that wait for a check run. */
  readonly issues: InStates<number>;
  readonly judged: InStates<string>;
  readonly shown: InStates<string>;
  /** References of the reports that wait for their investigation. */
  readonly reports: InStates<string>;
  /** By path. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** In local mode, where that differs. */
  readonly local: Readonly<Record<string, unknown>>;
}

export interface OldRelease {
  readonly left: Left;
  /** Files of its data folders, by path, and of what it worked with. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** A text of it with the times and addresses of this test. */
  readonly settle: (text: string) => string;
}

export interface Addresses {
  /** Of the GitHub double, of who receives webhooks, of the model, and of the repository on disk. */
  readonly github: string;
  readonly receiver: string;
  readonly model: string;
  readonly shop: string;
}

const SECOND_MS = 1_000;
/** It ended a minute ago: sessions and events are young enough, and the heartbeats of its processes have stopped. */
const ENDED_AGO_MS = 60 * SECOND_MS;

/** A moment in UTC to the second, as JSON and as PostgreSQL write it. */
const TIME = /(20\d\d-\d\d-\d\d)([T ])(\d\d:\d\d:\d\d)(?=(?:\.\d+)?(?:Z|\+00))/g;

export function readOldRelease(addresses: Addresses): OldRelease {
  const files = readTar(zstdDecompressSync(readFileSync(ARCHIVE)));
  const text = fileOf(files, 'expected.json').toString();
  const { endedAt, addresses: old }: Left = JSON.parse(text);
  const aheadMs = Math.floor((Date.now() - ENDED_AGO_MS - Date.parse(endedAt)) / SECOND_MS) * SECOND_MS;
  const moves = [
    [old.shop, addresses.shop] as const,
    ...[
      [old.github, addresses.github] as const,
      [old.model, addresses.model] as const,
      ...old.receivers.map((receiver) => [receiver, addresses.receiver] as const),
      // A model's reasoning is kept under its host alone.
    ].map(([from, to]) => [new URL(from).host, new URL(to).host] as const),
  ];
  const settle = (given: string) => {
    const timed = given.replace(TIME, (_, day: string, between: string, time: string) => {
      const moved = new Date(Date.parse(`${day}T${time}Z`) + aheadMs).toISOString();
      return `${moved.slice(0, 10)}${between}${moved.slice(11, 19)}`;
    });
    return moves.reduce((all, [from, to]) => all.replaceAll(from, to), timed);
  };
  return { left: JSON.parse(settle(text)), files, settle };
}

/** Its data folder, as files. */
export function writeFolder({ files }: OldRelease, engine: 'sqlite' | 'postgres', folder: string): void {
  for (const [name, content] of files) {
    if (!name.startsWith(`${engine}/`) || name.endsWith('.sql')) continue;
    const file = path.join(folder, path.relative(engine, name));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: 0o600 });
  }
}

/** Moves a file of SQLite, its database or a backup, to this moment and these addresses. */
export async function settleSqlite({ files, settle }: OldRelease, file: string): Promise<void> {
  const database = new Sqlite(file);
  database.function('settle', { deterministic: true }, (text) => (typeof text === 'string' ? settle(text) : text));
  const columns = database
    .prepare<[], { table: string; column: string }>(
      `select m.name as "table", c.name as "column" from sqlite_schema m join pragma_table_info(m.name) c
        where m.type = 'table' and m.name not like 'sqlite_%' and c.type = 'TEXT'`,
    )
    .all();
  for (const table of new Set(columns.map((one) => one.table))) {
    const own = columns.filter((one) => one.table === table).map(({ column }) => `"${column}" = settle("${column}")`);
    database.exec(`update "${table}" set ${own.join(', ')}`);
  }
  const ask = async (statement: string, values: readonly string[]) => {
    const prepared = database.prepare<unknown[], Sealed>(statement.replaceAll(/\$\d/g, '?'));
    if (prepared.reader) return prepared.all(...values);
    prepared.run(...values);
    return [];
  };
  await settleSealed(ask, settle, sealOf(files, 'sqlite'));
  database.close();
}

/** Loads its dump, moved in the same way. */
export async function loadPostgres({ files, settle }: OldRelease, database: TestDatabase): Promise<void> {
  const dump = fileOf(files, 'postgres/dump.sql').toString();
  await database.query(settle(dump.replaceAll(/^\\.*$/gm, '')));
  await settleSealed(
    (statement, values) => database.query<Sealed>(statement, values),
    settle,
    sealOf(files, 'postgres'),
  );
}

interface Sealed {
  readonly id: string;
  readonly sealed: string;
}

/** As that release sealed them; what holds neither a time nor an address stays as it is. */
const SEALED = [
  { table: 'deliveries', id: 'id', column: 'body', purpose: 'delivery' },
  { table: 'subscriptions', id: 'id', column: 'sealed', purpose: 'subscription' },
  { table: 'transcript_entries', id: 'run_id', column: 'opaque', purpose: 'opaque parts of' },
] as const;

async function settleSealed(
  ask: (statement: string, values: readonly string[]) => Promise<readonly Sealed[]>,
  settle: (text: string) => string,
  seal: Seal,
): Promise<void> {
  for (const { table, id, column, purpose } of SEALED) {
    const rows = await ask(`select ${id} as id, ${column} as sealed from ${table} where ${column} is not null`, []);
    for (const { id: of, sealed } of rows) {
      const moved = seal.seal(settle(seal.open(sealed, `${purpose} ${of}`)), `${purpose} ${of}`);
      await ask(`update ${table} set ${column} = $1 where ${column} = $2`, [moved, sealed]);
    }
  }
}

function sealOf(files: OldRelease['files'], engine: string): Seal {
  return createSeal(Buffer.from(fileOf(files, `${engine}/encryption.key`).toString().trim(), 'hex'));
}

/** The repository of its local mode. */
export async function writeShop({ files }: OldRelease, folder: string): Promise<void> {
  const bundle = `${folder}.bundle`;
  writeFileSync(bundle, fileOf(files, 'github/local.bundle'));
  await gitIn(path.dirname(folder), 'clone', '--quiet', '--branch', 'main', '--template=', bundle, folder);
}

/** GitHub as that release left it: every repository, issue, comment and check under its number. */
export async function loadGithub({ files, settle }: OldRelease, double: GithubDouble): Promise<void> {
  const { state, app } = double;
  const world = revive(JSON.parse(settle(fileOf(files, 'github/github.json').toString()))) as SavedWorld;
  Object.assign(app, world.apps.get(world.appId));
  const kept = fileOf(files, 'sqlite/github-app').toString().trim();
  app.webhookSecret = JSON.parse(sealOf(files, 'sqlite').open(kept, 'github-app')).credentials.webhookSecrets[0];
  world.apps.set(world.appId, app);
  for (const name of ['accounts', 'apps', 'installations', 'repositories', 'redirects'] as const) {
    const [now, then] = [state[name] as Map<unknown, unknown>, world[name]];
    now.clear();
    for (const [id, one] of then) now.set(id, one);
  }
  for (const repository of state.repositories.values()) addNews(repository);
  while (state.nextId() < world.last);
  await writeRepositories(double, fileOf(files, 'github/repositories.bundle'));
}

/** What the double keeps since then, as it was where nobody had done anything of the kind. */
function addNews(repository: GithubRepository): void {
  setMissing(repository, { disabledWorkflows: new Map(), requiredWorkflows: [], goneIssues: new Map() });
  for (const run of repository.workflowRuns.values()) setMissing(run, { heldAttempts: new Set() });
  for (const issue of repository.issues.values()) {
    setMissing(issue, { labelled: [] });
    if (issue.pull !== null) setMissing(issue.pull, { autoMergeById: null });
  }
}

function setMissing<T extends object>(of: T, news: Partial<T>): void {
  Object.assign(of, { ...news, ...of });
}

interface SavedWorld {
  readonly appId: number;
  /** The last number that was given. */
  readonly last: number;
  readonly accounts: Map<number, object>;
  readonly apps: Map<number, object>;
  readonly installations: Map<number, object>;
  readonly repositories: Map<number, object>;
  readonly redirects: Map<string, number>;
}

const CONFIG = `[core]
\trepositoryformatversion = 0
\tbare = true
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
[http]
\treceivepack = true
`;

/** One bundle holds the objects of all; each has its own branches. */
async function writeRepositories({ state }: GithubDouble, bundle: Buffer): Promise<void> {
  const all = path.join(state.folder, 'all');
  const file = `${all}.bundle`;
  writeFileSync(file, bundle);
  await gitIn(state.folder, 'init', '--quiet', '--bare', '--template=', all);
  const listed = (await gitIn(all, 'bundle', 'unbundle', file)).split('\n');
  for (const [id, repository] of state.repositories) {
    const gitDir = path.join(state.folder, `${id}.git`);
    cpSync(path.join(all, 'objects'), path.join(gitDir, 'objects'), { recursive: true });
    mkdirSync(path.join(gitDir, 'refs'));
    const of = ` refs/of/${id}/`;
    const refs = listed.filter((line) => line.includes(of)).map((line) => line.replace(of, ' refs/'));
    writeFileSync(path.join(gitDir, 'packed-refs'), refs.map((line) => `${line}\n`).join(''));
    writeFileSync(path.join(gitDir, 'config'), CONFIG);
    writeFileSync(path.join(gitDir, 'HEAD'), `ref: refs/heads/${repository.defaultBranch}\n`);
    Object.assign(repository, { gitDir });
  }
}

function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value !== 'object' || value === null) return value;
  const { $map: map, $set: set, $bytes: bytes } = value as Record<string, unknown>;
  if (Array.isArray(map)) return new Map(map.map(([key, one]: [unknown, unknown]) => [key, revive(one)]));
  if (Array.isArray(set)) return new Set(set);
  if (typeof bytes === 'string') return Buffer.from(bytes, 'base64');
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, revive(one)]));
}

function fileOf(files: ReadonlyMap<string, Buffer>, name: string): Buffer {
  const found = files.get(name);
  if (found === undefined) throw new Error(`${ARCHIVE} holds no ${name}.`);
  return found;
}

const BLOCK = 512;

/** The ordinary files of a tar archive with short names, by path. */
function readTar(archive: Buffer): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  const fieldOf = (from: number, bytes: number) => archive.toString('latin1', from, from + bytes).replace(/\0.*$/s, '');
  for (let at = 0; archive[at]; ) {
    const size = Number.parseInt(fieldOf(at + 124, 12), 8);
    const from = at + BLOCK;
    if (fieldOf(at + 156, 1) === '0') files.set(fieldOf(at, 100), archive.subarray(from, from + size));
    at = from + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}
