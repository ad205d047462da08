// `erase`: a person or a project, at their request; records in the database, and what this machine has of the source.

import type { EraseCommand } from '../cli/command.ts';
import { erasedAccountText, erasedProjectText, unconfirmedText } from '../cli/erase-words.ts';
import type { ExitCode } from '../cli/io.ts';
import { CausewayError } from '../core/errors.ts';
import { createSeal } from '../db/seal.ts';
import type { Store } from '../db/store.ts';
import { createGitSource } from '../git/mirror.ts';
import { createLexicons } from '../search/create-lexicons.ts';
import type { CommandDeps } from './command-deps.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { forgetMirrors } from './forget-mirrors.ts';
import { forgettingBoth, LOCAL_LOGIN } from './house.ts';
import { openStore } from './open-records.ts';

/** Works beside a running service. Throws `usage` without --yes, and for the account of the house, which is nobody's. */
export async function eraseCommand(command: EraseCommand, deps: CommandDeps, signal: AbortSignal): Promise<ExitCode> {
  const { config, io, log, now } = deps;
  const { what, name } = command;
  if (what === 'account' && name.toLowerCase() === LOCAL_LOGIN) {
    const repair = 'revoke its tokens with "causeway token revoke" instead';
    throw new CausewayError('usage', `The account "${LOCAL_LOGIN}" is the service's own and names nobody: ${repair}.`);
  }
  if (!command.yes) throw new CausewayError('usage', unconfirmedText(command));
  const folder = openDataFolder(config.dataDir, config.encryptionKey, config.database);
  await using store = await openStore({ database: folder.database, seal: createSeal(folder.encryptionKey), log });
  const moment = now().toISOString();
  if (what === 'account') {
    io.err(erasedAccountText(name, await store.eraseAccount(name, moment)));
    return 0;
  }
  const erased = await store.eraseProject(name, moment);
  // Also where there was none: an earlier call may have been cut short in between.
  const mirrors = await eraseSource({ store, folder, config, log }, signal);
  io.err(erasedProjectText({ name, erased, mirrors }));
  return 0;
}

interface Places extends Pick<CommandDeps, 'config' | 'log'> {
  readonly store: Store;
  readonly folder: DataFolder;
}

/** Of every project that is nobody's any more, with what was made of it. Returns how many copies there were. */
async function eraseSource({ store, folder, config, log }: Places, signal: AbortSignal): Promise<number> {
  await using lexicons = createLexicons({ folder: folder.lexicon, log });
  await using git = createGitSource({ folder: folder.mirrors, environment: config.environment, log });
  return await forgetMirrors({ store, source: forgettingBoth(git, lexicons) }, folder.mirrors, signal);
}
