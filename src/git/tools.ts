// Which programs this room would start: git with its version, and prlimit.
import { tmpdir } from 'node:os';
import { createCommand } from './executables.ts';
import type { Environment } from './git-environment.ts';
import { createGit } from './run-git.ts';

export interface Tools {
  /** Such as `2.47.1`; null: it is not there, or does not start. */
  readonly git: string | null;
  /** Whether git's processor time is bounded by the kernel. */
  readonly prlimit: boolean;
}

export async function findTools(environment: Environment, signal: AbortSignal): Promise<Tools> {
  const bounded = createCommand(environment)(['--version'], 1_000);
  const prlimit = bounded !== null && /prlimit(?:\.exe)?$/.test(bounded.file);
  const git = createGit({ environment, certificates: () => '', lifetime: signal });
  try {
    const { stdout } = await git.run({
      ...{ args: ['--version'], folder: tmpdir(), timeoutMs: 5_000, maxBytes: 1_000, signal },
    });
    const version = /git version (\d+(?:\.\d+)*)/.exec(stdout.toString('utf8'))?.[1];
    return { git: version ?? null, prlimit };
  } catch {
    signal.throwIfAborted();
    return { git: null, prlimit };
  }
}
