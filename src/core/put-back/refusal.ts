// Why a commit was not reverted on request, and how a person does it at home.

import { describeFullDay } from '../proof/index.ts';

/** What is needed to revert by hand. */
export interface RevertAtHome {
  readonly sha: string;
  /** A merge commit is reverted relative to its first parent. */
  readonly isMerge: boolean;
  /** What the commit, or its pull request, changed; at most `MOST_HOME_FILES`. */
  readonly files: readonly string[];
  /** How many more there are. */
  readonly more: number;
}

export const MOST_HOME_FILES = 20;

export type PutBackRefusal =
  /** The failure has ended, or GitHub names another commit for it by now. */
  | { readonly code: 'checks_pass' | 'no_write_access' | 'archived' }
  /** `lacks`: permissions that were not granted; empty: the mode opens no pull requests. */
  | { readonly code: 'turned_off'; readonly lacks: readonly string[] }
  /** Somebody has reverted it by another pull request, which is open. */
  | { readonly code: 'rival_open'; readonly number: number }
  /** No merged pull request brought it, or a too large one. */
  | { readonly code: 'pushed_directly' | 'too_many_files'; readonly home: RevertAtHome }
  /** `said`: GitHub's words; "" for none. */
  | { readonly code: 'conflict'; readonly said: string; readonly home: RevertAtHome }
  /** Workflows, actions or CODEOWNERS: `paths`. */
  | { readonly code: 'protected'; readonly paths: readonly string[]; readonly home: RevertAtHome }
  /** Of the runs of CI that requests may cause here; `limit` 0: none may. */
  | { readonly code: 'day_limit'; readonly limit: number; readonly freeAt: string | null; readonly home: RevertAtHome }
  /** A permission, or answers that were lost. */
  | { readonly code: 'github_refused'; readonly home: RevertAtHome };

/** Decides what CI does, and who has to approve: a revert of it is a person's own. */
const PROTECTED = /(?:^|\/)(?:\.github\/(?:workflows|actions)\/.|(?:action\.ya?ml|codeowners)$)/i;

export function listProtected(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => PROTECTED.test(path));
}

/** A sentence; names from outside are quoted as code. */
export function describePutBackRefusal(reason: PutBackRefusal): string {
  switch (reason.code) {
    case 'checks_pass':
      return 'The checks pass again, so there is nothing to revert.';
    case 'no_write_access':
      return 'The person who requested it has no write access (any more).';
    case 'archived':
      return 'The repository is archived.';
    case 'turned_off': {
      if (reason.lacks.length === 0) return 'Pull requests are turned off here (`mode`).';
      const wanted = reason.lacks.map((name) => `\`${name}: write\``).join(' and ');
      return `Causeway wasn't granted ${wanted} here. An administrator can grant it in the settings of the App's installation on GitHub.`;
    }
    case 'rival_open':
      return `#${reason.number} is already open and reverts it.`;
    case 'pushed_directly':
      return 'It was pushed directly, without a pull request that GitHub could revert.';
    case 'too_many_files':
      return 'Its pull request changed more files than can be checked here.';
    case 'conflict':
      return `GitHub couldn't revert it. Mostly later commits changed the same lines, it is reverted already, or it wasn't merged by GitHub.${reason.said === '' ? '' : ` GitHub says: ${quoteSaid(reason.said)}`}`;
    case 'protected':
      return `It changed ${listNames(reason.paths)}. Causeway doesn't touch workflows, actions or CODEOWNERS.`;
    case 'day_limit': {
      const why = describeFullDay(reason);
      return `${why.slice(0, 1).toUpperCase()}${why.slice(1)}.`;
    }
    case 'github_refused':
      return 'GitHub refused it: a rule of the repository, a missing permission, or it gave no answer.';
  }
}

function quoteSaid(said: string): string {
  return `“${said.replaceAll('`', '').slice(0, 300)}”`;
}

const NAMES_SHOWN = 3;

function listNames(paths: readonly string[]): string {
  const shown = paths.slice(0, NAMES_SHOWN).map((path) => `\`${path.replaceAll('`', '').slice(0, 200)}\``);
  const more = paths.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Null: there is nothing to do at home. */
export function findRevertAtHome(reason: PutBackRefusal): RevertAtHome | null {
  return 'home' in reason ? reason.home : null;
}

/** To be run as it is; a sha has no character that a shell reads. */
export function formatRevertCommand({ sha, isMerge }: RevertAtHome): string {
  return `git revert ${isMerge ? '-m 1 ' : ''}${sha}`;
}

/** Whether asking again leads to the same: then it isn't offered again. */
export function isLastingRefusal({ code }: PutBackRefusal): boolean {
  return code === 'pushed_directly' || code === 'too_many_files' || code === 'conflict' || code === 'protected';
}
