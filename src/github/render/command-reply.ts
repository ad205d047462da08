// Why a command in a comment was not carried out: one line, in the footer of our comment, or alone where there is none.
import type { CommandReply } from '../../core/thread.ts';

/** As the last line of a comment that is nothing else. */
const REPLY_MARKER = '<!-- causeway:reply -->';
/** A reply of ours that is older is not looked for any more. */
export const REPLY_MS = 90 * 86_400_000;
const LINE = /^<sub>😕 .*<\/sub><!-- causeway:reply -->\n*/m;

/** One line of Markdown. */
function describeReply({ why }: CommandReply): string {
  switch (why.code) {
    case 'fix_needs_write':
      return '`/analyse fix` needs write access to this repository.';
    case 'nothing_to_stop':
      return 'Nothing is running here, so there was nothing to stop.';
    case 'branch_in_fork':
      return "No pull request can be opened for this: the branch is in a fork, and Causeway doesn't push to forks.";
    case 'overtaken':
      return 'A newer analysis started after that `/analyse fix`. Read its result, then comment `/analyse fix` again.';
    case 'nothing_failed':
      return 'No check has failed here, so there is nothing to analyse.';
    case 'already_open':
      return `A pull request is already open: ${linkOpen(why)}`;
    case 'did_you_mean':
      return `Did you mean \`/analyse ${why.command}\`? Nothing was started. For an analysis with a hint, write the hint in a few words.`;
    case 'no_feedback_yet':
      return "`/analyse right` and `/analyse wrong` aren't available yet. Nothing was started.";
  }
}

function linkOpen({ number, url }: { readonly number: number; readonly url: string }): string {
  return /^https?:\/\/[^\s()<>"]+$/.test(url) ? `[#${number}](${url})` : `\`#${number}\``;
}

/** The comment with the reply in its footer, in place of an earlier one. Its last line, by which we find it, stays the last. */
export function appendReply(comment: string, reply: CommandReply): string {
  const before = comment.replaceAll('\r\n', '\n').trimEnd();
  if (before.endsWith(`\n${REPLY_MARKER}`)) return renderReply(reply);
  const lines = before.replace(LINE, '').split('\n');
  const marker = lines.pop() ?? '';
  return [...lines, `<sub>😕 ${describeReply(reply)}</sub>${REPLY_MARKER}`, '', marker].join('\n');
}

/** The whole comment, where there is none of ours yet. */
export function renderReply(reply: CommandReply): string {
  return `😕 ${describeReply(reply)}\n\n${REPLY_MARKER}`;
}

/** Whether the comment is nothing but a reply: a result takes its place. */
export function isReplyAlone(body: string): boolean {
  return body.replaceAll('\r\n', '\n').trimEnd().endsWith(`\n${REPLY_MARKER}`);
}
