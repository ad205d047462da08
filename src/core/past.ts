// A project's last days: what failed, which issues were opened, and the forecast of what Causeway would have made of them.
import type { Check, Verdict } from './check.ts';
import { formatDollars } from './effort.ts';
import type { GithubProject } from './project.ts';

/** What GitHub shows of the last days. */
export interface Past {
  /** Newest first; of a job that failed more than once in one workflow run the last time. */
  readonly checks: readonly PastCheck[];
  /** Failed workflow runs whose jobs were not read: there were no calls left. */
  readonly unreadRuns: number;
  /** Since when workflow runs were read, ISO 8601: later than asked for where there are too many. */
  readonly from: string;
  readonly issues: PastIssues;
  /** Calls to the API. */
  readonly calls: number;
}

export interface PastReader {
  /**
   * The failed jobs of Actions since then, and the issues opened since then, in at most `mostCalls` calls to the API.
   * Throws ChecksBusy, ChecksClosed, and the signal's reason.
   */
  listPast(
    project: GithubProject,
    past: { readonly since: string; readonly mostCalls: number },
    signal: AbortSignal,
  ): Promise<Past>;
}

/** One failed job. */
export interface PastCheck {
  readonly sha: string;
  readonly branch: string;
  readonly pullRequest: number | null;
  readonly check: Check;
  /** Whether it passed when its workflow run was repeated. */
  readonly passedAgain: boolean;
  /** The same job in the last run of its workflow on the default branch that began before; `runId` as that of a check. */
  readonly base: { readonly state: 'unknown' | 'green' } | { readonly state: 'red'; readonly runId: number };
}

/** Issues that were opened, without pull requests; at most 500 are looked at. */
export interface PastIssues {
  /** That start an analysis. */
  readonly labels: readonly string[];
  readonly opened: number;
  /** Of those the ones that have such a label now, newest first. */
  readonly labelled: readonly { readonly number: number; readonly title: string; readonly url: string }[];
}

/** What Causeway would have made of the last days. Texts are redacted. */
export interface Forecast {
  /** ISO 8601. */
  readonly from: string;
  readonly until: string;
  readonly groups: Readonly<Record<Verdict, ForecastGroup>>;
  /** Failed checks whose log was not read, and failed workflow runs of which nothing was. */
  readonly unreadChecks: number;
  readonly unreadRuns: number;
  readonly issues: PastIssues;
  /** Investigations of distinct failures, and of labelled issues. */
  readonly investigations: number;
  /** What they would have cost with a model, and one of them. */
  readonly usd: number;
  readonly usdEach: number;
}

/** Failed checks with the same verdict. */
export interface ForecastGroup {
  readonly checks: number;
  /** Distinct failed tests; 0: none is named. */
  readonly tests: number;
  /** The newest; at most `MOST_LISTED`. */
  readonly listed: readonly ForecastCheck[];
}

export interface ForecastCheck {
  readonly name: string;
  readonly branch: string;
  readonly pullRequest: number | null;
  /** The first error, one line; "" where there is none. */
  readonly headline: string;
  readonly url: string;
}

export const MOST_LISTED = 20;

/** In the order in which they are shown. */
export const FORECAST_GROUPS: readonly (readonly [Verdict, string])[] = [
  ['code', 'by the change'],
  ['flaky', 'flaky'],
  ['base_broken', 'the base'],
  ['infrastructure', 'the machine'],
  ['inconclusive', 'unclear'],
];

/** `41 failed checks: 23 by the change, 9 flaky (3 tests), …; 6 issues labelled; about $1.90`. */
export function summariseForecast(forecast: Forecast): string {
  const { groups, unreadChecks, issues, usd } = forecast;
  const parts = FORECAST_GROUPS.flatMap(([verdict, words]) => {
    const { checks, tests } = groups[verdict];
    const named = verdict === 'flaky' && tests > 0 ? ` (${count(tests, 'test')})` : '';
    return checks === 0 ? [] : [`${checks} ${words}${named}`];
  });
  if (unreadChecks > 0) parts.push(`${unreadChecks} not read`);
  const failed = count(countFailed(forecast), 'failed check');
  const checks = parts.length === 0 ? failed : `${failed}: ${parts.join(', ')}`;
  return `${checks}; ${count(issues.labelled.length, 'issue')} labelled; about ${formatDollars(usd)}`;
}

function countFailed({ groups, unreadChecks }: Forecast): number {
  return Object.values(groups).reduce((sum, { checks }) => sum + checks, unreadChecks);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** What a reader has to know of the figures, a sentence each. */
export function explainForecast(forecast: Forecast): readonly string[] {
  const { groups, from, unreadChecks, unreadRuns, issues, investigations, usdEach } = forecast;
  const labels = issues.labels.map((label) => `"${label}"`).join(' or ');
  const distinct = investigations - issues.labelled.length;
  return [
    ...(groups.inconclusive.checks > 0
      ? ['Unclear: the log names no cause, or nothing ties it to the change and there is no such check on the base.']
      : []),
    ...(groups.code.checks > 0 || groups.base_broken.checks > 0
      ? ['On the default branch "the base" is what an earlier commit had broken already.']
      : []),
    issues.opened === 0
      ? 'No issue was opened.'
      : `${count(issues.opened, 'issue')} opened, ${issues.labelled.length} of them with the label ${labels}.`,
    `The money: ${count(investigations, 'investigation')} (${count(distinct, 'distinct failure')}, ${count(issues.labelled.length, 'labelled issue')}) at about ${formatDollars(usdEach)} each with a model; without one it costs nothing.`,
    ...(unreadRuns > 0 || unreadChecks > 0
      ? [
          `Not read, for lack of calls to GitHub: the logs of ${count(unreadChecks, 'failed check')}, and ${count(unreadRuns, 'failed workflow run')}.`,
        ]
      : []),
    `Workflow runs are read since ${from.slice(0, 10)}; only checks of GitHub Actions are.`,
  ];
}
