// Commits as `git log` prints them with our format.
import { withoutUnseen } from '../core/inert-text.ts';
import type { CommitInfo } from '../core/source.ts';

/** With `-z`: four fields and a NUL after each. No commit can hold a NUL. */
export const COMMIT_FORMAT = '--format=%H%x00%an%x00%ct%x00%s';

/** Parses the output of `git log -z` with `COMMIT_FORMAT`; a record that was cut off is left out. */
export function parseCommits(output: Buffer): readonly CommitInfo[] {
  const fields = output.toString('utf8').split('\0');
  const commits: CommitInfo[] = [];
  for (let index = 0; index + 4 < fields.length; index += 4) {
    const [sha = '', author = '', seconds = '', subject = ''] = fields.slice(index, index + 4);
    // Both may hold anything that their author wants a terminal, or a reader, to do.
    const said = { author: withoutUnseen(author), subject: withoutUnseen(subject) };
    commits.push({ sha: sha.trim(), ...said, date: isoDate(seconds) });
  }
  return commits;
}

/** ISO 8601 UTC of Unix seconds; commits can claim years that no date can hold: those become 1970. */
export function isoDate(seconds: string): string {
  const date = new Date(Number(seconds) * 1_000);
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString();
}
