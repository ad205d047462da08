// The folder where backups of a SQLite database are kept by default, and the newest of them.
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

export function backupsFolder(database: string): string {
  return path.join(path.dirname(database), 'backups');
}

/** Null where there is none. */
export function newestBackup(database: string): string | null {
  const folder = backupsFolder(database);
  const files = namesIn(folder)
    .filter((name) => name.endsWith('.db'))
    .map((name) => path.join(folder, name))
    .map((file) => ({ file, at: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
  return files.sort((a, b) => b.at - a.at)[0]?.file ?? null;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
