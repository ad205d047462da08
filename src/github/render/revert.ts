// The texts of a revert: its pull request, the comments that close or refuse it, and what the check run says of it.

import { formatCodeSpan, formatPlain, sanitiseInline } from 'causeway-safe-markdown';
import type { BlamedStep } from '../../core/check/index.ts';
import {
  describePutBackRefusal,
  findRevertAtHome,
  formatRevertCommand,
  type PostedRevert,
  type PutBackRefusal,
  type RevertProof,
} from '../../core/put-back/index.ts';
import { isOfRepository } from './comment.ts';
import { type Block, code, describeCount, formatList, renderMarkdownPage, text } from './page.ts';
import { describeFixedFailure, type FixedFailure } from './pull-request.ts';

/** What of a cause was, or can be, taken back. */
export type CauseRevert =
  | { readonly kind: 'none' }
  | { readonly kind: 'offered'; readonly sha: string; readonly button: string; readonly refused: PutBackRefusal | null }
  | { readonly kind: 'opening'; readonly sha: string }
  | { readonly kind: 'opened'; readonly sha: string; readonly pull: PostedRevert }
  | { readonly kind: 'refused'; readonly sha: string; readonly reason: PutBackRefusal };

/** Where its texts are. */
interface RevertPlace {
  /** `owner/name`. */
  readonly repository: string;
  readonly webUrl: string;
}

export interface RevertText {
  readonly place: RevertPlace;
  readonly failure: FixedFailure;
  /** Names of the failed tests, the first of the log first. */
  readonly tests: readonly string[];
  readonly step: BlamedStep;
  /** Why the likeliest commit is that; "": not said. */
  readonly reason: string;
  /** The pull request that is taken back. `author`: a login, never mentioned. */
  readonly reverted: { readonly number: number; readonly title: string; readonly author: string };
  /** A pull request that mends it instead; null: there is none. */
  readonly fix: { readonly number: number; readonly state: 'open' | 'merged' | 'closed' } | null;
  readonly requestedBy: string;
  readonly proof: RevertProof;
  readonly isTaken: boolean;
  /** The commit with which the branch passed without it; "": it did not. */
  readonly passedAt: string;
  readonly marker: string;
}

const MAX_TITLE = 100;
const SHOWN = 20;
const TURNED_SHOWN = 3;

/** The title is one line, the body Markdown with the marker as its last line. */
export function renderRevert(revert: RevertText): { readonly title: string; readonly body: string } {
  const { reverted, requestedBy } = revert;
  const words = formatPlain(reverted.title, MAX_TITLE - 'Revert ""'.length);
  const by = requestedBy === '' ? '' : `requested by ${formatCodeSpan(requestedBy)} · `;
  const body = renderMarkdownPage({
    open: [
      text(`**${describeRevertHeadline(revert)}**`),
      text(describeReverted(revert)),
      text(describeFixedFailure(revert.failure)),
      text(revert.tests.length === 0 ? '' : `Failed tests:\n${formatList(revert.tests.map(formatCodeSpan), SHOWN)}`),
      text(describeRevertProof(revert)),
      text(describeFixInstead(revert)),
      text(describeRevertEnd(revert)),
    ],
    footer: `${by}GitHub made this revert and named its branch; Causeway wrote this text`,
    marker: revert.marker,
  });
  return { title: `Revert "${words || `#${reverted.number}`}"`, body };
}

function describeRevertHeadline({ failure, reverted, step, proof, isTaken, passedAt }: RevertText): string {
  const branch = formatCodeSpan(failure.branch);
  if (passedAt !== '') return `${branch} passes again at ${formatCodeSpan(passedAt.slice(0, 7))} without this revert`;
  const since = step.why === 'only' ? 'since' : 'most likely since';
  const lead = `${branch} has been failing ${since} #${reverted.number}`;
  if (isTaken) return `${lead} · others have taken this revert over`;
  switch (proof.kind) {
    case 'waiting':
      return `${lead} · this takes it back, not proven yet`;
    case 'proven':
      return `${lead} · with it taken back, what failed passes · next: review and merge`;
    case 'still_red':
      return `${branch} is failing, and taking #${reverted.number} back doesn't help · next: close this`;
    case 'breaks':
      return `${lead} · taking it back makes other checks fail · next: look at those`;
    case 'unclear':
      return `${lead} · CI can't tell whether taking it back helps`;
  }
}

/** GitHub links the number, and nobody is mentioned. */
function describeReverted({ reverted, step, failure, reason }: RevertText): string {
  const by = reverted.author === '' ? '' : ` by ${formatCodeSpan(reverted.author)}`;
  const branch = formatCodeSpan(failure.branch);
  const which = `Reverts #${reverted.number}${by}, which came to ${branch} as ${formatCodeSpan(step.sha.slice(0, 12))}.`;
  if (step.why === 'only')
    return `${which} Nothing else came in between the last commit that passed and the first that failed.`;
  const total = describeCount(failure.range?.total ?? 0, 'commit');
  const why = reason === '' ? '' : `: it ${sanitiseInline(reason, 300)}`;
  return `${which} Of the ${total} since ${branch} last passed, only this changed what the failing test reaches${why}.`;
}

function describeRevertProof({ proof, failure, isTaken, place }: RevertText): string {
  if (isTaken) return 'Others have pushed, or made this ready, so Causeway says nothing more about its checks.';
  const branch = formatCodeSpan(failure.branch);
  switch (proof.kind) {
    case 'waiting':
      return "CI hasn't finished here, so it isn't known yet whether this helps.";
    case 'proven': {
      const base = formatCodeSpan(proof.base.slice(0, 12));
      const checks = proof.checks.map(({ name, red, green }) => {
        const [failed, passed] = [linkProofRun('failed', red.url, place), linkProofRun('passed', green.url, place)];
        return `${formatCodeSpan(name)}: ${failed} at ${base} on ${branch}, ${passed} here`;
      });
      const turned = proof.turned.map(formatCodeSpan).filter(Boolean);
      const more = turned.length > TURNED_SHOWN ? ` and ${turned.length - TURNED_SHOWN} more` : '';
      const tests = turned.length === 0 ? '' : ` (${turned.slice(0, TURNED_SHOWN).join(', ')}${more})`;
      return `**Red before, green with this revert${tests}:**\n${formatList(checks, SHOWN)}\n\nCI can't tell what else needs the reverted change, so read it before you merge.`;
    }
    case 'still_red':
      return `${listCheckSpans(proof.checks)} also fails with this revert.`;
    case 'breaks':
      return `With this revert, CI fails where ${branch} doesn't: ${listCheckSpans(proof.checks)}.`;
    case 'unclear':
      return `Not proven: ${UNCLEAR[proof.because]}.`;
  }
}

const UNCLEAR: Readonly<Record<Extract<RevertProof, { kind: 'unclear' }>['because'], string>> = {
  not_red: 'the failure is not seen at the commit that this revert stands on',
  flaky: 'a check had both results at one commit',
  not_run: 'the failing check did not run here',
  too_long: 'CI has not ended in two hours',
};

function listCheckSpans(names: readonly string[]): string {
  const shown = names.slice(0, 5).map(formatCodeSpan).filter(Boolean).join(', ');
  return `${shown || 'a check'}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;
}

/** Checks of others may lead anywhere. */
function linkProofRun(word: string, url: string, place: RevertPlace): string {
  return isOfRepository(url, place) ? `[${word}](${url})` : word;
}

function describeFixInstead({ fix }: RevertText): string {
  if (fix === null || fix.state === 'closed') return '';
  return fix.state === 'open'
    ? `Instead of going back: #${fix.number} proposes a fix.`
    : `#${fix.number}, a fix for it, was merged meanwhile.`;
}

function describeRevertEnd({ passedAt, failure }: RevertText): string {
  if (passedAt !== '') return '';
  return `Causeway never merges. When ${formatCodeSpan(failure.branch)} passes again without this, it is closed, unless somebody has taken it over.`;
}

/** The comment with which we close it. */
export function renderRevertClosed(branch: string, sha: string, marker: string): string {
  const line = `${formatCodeSpan(branch)} passes again at ${formatCodeSpan(sha.slice(0, 7))} without this revert, so it is closed. Reopen it if it is still wanted; Causeway leaves it alone then.`;
  return renderMarkdownPage({ open: [text(line)], marker });
}

/** The comment that answers a request which was not carried out. */
export function renderRevertRefused(
  { sha, login, reason }: { readonly sha: string; readonly login: string; readonly reason: PutBackRefusal },
  marker: string,
): string {
  const to = login === '' ? '' : `For ${formatCodeSpan(`@${login}`)}: `;
  const line = `😕 ${to}${formatCodeSpan(sha.slice(0, 7))} was not reverted.`;
  return renderMarkdownPage({ open: [text(line), ...renderRevertRefusal(reason)], marker });
}

/** The reason, the files, and what to run at home. */
function renderRevertRefusal(reason: PutBackRefusal): readonly Block[] {
  const home = findRevertAtHome(reason);
  const why = text(sanitiseInline(describePutBackRefusal(reason), 900));
  if (home === null) return [why];
  const files = home.files.map((path) => formatCodeSpan(path) || '–');
  const more = home.more > 0 ? [`and ${describeCount(home.more, 'more file')}`] : [];
  return [
    why,
    text(files.length === 0 ? '' : `It changed:\n${formatList([...files, ...more], SHOWN + 1)}`),
    text('To revert it yourself:'),
    code(formatRevertCommand(home), 'sh'),
  ];
}

/** Of the check run, below the commits. */
export function renderCauseRevert(revert: CauseRevert, place: RevertPlace): readonly Block[] {
  switch (revert.kind) {
    case 'none':
      return [];
    case 'offered': {
      const refused = revert.refused === null ? [] : renderRevertRefusal(revert.refused);
      const commit = formatCodeSpan(revert.sha.slice(0, 7));
      return [
        ...refused,
        text(
          `To put it back: click “${revert.button}” for GitHub's own revert of ${commit} as a draft (write access required). Nothing is merged.`,
        ),
      ];
    }
    case 'opening':
      return [text(`Opening a draft that reverts ${formatCodeSpan(revert.sha.slice(0, 7))}.`)];
    case 'opened':
      return [text(describeOpened(revert, place))];
    case 'refused':
      return [
        text(`${formatCodeSpan(revert.sha.slice(0, 7))} was not reverted.`),
        ...renderRevertRefusal(revert.reason),
      ];
  }
}

function describeOpened({ sha, pull }: Extract<CauseRevert, { kind: 'opened' }>, place: RevertPlace): string {
  const link = linkRevert(pull, place);
  const commit = formatCodeSpan(sha.slice(0, 7));
  switch (pull.state) {
    case 'merged':
      return `${commit} was reverted in ${link}.`;
    case 'closed':
      return pull.closedFor === null
        ? `${link}, which reverts ${commit}, was closed without merging.`
        : `${link}, which reverts ${commit}, was closed: the branch passes again without it.`;
    case 'open':
      return `${link} reverts ${commit}${describeShownProof(pull)}.`;
  }
}

function describeShownProof({ proof, isTaken }: PostedRevert): string {
  if (isTaken) return '; others have taken it over';
  switch (proof.kind) {
    case 'waiting':
      return '; its checks are running';
    case 'proven':
      return ', proven in CI: what failed here passes with it';
    case 'still_red':
      return ", but what failed here fails with it as well: it doesn't help";
    case 'breaks':
      return ', but other checks fail with it';
    case 'unclear':
      return '; CI could not tell whether it helps';
  }
}

export function linkRevert({ number, url }: PostedRevert, place: RevertPlace): string {
  return isOfRepository(url, place) ? `[#${number}](${url})` : `\`#${number}\``;
}
