// A project's last days: what failed, which issues were opened, and the forecast of what Causeway would have made of them.
import type { Check, Verdict } from './check/index.ts';
import { formatDollars } from './issue/index.ts';
import type { GithubProject } from './project/index.ts';

/** What GitHub shows of the last days. */
export interface Past {
  /** Newest first; of a job that failed more than once in one workflow run the last time. */
  readonly checks: readonly PastCheck[];
  /** Workflow runs that GitHub listed, of whichever end; null: it shows none to us, or has none for there is no Actions. */
  readonly runs: number | null;
  /** Failed workflow runs whose jobs were not read: there were no calls left, or GitHub did not show them. */
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
   * `isPatient`: throws ChecksBusy where GitHub has no more calls for us; else what was listed by then is enough, unless it is
   * nothing. Throws ChecksClosed, and the signal's reason.
   */
  listPast(
    project: GithubProject,
    past: { readonly since: string; readonly mostCalls: number; readonly isPatient: boolean },
    signal: AbortSignal,
  ): Promise<Past>;
}

/** One failed job. */
export interface PastCheck {
  readonly sha: string;
  readonly branch: string;
  readonly pullRequest: number | null;
  /** Whether a person pushed it to this repository, which takes write access: no fork, and no bot. */
  readonly isTrusted: boolean;
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
  /** Null: GitHub did not show them. */
  readonly opened: number | null;
  /** Of those the ones that have such a label now, newest first. */
  readonly labelled: readonly { readonly number: number; readonly title: string; readonly url: string }[];
}

/** What Causeway would have made of the last days. Texts are redacted. */
export interface Forecast {
  /** ISO 8601. */
  readonly from: string;
  readonly until: string;
  readonly groups: Readonly<Record<Verdict, ForecastGroup>>;
  /** Workflow runs that were looked at, of whichever end; null: GitHub shows none. */
  readonly runs: number | null;
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
  /** Absent in forecasts stored by an older version. */
  readonly answers?: ForecastAnswers;
}

/** What would have come of the failed checks of a group. */
export interface ForecastAnswers {
  /** Distinct failures; one that two groups have counts in the first of them. */
  readonly investigations: number;
  /** At most: each goes to one pull request, and only where the answer is sure enough. */
  readonly comments: number;
  /** At most: of the default branch, each for one failure. */
  readonly pullRequests: number;
}

export interface ForecastCheck {
  readonly name: string;
  readonly branch: string;
  readonly pullRequest: number | null;
  /** The first error, one line; "" if none. */
  readonly headline: string;
  /** Why the log says nothing; "" where it was read. */
  readonly noLog: string;
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
  const { groups, unreadChecks, unreadRuns, issues, usd } = forecast;
  const parts = FORECAST_GROUPS.flatMap(([verdict, words]) => {
    const { checks, tests } = groups[verdict];
    const named = verdict === 'flaky' && tests > 0 ? ` (${formatLargeCount(tests, 'test')})` : '';
    return checks === 0 ? [] : [`${checks} ${words}${named}`];
  });
  if (unreadChecks > 0) parts.push(`${unreadChecks} not read`);
  const failed = formatLargeCount(countFailed(forecast), 'failed check');
  const checks = parts.length === 0 ? failed : `${failed}: ${parts.join(', ')}`;
  const unread = unreadRuns > 0 ? [`${formatLargeCount(unreadRuns, 'more failed run')} not read`] : [];
  const labelled = `${formatLargeCount(issues.labelled.length, 'issue')} labelled`;
  return [checks, ...unread, labelled, `about ${formatDollars(usd)}`].join('; ');
}

export function countFailed({ groups, unreadChecks }: Forecast): number {
  return Object.values(groups).reduce((sum, { checks }) => sum + checks, unreadChecks);
}

function formatLargeCount(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}

/** The first error, or why there is none. */
export function describeForecastCheck({ headline, noLog }: Pick<ForecastCheck, 'headline' | 'noLog'>): string {
  return headline || noLog || 'no error is named';
}

/** What a reader has to know of the figures, a sentence each. */
export function explainForecast(forecast: Forecast): readonly string[] {
  const { groups } = forecast;
  return [
    ...(groups.inconclusive.checks > 0
      ? [
          'Unclear: the log names no cause or could not be read, or nothing ties it to the change and there is no such check on the base.',
        ]
      : []),
    ...(groups.base_broken.checks > 0
      ? ['On the default branch "the base" is what an earlier commit had broken already.']
      : []),
    explainIssues(forecast),
    explainMoney(forecast),
    ...explainUnread(forecast),
    explainRuns(forecast),
  ];
}

function explainIssues({ issues: { labels, opened, labelled } }: Forecast): string {
  if (opened === null) {
    return 'Issues were not read: they are switched off there, or GitHub does not show them to this token.';
  }
  if (opened === 0) return 'No issue was opened.';
  const named = labels.map((label) => `"${label}"`).join(' or ');
  return `${formatLargeCount(opened, 'issue')} opened, ${labelled.length} of them with the label ${named}.`;
}

function explainMoney({ investigations, issues, usdEach }: Forecast): string {
  if (investigations === 0) return 'Cost: there was nothing to investigate.';
  const distinct = investigations - issues.labelled.length;
  return `Cost: ${formatLargeCount(investigations, 'investigation')} (${formatLargeCount(distinct, 'distinct failure')}, ${formatLargeCount(issues.labelled.length, 'labelled issue')}) at about ${formatDollars(usdEach)} each with a model; without one it costs nothing.`;
}

function explainUnread({ unreadChecks, unreadRuns }: Forecast): readonly string[] {
  const parts = [
    ...(unreadChecks > 0 ? [`the logs of ${formatLargeCount(unreadChecks, 'failed check')}`] : []),
    ...(unreadRuns > 0 ? [formatLargeCount(unreadRuns, 'failed workflow run')] : []),
  ];
  if (parts.length === 0) return [];
  return [`Not read, because calls to GitHub ran out or it didn't show them: ${parts.join(', and ')}.`];
}

function explainRuns({ from, runs }: Forecast): string {
  const since = from.slice(0, 10);
  if (runs === null) {
    return 'GitHub shows this token no workflow runs: GitHub Actions is switched off there, or the token may not read it (actions: read).';
  }
  if (runs === 0) return `GitHub Actions has run nothing there since ${since}, and no other checks are read.`;
  return `Based on ${formatLargeCount(runs, 'workflow run')} of GitHub Actions since ${since}; no other checks are read.`;
}
