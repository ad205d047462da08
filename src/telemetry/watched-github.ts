// Each request to GitHub: counted by the class of its status, in a span, and what its headers say of the quota that is left.
import { type Span, SpanKind } from '@opentelemetry/api';
import { Gauge, type Registry } from 'prom-client';
import type { Log } from '../log.ts';
import type { Instruments } from './instruments.ts';
import { spanned } from './spans.ts';

/** The route is as it is written down, such as `GET /repos/{owner}/{repo}`; `holder` is whose quota is asked. */
interface GithubCall {
  readonly route: string;
  readonly holder: string;
}

interface Answer {
  readonly status: number;
  readonly headers: object;
}

interface Quota {
  readonly resource: string;
  readonly remaining: number;
  readonly limit: number;
  /** ms since 1970. */
  readonly resetAt: number;
}

export interface GithubWatch {
  call<T extends Answer>(call: GithubCall, send: () => Promise<T> | T): Promise<T>;
  /** False while the last call of all got no answer, or a fault of GitHub's own; null before the first. */
  answers(): boolean | null;
}

const RESOURCES: ReadonlySet<string> = new Set(['core', 'graphql', 'search']);
/** Below a tenth a busy installation has minutes left. */
const LOW = 0.1;
const MOST_QUOTAS = 10_000;

export interface GithubWatchOptions {
  readonly registry: Registry;
  readonly instruments: Instruments;
  readonly log: Log;
  readonly now: () => Date;
}

export function createGithubWatch(options: GithubWatchOptions): GithubWatch {
  const { instruments, log, now } = options;
  const quotas = new Map<string, Quota>();
  quotaGauges(options, quotas);
  let answers: boolean | null = null;
  const told = (call: GithubCall, answer: Answer | null, { span, began }: { span: Span; began: number }) => {
    const ms = performance.now() - began;
    instruments.github.observe({ status: classOf(answer) }, ms / 1_000);
    if (answer !== null) {
      span.setAttribute('http.response.status_code', answer.status);
      noteQuota(quotas, call.holder, answer, now());
    }
    answers = answer !== null && answer.status < 500;
    const about = { route: call.route, status: answer?.status ?? null, ms: Math.round(ms) };
    if (answers) log.debug(about, 'GitHub call');
    else log.info(about, 'GitHub call');
  };
  return {
    answers: () => answers,
    call: (call, send) => {
      const [method = ''] = call.route.split(' ');
      const attributes = { 'http.request.method': method, 'url.template': call.route.slice(method.length + 1) };
      return spanned({ name: `GitHub ${call.route}`, kind: SpanKind.CLIENT, attributes }, async (span) => {
        const began = performance.now();
        try {
          const answer = await send();
          told(call, answer, { span, began });
          return answer;
        } catch (error) {
          told(call, answerOf(error), { span, began });
          throw error;
        }
      });
    },
  };
}

/** `2xx` to `5xx`; `none` where there was no answer. */
function classOf(answer: Answer | null): string {
  return answer === null ? 'none' : `${Math.floor(answer.status / 100)}xx`;
}

/** Octokit throws for every status from 400 on, with the response on the error where there was one. */
function answerOf(error: unknown): Answer | null {
  const response: unknown = error instanceof Error && 'response' in error ? error.response : null;
  if (typeof response !== 'object' || response === null || !('status' in response)) return null;
  const headers = 'headers' in response && typeof response.headers === 'object' ? response.headers : null;
  return { status: Number(response.status), headers: headers ?? {} };
}

function noteQuota(quotas: Map<string, Quota>, holder: string, { headers }: Answer, now: Date): void {
  const of = (name: string) => Number(Reflect.get(headers, name) ?? Number.NaN);
  const [remaining, limit] = [of('x-ratelimit-remaining'), of('x-ratelimit-limit')];
  const resetAt = of('x-ratelimit-reset') * 1_000;
  if (![remaining, limit, resetAt].every(Number.isFinite) || resetAt < now.getTime()) return;
  const named = String(Reflect.get(headers, 'x-ratelimit-resource') ?? 'core');
  const resource = RESOURCES.has(named) ? named : 'other';
  quotas.set(`${holder} ${resource}`, { resource, remaining, limit, resetAt });
  const [oldest] = quotas.keys();
  if (quotas.size > MOST_QUOTAS && oldest !== undefined) quotas.delete(oldest);
}

/** The lowest alone, and how many are low: the name of an installation is not a metric's to tell. */
function quotaGauges({ registry, now }: GithubWatchOptions, quotas: Map<string, Quota>): void {
  const gauge = (name: string, help: string, value: (of: readonly Quota[]) => number) =>
    new Gauge({
      name: `causeway_github_quota_${name}`,
      help,
      labelNames: ['resource'],
      registers: [registry],
      collect() {
        this.reset();
        const standing = byResource(quotas, now());
        for (const [resource, of] of standing) this.set({ resource }, value(of));
      },
    });
  const lowest = (of: readonly Quota[]) => of.reduce((low, one) => (left(one) < left(low) ? one : low));
  gauge(
    'remaining',
    'Requests left in this hour, of the installation that has the fewest.',
    (of) => lowest(of).remaining,
  );
  gauge('limit', 'Requests an hour, of the installation that has the fewest left.', (of) => lowest(of).limit);
  gauge('holders', 'Installations (and the App itself) whose quota of this hour is known.', (of) => of.length);
  gauge('low_holders', 'Those of them that have less than a tenth left.', (of) => of.filter(isLow).length);
}

function left({ remaining, limit }: Quota): number {
  return limit === 0 ? 0 : remaining / limit;
}

function isLow(quota: Quota): boolean {
  return left(quota) < LOW;
}

function byResource(quotas: Map<string, Quota>, now: Date): ReadonlyMap<string, readonly Quota[]> {
  const standing = new Map<string, Quota[]>();
  for (const [key, quota] of quotas) {
    if (quota.resetAt < now.getTime()) {
      quotas.delete(key);
      continue;
    }
    const of = standing.get(quota.resource) ?? [];
    of.push(quota);
    standing.set(quota.resource, of);
  }
  return standing;
}
