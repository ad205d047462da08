// Logs of builds elsewhere: each service as it answers, and addresses, builds and answers that mean harm.

import { condenseLog } from 'causeway-ci-log';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseBuildHosts } from '../../src/build-logs/config.ts';
import { createBuildLogs, readRepository } from '../../src/build-logs/read-build-log.ts';
import { ChecksBusy } from '../../src/core/check/check.ts';
import { addBuildkite, addCircleci, addJenkins, type BuildServer, startBuildServer } from '../support/build-host.ts';

const SHA = 'a'.repeat(40);
const TOKEN = 'canary-token-of-the-operator';
const MADE = { repository: 'git@github.com:Acme/Shop.git', sha: SHA, log: 'Error: no\nsecond line\n' };
const NOW = new Date('2026-03-01T10:00:00Z');
const LONG_AGO = '2026-03-01T09:00:00Z';

const servers = {} as Record<'kite' | 'circle' | 'jenkins' | 'storage' | 'other', BuildServer>;
const open = new AsyncDisposableStack();
beforeAll(async () => {
  for (const name of ['kite', 'circle', 'jenkins', 'storage', 'other'] as const) {
    servers[name] = open.use(await startBuildServer());
  }
});
afterAll(() => open.disposeAsync());
beforeEach(() => {
  for (const { seen, answers } of Object.values(servers)) {
    seen.length = 0;
    answers.clear();
  }
});

const warned: object[] = [];
function reader(more: { readonly libraries?: readonly string[]; readonly storage?: readonly string[] } = {}) {
  const { libraries = [], storage = [servers.storage.origin] } = more;
  const origins = {
    [servers.kite.origin]: { kind: 'buildkite', token: TOKEN },
    [servers.circle.origin]: { kind: 'circleci', token: TOKEN, storage },
    [servers.jenkins.origin]: { kind: 'jenkins', user: 'causeway', token: TOKEN, libraries },
  };
  const read = createBuildLogs({
    hosts: parseBuildHosts(JSON.stringify({ origins }), {}),
    ...{ webUrl: 'https://github.com', userAgent: 'Causeway/test', shortenLog: condenseLog, now: () => NOW },
    log: { warn: ((line: object) => warned.push(line)) as never },
  });
  return (url: string, request: { sha?: string; repository?: string; endedAt?: string } = {}) =>
    read(
      { url, sha: SHA, repository: 'acme/shop', endedAt: LONG_AGO, bytes: 100_000, ...request },
      new AbortController().signal,
    );
}
const authorizations = (server: BuildServer) => [
  ...new Set(server.seen.map(({ headers }) => headers.authorization ?? headers['circle-token'] ?? '')),
];

describe('each service', () => {
  it('Buildkite: the log of the job, without its marks of time', async () => {
    const read = await reader()(addBuildkite(servers.kite, MADE));
    expect(read).toEqual({ log: MADE.log, noLog: '' });
    expect(authorizations(servers.kite)).toEqual([`Bearer ${TOKEN}`]);
  });

  it('Buildkite: the jobs that failed, where the address names the build alone', async () => {
    const [address = ''] = addBuildkite(servers.kite, MADE).split('#');
    expect(await reader()(address)).toEqual({ log: MADE.log, noLog: '' });
  });

  it('CircleCI: the output of the step that failed, from its storage without the token', async () => {
    const made = { ...MADE, repository: 'https://github.com/acme/shop' };
    const read = await reader()(addCircleci(servers.circle, servers.storage, made));
    expect(read?.log).toBe(`${MADE.log}\n##[error]Process completed with exit code 1.\n`);
    expect(authorizations(servers.circle)).toEqual([TOKEN]);
    expect([servers.storage.seen.map(({ path }) => path), authorizations(servers.storage)]).toEqual([
      ['/output?sig=a'],
      [''],
    ]);
  });

  it('Jenkins: the console and the failed tests of its report', async () => {
    const tests = [
      { className: 'a.B', name: 'c', status: 'REGRESSION', errorDetails: 'no', errorStackTrace: 'at a.B.c(B.java:3)' },
      { className: 'a.B', name: 'd', status: 'PASSED' },
    ];
    const read = await reader()(addJenkins(servers.jenkins, MADE, { tests }));
    expect(read).toMatchObject({ log: MADE.log, results: [{ kind: 'test', scope: 'a.B', name: 'c', message: 'no' }] });
    expect(authorizations(servers.jenkins)).toEqual([`Basic ${Buffer.from(`causeway:${TOKEN}`).toString('base64')}`]);
  });
});

describe('an address', () => {
  it.each([
    ['of another host', () => `${servers.other.origin}/acme/shop/builds/7`],
    ['of another scheme', () => servers.kite.origin.replace('http:', 'https:')],
    ['of another port', () => `${servers.kite.origin}1/acme/shop/builds/7`],
    ['with a user in front', () => servers.kite.origin.replace('http://', `http://127.0.0.1:1@`)],
    [
      'with the host as the user',
      () => `http://${new URL(servers.kite.origin).host}@${new URL(servers.other.origin).host}/`,
    ],
    ['with a dot behind the host', () => `${servers.kite.origin.replace('127.0.0.1', '127.0.0.1.x')}/`],
    ['that is none', () => 'javascript:alert(1)'],
    ['that is empty', () => ''],
    ['that is very long', () => `${servers.kite.origin}/${'a'.repeat(3_000)}`],
  ])('%s is never requested', async (_, make) => {
    expect(await reader()(make())).toBeNull();
    expect(Object.values(servers).flatMap(({ seen }) => seen)).toEqual([]);
  });

  it.each([
    ['kite', '/'],
    ['kite', '/acme/shop/builds/7/retry'],
    ['kite', '/acme/shop/builds/x'],
    ['kite', '/acme%2Fshop/builds/7'],
    ['kite', '//evil.example/acme/shop/builds/7'],
    ['kite', '/acme/shop%2f..%2fother/builds/7'],
    ['circle', '/api/v1.1/me'],
    ['circle', '/gh/acme/..%2f..%2fme/12'],
    ['circle', '/bb/acme/shop/12'],
    ['jenkins', '/script'],
    ['jenkins', '/job/shop/3/kill'],
    ['jenkins', '/job/shop/lastBuild'],
    ['jenkins', '/job/..%2f..%2fscript/3'],
    ['jenkins', '/job/a%3Bb/3'],
    ['jenkins', '/other-app/job/shop/3'],
    ['jenkins', '/job/shop/3/?depth=9&tree=x#/../..'],
  ] as const)('of %s with the path %s: nothing but a build is asked for', async (name, path) => {
    const server = servers[name];
    const read = await reader()(`${server.origin}${path}`);
    expect(read?.log).toBe('');
    expect(server.seen.filter((one) => !/^\/job\/shop\/3\/api\/json\?tree=actions/.test(one.path))).toEqual([]);
  });
});

describe('a build', () => {
  const add = {
    buildkite: (made: typeof MADE) => addBuildkite(servers.kite, made),
    circleci: (made: typeof MADE) => addCircleci(servers.circle, servers.storage, made),
    jenkins: (made: typeof MADE) => addJenkins(servers.jenkins, made),
  };
  const cases = (['buildkite', 'circleci', 'jenkins'] as const).flatMap((kind) =>
    (
      [
        ['of another repository', { repository: 'git@github.com:victim/secrets.git' }],
        ['of a repository of that name elsewhere', { repository: 'https://github.example/acme/shop' }],
        ['of a repository below that name', { repository: 'https://github.com/acme/shop/extra' }],
        ['of another commit', { sha: 'b'.repeat(40) }],
        ['of a branch', { sha: 'HEAD' }],
        ['of a part of the commit', { sha: SHA.slice(0, 12) }],
      ] as const
    ).map(([what, made]) => [kind, what, made] as const),
  );

  it.each(cases)('of %s %s: its log is not even opened', async (kind, _, made) => {
    const log = 'CANARY of the victim';
    const read = await reader()(add[kind]({ ...MADE, ...made, log }));
    expect(read).toEqual({ log: '', noLog: expect.stringContaining('names another repository or commit') });
    const paths = Object.values(servers).flatMap(({ seen }) => seen.map(({ path }) => path));
    expect(paths.filter((path) => /log\.txt|output\?|consoleText|testReport/.test(path))).toEqual([]);
  });

  it('of Jenkins that also checks out a repository that is not named may be of that one: it is refused', async () => {
    const libraries = ['https://github.com/acme/pipeline.git'];
    const address = addJenkins(servers.jenkins, MADE, { libraries });
    expect((await reader()(address))?.noLog).toContain('checks out another repository');
    expect((await reader({ libraries: ['Acme/Pipeline'] })(address))?.log).toBe(MADE.log);
  });

  const remoteUrls = ['https://github.com/victim/secrets.git'];
  it.each([
    ['names a repository and no revision', { remoteUrls }],
    ['names a repository whose revision is null', { remoteUrls, lastBuiltRevision: null }],
    ['names a revision and no repository', { lastBuiltRevision: { SHA1: 'f'.repeat(40) } }],
    ['names a revision of no repository', { remoteUrls: [], lastBuiltRevision: { SHA1: 'f'.repeat(40) } }],
  ])('of Jenkins with a further checkout that %s is refused: its log is not even opened', async (_, other) => {
    const read = await reader()(addJenkins(servers.jenkins, MADE, { others: [other] }));
    expect(read).toEqual({ log: '', noLog: expect.stringContaining('checks out another repository') });
    expect(servers.jenkins.seen.filter(({ path }) => /consoleText|testReport/.test(path))).toEqual([]);
  });

  it('of Jenkins with the data of a checkout that did not take place is read', async () => {
    const address = addJenkins(servers.jenkins, MADE, { others: [{ remoteUrls: [], lastBuiltRevision: null }] });
    expect((await reader()(address))?.log).toBe(MADE.log);
  });

  it('of CircleCI whose output lies at a place that is not named is refused', async () => {
    const address = addCircleci(servers.circle, servers.other, { ...MADE, repository: 'https://github.com/acme/shop' });
    expect((await reader()(address))?.noLog).toContain('at a place that the operator has not named');
    expect(servers.other.seen).toEqual([]);
  });

  it('may have an address of git in any usual form, and no other', () => {
    const forms = [
      'git@github.com:Acme/Shop.git',
      'https://github.com/acme/shop',
      'https://x-token:y@github.com/acme/shop.git/',
      'ssh://git@github.com:22/acme/shop.git',
      'git://github.com/acme/shop',
    ];
    expect(forms.map((form) => readRepository(form, 'github.com'))).toEqual(forms.map(() => 'acme/shop'));
    const others = [
      '',
      'acme/shop',
      '../acme/shop',
      'https://github.com.evil.example/acme/shop',
      'https://evil@example/acme/shop',
      'file:///github.com/acme/shop',
      'git@evil:github.com/acme/shop',
    ];
    expect(others.map((form) => readRepository(form, 'github.com'))).toEqual(others.map(() => ''));
  });
});

describe('an answer', () => {
  const break_ = async (answer: object, endedAt = LONG_AGO) => {
    const address = addBuildkite(servers.kite, MADE);
    const path = [...servers.kite.answers.keys()].find((one) => one.endsWith('log.txt')) ?? '';
    servers.kite.answers.set(path, answer);
    return reader()(address, { endedAt });
  };

  it.each([301, 302, 303, 307, 308])('with status %i to another place: the token does not follow', async (status) => {
    for (const to of [`${servers.other.origin}/x`, '/v2/other', '//127.0.0.1:1/']) {
      const read = await break_({ status, headers: { location: to } });
      expect(read).toEqual({ log: '', noLog: 'The log could not be read from Buildkite.' });
    }
    expect(servers.other.seen).toEqual([]);
    expect(servers.kite.seen.some(({ path }) => path === '/v2/other')).toBe(false);
  });

  it.each([
    [401, 'does not let Causeway read'],
    [403, 'does not let Causeway read'],
    [404, 'has no such build'],
    [500, 'could not be read'],
    [429, 'could not be read'],
  ])('with status %i is said in words that name no host', async (status, words) => {
    const read = await break_({ status });
    expect(read?.noLog).toContain(words);
    expect(read?.noLog).not.toMatch(/127|http|token/);
  });

  it.each([404, 429, 500])('with status %i soon after the end of the check is waited for', async (status) => {
    await expect(break_({ status, headers: { 'retry-after': '60' } }, '2026-03-01T09:59:00Z')).rejects.toBeInstanceOf(
      ChecksBusy,
    );
  });

  it('that breaks off, or is no JSON, or has another form, is no log', async () => {
    expect((await break_({ how: 'cut', body: 'x'.repeat(10_000) }))?.noLog).toContain('could not be read');
    for (const body of ['<html>', '[]', '{"commit": 3}', 'null']) {
      const address = addBuildkite(servers.kite, MADE);
      servers.kite.answers.set('/v2/organizations/acme/pipelines/shop/builds/7', { body });
      expect((await reader()(address))?.noLog).toContain('could not be read');
    }
  });

  it('of 30 MB where a description is expected is not read to its end', async () => {
    const address = addBuildkite(servers.kite, MADE);
    servers.kite.answers.set('/v2/organizations/acme/pipelines/shop/builds/7', { body: `"${'x'.repeat(30_000_000)}"` });
    expect((await reader()(address))?.noLog).toContain('could not be read');
  });

  it('of a long log is shortened around its error', async () => {
    const noise = 'noise of the build\n'.repeat(50_000);
    const read = await reader()(addBuildkite(servers.kite, { ...MADE, log: `${noise}TypeError: at first\n${noise}` }));
    expect(Buffer.byteLength(read?.log ?? '')).toBeLessThanOrEqual(100_000);
    expect(read?.log).toContain('\nTypeError: at first\n');
  });

  it('leaves no token in what is logged', () => {
    expect(warned.length).toBeGreaterThan(10);
    expect(JSON.stringify(warned)).not.toContain(TOKEN);
  });
});

describe('CI_LOGS', () => {
  const entry = { kind: 'jenkins', user: 'causeway', token: TOKEN };
  const faultOf = (origins: unknown, environment = {}) => {
    try {
      parseBuildHosts(JSON.stringify({ origins }), environment);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    ['https://ci.example.com/', entry, 'write an origin'],
    ['https://CI.example.com', entry, 'write an origin'],
    ['https://a@ci.example.com', entry, 'write an origin'],
    ['ftp://ci.example.com', entry, 'write an origin'],
    ['https://ci.example.com', { ...entry, kind: 'travis' }, 'kind'],
    ['https://ci.example.com', { ...entry, user: '' }, 'user is needed for jenkins'],
    ['https://ci.example.com', { ...entry, token: '$CI_TOKEN' }, 'names the variable CI_TOKEN, which is not set'],
    ['https://ci.example.com', { ...entry, token: 'short' }, 'cannot be used'],
    ['https://ci.example.com', { ...entry, tokn: TOKEN }, 'unknown key'],
    ['https://ci.example.com', { ...entry, path: '/jenkins/' }, 'a path such as /jenkins'],
    ['https://buildkite.com', { kind: 'buildkite', token: TOKEN, user: 'x' }, 'user is needed for jenkins'],
  ])('%s with %j is refused in words without the token', (origin, given, words) => {
    const fault = faultOf({ [origin]: given });
    expect(fault).toContain(words);
    expect(fault).toMatch(/^CI_LOGS: /);
    expect(fault).not.toContain(TOKEN);
  });

  it('knows where the services have their API, and takes tokens from variables', () => {
    const origins = {
      'https://buildkite.com': { kind: 'buildkite', token: '$KITE' },
      'https://app.circleci.com': { kind: 'circleci', token: '$\u007bKITE}' },
      'https://ci.example.com:8443': { ...entry, path: '/jenkins' },
    };
    const hosts = parseBuildHosts(JSON.stringify({ origins }), { KITE: TOKEN });
    expect([...hosts.values()].map(({ api, token }) => [api, token])).toEqual([
      ['https://api.buildkite.com', TOKEN],
      ['https://circleci.com', TOKEN],
      ['https://ci.example.com:8443', TOKEN],
    ]);
  });

  it('that is no JSON is refused without a word of it', () => {
    expect(() => parseBuildHosts(`{${TOKEN}`, {})).toThrow(/^CI_LOGS: the file is not JSON/);
  });
});
