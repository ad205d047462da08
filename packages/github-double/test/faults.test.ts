// Faults on demand do what they say: before the work, after it, or only to the answer.
import type { FaultRule } from 'causeway-github-double';
import { expect, test } from 'vitest';
import { ask, askGraphql } from './ask.ts';
import { openDouble, type Shop, shop } from './shop.ts';

const COMMENTS = /^\/repos\/octo\/shop\/issues\/1\/comments$/;

async function withIssue(rule: FaultRule['fault'], work: (at: Shop) => Promise<void>): Promise<void> {
  await using github = await openDouble();
  const at = await shop(github);
  github.people.openIssue('octo/shop', { by: 'ada', title: 'Broken' });
  github.faults.add({ method: 'POST', path: COMMENTS, fault: rule });
  await work(at);
}

function comment({ github, token }: Shop, signal?: AbortSignal) {
  return ask(github, 'POST /repos/octo/shop/issues/1/comments', {
    token,
    body: { body: 'Hello' },
    ...(signal && { signal }),
  });
}

const count = ({ github }: Shop) => github.people.comments('octo/shop', 1).length;

test('a 502 before the write leaves nothing, a 502 after it leaves what was written, and the next call is well', async () => {
  await withIssue({ kind: 'answer', when: 'before', status: 502 }, async (at) => {
    expect((await comment(at)).status).toBe(502);
    expect(count(at)).toBe(0);
    expect((await comment(at)).status).toBe(201);
  });
  await withIssue({ kind: 'answer', when: 'after', status: 502 }, async (at) => {
    expect((await comment(at)).status).toBe(502);
    expect(count(at)).toBe(1);
    expect((await comment(at)).status).toBe(201);
    expect(count(at)).toBe(2);
  });
});

test('a connection that is reset before the work and after it', async () => {
  await withIssue({ kind: 'reset', when: 'before' }, async (at) => {
    await expect(comment(at)).rejects.toThrow('fetch failed');
    expect(count(at)).toBe(0);
  });
  await withIssue({ kind: 'reset', when: 'after' }, async (at) => {
    await expect(comment(at)).rejects.toThrow('fetch failed');
    expect(count(at)).toBe(1);
    expect(at.github.requests.at(-1)).toMatchObject({ method: 'POST', status: 0 });
  });
});

test('a kind that it does not know is refused, or a test without types would pass for want of a fault', async () => {
  await using github = await openDouble();
  const rule = JSON.parse('{ "method": "POST", "fault": { "kind": "status", "status": 502 } }') as Omit<
    FaultRule,
    'path'
  >;
  expect(() => github.faults.add({ ...rule, path: COMMENTS })).toThrow(
    'There is no fault "status", only primary_limit,',
  );
});

test('an answer that never comes ends with the patience of the caller', async () => {
  await withIssue({ kind: 'hang', when: 'after' }, async (at) => {
    await expect(comment(at, AbortSignal.timeout(300))).rejects.toThrow(/aborted|timeout/);
    expect(count(at)).toBe(1);
  });
});

test('limits, with and without a time, on REST and on GraphQL', async () => {
  await withIssue({ kind: 'secondary_limit', status: 429, retryAfter: 30 }, async (at) => {
    const limited = await comment(at);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '30']);
    at.github.faults.add({ path: COMMENTS, fault: { kind: 'secondary_limit', status: 403, retryAfter: null } });
    const vague = await comment(at);
    expect([vague.status, vague.headers.get('retry-after')]).toEqual([403, null]);
    at.github.faults.add({ path: /./, times: 2, fault: { kind: 'primary_limit', resetInSeconds: 3_540 } });
    const exhausted = await comment(at);
    const wait = Number(exhausted.headers.get('x-ratelimit-reset')) - at.github.state.clock.now().getTime() / 1_000;
    expect([exhausted.status, exhausted.headers.get('x-ratelimit-remaining')]).toEqual([403, '0']);
    expect(wait).toBeGreaterThan(3_500);
    const graphql = await askGraphql(at.github, at.token, '{ viewer { login } }');
    expect(graphql).toMatchObject({ status: 200, body: { errors: [{ type: 'RATE_LIMITED' }] } });
    expect(count(at)).toBe(0);
  });
});

test('half of an answer, a page instead of one, and one in drops', async () => {
  await withIssue({ kind: 'half_json' }, async (at) => {
    await expect(comment(at)).rejects.toThrow(SyntaxError);
    at.github.faults.add({ path: COMMENTS, fault: { kind: 'html', when: 'before', status: 503 } });
    expect(await comment(at)).toMatchObject({ status: 503, body: expect.stringContaining('<html>') });
    at.github.faults.add({ path: COMMENTS, fault: { kind: 'drip', everyMilliseconds: 1, bytes: 400 } });
    expect(await comment(at)).toMatchObject({ status: 201, body: { body: 'Hello' } });
    expect(count(at)).toBe(2);
  });
});

test('a fault waits for the request that it is meant for, and counts', async () => {
  await using github = await openDouble();
  const at = await shop(github);
  github.faults.add({
    path: /^\/graphql/,
    body: /viewer/,
    skip: 1,
    times: 2,
    fault: { kind: 'answer', when: 'before', status: 502 },
  });
  const statuses = [];
  for (const query of [
    '{ viewer { login } }',
    '{ rateLimit { cost } }',
    '{ viewer { login } }',
    '{ viewer { id } }',
    '{ viewer { login } }',
  ]) {
    statuses.push((await askGraphql(github, at.token, query)).status);
  }
  expect(statuses).toEqual([200, 200, 502, 502, 200]);
});
