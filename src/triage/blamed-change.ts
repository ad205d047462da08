// The change by which a line came to read as it does: what stood there before often is the whole answer to "it worked until".
import { cutText } from '../core/cut-text.ts';
import type { Examined } from './examine.ts';
import { attempt, type Lookups, shortSha } from './lookups.ts';

/** Lines of the patch shown on each side of the line. */
const AROUND = 15;

/** Records the part of the blamed commit's patch that brought the line; nothing where that commit made the file. */
export async function showBlamedChange(lookups: Lookups, { suspect, code, blame }: Examined): Promise<void> {
  if (blame === null || code === '') return;
  const action = `compare ${suspect.file} in commit ${shortSha(blame.sha)}`;
  const changed = await attempt(lookups, action, () =>
    lookups.repository.tree(blame.sha).compare(null, { path: suspect.file }, lookups.signal),
  );
  const shown = changed === null ? [] : aroundLine(changed.patch, code);
  if (shown.length === 0) return;
  await lookups.notebook.record({
    action,
    result: shown.map((line) => cutText(line, 300)).join('\n'),
    analysis: `${shortSha(blame.sha)} (${blame.date.slice(0, 10)}) changed line ${suspect.line}.`,
  });
}

/** The lines around the one that was added, within its hunk; empty where it is not in the patch or the file was new. */
function aroundLine(patch: string, code: string): readonly string[] {
  const lines = patch.split('\n');
  if (lines.some((line) => line.startsWith('new file mode '))) return [];
  const at = lines.findIndex((line) => line.startsWith('+') && line.slice(1).trim() === code);
  if (at === -1) return [];
  const head = lines.slice(0, at).findLastIndex((line) => line.startsWith('@@'));
  const end = lines.findIndex((line, index) => index > at && (line.startsWith('@@') || line.startsWith('diff ')));
  const last = end === -1 ? lines.length - 1 : end;
  const from = Math.max(head, at - AROUND);
  return lines.slice(from, Math.min(last, at + AROUND + 1));
}
