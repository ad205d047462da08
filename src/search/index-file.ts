// The full-text index of a project: an SQLite file with FTS5 that may be deleted at any moment, and the requests it
// answers.
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { findDefinedNames, forEachWord, hashTerm, joinName, splitIntoTerms } from 'causeway-code-words';
import { LRUCache } from 'lru-cache';

/** Raised whenever the same text is indexed in another way: a file of another version is replaced. */
const VERSION = 3;
/** Characters that are read of a file: what comes after them is data, or generated. */
const MAX_TEXT = 600_000;
/** A message longer than this is a log or a merge of many. */
const MAX_MESSAGE = 4_000;
/** A commit that touches more than this is a move or a reformatting, and says nothing about any one file. */
const MAX_TOUCHED = 40;
/** Words with remembered tokens: some 30 MB at most. */
const MAX_REMEMBERED = 100_000;

/**
 * Both tables of words are contentless and hold hashes of terms: no text of the repository, and so no secret that
 * was committed, is written here.
 */
const SCHEMA = `
  CREATE TABLE stamp (value TEXT NOT NULL);
  CREATE TABLE files (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, length INTEGER NOT NULL);
  CREATE TABLE commits (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, length INTEGER NOT NULL, paths TEXT NOT NULL);
  CREATE VIRTUAL TABLE files_terms USING fts5(terms, content='', tokenize='ascii');
  CREATE VIRTUAL TABLE files_names USING fts5(names, content='', tokenize='ascii', detail='none', columnsize=0);
  CREATE VIRTUAL TABLE commits_terms USING fts5(terms, content='', tokenize='ascii');
  PRAGMA user_version = ${VERSION};
`;

export type IndexedKind = 'files' | 'commits';

interface FileText {
  readonly blob: string;
  readonly bytes: Uint8Array;
}

interface CommitText {
  readonly sha: string;
  /** Subject and body. */
  readonly message: string;
  readonly paths: readonly string[];
}

/** The rows that hold a term, ascending, with how often each does. */
export interface RowMatches {
  readonly rows: Uint32Array;
  readonly counts: Uint16Array;
}

export interface KnownRows {
  /** How many are indexed in all, those of other commits among them. */
  readonly count: number;
  /** Changes when the file was replaced: rows of another stamp mean something else. */
  readonly stamp: string;
  /** In the order of the ids; 0 for one that is not indexed. */
  readonly rows: Uint32Array;
  /** How many terms each has, repeats included. */
  readonly lengths: Uint32Array;
}

class IndexFile implements Disposable {
  readonly #database: Database.Database;
  readonly #stamp: string;

  /**
   * Opens the file, makes it where there is none, and replaces one that SQLite cannot read or that has another
   * version.
   */
  constructor(file: string) {
    this.#database = openDatabase(file);
    this.#stamp = this.#database.prepare<[], string>('SELECT value FROM stamp').pluck().get() ?? '';
  }

  findRows(kind: IndexedKind, ids: readonly string[]): KnownRows {
    const find = this.#database
      .prepare<[string], [number, number]>(`SELECT row, length FROM ${kind} WHERE id = ?`)
      .raw();
    const rows = new Uint32Array(ids.length);
    const lengths = new Uint32Array(ids.length);
    this.#inTransaction(() => {
      for (const [index, id] of ids.entries()) [rows[index], lengths[index]] = find.get(id) ?? [0, 0];
    });
    const count = this.#database.prepare<[], number>(`SELECT count(*) FROM ${kind}`).pluck().get() ?? 0;
    return { stamp: this.#stamp, count, rows, lengths };
  }

  /** Paths of the commits of these rows. */
  readPaths(rows: Uint32Array): readonly (readonly string[])[] {
    const read = this.#database.prepare<[number], string>('SELECT paths FROM commits WHERE row = ?').pluck();
    return this.#inTransaction(() => Array.from(rows, (row) => parsePaths(read.get(row) ?? '')));
  }

  addFiles(files: readonly FileText[]): void {
    const add = this.#database.prepare('INSERT OR IGNORE INTO files (id, length) VALUES (?, ?)');
    const addTerms = this.#database.prepare('INSERT INTO files_terms (rowid, terms) VALUES (?, ?)');
    const addNames = this.#database.prepare('INSERT INTO files_names (rowid, names) VALUES (?, ?)');
    const decoder = new TextDecoder();
    this.#inTransaction(() => {
      for (const { blob, bytes } of files) {
        // What holds NUL is not text: it is known, and never found.
        const text = bytes.includes(0) ? '' : decoder.decode(bytes).slice(0, MAX_TEXT);
        const terms = toTokens(text);
        const { changes, lastInsertRowid } = add.run(blob, terms.length);
        if (changes === 0 || terms.length === 0) continue;
        addTerms.run(lastInsertRowid, terms.join(' '));
        const names = new Set(findDefinedNames(text).map((name) => toTermToken(hashTerm(joinName(name)))));
        if (names.size > 0) addNames.run(lastInsertRowid, [...names].join(' '));
      }
    });
  }

  addCommits(commits: readonly CommitText[]): void {
    const add = this.#database.prepare('INSERT OR IGNORE INTO commits (id, length, paths) VALUES (?, ?, ?)');
    const addTerms = this.#database.prepare('INSERT INTO commits_terms (rowid, terms) VALUES (?, ?)');
    this.#inTransaction(() => {
      for (const { sha, message, paths } of commits) {
        const terms = toTokens(withoutTrailers(message.slice(0, MAX_MESSAGE)));
        const touched = paths.length > MAX_TOUCHED ? '' : paths.join('\0');
        const { changes, lastInsertRowid } = add.run(sha, terms.length, touched);
        if (changes > 0 && terms.length > 0) addTerms.run(lastInsertRowid, terms.join(' '));
      }
    });
  }

  /** The matches of each of these hashes; all are empty where the file is not the one of `stamp` any more. */
  match(kind: IndexedKind, stamp: string, hashes: Uint32Array): readonly RowMatches[] {
    return this.#inTransaction(() => {
      const lengths = this.#readLengths(kind);
      const find = this.#database
        .prepare<[string], [number, number]>(
          `SELECT rowid, bm25(${kind}_terms) FROM ${kind}_terms WHERE ${kind}_terms MATCH ?`,
        )
        .raw();
      return Array.from(hashes, (hash) => {
        const found = stamp === this.#stamp ? find.all(toTermToken(hash)) : [];
        return {
          rows: Uint32Array.from(found, ([row]) => row),
          counts: Uint16Array.from(found, ([row, score]) => toCount(-score, row, found.length, lengths)),
        };
      });
    });
  }

  /** The rows of the files that define a name with each of these hashes. */
  matchNames(stamp: string, hashes: Uint32Array): readonly Uint32Array[] {
    const find = this.#database
      .prepare<[string], number>('SELECT rowid FROM files_names WHERE files_names MATCH ?')
      .pluck();
    return this.#inTransaction(() =>
      Array.from(hashes, (hash) => Uint32Array.from(stamp === this.#stamp ? find.all(toTermToken(hash)) : [])),
    );
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  #readLengths(kind: IndexedKind): Lengths {
    const found = this.#database
      .prepare<[], [number, number]>(`SELECT row, length FROM ${kind} WHERE length > 0 ORDER BY row`)
      .raw()
      .all();
    const byRow = new Uint32Array((found.at(-1)?.[0] ?? 0) + 1);
    let sum = 0;
    for (const [row, length] of found) {
      byRow[row] = length;
      sum += length;
    }
    return { byRow, texts: found.length, mean: sum / Math.max(1, found.length) };
  }

  #inTransaction<T>(work: () => T): T {
    return this.#database.transaction(work)();
  }
}

/** Removes the file with what SQLite may have put next to it. */
function removeIndexFile(file: string): void {
  for (const ending of ['', '-journal']) {
    try {
      rmSync(`${file}${ending}`, { force: true });
    } catch {
      // Its folder cannot be entered or written: opening it fails too.
    }
  }
}

function openDatabase(file: string): Database.Database {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    return openVersion(file);
  } catch {
    // Damaged, of another version, or no database at all: it holds nothing that cannot be made again.
    removeIndexFile(file);
  }
  try {
    return openVersion(file);
  } catch {
    // On a disk that cannot be written the report is compared all the same; the index then lasts as long as it is open.
    return openVersion(':memory:');
  }
}

function openVersion(file: string): Database.Database {
  const database = new Database(file, { timeout: 30_000 });
  try {
    if (!database.memory) chmodSync(file, 0o600);
    database.pragma('synchronous = OFF');
    database.pragma('cache_size = -32000');
    const version = database.pragma('user_version', { simple: true });
    if (version === 0) createSchema(database);
    else if (version !== VERSION) throw new Error(`the index has version ${version}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function createSchema(database: Database.Database): void {
  database
    .transaction(() => {
      // Another process may have been faster.
      if (database.pragma('user_version', { simple: true }) !== 0) return;
      database.exec(SCHEMA);
      database.prepare('INSERT INTO stamp VALUES (?)').run(randomUUID());
    })
    .immediate();
}

interface Lengths {
  readonly byRow: Uint32Array;
  /** How many texts have a length above 0. */
  readonly texts: number;
  readonly mean: number;
}

/** Constants of FTS5's `bm25()`. */
const K1 = 1.2;
const B = 0.75;

/**
 * How often a term is in a text, taken back out of its score: `bm25()` counts rarity and mean length over the files
 * of all commits, and the table that lists every single occurrence (fts5vocab) takes four times as long.
 */
function toCount(score: number, row: number, having: number, { byRow, texts, mean }: Lengths): number {
  const rarity = Math.max(1e-6, Math.log((texts - having + 0.5) / (having + 0.5)));
  const saturation = score / rarity;
  const norm = K1 * (1 - B + (B * (byRow[row] ?? 0)) / mean);
  return Math.max(1, Math.round((saturation * norm) / (K1 + 1 - saturation)));
}

/** A letter first: FTS5 takes a word of digits for a number in some places. */
function toTermToken(hash: number): string {
  return `t${hash.toString(36)}`;
}

const remembered = new Map<string, readonly string[]>();

function toTokens(text: string): readonly string[] {
  const tokens: string[] = [];
  forEachWord(text, (word) => {
    for (const token of remembered.get(word) ?? rememberWord(word)) tokens.push(token);
  });
  return tokens;
}

/** A text repeats most of its words, and so does a repository: each is taken apart once. */
function rememberWord(word: string): readonly string[] {
  const tokens = splitIntoTerms(word).map((term) => toTermToken(hashTerm(term)));
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  // V8 keeps a word cut from a text as a view of it, which would hold the whole text in memory.
  remembered.set(Buffer.from(word, 'utf16le').toString('utf16le'), tokens);
  return tokens;
}

/** Without the lines that name people, and the tool that mirrored the commit, not what it does. */
function withoutTrailers(message: string): string {
  return message.replace(/^[ \t]*(?:[A-Za-z]+-)+(?:by|to|id|from|url)[ \t]*:.*$/gim, '');
}

function parsePaths(text: string): readonly string[] {
  return text === '' ? [] : text.split('\0');
}

/** By kind: request and answer of one index file. */
export interface IndexCalls {
  find: { readonly request: { readonly of: IndexedKind; readonly ids: readonly string[] }; readonly answer: KnownRows };
  readPaths: { readonly request: { readonly rows: Uint32Array }; readonly answer: readonly (readonly string[])[] };
  addFiles: { readonly request: { readonly files: readonly FileText[] }; readonly answer: true };
  addCommits: { readonly request: { readonly commits: readonly CommitText[] }; readonly answer: true };
  match: {
    readonly request: { readonly of: IndexedKind; readonly stamp: string; readonly hashes: Uint32Array };
    readonly answer: readonly RowMatches[];
  };
  matchNames: {
    readonly request: { readonly stamp: string; readonly hashes: Uint32Array };
    readonly answer: readonly Uint32Array[];
  };
  remove: { readonly request: object; readonly answer: true };
}

export type IndexRequest = {
  readonly [Kind in keyof IndexCalls]: { readonly kind: Kind; readonly file: string } & IndexCalls[Kind]['request'];
}[keyof IndexCalls];

export type IndexAnswer =
  | { readonly ok: true; readonly value: IndexCalls[keyof IndexCalls]['answer'] }
  | { readonly ok: false; readonly error: string };

/** Index files that are open at a time: each holds up to 32 MB of pages. */
const MOST_OPEN = 4;

/** Answers requests one after the other; a file that fails is closed, and opened again for the next request. */
export function createIndexAnswerer(): (request: IndexRequest) => IndexAnswer {
  const open = new LRUCache<string, IndexFile>({ max: MOST_OPEN, dispose: (index) => index[Symbol.dispose]() });
  return (request) => {
    try {
      if (request.kind === 'remove') {
        open.delete(request.file);
        removeIndexFile(request.file);
        return { ok: true, value: true };
      }
      const index = open.get(request.file) ?? new IndexFile(request.file);
      open.set(request.file, index);
      return { ok: true, value: answerFrom(index, request) };
    } catch (error) {
      open.delete(request.file);
      return { ok: false, error: error instanceof Error ? error.message : String(error) };
    }
  };
}

function answerFrom(index: IndexFile, request: Exclude<IndexRequest, { kind: 'remove' }>) {
  switch (request.kind) {
    case 'find':
      return index.findRows(request.of, request.ids);
    case 'readPaths':
      return index.readPaths(request.rows);
    case 'addFiles':
      index.addFiles(request.files);
      return true;
    case 'addCommits':
      index.addCommits(request.commits);
      return true;
    case 'match':
      return index.match(request.of, request.stamp, request.hashes);
    case 'matchNames':
      return index.matchNames(request.stamp, request.hashes);
  }
}
