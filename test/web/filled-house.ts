// The account area as it looks after weeks of use: projects, answers, failures, pull requests, votes and costs, for pictures of its pages.

import type { Sighting } from '../../src/core/check/failure.ts';
import { EMPTY_EXCERPT } from '../../src/core/check/head.ts';
import type { Conclusion } from '../../src/core/issue/issue.ts';
import type { Outcome } from '../../src/core/outcome/answer-outcome.ts';
import type { ForecastGroup } from '../../src/core/past.ts';
import type { Project } from '../../src/core/project/project.ts';
import { DEFAULT_SETTINGS } from '../../src/core/project/settings.ts';
import type { Run } from '../../src/db/runs.ts';
import {
  conclusion,
  emptyForecast,
  finding,
  ON_MAIN,
  opening,
  pullRequest,
  record,
  seenAs,
  sighting,
  WRITER,
} from '../support/store-samples.ts';
import { repository, type WebGround } from './web-ground.ts';

const NAMES = [
  ...['corner/shop', 'corner/checkout-api', 'corner/warehouse', 'corner/mobile-app', 'corner/docs', 'corner/infra'],
  ...['corner/design-system', 'corner/search-indexer', 'corner/payments', 'corner/reports', 'corner/auth-gateway'],
  'corner/very-long-name-of-a-repository-that-nobody-abbreviates',
];

export const REPOSITORIES = NAMES.map((name, at) =>
  repository(name, { isPrivate: at % 3 !== 0, isArchived: at === 4 }),
);

const PROBLEMS: readonly (readonly [title: string, cause: string])[] = [
  [
    'TypeError: Cannot read properties of undefined (reading `discount`)',
    '`applyCoupon` reads `customer.discount` before the customer is loaded.',
  ],
  [
    'Checkout rounds totals to the wrong cent for JPY',
    '`toMinorUnits` multiplies by 100 for currencies without minor units.',
  ],
  [
    'Orders of guests are lost when the session expires during payment',
    'The basket is keyed by the session, which `renew()` replaces.',
  ],
  ['Search finds nothing for words with umlauts', 'The query is normalised to NFC, the index to NFD.'],
  ['Export to CSV hangs with more than 10,000 rows', '`writeRows` awaits `drain` on a stream that has ended.'],
  ['Login loops forever in Safari 19', 'The cookie is set with `SameSite=None` without `Secure`.'],
  [
    'Coupon codes in lower case are refused since 1.3.0',
    '`isCoupon` compares with the upper-case list without folding.',
  ],
  ['Timeouts under load: connection pool exhausted', 'A rolled-back transaction does not return its client.'],
];

const OUTCOMES: readonly Outcome[] = [
  ...(['code_fix', 'code_fix', 'needs_information', 'facts_only', 'action_recommended'] as const),
  ...(['inconclusive', 'not_a_bug', 'already_fixed', 'code_fix'] as const),
];

const FAILURES: readonly (readonly [test: string, error: string])[] = [
  ['cart > applies a coupon once', 'AssertionError: expected 18 to be 20'],
  ['tests/test_orders.py::test_guest_checkout', "KeyError: 'session'"],
  ['TestIndexer/umlauts', 'indexer_test.go:42: got 0 results, want 3'],
  ['', "error TS2345: Argument of type 'string' is not assignable to parameter of type 'Money'"],
  ['com.corner.PaymentTest.refund', 'java.lang.IllegalStateException: amount must be positive'],
  ['e2e/login.spec.ts › signs in with a passkey', 'Test timeout of 30000ms exceeded.'],
  ['', 'npm error code ERESOLVE'],
  ['prints a receipt', 'Error: connect ECONNREFUSED 127.0.0.1:5432'],
];

export interface HouseSize {
  readonly issues: number;
  readonly failures: number;
}

/** As after some days, and after months. */
export const USUAL: HouseSize = { issues: 12, failures: 6 };
export const FULL: HouseSize = { issues: 200, failures: 40 };

/** Fills the ground's projects; the same size gives the same records. */
export async function fillHouse(ground: WebGround, { issues, failures }: HouseSize): Promise<void> {
  const { projects } = ground;
  for (let at = issues - 1; at >= 0; at -= 1) await addAnswer(ground, pick(projects, at * 5), at);
  for (let at = 0; at < failures; at += 1) await addFailure(ground, pick(projects, at), at);
  await addForecast(ground, projects.at(-1), failures);
  for (const [at, project] of projects.slice(0, 2).entries()) {
    const { runId } = await ground.accepted({ project, text: `${pick(PROBLEMS, at + 3)[0]}\n\nSince this morning.` });
    const run = at === 0 ? await ground.store.startRun(runId, moment(ground, 40)) : null;
    if (run !== null) await look(ground, run);
  }
}

function pick<T>(all: readonly T[], at: number): T {
  return all[at % all.length] as T;
}

/** `seconds` before the ground's clock. */
function moment({ clock }: WebGround, seconds: number): string {
  return new Date(clock.now.getTime() - seconds * 1_000).toISOString();
}

async function look({ store, clock }: WebGround, run: Run): Promise<void> {
  const now = clock.now.toISOString();
  for (const action of ['read the report', 'search `normalise`', 'read src/search/query.ts:1-80']) {
    await store.recordStep(
      run,
      { action, result: 'src/search/query.ts:12: return text.normalize()\n', analysis: '' },
      now,
      () => 'e',
    );
  }
}

async function addAnswer(ground: WebGround, project: Project, at: number): Promise<void> {
  const { store, visitor } = ground;
  const [title, cause] = pick(PROBLEMS, at);
  const outcome = pick(OUTCOMES, at);
  const now = moment(ground, at * 9_000 + 600);
  const isModel = outcome !== 'facts_only';
  const threadId = `thr_${at}`;
  const accepted = await store.accept({
    investigationId: `inv_house${at}`,
    fingerprint: `house ${at}`,
    report: {
      ...{ projectId: project.id, accountId: visitor.account.id, origin: at % 3 === 0 ? 'check-run' : 'github-issue' },
      ...{ text: `${title}\n\nIt happens since yesterday.`, reference: `${project.name}#${100 + at}`, revision: '' },
      ...{ callbackUrl: '', fresh: true, isTrusted: true, settings: DEFAULT_SETTINGS },
    },
    idempotency: null,
    thread: opening(threadId, { subject: { kind: 'issue', number: 100 + at } }),
    now,
  });
  if (accepted.kind !== 'accepted') throw new Error('It was not accepted.');
  const run = await store.startRun(accepted.runId, now);
  if (run === null) throw new Error('The run is gone.');
  const spent = isModel ? 0.04 + (at % 7) * 0.021 : 0;
  if (isModel) {
    await store.reserveMoney(run, { amount: 500_000, limits: { run: 1e9, repository: 1e9, all: 1e9 }, now });
    const tokens = { prompt: 41_000 + at * 13, cached: 22_000, completion: 1_800 };
    await store.settleMoney(run, { reserved: 500_000, spent: Math.round(spent * 1e6), tokens, now });
  }
  const [issueId = ''] = await store.conclude(run, answer({ title, cause, outcome, at, spent }), now);
  if (project === ground.projects.at(-1)) {
    const isFix = outcome === 'code_fix';
    const pullRequest = isFix ? `${title}\n\n${cause}\n\nFixes #${100 + at}.` : '';
    const held = { comment: `**Cause found · confidence 85 %**\n\n${cause}`, pullRequest };
    await store.saveThreadRecord(threadId, record({ held }), now);
  } else if (outcome === 'code_fix' && isModel && at % 2 === 0) {
    const state = (['open', 'merged', 'merged', 'closed'] as const)[at % 4] ?? 'open';
    const number = 300 + at;
    const url = `https://github.com/${project.name}/pull/${number}`;
    const posted = pullRequest(issueId, { number, url, state, checks: at % 3 === 0 ? 'green' : 'waiting' });
    await store.saveThreadRecord(threadId, record({ pullRequest: posted }), now);
  }
  if (isModel && at % 3 === 0) {
    const vote = at % 4 === 3 ? 'wrong' : 'right';
    await store.recordVote(issueId, { personId: WRITER.id, source: 'command', vote, why: '', at: now }, now);
  }
}

function answer(given: {
  readonly title: string;
  readonly cause: string;
  readonly outcome: Outcome;
  readonly at: number;
  readonly spent: number;
}): Conclusion {
  const { title, cause, outcome, at, spent } = given;
  const isModel = outcome !== 'facts_only';
  const sample = conclusion();
  return {
    ...sample,
    problem: title,
    rootCause: outcome === 'inconclusive' ? '' : cause,
    stepsToReproduce: [{ stepNumber: 1, description: 'Put two things into the basket and apply a coupon.' }],
    changeSet: {
      base: sample.changeSet.base,
      files:
        outcome === 'code_fix'
          ? [
              {
                kind: 'modified',
                path: 'src/cart.ts',
                before: 'export function total(items: Item[]) {\n  return items.length;\n}\n',
                after:
                  'export function total(items: Item[]) {\n  return items.reduce((sum, item) => sum + item.price, 0);\n}\n',
              },
            ]
          : [],
    },
    analysis: {
      ...sample.analysis,
      outcome,
      confidence: isModel ? 0.62 + (at % 8) * 0.045 : null,
      model: isModel ? 'a-model' : null,
      questions:
        outcome === 'needs_information' ? ['Which version do you run?', 'Does it happen without extensions?'] : [],
      suspects: [
        { file: 'src/cart.ts', line: 2, function: 'total', score: 0.8, reasons: ['named in the stack trace'] },
      ],
      usage: {
        turns: isModel ? 5 : 0,
        promptTokens: 41_000,
        cachedTokens: 22_000,
        completionTokens: 1_800,
        costUsd: spent,
        seconds: 38,
      },
    },
  };
}

const VERDICTS: readonly Sighting['verdict'][] = [
  'code',
  'flaky',
  'code',
  'infrastructure',
  'code',
  'base_broken',
  'flaky',
  'code',
];

async function addFailure(ground: WebGround, project: Project, at: number): Promise<void> {
  const { store } = ground;
  const [test, headline] = pick(FAILURES, at);
  const id = `fal_House${at}`;
  const isOnDefault = at % 5 === 0;
  const verdict = pick(VERDICTS, at);
  const times = 1 + (at % 6) * 2;
  const seen = Array.from({ length: times }, (_, index) => {
    const pull = isOnDefault ? null : 40 + ((at + index) % 9);
    return sighting(`${id} ${index}`, {
      ...{ verdict, isOnDefault, pullRequest: pull, branch: isOnDefault ? 'main' : `topic-${index}` },
      ...{
        checkName: pick(['test', 'build (node 24)', 'lint', 'e2e / chromium'], at),
        at: moment(ground, 3_600 + (times - index) * 86_400 * 1.7),
      },
      sha: `${index % 10}`.repeat(40),
    });
  });
  const named = { id, projectId: project.id, fingerprint: `print ${at}`, headline };
  await store.recordSightings(named, seen);
  if (verdict === 'flaky')
    await store.markFlaky(
      id,
      seen.slice(0, Math.ceil(times / 2)).map(({ key }) => key),
    );
  const excerpt = {
    ...EMPTY_EXCERPT,
    ...{ headline, tests: test === '' ? [] : [test], step: 'npm test' },
    lines: [
      '> vitest run',
      '',
      ` FAIL  ${test || 'src/money.ts'}`,
      headline,
      '    at total (src/cart.ts:14:9)',
      '    at src/cart.test.ts:31:12',
    ],
  };
  const runAt = moment(ground, 1_800);
  const head = await store.ensureHead(
    { id: `hea_${at}`, projectId: project.id, sha: `${at % 10}`.repeat(40), branch: 'main' },
    { runAt, now: runAt },
  );
  await store.saveHead(
    head.id,
    seenAs('red', { place: ON_MAIN, findings: [finding(id, { verdict, excerpt })] }),
    runAt,
  );
  if (project === ground.projects.at(-1)) {
    await store.saveHeadRecord(head.id, { checkRun: null, held: `${headline}\n\n${excerpt.lines.join('\n')}` }, runAt);
  }
  if (isOnDefault && verdict === 'code') {
    const commits = ['Fold totals into one loop', 'Bump vitest to 5.1.0', 'Rename coupon to voucher'].map(
      (subject, index) => ({
        ...{ sha: `${index + 3}`.repeat(40), author: pick(['mara', 'per', 'nora'], index), subject },
      }),
    );
    const likeliest = { sha: '3'.repeat(40), reason: 'touches src/cart.ts, which the failing lines name' };
    await store.saveRange(id, { from: 'a'.repeat(40), to: '3'.repeat(40), total: 3, commits, likeliest });
  }
}

/** The last project observes only, and had a past: as much of it as there are failures. */
async function addForecast({ store, clock }: WebGround, project: Project | undefined, failures: number): Promise<void> {
  if (project === undefined) return;
  const now = clock.now.toISOString();
  const toGroup = (verdict: Sighting['verdict'], checks: number): ForecastGroup => ({
    ...{ checks, tests: Math.ceil(checks / 3) },
    listed: Array.from({ length: Math.min(checks, 20) }, (_, at) => ({
      ...{
        name: pick(['test', 'build (node 24)', 'lint'], at),
        branch: 'main',
        pullRequest: at % 3 === 0 ? null : 40 + at,
      },
      headline: pick(FAILURES, at)[1],
      ...{ noLog: '', url: `https://github.com/${project.name}/actions/runs/${at}` },
    })),
    answers:
      verdict === 'code'
        ? {
            investigations: Math.ceil(checks / 2),
            comments: Math.ceil(checks / 3),
            pullRequests: Math.ceil(checks / 6),
          }
        : { investigations: 0, comments: 0, pullRequests: 0 },
  });
  const groups = {
    code: toGroup('code', failures * 2),
    flaky: toGroup('flaky', failures),
    base_broken: toGroup('base_broken', Math.ceil(failures / 2)),
    infrastructure: toGroup('infrastructure', Math.ceil(failures / 3)),
    inconclusive: toGroup('inconclusive', Math.ceil(failures / 4)),
  };
  const labelled = PROBLEMS.slice(0, 3).map(([title], at) => ({
    ...{ number: 11 + at, title, url: `https://github.com/${project.name}/issues/${11 + at}` },
  }));
  const investigations = failures + labelled.length;
  const forecast = emptyForecast({
    ...{ groups, runs: failures * 9, investigations, usd: investigations * 0.07, usdEach: 0.07 },
    issues: { labels: ['analyse'], opened: 9, labelled },
  });
  await store.saveBackfill({ projectId: project.id, state: 'done', since: forecast.from, forecast }, now);
}
