// What `serve` prints when it is ready: in local mode, with a GitHub App, and on the way to one.
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  formatGithubStart,
  formatIgnoredOwners,
  formatLocalStart,
  formatNotInstalled,
  formatSetup,
  type GithubStarted,
  type LocalStarted,
} from '../../src/cli/start-text.ts';

const TOKEN = `cwy_${'a'.repeat(36)}`;
const DATA = "TypeError: Cannot read 'percent'\n    at discountFor (src/coupons.js:14:11)";
const projects = ['corner-shop', 'shop'].map((name) => ({
  id: `prj_${name}`,
  name: `local/${name}`,
  source: { kind: 'path', path: `/home/ada/${name}` } as const,
  createdAt: '',
}));
const launcher = { here: 'bin/causeway', anywhere: '/srv/causeway/bin/causeway' };

function text(over: Partial<LocalStarted> = {}): string {
  return formatLocalStart({
    address: 'http://127.0.0.1:3000',
    projects,
    example: { projectId: 'prj_corner-shop', data: DATA },
    token: { kind: 'made', value: TOKEN },
    signInLink: 'http://127.0.0.1:3000/sign-in/local?code=abcdefghijklmnopqrstuv',
    worker: true,
    paused: false,
    launcher,
    model: null,
    modelHint: '',
    ...over,
  });
}

/** The arguments that a shell gives to the curl commands in the text, in order. */
function pastedCurls(text: string): string[][] {
  const script = text.slice(text.indexOf('\ncurl ')).match(/^curl (?:.*\\\n|.*'\{\n)*(?:[^\n]*\n)*?(?=\n)/gm) ?? [];
  return script.map((curl) => {
    const run = `curl() { printf '%s\\0' "$@"; }\n${curl}`;
    return execFileSync('sh', ['-c', run], { encoding: 'utf8' }).split('\0').slice(0, -1);
  });
}

describe('the text of the first start', () => {
  it('is five lines with the link first, then the token and what to paste', () => {
    expect(text()).toMatchInlineSnapshot(`
      "Causeway is ready: http://127.0.0.1:3000/sign-in/local?code=abcdefghijklmnopqrstuv
        Sign-in link (single use, valid 1 hour; new one: bin/causeway sign-in)
        Projects (set PROJECTS to change): local/corner-shop (demo), local/shop
        Model: none (search only). Set MODEL and OPENAI_API_KEY or OPENAI_BASE_URL to use one.
        API: http://127.0.0.1:3000/docs

      Your token (shown once): cwy_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa

      Submit a report – replace "data" with your own:

      curl -i http://127.0.0.1:3000/api/v1/issues/ \\
        -H 'Authorization: Bearer cwy_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' \\
        -H 'Content-Type: application/json' \\
        -d '{
        "projectId": "local/corner-shop",
        "data": "TypeError: Cannot read '\\''percent'\\''\\n    at discountFor (src/coupons.js:14:11)"
      }'

      Watch it in the browser, or wait for it here. Replace INV_ID with the id in the response
      (inv_…), and ISS_ID with the issue's (iss_…) once it is there:

      curl 'http://127.0.0.1:3000/api/v1/investigations/INV_ID/?wait=60' \\
        -H 'Authorization: Bearer cwy_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'

      curl http://127.0.0.1:3000/api/v1/issues/ISS_ID/ \\
        -H 'Authorization: Bearer cwy_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'

      Or receive a webhook: add "callbackUrl": "http://127.0.0.1:4000/" to the
      report, and run this in another terminal:

      node -e 'require("http").createServer((request, answer) => {
        request.pipe(process.stdout); request.on("end", () => answer.end())
      }).listen(4000, "127.0.0.1")'
      "
    `);
  });

  it('has curls that a shell understands: the report of the demo, its end, the issue', () => {
    const [report = [], wait = [], issue = []] = pastedCurls(text());
    expect(report[1]).toBe('http://127.0.0.1:3000/api/v1/issues/');
    expect(report).toContain(`Authorization: Bearer ${TOKEN}`);
    expect(JSON.parse(report.at(-1) ?? '')).toEqual({ projectId: 'local/corner-shop', data: DATA });
    expect(wait[0]).toBe('http://127.0.0.1:3000/api/v1/investigations/INV_ID/?wait=60');
    expect(issue[0]).toBe('http://127.0.0.1:3000/api/v1/issues/ISS_ID/');
  });

  it('has a placeholder as report where there is no demo project', () => {
    const [report = []] = pastedCurls(text({ example: null, projects: projects.slice(1) }));
    expect(JSON.parse(report.at(-1) ?? '')).toEqual({
      projectId: 'local/shop',
      data: expect.stringContaining('PASTE'),
    });
  });
});

describe('the text of a start', () => {
  it('is five lines once a token was used, and says how to make another', () => {
    const said = text({ token: { kind: 'used' } });
    expect(said).not.toMatch(/cwy_|curl/);
    expect(said.split('\n')).toHaveLength(6);
    expect(said).toContain('new token: bin/causeway token create --name laptop');
  });

  it('still has the curl while no token was used, with a placeholder for it', () => {
    const said = text({ token: { kind: 'unused' } });
    expect(said).not.toContain('cwy_');
    expect(said).toContain('new token: bin/causeway token create --name laptop');
    expect(pastedCurls(said)).toHaveLength(3);
    for (const curl of pastedCurls(said)) expect(curl).toContain('Authorization: Bearer TOKEN');
  });

  it('names the first few of many projects', () => {
    const many = Array.from({ length: 8 }, (_, at) => ({ ...projects[1]!, id: `prj_${at}`, name: `local/p${at}` }));
    expect(text({ projects: many, example: null })).toContain(
      'local/p0, local/p1, local/p2, local/p3, local/p4 and 3 more\n',
    );
  });

  it('says on its first line that a MODEL is set without a key', () => {
    const [first, second] = text({ modelHint: 'MODEL is set without a key. Set OPENAI_API_KEY.' }).split('\n');
    expect(first).toBe('Model: none (search only). MODEL is set without a key. Set OPENAI_API_KEY.');
    expect(second).toMatch(/^Causeway is ready: http/);
  });

  it('without a worker says that reports wait, and until when', () => {
    expect(text({ worker: false })).toContain(
      'No worker in this process: reports are stored, but nothing runs or is sent until a\nstart without --no-worker (or, with PostgreSQL, a "causeway worker").\n',
    );
    expect(text()).not.toContain('--no-worker');
  });
});

const started: GithubStarted = {
  ...{
    address: 'https://causeway.example',
    listening: 'http://0.0.0.0:3000',
    lacksPublicUrl: false,
    webUrl: 'https://github.com',
    appId: 4711,
  },
  ...{ hasSignIn: true, worker: true, paused: false, maxMode: 'fix', model: 'some-model', modelHint: '' },
  commandNeeds: [],
  launcher: { here: 'bin/causeway', anywhere: '/srv/causeway/bin/causeway' },
};

it('says where it is, which App it is, and how to create a token', () => {
  expect(formatGithubStart(started)).toMatchInlineSnapshot(`
    "Causeway is ready: https://causeway.example
      Account area: https://causeway.example/projects
      API and examples: https://causeway.example/docs
      GitHub: https://github.com, App 4711; webhooks arrive at https://causeway.example/api/github/webhooks
      Listening on http://0.0.0.0:3000. Press Ctrl-C to stop.
      Model: some-model

    To create an API token for a GitHub user:
      bin/causeway token create --account LOGIN --name laptop
    "
  `);
});

it('says what the command for a token needs in another terminal, beyond its folder', () => {
  expect(formatGithubStart({ ...started, commandNeeds: ['DATABASE_URL', 'ENCRYPTION_KEY'] })).toContain(
    'To create an API token for a GitHub user (with DATABASE_URL and ENCRYPTION_KEY set as here):\n',
  );
});

it('says where people sign in, or what is missing for it', () => {
  expect(formatGithubStart(started)).toContain('\n  Account area: https://causeway.example/projects\n');
  expect(formatGithubStart({ ...started, hasSignIn: false })).toMatch(
    /Account area: set GITHUB_CLIENT_ID and GITHUB_CLIENT_SECRET of the App/,
  );
});

it('says on its first line that a MODEL is set without a key', () => {
  const [first] = formatGithubStart({ ...started, model: null, modelHint: 'MODEL is set without a key.' }).split('\n');
  expect(first).toBe('Model: none (search only). MODEL is set without a key.');
});

it('says what it does not do: without a worker, paused, below mode fix', () => {
  const text = formatGithubStart({ ...started, worker: false, paused: true, maxMode: 'comment' });
  expect(text).toContain('No worker in this process');
  expect(text).toContain('bin/causeway resume');
  expect(text).toContain('comment at most (MAX_MODE)');
});

it('leads to the page that makes the App, and to where it is installed', () => {
  const text = formatSetup({
    address: 'https://causeway.example',
    listening: 'http://0.0.0.0:3000',
    lacksPublicUrl: false,
    code: 'AAAAA-BBBBB',
  });
  expect(text).toMatch(/https:\/\/causeway\.example\/setup\n.*AAAAA-BBBBB/);
  expect(text).not.toContain('PUBLIC_URL');
  expect(formatNotInstalled('https://github.com/apps/x')).toContain('https://github.com/apps/x/installations/new');
});

it('names the owner of an ignored installation, and the setting', () => {
  const text = formatIgnoredOwners('https://github.com/apps/x', ['acme']);
  expect(text).toContain('installed for acme');
  expect(text).toContain('ALLOWED_OWNERS');
  expect(text).not.toContain('not installed');
  expect(text).toContain('https://github.com/apps/x/installations/new');
});

it('asks for PUBLIC_URL where the port is open to others', () => {
  const address = 'http://0.0.0.0:3000';
  const open = { address, listening: address, lacksPublicUrl: true };
  expect(formatGithubStart({ ...started, ...open })).toMatch(/\n\nSet PUBLIC_URL to the address .*\n.*\nSign-in /);
  expect(formatSetup({ ...open, code: 'AAAAA-BBBBB' })).toMatch(/\nSet PUBLIC_URL to the address /);
});
