// What `erase` says: what it would do, and in numbers what it did.
import type { ErasedAccount, ErasedProject } from '../db/store.ts';
import type { EraseCommand } from './command.ts';
import { printableLine } from './printable.ts';

/** Where `--yes` is missing. */
export function unconfirmedText({ what, name }: EraseCommand): string {
  const all =
    what === 'account'
      ? `the sessions, tokens, webhooks, name, number and guidance of ${printableLine(name)}`
      : `everything known about ${printableLine(name)}, and its source on this machine`;
  return `This permanently deletes ${all}. Nothing was deleted; repeat with --yes to confirm.`;
}

/** Null: there was nobody. */
export function erasedAccountText(name: string, erased: ErasedAccount | null): string {
  if (erased === null) {
    return `Nobody is known as ${printableLine(name)}: there is nothing to erase. Somebody who never signed in is found by GitHub's number.\n`;
  }
  const { sessions, tokens, webhooks, mentions, kept } = erased;
  return `Erased ${printableLine(name)}: ${counted(sessions, 'session')}, ${counted(tokens, 'token')}, ${counted(webhooks, 'webhook')}, \
and the name in ${counted(mentions, 'place')}.
${counted(kept, 'investigation')} that they started stay with their projects, without an account and without what they asked to be heeded. What they and others
wrote in the reports themselves stays with those. What stands on GitHub, in logs and in backups is not ours to erase here.
`;
}

export interface ErasedProjectWords {
  readonly name: string;
  /** Null: there was none. */
  readonly erased: ErasedProject | null;
  /** Copies of source on this machine that went. */
  readonly mirrors: number;
}

export function erasedProjectText({ name, erased, mirrors }: ErasedProjectWords): string {
  const source = `${counted(mirrors, 'copy', 'copies')} of source on this machine`;
  if (erased === null) {
    return `No project is known as ${printableLine(name)}: there is nothing to erase in the database. Removed ${source}.\n`;
  }
  const { investigations, issues, threads, heads, failures } = erased;
  return `Erased ${printableLine(name)}: ${counted(investigations, 'investigation')}, ${counted(issues, 'issue')}, ${counted(threads, 'thread')}, \
${counted(heads, 'head')}, ${counted(failures, 'failure')}, and ${source}.
Other machines where a service or worker runs remove their copies within an hour. What stands on GitHub, in logs and in backups is not ours to erase here. Where the App can still
read it, or PROJECTS names it, it comes back, empty.
`;
}

function counted(number: number, noun: string, nouns = `${noun}s`): string {
  return `${number.toLocaleString('en-GB')} ${number === 1 ? noun : nouns}`;
}
