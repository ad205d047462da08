// Triggers and subjects are told apart by their keys.
import { expect, it } from 'vitest';
import { toSubjectKey, toTriggerKey } from '../../src/core/thread/thread.ts';

const AT = '2026-11-20T10:00:00Z';

it('two people who ask within one second of GitHub are two triggers', () => {
  const keys = [null, 7, 8].map((commentId) => toTriggerKey({ at: AT, commentId }));
  expect(new Set(keys).size).toBe(3);
  expect(keys[0]).toBe(AT);
});

it('an issue, a pull request, a failure and a report are never one subject', () => {
  const keys = [
    toSubjectKey({ kind: 'issue', number: 7 }),
    toSubjectKey({ kind: 'pull_request', number: 7 }),
    toSubjectKey({ kind: 'failure', failureId: 'x' }),
    toSubjectKey({ kind: 'report', issueId: 'x' }),
  ];
  expect(new Set(keys).size).toBe(4);
});
