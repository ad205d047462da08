// Why no analysis was begun for red checks, as a sentence.
import type { NotBegun } from './head.ts';

const NAMES_SHOWN = 3;
const BY_TRIAGE = 'Someone with triage access or above can start an analysis with `/analyse`.';

/** A sentence in Markdown. Names of checks are untrusted: sanitise it where it is shown. */
export function describeNotBegun(why: NotBegun): string {
  switch (why.code) {
    case 'pending':
      return 'The analysis has not started yet.';
    case 'uninformative':
      return "The output of the check doesn't say enough to analyse.";
    case 'erased':
      return 'Its analysis was deleted.';
    case 'requested':
      return 'An analysis was requested in a comment on the pull request; see the reply there.';
    case 'known':
      return `It is a known failure: #${why.issue}.`;
    case 'not_mine':
      return "Someone with write access said that it isn't because of this change.";
    case 'base_broken':
      return 'The base branch fails in the same way; the cause is there.';
    case 'flaky':
      return 'It passes and fails at the same commit. Re-running it is more useful than analysing it.';
    case 'infrastructure':
      return 'The machine or a service failed, not the code. A re-run may be all it takes.';
    case 'no_pull_request':
      return 'The branch has no pull request, so no analysis starts automatically.';
    case 'fork':
      return `The pull request comes from a fork. ${BY_TRIAGE}`;
    case 'draft':
      return 'The pull request is a draft. `/analyse` starts an analysis.';
    case 'bot_author':
      return `The author is a bot. \`checks.bots: investigate\` in \`.github/causeway.yml\` has its failed checks analysed automatically. ${BY_TRIAGE}`;
    case 'bot_limit':
      return `Pull requests of bots have reached their limit of ${why.limit} automatic analyses in 24 hours. ${BY_TRIAGE}`;
    case 'untrusted_author':
      return `The author has no write access. ${BY_TRIAGE}`;
    case 'checks_running':
      return describeStillRunning(why.names);
    case 'commit_limit':
      return `This commit has reached its limit of ${why.limit} automatic analyses.${describeAlternative(why)}`;
    case 'daily_limit':
      return `This repository has reached its limit of ${why.limit} automatic analyses in 24 hours.${describeAlternative(why)}`;
  }
}

function describeStillRunning(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => `\`${name.replaceAll('`', '')}\``);
  const more = names.length > NAMES_SHOWN ? ' and more' : '';
  return `Not all checks have finished: ${shown.join(', ')}${more}. List a check that never finishes under \`checks.exclude\`.`;
}

function describeAlternative({ isPullRequest }: { readonly isPullRequest: boolean }): string {
  return isPullRequest ? ' `/analyse` starts another one.' : '';
}
