// Programs by their absolute path, so that nothing lying in a working folder is ever started in their place.
import { accessSync, constants, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Environment } from './git-environment.ts';

/** The absolute folders of PATH, in order: `.` and empty entries would mean the folder a process works in. */
export function absolutePath(from: Environment): string {
  const entries = (from['PATH'] ?? from['Path'] ?? '').split(delimiter);
  return entries.filter((entry) => isAbsolute(entry)).join(delimiter);
}

interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Gives the words that start git, with a limit on its CPU time where `timeoutMs` is set; null where there is no git.
 * The kernel keeps that limit even after Node was killed. Without prlimit (util-linux, so on Linux only) there is none.
 */
export function createCommand(
  from: Environment,
): (args: readonly string[], timeoutMs: number | null) => Command | null {
  const prlimit = findExecutable('prlimit', from);
  let git: string | null = null;
  return (args, timeoutMs) => {
    git ??= findExecutable('git', from);
    if (git === null) return null;
    if (prlimit === null || timeoutMs === null) return { file: git, args };
    return { file: prlimit, args: [`--cpu=${cpuSeconds(timeoutMs)}`, '--', git, ...args] };
  };
}

/** Seconds of all threads together: what the timer allows on every core that git would use (eight in `grep`). */
function cpuSeconds(timeoutMs: number): number {
  return Math.ceil(timeoutMs / 1_000) * Math.min(8, availableParallelism());
}

/** Where the program is, looked for in the absolute entries of PATH only; null where there is none. */
function findExecutable(name: string, from: Environment): string | null {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  const candidates = absolutePath(from)
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, file));
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
