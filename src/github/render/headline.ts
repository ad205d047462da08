// The line that everybody reads: what came of it, how sure that is, and what to do next.
import type { Issue, Outcome } from '../../core/issue.ts';
import { codeSpan } from '../../core/markdown/github.ts';
import { STOP } from './footer.ts';
import type { FixStanding, Place, ResultGround } from './ground.ts';
import { redWords } from './red-checks.ts';

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  code_fix: 'Cause found, with a fix',
  action_recommended: 'Cause found, with something to do',
  needs_information: 'More information is needed',
  already_fixed: 'Already fixed',
  not_a_bug: 'Not a bug',
  inconclusive: "I don't know the cause",
  facts_only: 'Facts only, no model was asked',
};

const NEXT: Readonly<Record<Outcome, string>> = {
  code_fix: 'read the diff below',
  action_recommended: 'do what stands below',
  needs_information: 'answer the questions below',
  already_fixed: 'update, then close this',
  not_a_bug: 'close this, or say what was missed',
  inconclusive: 'add what you know, then `/analyse retry`',
  facts_only: 'check the places below',
};

type Headed = Pick<ResultGround, 'fix' | 'place' | 'checks' | 'isSuggested'>;

const SUGGESTED = 'next: commit the suggestions in the changed files';

/** Bold, one line: `outcome · confidence · next: …`, with the red checks in front where they asked. */
export function headline({ analysis }: Issue, ground: Headed): string {
  const { outcome, partial, confidence } = analysis;
  const silent = outcome === 'facts_only' && partial;
  const parts = [
    ...(ground.checks === undefined ? [] : [redWords(ground.checks)]),
    silent ? 'Facts only, the model gave no answer' : OUTCOMES[outcome],
    ...(partial && !silent ? ['cut short'] : []),
    ...(confidence === null ? [] : [`confidence ${Math.round(confidence * 100)} %`]),
    // Without a suspect there is no place to check.
    nextAction(outcome === 'facts_only' && analysis.suspects.length === 0 ? 'inconclusive' : outcome, ground),
  ];
  return `**${parts.join(' · ')}**`;
}

function nextAction(outcome: Outcome, { fix, place, isSuggested = false }: Headed): string {
  const next = isSuggested ? SUGGESTED : `next: ${NEXT[outcome]}`;
  switch (fix.kind) {
    case 'opened':
      return openedAction(fix, place);
    case 'opening':
      return 'a pull request is being opened';
    case 'observed':
      return 'a pull request would be opened, were it not for mode `observe`';
    case 'on_request':
      return isSuggested
        ? `${SUGGESTED}, or \`/analyse fix\` for a pull request into this branch (needs write access)`
        : 'next: `/analyse fix` opens a pull request (needs write access)';
    case 'withheld':
      return outcome === 'code_fix' && !isSuggested ? 'no pull request: the reason stands below' : next;
    case 'none':
      return next;
  }
}

function openedAction(fix: Extract<FixStanding, { readonly kind: 'opened' }>, place: Place): string {
  const link = pullRequestLink(fix, place);
  if (fix.state === 'merged') return `merged in ${link}`;
  if (fix.state === 'closed') return `${link} was closed unmerged`;
  if (fix.isHandedOver) return `next: ${link} needs a person, its checks are red`;
  if (fix.isTrying) return `${link} has red checks · a further attempt runs, ${STOP}`;
  switch (fix.checks) {
    case 'waiting':
      return `${link} waits for its checks`;
    case 'green':
      return `next: review ${link}, its checks are green`;
    case 'red':
      return `${link} has red checks`;
    case 'none':
      return `next: review ${link}, no checks ran here`;
    case 'moved':
      return `next: review ${link}, which others have pushed to`;
  }
}

/** Our own pull request; an address outside of the repository would not be it, and is not linked. */
function pullRequestLink({ number, url }: { readonly number: number; readonly url: string }, place: Place): string {
  const name = `#${number}`;
  return isOfRepository(url, place) ? `[${name}](${url})` : codeSpan(name);
}

/** Whether an address lies within the repository's own pages and ends no link early. */
export function isOfRepository(url: string, { webUrl, repository }: Pick<Place, 'webUrl' | 'repository'>): boolean {
  return (
    url.startsWith(`${webUrl}/${repository}/`) && /^[^\s()<>[\]\\"'`@]+$/.test(url) && !/\/\.\.?(?:\/|$)/.test(url)
  );
}
