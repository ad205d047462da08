// The double on the wire: pages, ETags, limits, git over http, sign-in, manifests, attachments.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ask, installationToken } from './ask.ts';
import { openDouble, shop } from './shop.ts';

const run = promisify(execFile);

test('a list comes in pages that lead from one to the next', async () => {
  await using github = await openDouble({ basePath: '/api/v3' });
  const { token } = await shop(github);
  const { number } = github.people.openIssue('octo/shop', { by: 'ada', title: 'Broken' });
  const all = Array.from({ length: 7 }, (_, at) =>
    github.people.comment('octo/shop', number, { by: 'ada', body: `${at}` }),
  );
  const ids: number[] = [];
  let next: string | undefined = `${github.apiUrl}/repos/octo/shop/issues/${number}/comments?per_page=3`;
  while (next !== undefined) {
    const page = await ask(github, `GET ${next}`, { token });
    ids.push(...(page.body as { id: number }[]).map(({ id }) => id));
    next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
  }
  expect(ids).toEqual(all.map(({ id }) => id));
});

test('an unchanged answer is 304 and costs nothing, a changed one comes whole', async () => {
  await using github = await openDouble();
  const { token } = await shop(github);
  github.people.openIssue('octo/shop', { by: 'ada', title: 'Broken' });
  const line = 'GET /repos/octo/shop/issues/1';
  const first = await ask(github, line, { token });
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
  const second = await ask(github, line, { token, headers });
  expect([second.status, second.body]).toEqual([304, '']);
  expect(second.headers.get('x-ratelimit-remaining')).toBe(first.headers.get('x-ratelimit-remaining'));
  github.people.edit('octo/shop', 1, { by: 'ada', title: 'Really broken' });
  expect(await ask(github, line, { token, headers })).toMatchObject({ status: 200, body: { title: 'Really broken' } });
});

test('a person opens, labels and closes an issue with a token, as with the page', async () => {
  await using github = await openDouble();
  await shop(github);
  github.people.grant('octo/shop', 'rea', 'read');
  const [token, reader] = [github.people.userToken('ada'), github.people.userToken('rea')];
  const made = await ask(github, 'POST /repos/octo/shop/issues', { token, body: { title: 'Broken', body: 'Why?' } });
  expect(made).toMatchObject({ status: 201, body: { number: 1, state: 'open', user: { login: 'ada' } } });
  const labels = { body: { labels: ['analyse'] } };
  expect((await ask(github, 'POST /repos/octo/shop/issues/1/labels', { token: reader, ...labels })).status).toBe(403);
  expect(await ask(github, 'POST /repos/octo/shop/issues/1/labels', { token, ...labels })).toMatchObject({
    ...{ status: 200, body: [{ name: 'analyse' }] },
  });
  const closed = await ask(github, 'PATCH /repos/octo/shop/issues/1', { token, body: { state: 'closed' } });
  expect(closed).toMatchObject({ status: 200, body: { state: 'closed', labels: [{ name: 'analyse' }] } });
});

test('git fetches with a token that may read the content of that repository, and with no other', async () => {
  await using github = await openDouble();
  const { installation, repository, sha } = await shop(github);
  github.people.publiciseRepository('octo/shop', 'ada', true);
  const other = await github.people.openRepository('octo/other');
  const scope = (ids: number[], permissions: object) =>
    installationToken(github, installation, { repository_ids: ids, permissions: { ...permissions } });
  const tip = async (token: string) => {
    const address = `${github.webUrl.replace('http://', `http://x-access-token:${token}@`)}/octo/shop.git`;
    return run('git', ['ls-remote', address, 'refs/heads/main'], {
      env: { ...process.env, GIT_TERMINAL_PROMPT: '0' },
    }).then(
      ({ stdout }) => stdout.split('\t')[0],
      () => 'refused',
    );
  };
  expect(await tip(await scope([repository.id], { contents: 'read' }))).toBe(sha);
  expect(await tip(await scope([other.id], { contents: 'read' }))).toBe('refused');
  expect(await tip(await scope([repository.id], { issues: 'read' }))).toBe('refused');
  expect(await tip('ghs_wrong')).toBe('refused');
});

test('a push by a person moves the branch, the pull request along with it, and is announced', async () => {
  const heard: string[] = [];
  await using github = await openDouble();
  github.onEvent(
    (event, payload) => void heard.push([event, Reflect.get(payload, 'action')].filter(Boolean).join(' ')),
  );
  await shop(github);
  await github.people.push('octo/shop', { by: 'ada', branch: 'fix', files: { 'a.txt': 'a' } });
  const pull = await github.people.openPull('octo/shop', { by: 'ada', title: 'Fix', head: 'fix' });
  const folder = mkdtempSync(join(tmpdir(), 'double-push-'));
  try {
    const address = `${github.webUrl.replace('http://', `http://ada:${github.people.userToken('ada')}@`)}/octo/shop.git`;
    const git = (...args: string[]) =>
      run('git', ['-C', folder, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args]);
    await run('git', ['clone', '--quiet', '--branch', 'fix', address, folder]);
    await git('commit', '--quiet', '--allow-empty', '--message', 'More');
    heard.length = 0;
    await git('push', '--quiet', 'origin', 'fix');
    const { stdout } = await git('rev-parse', 'HEAD');
    await expect.poll(() => heard).toEqual(['push', 'check_suite requested', 'pull_request synchronize']);
    expect(pull.pull?.headSha).toBe(stdout.trim());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('somebody signs in with a proof of their own, once for each code', async () => {
  await using github = await openDouble();
  github.people.user('ada');
  github.app.callbackUrls.push('http://127.0.0.1:1/callback');
  github.signIns.signedIn = 'ada';
  const verifier = 'a'.repeat(50);
  const query = new URLSearchParams({
    client_id: github.app.clientId,
    redirect_uri: 'http://127.0.0.1:1/callback',
    state: 'mine',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const back = async () => {
    const sent = await fetch(`${github.webUrl}/login/oauth/authorize?${query}`, { redirect: 'manual' });
    return new URL(sent.headers.get('location') ?? '').searchParams;
  };
  const exchange = async (code: string, code_verifier: string) => {
    const { clientId: client_id, clientSecret: client_secret } = github.app;
    const body = new URLSearchParams({ client_id, client_secret, code, code_verifier });
    const answer = await fetch(`${github.webUrl}/login/oauth/access_token`, { method: 'POST', body });
    return (await answer.json()) as { access_token?: string; error?: string };
  };
  const answered = await back();
  expect(answered.get('state')).toBe('mine');
  expect(await exchange(answered.get('code') ?? '', 'wrong')).toMatchObject({ error: 'bad_verification_code' });
  expect(await exchange(answered.get('code') ?? '', verifier)).toMatchObject({ error: 'bad_verification_code' });
  const { access_token: token } = await exchange((await back()).get('code') ?? '', verifier);
  expect(await ask(github, 'GET /user', { token })).toMatchObject({ status: 200, body: { login: 'ada' } });
});

test('a manifest becomes an App with secrets, once', async () => {
  await using github = await openDouble();
  const manifest = {
    name: 'My Bot',
    url: 'https://example.com',
    redirect_url: 'http://127.0.0.1:1/setup',
    default_permissions: { issues: 'write' },
  };
  const body = new URLSearchParams({ manifest: JSON.stringify(manifest) });
  const sent = await fetch(`${github.webUrl}/organizations/octo/settings/apps/new?state=s`, {
    method: 'POST',
    body,
    redirect: 'manual',
  });
  const code = new URL(sent.headers.get('location') ?? '').searchParams.get('code');
  const made = await ask(github, `POST /app-manifests/${code}/conversions`);
  expect(made).toMatchObject({
    status: 201,
    body: { slug: 'my-bot', owner: { login: 'octo' }, permissions: { issues: 'write' } },
  });
  expect((made.body as { pem: string }).pem).toContain('PRIVATE KEY');
  expect((await ask(github, `POST /app-manifests/${code}/conversions`)).status).toBe(404);
});

test('an attachment of a private repository is for those who may see it, and its storage never sees a token', async () => {
  await using github = await openDouble();
  const { token } = await shop(github);
  github.people.publiciseRepository('octo/shop', 'ada', true);
  const address = github.people.attach('octo/shop', { fileName: 'trace.log', body: 'Error: no\n' });
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(address)).status).toBe(404);
  const sent = await fetch(address, { headers, redirect: 'manual' });
  expect(await (await fetch(sent.headers.get('location') ?? '')).text()).toBe('Error: no\n');
});
