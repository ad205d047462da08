// Commits as every tool shows them.
import type { CommitInfo } from '../core/source.ts';

export function commitLine({ sha, date, author, subject }: CommitInfo): string {
  return `${sha.slice(0, 10)} ${date.slice(0, 10)} ${author}: ${subject.slice(0, 200)}`;
}
