import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../src/cli/command-line.ts';
import { getHelpText, TOPICS } from '../../src/cli/help.ts';
import { JOB_KINDS } from '../../src/core/queue.ts';

const analyse = {
  kind: 'analyse',
  input: { kind: 'none' },
  repository: null,
  revision: '',
  log: null,
  json: false,
  patchFile: null,
};
const create = {
  kind: 'token-create',
  name: 'ci',
  scopes: ['issues:read', 'issues:write', 'projects:read'],
  expiresIn: null,
  account: null,
};
const DAY = 86_400_000;

describe('the command line', () => {
  it.each([
    [[], { kind: 'help', topic: 'causeway' }],
    [['--help'], { kind: 'help', topic: 'causeway' }],
    [['help', 'token'], { kind: 'help', topic: 'token' }],
    [['help', 'analyze'], { kind: 'help', topic: 'analyse' }],
    [['analyse', 'text', '-h', '--nonsense'], { kind: 'help', topic: 'analyse' }],
    [['token', 'create', '--help'], { kind: 'help', topic: 'token' }],
    [['--version'], { kind: 'version' }],
    [['serve'], { kind: 'serve', worker: true }],
    [['serve', '--no-worker'], { kind: 'serve', worker: false }],
    [['worker'], { kind: 'worker', concurrency: null }],
    [['worker', '--concurrency', '8'], { kind: 'worker', concurrency: 8 }],
    [['migrate'], { kind: 'migrate' }],
    [['backup'], { kind: 'backup', file: null }],
    [['backup', '../monday.db'], { kind: 'backup', file: '../monday.db' }],
    [
      ['move', '--from', 'sqlite:../data/causeway.db', '--to', 'postgres://u:p@db/c'],
      { kind: 'move', from: '../data/causeway.db', to: 'postgres://u:p@db/c' },
    ],
    [['move', '--from', 'sqlite:///srv/causeway.db'], { kind: 'move', from: '/srv/causeway.db', to: null }],
    [['redrive', 'check-run'], { kind: 'redrive', jobs: 'check-run' }],
    [['demo'], { kind: 'demo', json: false, patchFile: null }],
    [['demo', '--json', '--patch=x.patch'], { kind: 'demo', json: true, patchFile: 'x.patch' }],
    [['webhook-secret', 'show', '--account', 'octocat'], { kind: 'webhook-secret-show', account: 'octocat' }],
    [['sign-in'], { kind: 'sign-in' }],
    [
      ['verify-proof', 'c.json', 'https://github.com/o/r/pull/7', '--app', 'causeway'],
      { kind: 'verify-proof', file: 'c.json', url: 'https://github.com/o/r/pull/7', app: 'causeway' },
    ],
    [['verify-proof', 'c.json'], { kind: 'verify-proof', file: 'c.json', url: null, app: null }],
    [['pause'], { kind: 'pause' }],
    [['webhook-secret', 'rotate'], { kind: 'webhook-secret-rotate', account: null }],
  ])('%j is understood', (argv, command) => {
    expect(parseCommandLine(argv)).toEqual(command);
  });

  it.each([
    [['analyse'], {}],
    [['analyze', 'it crashes'], { input: { kind: 'text', text: 'it crashes' } }],
    [['analyse', '-'], { input: { kind: 'stdin' } }],
    [['analyse', '--', '-5 items'], { input: { kind: 'text', text: '-5 items' } }],
    [
      ['analyse', 'https://github.com/o/r/issues/1'],
      { input: { kind: 'address', url: 'https://github.com/o/r/issues/1' } },
    ],
    [['analyse', 'https://x.example is down'], { input: { kind: 'text', text: 'https://x.example is down' } }],
    [['analyse', '--repo', '../shop'], { repository: { kind: 'path', path: '../shop' } }],
    [['analyse', '--repo=C:\\code\\shop'], { repository: { kind: 'path', path: 'C:\\code\\shop' } }],
    [
      ['analyse', '--repo', 'https://g.example/o/r.git'],
      { repository: { kind: 'url', url: 'https://g.example/o/r.git' } },
    ],
    [['analyse', '--log', '-'], { log: '-' }],
    [['analyse', 'x', '--log', 'a.log', '--json'], { input: { kind: 'text', text: 'x' }, log: 'a.log', json: true }],
    [['analyse', '--revision', 'v1', '--patch', 'p'], { revision: 'v1', patchFile: 'p' }],
  ])('%j is an analysis', (argv, part) => {
    expect(parseCommandLine(argv)).toEqual({ ...analyse, ...part });
  });

  it.each([
    [['--name', 'ci'], {}],
    [['--name', 'ci', '--expires', '90d'], { expiresIn: 90 * DAY }],
    [['--name', 'ci', '--expires', '12h'], { expiresIn: DAY / 2 }],
    [['--name', 'ci', '--expires', '4w'], { expiresIn: 28 * DAY }],
    [
      ['--name', 'ci', '--scopes', 'pull-requests:write, issues:read'],
      { scopes: ['issues:read', 'pull-requests:write'] },
    ],
    [['--name', 'ci', '--account', 'ada'], { account: 'ada' }],
  ])('token create %j is understood', (args, part) => {
    expect(parseCommandLine(['token', 'create', ...args])).toEqual({ ...create, ...part });
  });

  it('token list and token revoke are understood', () => {
    expect(parseCommandLine(['token', 'list'])).toEqual({ kind: 'token-list', account: null });
    expect(parseCommandLine(['token', 'revoke', 'tok_1'])).toEqual({
      kind: 'token-revoke',
      id: 'tok_1',
      account: null,
    });
  });
});

describe('a command line that is wrong', () => {
  it.each([
    [['anaylse'], 'There is no command "anaylse". Did you mean "analyse"? See "causeway help".'],
    [['constructor'], 'There is no command "constructor". See "causeway help".'],
    [['--json'], 'There is no option --json before a command. See "causeway help".'],
    [['help', 'tokens'], 'There is no help on "tokens". Did you mean "token"? See "causeway help".'],
    [['help', 'token', 'create'], '"help" takes only one argument; unexpected "create". See "causeway help help".'],
    [['sign-in', 'now'], '"sign-in" takes no argument "now". See "causeway help sign-in".'],
    [['--version', '--x'], 'There is no option --x. See "causeway help version".'],
    [['serve', 'now'], '"serve" takes no argument "now". See "causeway help serve".'],
    [['serve', '--no-worker=yes'], '--no-worker takes no value. See "causeway help serve".'],
    [
      ['worker', '--concurrency', '0'],
      '--concurrency takes a whole number from 1 to 64, not "0". See "causeway help worker".',
    ],
    [['backup', 'a', 'b'], '"backup" takes only one argument; unexpected "b". See "causeway help backup".'],
    [
      ['backup', '-'],
      'A backup is checked after it was written, so it needs a file: name one. See "causeway help backup".',
    ],
    [
      ['move', '--from', 'postgres://u:secret@db/c'],
      '--from takes sqlite:FILE, such as sqlite:/srv/causeway/causeway.db. See "causeway help move".',
    ],
    [['move', 'postgres://u:secret@db/c'], '"move" takes no arguments; use --from and --to. See "causeway help move".'],
    [['verify-proof'], 'Name the address of a pull request with a certificate. See "causeway help verify-proof".'],
    [
      ['verify-proof', 'a.json', 'b.json'],
      '"verify-proof" takes one pull request, and one file at most. See "causeway help verify-proof".',
    ],
    [['redrive', 'webhok'], 'There is no kind of job "webhok". Did you mean "webhook"? See "causeway help redrive".'],
    [
      ['redrive', 'run', 'webhook'],
      '"redrive" takes only one argument; unexpected "webhook". See "causeway help redrive".',
    ],
    [['analyse', '--jsn'], 'There is no option --jsn. Did you mean "--json"? See "causeway help analyse".'],
    [['analyse', '-x'], 'There is no option -x. See "causeway help analyse".'],
    [['analyse', 'it', 'crashes'], 'The report must be one argument: put it in quotes. See "causeway help analyse".'],
    [['analyse', '--repo'], '--repo needs a value after it. See "causeway help analyse".'],
    [['analyse', '--repo', '--json'], '--repo needs a value after it. See "causeway help analyse".'],
    [['analyse', '--repo='], '--repo needs a value after it. See "causeway help analyse".'],
    [
      ['analyse', '-', '--log', '-'],
      'Report and log cannot both come from standard input: give one of them as text or file. See "causeway help analyse".',
    ],
    [
      ['analyse', '--patch', '-'],
      '--patch takes the name of a file, since the answer goes to standard output. See "causeway help analyse".',
    ],
    [
      ['analyse', '--repo', 'git@github.com:o/r.git'],
      '--repo takes a path or an https address, not "git@github.com:o/r.git": clone it and give the path. See "causeway help analyse".',
    ],
    [
      ['analyse', '--repo', 'ssh://g.example/r'],
      '--repo takes a path or an https address, not "ssh://g.example/r": clone it and give the path. See "causeway help analyse".',
    ],
    [
      ['analyse', '--repo', 'https://me:pw@g.example/r'],
      '--repo takes no credentials in an address: clone the repository and give the path. See "causeway help analyse".',
    ],
    [['token'], '"token" needs a subcommand: create, list, revoke. See "causeway help token".'],
    [['token', 'lst'], 'There is no "token lst". Did you mean "list"? See "causeway help token".'],
    [['token', 'create'], 'A token needs a name: causeway token create --name laptop. See "causeway help token".'],
    [['token', 'create', 'ci'], '"token create" takes no argument "ci". See "causeway help token".'],
    [['token', 'list', '--name', 'ci'], 'There is no option --name. See "causeway help token".'],
    [['token', 'revoke'], 'Name the token to revoke by its id (tok_…). See "causeway help token".'],
    [
      ['token', 'create', '--name', 'ci', '--scopes', 'admin'],
      'There is no scope "admin". Choose from issues:read,issues:write,projects:read,pull-requests:write,webhooks:write. See "causeway help token".',
    ],
    [
      ['token', 'create', '--name', 'ci', '--scopes', 'isues:read'],
      'There is no scope "isues:read". Did you mean "issues:read"? See "causeway help token".',
    ],
    [
      ['token', 'create', '--name', 'ci', '--expires', '0d'],
      '--expires takes hours, days or weeks up to 3650d, such as 12h, 90d or 4w, not "0d". See "causeway help token".',
    ],
    [
      ['token', 'create', '--name', 'ci', '--expires', '3651d'],
      '--expires takes hours, days or weeks up to 3650d, such as 12h, 90d or 4w, not "3651d". See "causeway help token".',
    ],
    [['webhook-secret'], '"webhook-secret" needs a subcommand: show, rotate. See "causeway help webhook-secret".'],
    [
      ['webhook-secret', 'show', 'x'],
      '"webhook-secret show" takes no argument "x". See "causeway help webhook-secret".',
    ],
  ])('%j is answered with one line that names the repair', (argv, message) => {
    expect(() => parseCommandLine(argv)).toThrow(expect.objectContaining({ code: 'usage', message }));
  });
});

it('the help on tokens has the account in the usage of each command that takes one', () => {
  expect(
    getHelpText('token').match(/token (?:create|list|revoke)[^\n]*(?:\n {20,}[^\n]*)?\[--account LOGIN\]/g),
  ).toHaveLength(3);
});

it('the help on redrive names every kind of job that it takes', () => {
  const words = new Set(getHelpText('redrive').match(/[a-z-]+/g));
  expect(JOB_KINDS.filter((kind) => !words.has(kind))).toEqual([]);
});

it.each(TOPICS)('the help on %s fits in 80 columns, with usage and an example, and the overview names it', (topic) => {
  const text = getHelpText(topic);
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(text).toMatch(/\nUsage: causeway/);
  expect(text).toMatch(/\n\n(Examples?|Try it):\n\n {2}(?=\S).*causeway/);
  expect(getHelpText('causeway')).toContain(topic);
});
