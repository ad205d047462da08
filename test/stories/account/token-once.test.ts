// A token in the whole life of the service: it stands in one answer, and in nothing that is kept or shown besides.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { gitRepository } from '../../../packages/git-objects/test/git-repository.ts';
import { type Service, startService, temporaryFolder } from '../../support/service.ts';
import { SHOP } from '../../support/shop-fix.ts';
import { placesWith } from '../../support/stored-text.ts';
import { type WebVisitor, webVisitor } from '../../support/web-visitor.ts';

const KEYS = '/account/security-credentials';

it('stands in the one answer that shows it: in no other, nor in log, records and process list', async () => {
  await using folder = await temporaryFolder();
  await using shop = await gitRepository();
  await shop.commit(SHOP, 'Start');
  await using service = await startService({ projects: [shop.path], dataDir: folder.path, ownProcess: true });
  const visitor = webVisitor(service.address);
  await signIn(visitor, service);
  const bodies: string[] = [];
  const keep = async (answer: Response) => {
    const whole = `${[...answer.headers].join('\n')}\n${await answer.text()}`;
    bodies.push(whole);
    return whole;
  };

  const form = await keep(await visitor.get('/account/tokens/new'));
  const [, key = ''] = /name="form_key" value="([^"]+)"/.exec(form) ?? [];
  const wish = { form_key: key, name: 'laptop', scope: 'projects:read', bound: 'all', expiry: '30' };
  const made = await keep(await visitor.send('/account/tokens/new', '/account/tokens', wish));
  const [token = ''] = /cwy_[0-9A-Za-z]{36}/.exec(made) ?? [];
  expect(token).not.toBe('');
  // The same form again makes nothing, and shows nothing.
  await keep(await visitor.send('/account/tokens/new', '/account/tokens', wish));
  for (const page of [KEYS, '/audit', '/account/tokens/new', '/projects']) await keep(await visitor.get(page));
  const call = (where: string, authorization: string) =>
    fetch(`${service.address}${where}`, { headers: { authorization } });
  const statuses = [];
  for (const [where, authorization] of [
    ['/api/v1/projects/', `Bearer ${token}`],
    ['/api/v1/issues/', `Bearer ${token}`],
    [`/api/v1/${token}/`, `Bearer ${token}`],
    ['/api/v1/projects/', `Basic ${token}`],
    [`/${token}`, `Bearer ${token}x`],
    [`/issues/${token}?token=${token}`, ''],
    [`/account/callback?code=${token}&state=${token}`, ''],
  ] as const) {
    const answer = await call(where, authorization);
    statuses.push(answer.status);
    bodies.push(await answer.text());
  }
  expect(statuses[0]).toBe(200);
  await keep(await visitor.get(`/issues/${token}`));
  await keep(await visitor.get(`/account/tokens/${token}`));
  const id = /\/account\/tokens\/(tok_\w+)\/revoke/.exec(await keep(await visitor.get(KEYS)))?.[1] ?? '';
  expect((await visitor.send(KEYS, `/account/tokens/${id}/revoke`)).status).toBe(303);
  const gone = await call('/api/v1/projects/', `Bearer ${token}`);
  bodies.push(await gone.text());
  expect(gone.status).toBe(401);

  expect(bodies.map((body) => body.split(token).length - 1).filter((times) => times > 0)).toEqual([1]);
  expect(made.split(token)).toHaveLength(2);
  expect(await processLine(service)).not.toContain(token);
  // Before the end, in the log that goes beside the database, and after it.
  expect(await placesWith(folder.path, token)).toEqual([]);
  await service.end('SIGTERM');
  expect(await placesWith(folder.path, token)).toEqual([]);
  expect(await placesWith(folder.path, 'laptop')).not.toEqual([]);
  expect(service.output()).not.toContain(token);
});

async function signIn(visitor: WebVisitor, service: Service): Promise<void> {
  const [, code = ''] = /\/sign-in\/local\?code=([\w-]+)/.exec(service.output()) ?? [];
  expect((await visitor.send('/sign-in', '/sign-in/local', { code })).status).toBe(303);
}

/** What others on the machine see of the process. */
async function processLine({ process }: Service): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', ['-ww', '-o', 'args=', '-p', String(process.pid)]);
  expect(stdout).toContain('main.ts');
  return stdout;
}
