// Known failures in words: our one comment on the issue, and the answers to `/analyse known`.
import { formatCodeSpan, formatInlineCode, sanitiseInline } from 'causeway-safe-markdown';
import {
  describeKnownRefusal,
  type KnownHits,
  type KnownIssue,
  type KnownRefusal,
  MATCHED_DAYS,
} from '../../core/check/index.ts';
import { formatCounted } from '../../core/counted.ts';
import type { CommandReply } from '../../core/thread/index.ts';
import { formatList, renderMarkdownPage, text } from './page.ts';

const QUOTED_CHARACTERS = 160;
const PULLS_SHOWN = 20;
const SHA = /^[0-9a-f]{40,64}$/;

/** What the comment is rendered from. */
export interface KnownComment {
  readonly known: KnownIssue;
  readonly hits: KnownHits;
  /** Headlines of the failures that are tied, by their ids. */
  readonly headlines: ReadonlyMap<string, string>;
  /** `https://github.com/owner/name`. */
  readonly address: string;
  readonly marker: string;
}

export function renderKnownComment({ known, hits, headlines, address, marker }: KnownComment): string {
  const { state, number, ties } = known;
  const { last, count, afterEnd } = hits;
  const covered = count - afterEnd;
  const where = last === null ? '' : `${formatMoment(last.at)}${describePlace(last, address)}`;
  const back =
    afterEnd === 0
      ? ''
      : `**Seen ${formatTimes(afterEnd)} since it ended**: a regression, or branches that are older than the fix.`;
  return renderMarkdownPage({
    open: [
      text(`**Known failure · seen ${formatTimes(covered)}**`),
      text(back),
      text(where === '' ? '' : `Last: ${where}.`),
      text(listPulls(hits, address)),
      text(`Tied to this issue:\n${formatList(listTied(known, headlines), PULLS_SHOWN)}`),
      text(
        state === 'open'
          ? `Failed checks like this are shown as “known: #${number}” and not investigated, until this issue is closed. A pull request that changes the failing test or the file that fails is never covered.`
          : `This has ended: nothing is covered any more.${ties.length === 0 ? '' : ' If it fails again, check runs and this comment say so.'}`,
      ),
    ],
    footer: 'updated at most once an hour',
    marker,
  });
}

function formatTimes(count: number): string {
  return count === 1 ? 'once' : formatCounted(count, 'time');
}

function formatMoment(at: string): string {
  const moment = new Date(at);
  return Number.isNaN(moment.getTime()) ? 'unknown' : `${moment.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function describePlace({ checkName, pullRequest, sha }: NonNullable<KnownHits['last']>, address: string): string {
  const check = formatCodeSpan(checkName);
  const at = linkChecks(address, sha, pullRequest === null ? sha.slice(0, 7) : `#${pullRequest}`);
  return `${check === '' ? '' : `, ${check}`} ${pullRequest === null ? 'at' : 'in'} ${at}`;
}

/** By the page of the commit's checks: the address of a pull request would leave a mention there. */
function linkChecks(address: string, sha: string, name: string): string {
  return SHA.test(sha) ? `[${name}](${address}/commit/${sha}/checks)` : formatCodeSpan(name);
}

function listPulls({ pulls, pullRequestCount: total }: KnownHits, address: string): string {
  if (pulls.length === 0) return '';
  const shown = pulls.slice(0, PULLS_SHOWN).map(({ number, sha }) => linkChecks(address, sha, `#${number}`));
  const more = total - shown.length;
  return `${formatCounted(total, 'pull request')}: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

function listTied({ ties }: KnownIssue, headlines: ReadonlyMap<string, string>): readonly string[] {
  if (ties.length === 0) return ['nothing any more'];
  return ties.map((tie) => {
    // As code, so that no one is notified.
    const by = tie.by === null ? '' : `, by ${formatCodeSpan(tie.by.login)}`;
    if (tie.kind === 'pattern') return `lines that match ${formatInlineCode(tie.pattern)}${by}`;
    return `${quoteLine(headlines.get(tie.failureId) ?? '') || 'a failure'}${by}`;
  });
}

function quoteLine(line: string): string {
  return formatCodeSpan(line.length > QUOTED_CHARACTERS ? `${line.slice(0, QUOTED_CHARACTERS - 1)}…` : line);
}

type KnownReply = Extract<CommandReply['why'], { readonly code: `known_${string}` }>;

export function isKnownReply(why: CommandReply['why']): why is KnownReply {
  return why.code.startsWith('known_');
}

/** One line of Markdown. */
export function describeKnownReply(why: KnownReply): string {
  switch (why.code) {
    case 'known_needs_write':
      return '`/analyse known` needs write access to this repository.';
    case 'known_not_kept':
      return 'Known failures are kept by the Causeway server only: as an action, it keeps no records.';
    case 'known_tied':
      return `From now on failed checks with a line that matches ${formatInlineCode(why.pattern)} are known: #${why.issue}. \`/analyse known #${why.issue} no\` takes that back.`;
    case 'known_proposed': {
      const matches = why.matches.map(({ headline, checks, pullRequests, line }) => {
        const pulls = pullRequests.map((number) => formatCodeSpan(`#${number}`)).join(', ');
        return `${quoteLine(headline || line)} (${formatCounted(checks, 'failed check')}${pulls === '' ? '' : `, in ${pulls}`})`;
      });
      return `In the last ${MATCHED_DAYS} days ${formatInlineCode(why.pattern)} would have matched ${matches.join('; ')}. Nothing counts yet: \`/analyse known #${why.issue} yes\` ties it to #${why.issue}.`;
    }
    case 'known_refused':
      return describeRefused(why.refusal, why.issue);
  }
}

function describeRefused(refusal: KnownRefusal, issue: number | null): string {
  const said = describeKnownRefusal(refusal);
  switch (refusal.code) {
    case 'known_which_failure': {
      const number = issue ?? 123;
      const named = refusal.failures.map(
        ({ id, headline }) =>
          `\`/analyse known #${number} ${id}\` for ${quoteLine(headline) || 'a failure without an error line'}`,
      );
      return `${said} ${named.join('; ')}.`;
    }
    case 'known_pattern_passes':
      return `${said} That check is ${formatCodeSpan(refusal.check) || 'one of those that match'}.`;
    case 'known_pattern_invalid':
      // It quotes the pattern.
      return describeKnownRefusal({ ...refusal, why: sanitiseInline(refusal.why, QUOTED_CHARACTERS) });
    default:
      return said;
  }
}

/** Whether the command was carried out, or waits for a word of the person: neither is confusing. */
export function isCarriedOut({ code }: { readonly code: string }): boolean {
  return CARRIED_OUT.has(code);
}

const CARRIED_OUT: ReadonlySet<string> = new Set<CommandReply['why']['code']>([
  'help',
  'carried_out',
  'prove_begun',
  'prove_ended',
  'prove_runs',
  'known_proposed',
  'known_tied',
]);
