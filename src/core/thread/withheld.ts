// Why a change got no pull request: a code with its data, and the one text that comments, check runs and the API show.

/** The branch that pull requests go to, if it is not the analysed one; people then have to port the change. */
export interface OtherBase {
  readonly base: string;
  readonly analysed: string;
}

export type WithheldReason =
  | {
      readonly code:
        | 'archived'
        | 'branch_taken'
        | 'change_deleted'
        | 'checks_pass'
        | 'fork'
        | 'issue_closed'
        /** The setting that lets workflows open pull requests is off. */
        | 'not_by_actions'
        | 'no_write_access'
        | 'pull_request_closed';
    }
  | { readonly code: 'github_refused'; readonly status: number | null }
  | { readonly code: 'commit_gone'; readonly sha: string }
  | { readonly code: 'no_branch'; readonly branch: string }
  /** `earlier`: ours, of an earlier analysis. `rival`: someone else's for the same issue. */
  | { readonly code: 'earlier_open' | 'rival_open'; readonly number: number }
  /** The file on the branch is not the analysed one, or there is one where a new file would be. */
  | { readonly code: 'file_changed' | 'file_exists'; readonly path: string; readonly otherBase: OtherBase | null }
  | { readonly code: 'diff_refused'; readonly otherBase: OtherBase | null }
  | {
      readonly code: 'holds_secret' | 'holds_redacted' | 'not_a_file' | 'not_text' | 'path_not_allowed';
      readonly path: string;
    };

/** Completes "No pull request was opened:". Names from outside are quoted as code. */
export function describeWithheld(reason: WithheldReason): string {
  switch (reason.code) {
    case 'archived':
      return 'the repository is archived.';
    case 'branch_taken':
      return 'its branch name is taken. Comment `/analyse retry` to use another.';
    case 'change_deleted':
      return 'the change was deleted.';
    case 'checks_pass':
      return 'the checks pass again, so there is nothing to fix.';
    case 'fork':
      return "its branch is in a fork, and Causeway doesn't push to forks.";
    case 'issue_closed':
      return 'the issue has been closed.';
    case 'not_by_actions':
      return 'GitHub Actions may not open pull requests here. Allow it under Settings → Actions → General → Workflow permissions (“Allow GitHub Actions to create and approve pull requests”), then comment `/analyse fix`. The change is above and can be applied by hand.';
    case 'no_write_access':
      return 'the person who requested it has no write access (any more).';
    case 'pull_request_closed':
      return 'the pull request has been closed.';
    case 'github_refused': {
      const status = reason.status === null ? '' : ` (${reason.status})`;
      return `GitHub refused it${status}: a rule of the repository or a missing permission.`;
    }
    case 'commit_gone':
      return `commit ${reason.sha.slice(0, 7)} is no longer available. Comment \`/analyse retry\` to start again.`;
    case 'no_branch':
      return `there is no branch ${quoteName(reason.branch)}.`;
    case 'earlier_open':
      return `#${reason.number} from an earlier analysis is still open. Close it, then comment \`/analyse retry\`.`;
    case 'rival_open':
      return `#${reason.number} is already open for this issue.`;
    case 'file_changed': {
      const what = reason.otherBase === null ? 'has changed since it was analysed' : 'differs on that branch';
      return `${quoteName(reason.path)} ${what}. ${describeWithheldRepair(reason.otherBase)}`;
    }
    case 'file_exists':
      return `${quoteName(reason.path)} already exists. ${describeWithheldRepair(reason.otherBase)}`;
    case 'diff_refused':
      return `the change no longer applies. ${describeWithheldRepair(reason.otherBase)}`;
    case 'holds_secret':
      return `the change to ${quoteName(reason.path)} contains what looks like a secret.`;
    case 'holds_redacted':
      return `the change to ${quoteName(reason.path)} includes a secret that was redacted.`;
    case 'not_a_file':
      return `${quoteName(reason.path)} isn't an ordinary file.`;
    case 'not_text':
      return `${quoteName(reason.path)} is too large or isn't text, so it can't be changed here.`;
    case 'path_not_allowed':
      return `\`paths\` in Causeway's configuration doesn't allow changes to ${quoteName(reason.path)}.`;
  }
}

/** Another analysis would look at the same branch again, so for another base people have to port the change. */
function describeWithheldRepair(otherBase: OtherBase | null): string {
  if (otherBase === null) return 'Comment `/analyse retry` to analyse the current state.';
  const { base, analysed } = otherBase;
  return `Pull requests go to ${quoteName(base)} here (\`pull_request.base\`), but ${quoteName(analysed)} was analysed. \
Someone has to port the change.`;
}

function quoteName(name: string): string {
  return `\`${name.replaceAll('`', '').slice(0, 200)}\``;
}
