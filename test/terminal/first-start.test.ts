import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type KnownToken, type Started, startText } from '../../src/terminal/first-start.ts';

const TOKEN = `cwy_${'a'.repeat(36)}`;
const projects = [
  {
    id: 'prj_3kTMd0000000000000000',
    name: 'local/shop',
    source: { kind: 'path', path: '/home/ada/shop' },
    createdAt: '',
  },
] as const;
const launcher = { here: 'bin/causeway', anywhere: '/srv/causeway/bin/causeway' };

function text(over: Partial<Started>): string {
  const token: KnownToken = { kind: 'made', value: TOKEN };
  return startText({
    address: 'http://127.0.0.1:3000',
    projects,
    token,
    signInLink: 'http://127.0.0.1:3000/sign-in/local?code=abcdefghijklmnopqrstuv',
    worker: true,
    paused: false,
    launcher,
    model: null,
    modelHint: '',
    ...over,
  });
}

const first = text({});

/** The arguments that a shell gives to the curl commands in the text, in order. */
function pastedCurls(text: string): string[][] {
  const script = text.slice(text.indexOf('\ncurl ')).match(/^curl (?:.*\\\n|.*'\{\n)*(?:[^\n]*\n)*?(?=\n)/gm) ?? [];
  return script.map((curl) => {
    const run = `curl() { printf '%s\\0' "$@"; }\n${curl}`;
    return execFileSync('sh', ['-c', run], { encoding: 'utf8' }).split('\0').slice(0, -1);
  });
}

describe('the text of the first start', () => {
  it('reads well in 80 columns', () => {
    expect(first).toMatchInlineSnapshot(`
      "Causeway is ready: http://127.0.0.1:3000
        API and examples: http://127.0.0.1:3000/docs
        Local mode: this machine only. Ctrl-C stops it.
        Model: none, so answers are facts only. MODEL with OPENAI_API_KEY or
        OPENAI_BASE_URL names one.

      Open it in a browser. This link signs you in, once, within an hour
      (another: bin/causeway sign-in):
        http://127.0.0.1:3000/sign-in/local?code=abcdefghijklmnopqrstuv

      Projects (PROJECTS names others):
        local/shop  prj_3kTMd0000000000000000

      Your token, shown this once (only a hash of it is kept):
        cwy_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa

      Hand in a report. Paste this; put in your own problem as "data":

      curl -i http://127.0.0.1:3000/api/v1/issues/ \\
        -H 'Authorization: Bearer cwy_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' \\
        -H 'Content-Type: application/json' \\
        -d '{
        "projectId": "prj_3kTMd0000000000000000",
        "data": "TypeError: cart is undefined\\n    at checkout (src/index.js:10:5)"
      }'

      Follow it. The answer names the investigation (inv_...); put it in here, and
      this waits for its end and names the issue (iss_...):

      curl 'http://127.0.0.1:3000/api/v1/investigations/INV_ID/?wait=60' \\
        -H 'Authorization: Bearer cwy_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'

      curl http://127.0.0.1:3000/api/v1/issues/ISS_ID/ \\
        -H 'Authorization: Bearer cwy_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'

      Or be told: run this in another terminal, and add to the body of the report
        "callbackUrl": "http://127.0.0.1:4000/"

      node -e 'require("http").createServer((request, answer) => {
        request.pipe(process.stdout); request.on("end", () => answer.end())
      }).listen(4000, "127.0.0.1")'
      "
    `);
    expect(first.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('holds curls that a shell understands: the report, its end, the issue', () => {
    const [report = [], wait = [], issue = []] = pastedCurls(first);
    expect(report[1]).toBe('http://127.0.0.1:3000/api/v1/issues/');
    expect(report).toContain(`Authorization: Bearer ${TOKEN}`);
    expect(JSON.parse(report.at(-1) ?? '')).toEqual({
      projectId: 'prj_3kTMd0000000000000000',
      data: 'TypeError: cart is undefined\n    at checkout (src/index.js:10:5)',
    });
    expect(wait[0]).toBe('http://127.0.0.1:3000/api/v1/investigations/INV_ID/?wait=60');
    expect(issue[0]).toBe('http://127.0.0.1:3000/api/v1/issues/ISS_ID/');
  });

  it('without a project shows the token, no curl that could not work, and how to start with one', () => {
    const said = text({ projects: [] });
    expect(said).toContain(TOKEN);
    expect(said).not.toMatch(/curl|PROJECT_ID/);
    expect(said).toContain('Projects: none yet.');
    expect(said).toContain('cd YOUR-REPOSITORY && /srv/causeway/bin/causeway serve\n');
    expect(said).toContain('PROJECTS=/path/to/one:/path/to/another bin/causeway serve\n');
  });
});

describe('the text of a later start', () => {
  it('shows no token and no curl once a token was used, and says how to make another', () => {
    const said = text({ token: { kind: 'used' } });
    expect(said).not.toMatch(/cwy_|curl/);
    expect(said).toContain('\n  bin/causeway token create --name laptop\n');
  });

  it('shows the curl with a place for the token while none was used, and claims nothing about where it was shown', () => {
    const said = text({ token: { kind: 'unused' } });
    expect(said).not.toMatch(/cwy_|was printed/);
    expect(said).toContain('\n  bin/causeway token create --name laptop\n');
    for (const curl of pastedCurls(said)) expect(curl).toContain('Authorization: Bearer TOKEN');
    expect(pastedCurls(said)).toHaveLength(3);
    expect(said.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('the text of a start without a worker', () => {
  it('says that reports wait, and until when', () => {
    expect(text({ worker: false })).toContain(
      'Without a worker: reports are taken and kept, and webhooks are not sent, until a\nstart without --no-worker, or over PostgreSQL a "causeway worker", takes them up.\n',
    );
    expect(first).not.toContain('--no-worker');
  });
});
