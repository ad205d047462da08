// `pause` and `resume`: beside a running service, which looks before each question and each post.

import type { ExitCode } from '../cli/io.ts';
import { createSeal } from '../db/seal.ts';
import type { CommandDeps } from './command-deps.ts';
import { openDataFolder } from './data-folder.ts';
import { openPostgresParts } from './open-postgres-records.ts';
import { setPaused } from './pause.ts';
import { setSharedPause } from './shared-pause.ts';

/** Over PostgreSQL for every process; over SQLite, whose file is one process', by a file beside it. */
export async function pauseCommand(kind: 'pause' | 'resume', deps: CommandDeps): Promise<ExitCode> {
  const { config, io } = deps;
  const isSet = kind === 'pause';
  const forAll = await setForAll(isSet, deps);
  // What SQLite's file said before a move is lifted with the rest.
  const here = config.database.kind === 'postgres' && isSet ? false : setPaused(config.dataDir, isSet);
  const changed = forAll || here;
  const paused = 'Paused: reports are kept, no model is asked and nothing is posted until "causeway resume".\n';
  const resumed = 'Resumed: a running server goes on within 15 seconds.\n';
  if (isSet) io.err(changed ? paused : 'It was paused already.\n');
  else io.err(changed ? resumed : 'It was not paused.\n');
  return 0;
}

/** Whether that changed anything. */
async function setForAll(isSet: boolean, { config, log, now }: CommandDeps): Promise<boolean> {
  const { database } = config;
  if (database.kind !== 'postgres') return false;
  const { encryptionKey } = openDataFolder(config.dataDir, config.encryptionKey, database);
  await using parts = await openPostgresParts({ database, seal: createSeal(encryptionKey), log });
  return await setSharedPause(parts.store.database, isSet, now());
}
