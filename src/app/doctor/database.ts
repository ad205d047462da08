// The records: does the database answer, is it whole, does the key open what is sealed in it, and what was given up.
import { existsSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { CausewayError } from '../../core/errors.ts';
import type { Examination } from '../../db/examine.ts';
import { examinePostgres } from '../../db/examine-postgres.ts';
import { examineSqlite } from '../../db/examine-sqlite.ts';
import { createSeal } from '../../db/seal.ts';
import { keepsSessions, NO_SESSIONS } from '../../db/session-check.ts';
import { restoreSentence } from '../../db/sqlite-engine.ts';
import { databaseFile, openDataFolder } from '../data-folder.ts';
import { fail, ok, PAUSED, type Probe, type Verdict, warn } from './probe.ts';

type Place = Pick<Config, 'database' | 'dataDir' | 'encryptionKey'>;

export function databaseProbe(config: Place, now: () => Date): Probe {
  const where = config.database.kind === 'postgres' ? config.database.shown : databaseFile(config.dataDir);
  return {
    check: 'database',
    async ask(signal) {
      if (config.database.kind === 'sqlite' && !existsSync(where)) {
        return ok(`${where} is not there yet; the first start makes it`);
      }
      const seal = createSeal(keyOf(config));
      const found =
        config.database.kind === 'postgres'
          ? await examinePostgres(config.database, { seal, now })
          : await examineSqlite(where, seal, signal);
      const known =
        found === null
          ? [ok(`${where} is empty; the first start makes its tables`)]
          : [...judge(found, config.database.kind, where), ...judgeHolds(found, now())];
      return [...(await judgeSessions(config.database, signal)), ...known];
    },
  };
}

async function judgeSessions(database: Config['database'], signal: AbortSignal): Promise<readonly Verdict[]> {
  if (database.kind === 'sqlite' || (await keepsSessions(database.url, { signal }))) return [];
  return [fail(`${database.shown} ${NO_SESSIONS.found}`, NO_SESSIONS.repair)];
}

/** Asked of the data folder only where it is there: opening it would make it. */
function keyOf({ dataDir, encryptionKey, database }: Place): Buffer {
  if (encryptionKey !== null) return encryptionKey;
  if (existsSync(dataDir)) return openDataFolder(dataDir, null, database).encryptionKey;
  throw new CausewayError(
    'usage',
    'DATABASE_URL needs an ENCRYPTION_KEY, the same for every process over that database.',
  );
}

/** Below this nobody notices, and a busy machine answers late. */
const MOST_APART_MS = 2_000;

/** Versions one step of the schema apart work side by side over PostgreSQL; SQLite belongs to one process. */
const MAY_BE_AHEAD = { sqlite: 0, postgres: 1 };

function judge(found: Examination, kind: keyof typeof MAY_BE_AHEAD, where: string): readonly Verdict[] {
  return [
    judgeWhole(found, MAY_BE_AHEAD[kind], where),
    ...judgeKey(found),
    ...judgeJobs(found),
    ...(found.isPaused ? [PAUSED] : []),
    ...judgeClock(found),
  ];
}

function judgeWhole({ damage, newer, missing, unchecked }: Examination, mayBeAhead: number, where: string): Verdict {
  if (damage.length > 0) {
    return fail(`${where} is damaged: ${damage.join('; ')}`, restoreSentence(where));
  }
  if (newer.length > mayBeAhead || (newer.length > 0 && missing.length > 0)) {
    const repair = 'Start the version that made it or a later one, or restore a backup from before the upgrade.';
    return fail(`${where} was made by another version (it has ${newer.join(', ')})`, repair);
  }
  if (missing.length > 0) {
    const repair = 'Make a backup; "causeway migrate", or the next start, brings it up to date.';
    return warn(`${where} lacks ${missing.join(', ')}`, repair);
  }
  const ahead = newer.length === 0 ? '' : `; a newer version has added ${newer.join(', ')}`;
  return ok(`${where} answers${unchecked === '' ? '' : `; not looked at: ${unchecked}`}${ahead}`);
}

function judgeKey({ isKeyRight }: Examination): readonly Verdict[] {
  if (isKeyRight !== false) return [];
  const repair = 'Restore encryption.key in DATA_DIR from the backup, or set ENCRYPTION_KEY to the key of that time.';
  return [fail('the encryption key does not open what is stored', repair)];
}

/** A job says in our time when it may run, and is due in the database's. */
function judgeClock({ aheadMs }: Examination): readonly Verdict[] {
  if (Math.abs(aheadMs) <= MOST_APART_MS) return [];
  const apart = `${Math.abs(Math.round(aheadMs / 1_000))} s ${aheadMs > 0 ? 'behind' : 'ahead of'}`;
  const repair =
    'Set both by NTP (timedatectl set-ntp true): by as much every job begins too late, or a pause is too short.';
  return [warn(`this machine's clock is ${apart} that of the database`, repair)];
}

/** A limit is GitHub's to set; one that a wrong clock or header made is lifted. */
function judgeHolds({ holds }: Examination, now: Date): readonly Verdict[] {
  const repair =
    'It ends by itself then. Where it was made by a wrong clock or header, "causeway resume" lifts it for every process.';
  return holds
    .filter((hold) => stands(hold, now) && !hold.name.startsWith(INTERFACE_HOLDS))
    .map(({ name, until }) => warn(`${name} is left alone for a limit until ${until.toISOString()}`, repair));
}

function judgeJobs({ jobs }: Examination): readonly Verdict[] {
  if (jobs.dead === 0) return [];
  const found = `${jobs.dead} ${jobs.dead === 1 ? 'job was' : 'jobs were'} given up after the last try`;
  return [warn(found, 'The log says why; "causeway redrive" gives them another three tries.')];
}
