// Faults of machines and services count only where they ended the step.
import { describe, expect, it } from 'vitest';
import { readCheck } from '../src/read-check.ts';
import { actionsLog, JEST, stamped } from './logs.ts';

function faultOf(log: string): string | null {
  return readCheck({ name: 'test', output: '', log, annotations: [] }).infrastructure?.what ?? null;
}

function cannotFetch(script: string): readonly string[] {
  return [
    'Error: Failed to set up the browser!',
    `    at download (file:///home/runner/work/shop/shop/${script}:26:15)`,
    '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
    '  [cause]: Error: getaddrinfo ENOTFOUND browsers.example.org',
    '      at GetAddrInfoReqWrap.onlookupall [as oncomplete] (node:dns:122:26) {',
    "    code: 'ENOTFOUND',",
  ];
}

describe('the machine or a service', () => {
  it.each<[string, string, readonly string[], string?]>([
    [
      'the runner was shut down or lost',
      'npm test',
      ['working'],
      'The runner has received a shutdown signal. This can happen when the runner service is stopped.',
    ],
    [
      'the runner was shut down or lost',
      'npm test',
      ['working'],
      'The self-hosted runner: a-1 lost communication with the server.',
    ],
    ['the disk of the machine was full', 'make', ['cp: error writing x: No space left on device']],
    ['the disk of the machine was full', 'go build', ['write /tmp/x: no space left on device']],
    [
      'the disk of the machine was full',
      'docker pull x',
      ['failed to register layer: write /lib/x: no space left on device'],
    ],
    ['the disk of the machine was full', 'node build.js', ['ENOSPC: no space left on device, write']],
    [
      'the machine ran out of memory',
      'node build.js',
      ['FATAL ERROR: Reached heap limit - JavaScript heap out of memory'],
    ],
    [
      'the registry of container images limits how often it is asked',
      'docker pull x',
      ['Error response from daemon: toomanyrequests: Too Many Requests'],
    ],
    [
      'GitHub limits how often it is asked',
      'gh release list',
      [
        'gh: API rate limit exceeded for user ID 4711. If you reach out to GitHub Support for help, name it. (HTTP 403)',
      ],
    ],
    [
      'the job got no credentials for its cloud',
      'aws-actions/configure-aws-credentials@v4',
      [
        '##[error]Credentials could not be loaded, please check your action inputs: Could not load credentials from any providers',
      ],
    ],
    ['the machine ran out of memory', 'make', ['Killed'], 'Process completed with exit code 137.'],
    [
      'a package registry did not answer',
      'npm ci',
      ['npm ERR! code E503', 'npm ERR! 503 Service Unavailable - GET https://registry.example/left'],
    ],
    [
      'a package registry did not answer',
      'npm ci',
      ['npm error network request failed, reason: getaddrinfo EAI_AGAIN registry.example'],
    ],
    [
      'a package registry did not answer',
      'pip install -r r.txt',
      ["ERROR: HTTP error 502 while getting x: Bad Gateway from pip's index"],
    ],
    [
      'a package repository did not answer',
      'mvn verify',
      [
        '[ERROR] Failed to execute goal on project shop: Could not transfer artifact a:b:jar:1 from central: status code: 503',
      ],
    ],
    [
      'a package mirror did not answer',
      'sudo apt-get update',
      ['E: Failed to fetch http://mirror.example/x  503  Service Unavailable'],
    ],
    [
      'the registry of container images did not answer',
      'docker build .',
      ['#3 ERROR: failed to do request: Head "https://registry.example": i/o timeout'],
    ],
    [
      'the registry of container images limits how often it is asked',
      'docker pull x',
      ['toomanyrequests: You have reached your pull rate limit.'],
    ],
    [
      'the source could not be fetched',
      'git fetch',
      ["fatal: unable to access 'https://example.org/x.git/': The requested URL returned error: 503"],
    ],
    [
      'a download failed',
      'curl -fO https://mirror.example/x',
      ["curl: (7) Failed to connect to mirror.example port 443 after 9 ms: Couldn't connect to server"],
    ],
    [
      "GitHub's own service failed",
      'x',
      [],
      "Failed to download archive 'https://codeload.example/x' after 3 attempts.",
    ],
    [
      'a service that the set-up needs did not answer',
      'curl -f https://example.org/tool.tgz',
      ['error: request to the mirror returned 503'],
    ],
    [
      'a service that the set-up needs did not answer',
      'node node_modules/browser/install.mjs',
      cannotFetch('node_modules/browser/install.mjs'),
    ],
  ])('%s: said by %s', (what, command, output, end) => {
    expect(faultOf(actionsLog(command, output, end))).toBe(what);
  });

  it('is quoted as the first error', () => {
    const log = actionsLog('make', ['error: odd', 'cc: No space left on device', 'error: giving up']);
    expect(readCheck({ name: 'x', output: '', log, annotations: [] }).excerpt.headline).toBe(
      'cc: No space left on device',
    );
  });
});

describe('what GitHub notes of a runner that died', () => {
  const annotations = [
    {
      path: '.github',
      line: 1,
      level: 'failure',
      message: 'The hosted runner lost communication with the server. Anything can cause this.',
    },
  ] as const;
  const fault = (output: readonly string[]) =>
    readCheck({ name: 'test', output: '', log: stamped(['##[group]Run npm test', ...output]), annotations })
      .infrastructure;

  it('counts, though its cut log complains of something else', () => {
    expect(fault(['error: retrying'])?.what).toBe('the runner was shut down or lost');
  });

  it('does not undo a test that had failed by then', () => {
    expect(fault(JEST)).toBeNull();
  });
});

describe('the code’s own', () => {
  it.each<[string, string, readonly string[]]>([
    ['a test that failed while connections were refused', 'npm test', JEST],
    ['an assertion about 503', 'npm test', ['Error: expected 200, got status: 503', '    at test/api.test.js:3:1']],
    ['a program under test that could not connect', './e2e.sh', ['Error: connect ECONNREFUSED 127.0.0.1:3000']],
    [
      'a package that does not exist',
      'npm ci',
      ['npm ERR! code E404', 'npm ERR! 404 Not Found - GET https://registry.example/lft'],
    ],
    [
      'a lock file that does not fit',
      'npm ci',
      ['npm ERR! `npm ci` can only install packages when your package.json and lock file are in sync.'],
    ],
    ['a disk that a test fills', 'npm test', ['Error: ENOSPC: no space left on device', ...JEST]],
    [
      'a watcher of too many files',
      'node watch.js',
      ['Error: ENOSPC: System limit for number of file watchers reached'],
    ],
    [
      'a service of the project that curl cannot reach',
      'curl -fsS http://127.0.0.1:9/health',
      ["curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server"],
    ],
    [
      'a database on the same machine',
      'npm ci',
      ['npm ERR! postinstall: connect ECONNREFUSED ::1:5432', 'npm ERR! localhost:5432: Connection refused'],
    ],
    ['a script of its own that cannot fetch', 'node scripts/install.mjs', cannotFetch('scripts/install.mjs')],
    ['a host that is none', 'curl x', ['curl: (6) Could not resolve host: https']],
  ])('is %s', (_, command, output) => {
    expect(faultOf(actionsLog(command, output))).toBeNull();
  });

  it('is an error after a download that was tried again', () => {
    const noise = Array.from({ length: 120 }, (_, index) => `unpacking ${index}`);
    const output = ['npm ERR! 503 Service Unavailable, trying again', ...noise, 'error: no such script: build'];
    expect(faultOf(actionsLog('npm ci', output))).toBeNull();
  });

  it('is what fails in another step than the one that could not fetch', () => {
    const log = `${actionsLog('npm ci', ['npm ERR! 503 Service Unavailable'], 'ignored').replace('##[error]ignored', 'going on')}\n${stamped(['##[group]Run make', '##[endgroup]', 'error: no rule for x', '##[error]Process completed with exit code 2.'])}`;
    expect(faultOf(log)).toBeNull();
  });
});
