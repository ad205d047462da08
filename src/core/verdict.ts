// The reasons for the verdict on a red check, as data, and the one place that puts them into words.

/** Texts in it come from logs and from names of checks: untrusted, and cleaned of secrets before they are stored. */
export type Reason =
  | { readonly code: 'passed_at_same_commit' }
  | { readonly code: 'infrastructure'; readonly what: string; readonly line: string }
  | { readonly code: 'open_on_default' }
  /** `cause`: of the failure on the base; `unsaid`: neither of the two says why. */
  | { readonly code: 'red_on_base'; readonly check: string; readonly cause: 'same' | 'other' | 'unknown' | 'unsaid' }
  | { readonly code: 'green_on_base'; readonly check: string }
  /** Whether it is red on the base is not known, and nothing ties it to the change. */
  | { readonly code: 'untied'; readonly check: string }
  | {
      readonly code: 'seen_before';
      readonly hits: number;
      readonly flakyHits: number;
      readonly pullRequests: number;
      readonly branches: number;
    }
  | { readonly code: 'out_of_time' }
  | { readonly code: 'no_log'; readonly why: string }
  /** `isAll`: it says nothing beyond that line, which tells no cause. */
  | { readonly code: 'says'; readonly headline: string; readonly isAll: boolean }
  | { readonly code: 'says_nothing' }
  | { readonly code: 'test_failed'; readonly test: string; readonly others: number }
  | { readonly code: 'touched'; readonly paths: readonly string[] }
  | { readonly code: 'touched_by_test'; readonly path: string; readonly test: string; readonly how: 'tests' | 'uses' }
  | { readonly code: 'untouched' }
  | { readonly code: 'unexplained' };

/** A sentence without its full stop, in lower case, for a list. */
export function describeReason(reason: Reason): string {
  switch (reason.code) {
    case 'passed_at_same_commit':
      return 'it passed at this very commit as well';
    case 'infrastructure':
      return reason.line === '' ? reason.what : `${reason.what}: ${quote(reason.line)}`;
    case 'open_on_default':
      return 'the same failure is open on the default branch';
    case 'red_on_base':
      return `${nameCheck(reason.check)} is red on the base ${RED_ON_BASE[reason.cause]}`;
    case 'green_on_base':
      return `${nameCheck(reason.check)} is green on the base`;
    case 'untied':
      return `whether ${nameCheck(reason.check)} is red on the base as well is not known, and nothing ties it to the change`;
    case 'seen_before':
      return describeHistory(reason);
    case 'out_of_time':
      return 'it ran out of time or was stopped; what took so long it does not say';
    case 'no_log':
      return `its log cannot be read: ${reason.why}`;
    case 'says':
      if (reason.headline === '') return 'it says what is wrong';
      return `it says: ${quote(reason.headline)}${reason.isAll ? ', and no more' : ''}`;
    case 'says_nothing':
      return 'it is red, but nothing in its log, its annotations or its own words tells why';
    case 'test_failed':
      return `${quote(reason.test)}${reason.others > 0 ? ` and ${count(reason.others, 'other test')}` : ''} failed`;
    case 'touched':
      return `the change touches ${listPaths(reason.paths)}, where it fails`;
    case 'touched_by_test':
      return `the change touches ${reason.path}, which ${reason.test} ${reason.how}`;
    case 'untouched':
      return 'no file of the change under test is one that the failure names';
    case 'unexplained':
      return 'nothing that it says tells what broke it';
  }
}

const RED_ON_BASE = {
  same: 'as well, for the same cause',
  other: 'too, for another cause',
  unknown: 'as well; whether for the same cause is not known',
  unsaid: 'as well; and neither says why',
} as const;

function describeHistory({
  hits,
  flakyHits,
  pullRequests,
  branches,
}: Extract<Reason, { readonly code: 'seen_before' }>): string {
  const places = [
    ...(pullRequests > 0 ? [count(pullRequests, 'other pull request')] : []),
    ...(branches > 0 ? [`${branches} other ${branches === 1 ? 'branch' : 'branches'}`] : []),
  ];
  const where = places.length > 0 ? ` on ${places.join(' and ')}` : '';
  const flaky = flakyHits > 0 ? `, ${flakyHits} of them passed when run again` : '';
  return `seen ${hits === 1 ? 'once' : `${hits} times`} before${where}${flaky}`;
}

const MAX_QUOTED = 160;

function quote(text: string): string {
  const short = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED - 1)}…` : text;
  return `“${short.trim()}”`;
}

function nameCheck(name: string): string {
  return name === '' ? 'the same check' : `\`${name.replaceAll('`', '')}\``;
}

function listPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, 2).join(' and ');
  return paths.length > 2 ? `${shown} and ${paths.length - 2} more` : shown;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
