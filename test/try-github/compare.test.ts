// Which differences between two plays are named, and which are of the moment alone.
import { expect, it } from 'vitest';
import { comparePlays, type Difference, type PlayedStep } from './compare.ts';
import type { RecordedAnswer } from './record.ts';
import { shapeOf } from './shape.ts';
import { renderTable } from './table.ts';

const STEP = 'A label gets an answer';

function answered(body: unknown, more: Partial<RecordedAnswer> = {}): RecordedAnswer {
  const headers = { etag: null, 'content-type': 'application/json' };
  return { at: 0, by: 'Causeway', operation: 'issues/get', status: 200, headers, shape: shapeOf(body), ...more };
}

function played(answers: readonly RecordedAnswer[], events: readonly string[] = []): readonly PlayedStep[] {
  return [{ name: STEP, end: { kind: 'reached', what: 'answered' }, answers, events }];
}

function between(expected: readonly RecordedAnswer[], actual: readonly RecordedAnswer[]): readonly object[] {
  return comparePlays(played(expected), played(actual)).map(({ step: _, ...rest }) => rest);
}

const ISSUE = { number: 1, title: 'Broken', user: { login: 'mara' }, labels: [{ name: 'bug' }], closed_at: null };
const OF = { by: 'Causeway', operation: 'issues/get', status: 200 };

it('says nothing of other values, of how often something is asked, and of what is sometimes so on the double too', () => {
  const other = { ...ISSUE, number: 2, title: 'Slow', labels: [] };
  expect(
    between([answered(ISSUE)], [answered(other), answered(other), answered(null, { status: 304, shape: null })]),
  ).toEqual([]);
  const { user: _, ...without } = ISSUE;
  expect(between([answered(ISSUE), answered(without)], [answered(without)])).toEqual([]);
  const [mine, theirs] = [{ permissions: { checks: 'write' } }, { permissions: { issues: 'read' } }];
  expect(between([answered(mine)], [answered(theirs)])).toEqual([]);
});

it('names a field that is missing, new, of another type, or null where GitHub never has null', () => {
  const { user: _, ...without } = ISSUE;
  expect(between([answered(ISSUE)], [answered(without)])).toEqual([{ kind: 'field_missing', ...OF, field: 'user' }]);
  expect(between([answered(ISSUE)], [answered(ISSUE), answered(without)])).toEqual([
    { kind: 'field_missing', ...OF, field: 'user' },
  ]);
  expect(between([answered(ISSUE)], [answered({ ...ISSUE, type: 'x' })])).toEqual([
    { kind: 'field_added', ...OF, field: 'type' },
  ]);
  const type = { kind: 'field_type', ...OF };
  expect(between([answered(ISSUE)], [answered({ ...ISSUE, labels: [{ name: 7 }] })])).toEqual([
    { ...type, field: 'labels[].name', expected: ['string'], actual: ['number'] },
  ]);
  expect(between([answered(ISSUE)], [answered({ ...ISSUE, title: null })])).toEqual([
    { ...type, field: 'title', expected: ['string'], actual: ['null'] },
  ]);
});

it('sets apart what GitHub describes as null at times', () => {
  const closed = { ...ISSUE, closed_at: '2026-03-01T10:00:00Z' };
  expect(between([answered(ISSUE)], [answered(closed)])).toEqual([
    { kind: 'null', ...OF, field: 'closed_at', where: 'double' },
  ]);
  expect(between([answered(closed)], [answered(ISSUE)])).toEqual([
    { kind: 'null', ...OF, field: 'closed_at', where: 'github' },
  ]);
});

it('names statuses, headers and what is asked on one side alone', () => {
  expect(between([answered(ISSUE)], [answered(ISSUE, { status: 410 })])).toEqual([
    { kind: 'status', by: 'Causeway', operation: 'issues/get', expected: [200], actual: 410 },
  ]);
  const headers = (given: RecordedAnswer['headers']) => [answered(ISSUE, { headers: given })];
  expect(between([answered(ISSUE)], headers({ 'content-type': 'application/json' }))).toEqual([
    { kind: 'header_missing', ...OF, header: 'etag' },
  ]);
  expect(between([answered(ISSUE)], headers({ etag: null, 'content-type': 'text/html', link: null }))).toEqual([
    { kind: 'header_value', ...OF, header: 'content-type', expected: ['application/json'], actual: 'text/html' },
    { kind: 'header_added', ...OF, header: 'link' },
  ]);
  const [mine, theirs] = [
    answered({}, { operation: 'repos/get' }),
    answered({}, { operation: 'issues/list-for-repo' }),
  ];
  expect(between([mine], [theirs])).toMatchObject([
    { kind: 'asked', where: 'github', operation: 'issues/list-for-repo' },
    { kind: 'asked', where: 'double', operation: 'repos/get' },
  ]);
});

it('names events that are missing, new or elsewhere, and not how often they come', () => {
  const order = (actual: readonly string[]) =>
    comparePlays(played([], ['push', 'check_run.created', 'issues.closed']), played([], actual)).map(
      ({ step: _, ...rest }) => rest,
    );
  expect(order(['push', 'push', 'check_run.created', 'push', 'issues.closed'])).toEqual([]);
  expect(order(['push', 'issues.closed', 'check_run.created'])).toEqual([
    { kind: 'event_order', event: 'issues.closed', before: 'check_run.created' },
  ]);
  expect(order(['push', 'star.created', 'issues.closed'])).toEqual([
    { kind: 'event_missing', event: 'check_run.created' },
    { kind: 'event_added', event: 'star.created' },
  ]);
});

it('says of a step that failed only what it was answered, and nothing of those that were not played', () => {
  const expected = [
    ...played([answered(ISSUE)], ['push']),
    { ...played([answered(ISSUE)])[0], name: 'next' } as PlayedStep,
  ];
  const failed = {
    name: STEP,
    end: { kind: 'failed', why: '<no> | answer' },
    answers: [answered(ISSUE, { status: 404 })],
    events: [],
  } as const;
  const steps: readonly PlayedStep[] = [failed, { name: 'next', end: { kind: 'not_played' }, answers: [], events: [] }];
  const differences: readonly Difference[] = comparePlays(expected, steps);
  expect(differences.map(({ kind }) => kind)).toEqual(['status']);
  const facts = { version: '1.0.0', on: 'github.com', day: '2026-03-01', model: null, costUsd: 0, left: [] } as const;
  const table = renderTable({ ...facts, steps, differences });
  expect(table).toContain('| A label gets an answer | **failed**: \\<no> \\| answer | 1 × 404 |  | 1 |');
  expect(table).toContain('| A label gets an answer | Causeway: `issues/get` | status 404; the double: 200 |');
});
