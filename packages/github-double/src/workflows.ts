// What GitHub forbids: workflow files may only be changed with the permission "workflows".
import { effectivePermissions } from './access.ts';
import { readDiff } from './git/read-diff.ts';
import { readCommit } from './git/read-objects.ts';
import { gitText } from './git/run-git.ts';
import type { ApiCaller } from './route.ts';

export function touchesWorkflows(paths: readonly string[]): boolean {
  return paths.some((path) => /^\.github\/workflows(\/|$)/.test(path));
}

export function mayWriteWorkflows(caller: ApiCaller): boolean {
  return (
    caller.kind === 'user' || (caller.kind === 'installation' && effectivePermissions(caller)['workflows'] === 'write')
  );
}

/** Whether commits that no ref has yet, up to this one, change workflow files. */
export async function bringsWorkflows(gitDir: string, sha: string): Promise<boolean> {
  const list = await gitText(gitDir, ['rev-list', '--max-count=50', sha, '--not', '--all']);
  for (const commit of list === '' ? [] : list.split('\n')) {
    const { parents } = await readCommit(gitDir, commit);
    const files = await readDiff(gitDir, parents[0] ?? null, commit);
    if (touchesWorkflows(files.flatMap((file) => [file.path, file.previousPath ?? '']))) return true;
  }
  return false;
}
