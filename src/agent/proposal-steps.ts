// What was left out of a change, in words and lines, for a person to do by hand.

import { inertText } from '../core/inert-text.ts';
import type { GuardedChange } from './change-guards.ts';
import { changedLines } from './secret-hunks.ts';

const MAX_PROPOSALS = 10;
const MAX_LINES = 40;
const MAX_CHARACTERS = 3_000;

/** One description per file that was left out; of what is withheld for a secret or a path, no content. */
export function proposalSteps({ blocked }: GuardedChange): readonly string[] {
  const shown = blocked.slice(0, MAX_PROPOSALS).map(proposal);
  const more = blocked.length - shown.length;
  return more > 0 ? [...shown, `${more} more files of the proposal are left out.`] : shown;
}

function proposal({ change, guard }: GuardedChange['blocked'][number]): string {
  const name = guard.file === '' ? 'The change' : `\`${guard.file.replaceAll('`', "'")}\``;
  const head = `${name} is left out of the diff: ${guard.reason}.`;
  if (/^never\/(?:secret|path|content|size)$/.test(guard.rule)) return head;
  const { removed, inserted } = changedLines(change);
  const lines = [...removed.map((line) => `-${line}`), ...inserted.map((line) => `+${line}`)];
  const verb = { added: 'create it', deleted: 'delete it', modified: 'edit it', renamed: 'rename and edit it' }[
    change.kind
  ];
  const rest = lines.length > MAX_LINES ? [`… ${lines.length - MAX_LINES} more lines`] : [];
  const text = [...lines.slice(0, MAX_LINES), ...rest].map((line) => line.replace(/\n$/, '')).join('\n');
  return `${head} The proposal, to be made by a person, was to ${verb}:\n${indented(inertText(text, MAX_CHARACTERS))}`;
}

/** As a block of code that nothing inside can end. */
function indented(text: string): string {
  return text.replace(/^/gm, '    ');
}
